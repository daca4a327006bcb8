"""Hugging Face's weights in and out: same logits, every misfit named, nothing half loaded."""

import copy
from typing import Any

import pytest
import torch
from torch import Tensor

from nn import references
from typedtorch import nn
from typedtorch.nn import interop

GPT2: dict[str, Any] = {
    "model_type": "gpt2",
    "vocab_size": 23,
    "n_embd": 16,
    "n_layer": 2,
    "n_head": 4,
    "n_positions": 12,
}
LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "vocab_size": 23,
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 12,
    "rms_norm_eps": 1e-6,
}
VARIANTS: dict[str, dict[str, Any]] = {
    "gpt2": GPT2,
    "gpt2 untied, of another width": {**GPT2, "tie_word_embeddings": False, "n_inner": 40},
    "gpt2 with relu": {**GPT2, "activation_function": "relu", "layer_norm_epsilon": 1e-3},
    "llama": LLAMA,
    "llama tied, all heads": {**LLAMA, "tie_word_embeddings": True, "num_key_value_heads": 4},
    "llama with biases and wide heads": {**LLAMA, "attention_bias": True, "mlp_bias": True, "head_dim": 6},
    "llama stretched": {
        **LLAMA,
        "head_dim": 8,
        "max_position_embeddings": 64,
        "rope_parameters": {
            "rope_type": "llama3",
            "rope_theta": 500.0,
            "factor": 4.0,
            "low_freq_factor": 1.0,
            "high_freq_factor": 4.0,
            "original_max_position_embeddings": 32,
        },
    },
    "llama of another theta": {**LLAMA, "rope_parameters": {"rope_type": "default", "rope_theta": 500.0}},
}


def random_state(config: dict[str, Any]) -> dict[str, Tensor]:
    """Weights under Hugging Face's names, large enough that every part matters."""
    torch.manual_seed(0)
    model = nn.Transformer.from_config(interop.config_from_huggingface(config))
    for param in model.parameters():
        torch.nn.init.normal_(param, std=0.4)
    return interop.to_huggingface(model)


def tokens() -> Tensor:
    return torch.randint(23, (9,), generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize(
    "name", [name for name in VARIANTS if "relu" not in name and "stretched" not in name]
)
def test_logits_are_those_of_the_papers_equations(name: str) -> None:
    config, state = VARIANTS[name], random_state(VARIANTS[name])
    model = interop.from_huggingface(state, config).eval()
    if config["model_type"] == "gpt2":
        expected = references.gpt2(state, tokens(), heads=4)
    else:
        theta = config.get("rope_parameters", {}).get("rope_theta", 10_000.0)
        expected = references.llama(state, tokens(), heads=4, theta=theta)
    torch.testing.assert_close(model(tokens()[None])[0], expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", VARIANTS)
def test_logits_are_those_of_transformers(name: str) -> None:
    transformers = pytest.importorskip("transformers")
    config = dict(VARIANTS[name])
    if config["model_type"] == "gpt2":
        theirs = transformers.GPT2LMHeadModel(transformers.GPT2Config(**config))
    else:
        theirs = transformers.LlamaForCausalLM(transformers.LlamaConfig(**config))
    theirs.eval()
    for param in theirs.parameters():
        torch.nn.init.normal_(param, std=0.4)
    ours = interop.from_huggingface(theirs.state_dict(), theirs.config.to_dict()).eval()
    with torch.no_grad():
        torch.testing.assert_close(ours(tokens()[None]), theirs(tokens()[None]).logits, rtol=1e-4, atol=1e-4)
        for param in ours.parameters():
            torch.nn.init.normal_(param, std=0.4)
        theirs.load_state_dict(interop.to_huggingface(ours))
        torch.testing.assert_close(ours(tokens()[None]), theirs(tokens()[None]).logits, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", VARIANTS)
def test_out_and_in_again_is_the_same_model(name: str) -> None:
    state = random_state(VARIANTS[name])
    model = interop.from_huggingface(state, VARIANTS[name])
    again = interop.to_huggingface(model)
    assert again.keys() == state.keys()
    assert all(torch.equal(again[key], state[key]) for key in state)
    assert all(tensor.is_contiguous() for tensor in again.values())


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_every_weight_is_named_once_on_each_side(name: str) -> None:
    config = interop.config_from_huggingface(VARIANTS[name])
    entries = interop.key_map(config).entries
    ours = [key for entry in entries for key in entry.ours]
    assert sorted(ours) == sorted(key for key, _ in nn.Transformer.from_config(config).named_parameters())
    assert len({entry.theirs for entry in entries}) == len(entries)


@pytest.mark.parametrize("prefix", ["", "module.", "_orig_mod."])
def test_prefixes_of_wrappers_and_bare_backbones_are_understood(prefix: str) -> None:
    state = random_state(GPT2)
    wrapped = {prefix + key: value for key, value in state.items()}
    bare = {
        key.removeprefix("transformer."): value for key, value in state.items() if key != "lm_head.weight"
    }
    bare["h.0.attn.bias"] = torch.ones(1, 1, 12, 12)  # old checkpoints store the mask
    expected = interop.from_huggingface(state, GPT2).eval()(tokens()[None])
    for other in (wrapped, bare):
        assert torch.equal(interop.from_huggingface(other, GPT2).eval()(tokens()[None]), expected)


def test_all_misfits_are_named_at_once_and_nothing_is_loaded() -> None:
    state = random_state(LLAMA)
    del state["model.norm.weight"]
    state["model.layers.2.mlp.up_proj.weight"] = torch.ones(24, 16)
    state["lm_head.weight"] = torch.ones(24, 16)
    model = nn.Transformer.from_config(interop.config_from_huggingface(LLAMA))
    before = copy.deepcopy(model.state_dict())
    with pytest.raises(interop.StateDictMismatch) as caught:
        interop.load_huggingface(model, state)
    assert str(caught.value) == (
        "the state dict does not fit the model; nothing was changed\n"
        "  missing     model.norm.weight                  wanted (16,)\n"
        "  unexpected  model.layers.2.mlp.up_proj.weight  got (24, 16)\n"
        "  shape       lm_head.weight                     wanted (23, 16), got (24, 16)"
    )
    assert all(torch.equal(before[key], value) for key, value in model.state_dict().items())


def test_an_unembedding_that_differs_from_its_tie_is_refused() -> None:
    state = random_state(GPT2)
    state["lm_head.weight"] = state["lm_head.weight"] + 1
    with pytest.raises(
        interop.StateDictMismatch, match=r"untied\s+lm_head.weight\s+differs from transformer.wte"
    ):
        interop.from_huggingface(state, GPT2)


REFUSED: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    (GPT2, {"model_type": "bert"}, "model_type: expected 'gpt2' or 'llama', got 'bert'"),
    (GPT2, {"scale_attn_by_inverse_layer_idx": True}, "gpt2 with scale_attn_by_inverse_layer_idx=True"),
    (GPT2, {"activation_function": "mish"}, "no activation 'mish'"),
    (GPT2, {"attn_pdrop": 0.5}, "GPT-2 with several dropout rates"),
    (GPT2, {"scale_attn_weights": False}, "GPT-2 with scale_attn_weights=False"),
    (
        LLAMA,
        {"rope_scaling": {"rope_type": "yarn"}},
        "rope_type of a Llama: expected 'default' or 'llama3', got 'yarn'",
    ),
    (LLAMA, {"hidden_act": "gelu"}, "hidden_act of a Llama: expected 'silu', got 'gelu'"),
]


def test_what_the_transformer_does_not_express_is_refused() -> None:
    for base, change, message in REFUSED:
        with pytest.raises(ValueError, match=message):
            interop.config_from_huggingface({**base, **change})
    mixed = nn.Transformer(
        vocab=5, d_model=8, layers=1, heads=2, max_seq=4, style=nn.Style(positions=nn.Learned())
    )
    with pytest.raises(ValueError, match="neither GPT-2's nor Llama's parts"):
        interop.to_huggingface(mixed)


def test_weights_keep_their_dtype() -> None:
    state = {key: value.bfloat16() for key, value in random_state(LLAMA).items()}
    model = interop.from_huggingface(state, LLAMA)
    assert {param.dtype for param in model.parameters()} == {torch.bfloat16}
