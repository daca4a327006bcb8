"""GPT-2 and Llama as Hugging Face stores them, to and from :class:`typedtorch.nn.Transformer`.

No code of theirs is needed: a state dict and the values of a ``config.json`` are enough.
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from typedtorch.functional import RopeStretch
from typedtorch.nn.interop.keymap import Entry, KeyMap
from typedtorch.nn.mlp import Activation
from typedtorch.nn.style import RMS, Centred, Gated, Learned, Plain, Rotary, Style
from typedtorch.nn.transformer import Transformer, TransformerConfig

_ACTIVATIONS: dict[str, Activation] = {
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu": "gelu",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
}


def from_huggingface(state: Mapping[str, Tensor], config: Mapping[str, Any]) -> Transformer:
    """The model of a ``config.json`` with the weights of a state dict, in their dtype.

    Args:
        state: of ``GPT2LMHeadModel`` or ``LlamaForCausalLM``, with or without the model's prefix.
        config: what ``config.json`` or ``model.config.to_dict()`` holds.

    Raises:
        ValueError: a kind of model, or an option, that :class:`Transformer` does not express.
        StateDictMismatch: weights that do not fit, all of them named with both shapes.
    """
    dtype = next((tensor.dtype for tensor in state.values() if tensor.is_floating_point()), None)
    model = Transformer.from_config(config_from_huggingface(config), dtype=dtype)
    load_huggingface(model, state)
    return model


@torch.no_grad()
def load_huggingface(model: Transformer, state: Mapping[str, Tensor]) -> None:
    """Copy a Hugging Face state dict into a model; where anything does not fit, nothing is changed.

    Raises:
        ValueError: the model's parts are neither GPT-2's nor Llama's.
        StateDictMismatch: weights that do not fit, all of them named with both shapes.
    """
    own = dict(model.named_parameters())
    shapes = {name: tuple(param.shape) for name, param in own.items()}
    for name, tensor in key_map(model.config).to_ours(state, shapes).items():
        own[name].copy_(tensor)


def to_huggingface(model: Transformer) -> dict[str, Tensor]:
    """The state dict under Hugging Face's names, for ``load_state_dict`` of their model.

    Raises:
        ValueError: the model's parts are neither GPT-2's nor Llama's.

    >>> model = Transformer(vocab=9, d_model=8, layers=1, heads=2, max_seq=4)
    >>> list(to_huggingface(model))[:2]
    ['model.embed_tokens.weight', 'model.layers.0.self_attn.q_proj.weight']
    """
    return key_map(model.config).to_theirs({name: p.detach() for name, p in model.named_parameters()})


def config_from_huggingface(config: Mapping[str, Any]) -> TransformerConfig:
    """The sizes and parts a ``config.json`` describes.

    Raises:
        ValueError: a kind of model, or an option, that :class:`Transformer` does not express, naming it.

    >>> sizes = {"vocab_size": 9, "n_embd": 8, "n_layer": 1, "n_head": 2, "n_positions": 4}
    >>> config_from_huggingface({"model_type": "gpt2", **sizes}).width
    32
    """
    kind = config.get("model_type")
    if kind == "gpt2":
        return _gpt2_config(config)
    if kind == "llama":
        return _llama_config(config)
    raise ValueError(f"model_type: expected 'gpt2' or 'llama', got {kind!r}")


def key_map(config: TransformerConfig) -> KeyMap:
    """Which of their keys is which of ours, by the parts of the model.

    Raises:
        ValueError: the parts are neither GPT-2's nor Llama's.
    """
    parts = config.style
    if isinstance(parts.norm, RMS) and isinstance(parts.mlp, Gated) and isinstance(parts.positions, Rotary):
        if parts.positions.pairs == "half-split":
            return _llama_keys(config)
    elif (
        isinstance(parts.norm, Centred)
        and isinstance(parts.mlp, Plain)
        and parts.norm.bias
        and parts.mlp.bias
    ):
        narrow = config.kv_heads not in (None, config.heads) or config.head_dim not in (
            None,
            config.d_model // config.heads,
        )
        if isinstance(parts.positions, Learned) and parts.attention_bias and not narrow:
            return _gpt2_keys(config)
    raise ValueError(f"neither GPT-2's nor Llama's parts: {config.style}")


def _gpt2_config(config: Mapping[str, Any]) -> TransformerConfig:
    _refuse(config, "scale_attn_by_inverse_layer_idx", "add_cross_attention")
    if not config.get("scale_attn_weights", True):
        raise ValueError("GPT-2 with scale_attn_weights=False is not supported")
    rates = {name: config.get(name, 0.1) for name in ("resid_pdrop", "embd_pdrop", "attn_pdrop")}
    if len(set(rates.values())) > 1:
        raise ValueError(f"GPT-2 with several dropout rates is not supported, got {rates}")
    return TransformerConfig(
        vocab=config["vocab_size"],
        d_model=config["n_embd"],
        layers=config["n_layer"],
        heads=config["n_head"],
        max_seq=config["n_positions"],
        d_ff=config.get("n_inner") or 4 * config["n_embd"],
        tie=config.get("tie_word_embeddings", True),
        dropout=rates["resid_pdrop"],
        style=Style(
            norm=Centred(eps=config.get("layer_norm_epsilon", 1e-5)),
            mlp=Plain(activation=_activation(config.get("activation_function", "gelu_new"))),
            positions=Learned(),
            attention_bias=True,
        ),
    )


def _llama_config(config: Mapping[str, Any]) -> TransformerConfig:
    if _activation(config.get("hidden_act", "silu")) != "silu":
        raise ValueError(f"hidden_act of a Llama: expected 'silu', got {config['hidden_act']!r}")
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    return TransformerConfig(
        vocab=config["vocab_size"],
        d_model=config["hidden_size"],
        layers=config["num_hidden_layers"],
        heads=config["num_attention_heads"],
        kv_heads=config.get("num_key_value_heads"),
        head_dim=config.get("head_dim"),
        d_ff=config["intermediate_size"],
        max_seq=config["max_position_embeddings"],
        tie=config.get("tie_word_embeddings", False),
        dropout=config.get("attention_dropout", 0.0),
        style=Style(
            norm=RMS(eps=config.get("rms_norm_eps", 1e-6)),
            mlp=Gated(bias=config.get("mlp_bias", False)),
            positions=Rotary(
                theta=rope.get("rope_theta", config.get("rope_theta", 10_000.0)), stretch=_stretch(rope)
            ),
            attention_bias=config.get("attention_bias", False),
        ),
    )


def _stretch(rope: Mapping[str, Any]) -> RopeStretch | None:
    kind = rope.get("rope_type", rope.get("type", "default"))
    if kind == "default":
        return None
    if kind != "llama3":
        raise ValueError(f"rope_type of a Llama: expected 'default' or 'llama3', got {kind!r}")
    return RopeStretch(
        rope["factor"],
        low=rope["low_freq_factor"],
        high=rope["high_freq_factor"],
        original=rope["original_max_position_embeddings"],
    )


def _activation(name: str) -> Activation:
    if name not in _ACTIVATIONS:
        raise ValueError(f"no activation {name!r}; there are {', '.join(_ACTIVATIONS)}")
    return _ACTIVATIONS[name]


def _refuse(config: Mapping[str, Any], *options: str) -> None:
    for option in options:
        if config.get(option):
            raise ValueError(f"{config['model_type']} with {option}={config[option]!r} is not supported")


def _gpt2_keys(config: TransformerConfig) -> KeyMap:
    entries = [
        Entry("transformer.wte.weight", ("embedding.weight",)),
        Entry("transformer.wpe.weight", ("positions.weight",)),
    ]
    for i in range(config.layers):
        theirs, ours = f"transformer.h.{i}", f"blocks.{i}"
        for kind in ("weight", "bias"):
            # their maps are stored (in, out), and the three of attention as one
            qkv = tuple(f"{ours}.attention.{part}.{kind}" for part in "qkv")
            entries += [
                Entry(f"{theirs}.ln_1.{kind}", (f"{ours}.attention_norm.{kind}",)),
                Entry(f"{theirs}.attn.c_attn.{kind}", qkv, transposed=kind == "weight"),
                Entry(f"{theirs}.attn.c_proj.{kind}", (f"{ours}.attention.out.{kind}",), kind == "weight"),
                Entry(f"{theirs}.ln_2.{kind}", (f"{ours}.mlp_norm.{kind}",)),
                Entry(f"{theirs}.mlp.c_fc.{kind}", (f"{ours}.mlp.up.{kind}",), kind == "weight"),
                Entry(f"{theirs}.mlp.c_proj.{kind}", (f"{ours}.mlp.down.{kind}",), kind == "weight"),
            ]
    entries += [Entry(f"transformer.ln_f.{kind}", (f"norm.{kind}",)) for kind in ("weight", "bias")]
    return _with_head(config, entries, "transformer.", (".attn.bias", ".attn.masked_bias"))


def _llama_keys(config: TransformerConfig) -> KeyMap:
    names = {
        "self_attn.q_proj": "attention.q",
        "self_attn.k_proj": "attention.k",
        "self_attn.v_proj": "attention.v",
        "self_attn.o_proj": "attention.out",
        "mlp.gate_proj": "mlp.gate",
        "mlp.up_proj": "mlp.up",
        "mlp.down_proj": "mlp.down",
        "input_layernorm": "attention_norm",
        "post_attention_layernorm": "mlp_norm",
    }
    assert isinstance(config.style.mlp, Gated)
    biased = {"self_attn": config.style.attention_bias, "mlp": config.style.mlp.bias}
    entries = [Entry("model.embed_tokens.weight", ("embedding.weight",))]
    for i in range(config.layers):
        for theirs, ours in names.items():
            kinds = ("weight", "bias") if biased.get(theirs.split(".")[0]) else ("weight",)
            entries += [
                Entry(f"model.layers.{i}.{theirs}.{kind}", (f"blocks.{i}.{ours}.{kind}",)) for kind in kinds
            ]
    entries.append(Entry("model.norm.weight", ("norm.weight",)))
    return _with_head(config, entries, "model.", (".rotary_emb.inv_freq",))


def _with_head(
    config: TransformerConfig, entries: list[Entry], prefix: str, ignored: tuple[str, ...]
) -> KeyMap:
    if config.tie:
        return KeyMap(tuple(entries), (prefix,), ignored, tied=("lm_head.weight", entries[0].theirs))
    head = Entry("lm_head.weight", ("unembedding.weight",))
    return KeyMap((*entries, head), (prefix,), ignored)
