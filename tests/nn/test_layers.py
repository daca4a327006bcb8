"""Each layer against torch's layer of the same weights, on the meta device, and in other dtypes."""

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from typedtorch import nn
from typedtorch.functional import rope_table

LAYERS: dict[str, Callable[..., nn.Module]] = {
    "linear": lambda **k: nn.Linear(8, 6, bias=True, **k),
    "embedding": lambda **k: nn.Embedding(11, 8, **k),
    "rms_norm": lambda **k: nn.RMSNorm(8, **k),
    "layer_norm": lambda **k: nn.LayerNorm(8, **k),
    "layer_norm_without_bias": lambda **k: nn.LayerNorm(8, bias=False, **k),
    "swiglu": lambda **k: nn.SwiGLU(8, 12, bias=True, **k),
    "mlp": lambda **k: nn.MLP(8, 12, activation="relu", **k),
    "attention": lambda **k: nn.Attention(8, 4, kv_heads=2, bias=True, **k),
    "transformer": lambda **k: nn.Transformer(vocab=11, d_model=8, layers=2, heads=2, max_seq=8, **k),
    "gpt2": lambda **k: nn.Transformer(
        vocab=11, d_model=8, layers=2, heads=2, max_seq=8, style=nn.GPT2, tie=False, **k
    ),
    "cruncher": lambda **k: nn.Cruncher(8, 3, **k),
    "lecture_linear": lambda **k: nn.lecture.Linear(8, 6, **k),
}


def inputs(name: str, device: str = "cpu", dtype: torch.dtype = torch.float32) -> Tensor:
    if name in ("embedding", "transformer", "gpt2"):
        # tokens that differ: between equal values attention has nothing to choose, and q no gradient
        return torch.arange(6, dtype=torch.long, device=device).view(2, 3)
    shape = (2, 8) if name in ("cruncher", "lecture_linear") else (2, 3, 8)
    return torch.randn(shape, device=device, dtype=dtype)


@pytest.mark.parametrize("name", LAYERS)
def test_layers_work_on_the_meta_device(name: str) -> None:
    layer = LAYERS[name](device="meta")
    assert all(p.is_meta for p in layer.parameters())
    on_meta, on_cpu = layer(inputs(name, "meta")), LAYERS[name]()(inputs(name))
    assert on_meta.is_meta
    assert on_meta.shape == on_cpu.shape


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_layers_have_the_dtype_they_were_given(name: str, dtype: torch.dtype) -> None:
    layer = LAYERS[name](dtype=dtype)
    assert all(p.dtype == dtype for p in layer.parameters())
    assert layer(inputs(name, dtype=dtype)).dtype == dtype


@pytest.mark.parametrize("name", LAYERS)
def test_every_parameter_gets_a_gradient(name: str) -> None:
    layer = LAYERS[name]()
    layer(inputs(name)).square().sum().backward()
    for param_name, param in layer.named_parameters():
        assert param.grad is not None, param_name
        # the bias of the keys adds the same to all of a query's scores: softmax does not see it
        assert param.grad.abs().sum() > 0 or param_name.endswith("k.bias"), param_name


@pytest.mark.parametrize("name", LAYERS)
def test_layers_compile_to_one_graph(name: str) -> None:
    layer = LAYERS[name]()
    x = inputs(name)
    torch._dynamo.reset()
    compiled = torch.compile(layer, backend="eager", fullgraph=True)
    torch.testing.assert_close(compiled(x), layer(x))


def test_linear_is_torchs_with_the_same_weights() -> None:
    ours, theirs = nn.Linear(8, 6, bias=True), torch.nn.Linear(8, 6)
    theirs.load_state_dict(ours.state_dict())
    x = torch.randn(2, 3, 8)
    torch.testing.assert_close(ours(x), theirs(x))
    assert nn.Linear(8, 6).state_dict().keys() == {"weight"}


def test_norms_are_torchs_with_the_same_weights() -> None:
    x = torch.randn(2, 3, 8)
    for ours, theirs in (
        (nn.RMSNorm(8, eps=1e-3), torch.nn.RMSNorm(8, eps=1e-3)),
        (nn.LayerNorm(8, eps=1e-3), torch.nn.LayerNorm(8, eps=1e-3)),
        (nn.LayerNorm(8, bias=False), torch.nn.LayerNorm(8, bias=False)),
    ):
        torch.nn.init.normal_(ours.weight)
        theirs.load_state_dict(ours.state_dict())
        torch.testing.assert_close(ours(x), theirs(x))
        ours.reset_parameters()
        assert torch.equal(ours.weight, torch.ones(8))


def test_attention_is_torchs_multihead_attention() -> None:
    ours, theirs = nn.Attention(8, 4, bias=True), torch.nn.MultiheadAttention(8, 4, batch_first=True)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([ours.q.weight, ours.k.weight, ours.v.weight]))
        theirs.out_proj.weight.copy_(ours.out.weight)
    x = torch.randn(2, 5, 8)
    mask = torch.nn.Transformer.generate_square_subsequent_mask(5)
    torch.testing.assert_close(
        ours(x), theirs(x, x, x, attn_mask=mask, is_causal=True, need_weights=False)[0]
    )


def test_swiglu_and_mlp_are_their_formulas() -> None:
    x = torch.randn(2, 8)
    gated, plain = nn.SwiGLU(8, 12), nn.MLP(8, 12, activation="gelu")
    torch.testing.assert_close(gated(x), gated.down(F.silu(gated.gate(x)) * gated.up(x)))
    torch.testing.assert_close(plain(x), plain.down(F.gelu(plain.up(x))))


def test_a_head_may_have_a_width_of_its_own() -> None:
    attention = nn.Attention(10, 3, head_dim=4)
    assert attention.q.weight.shape == (12, 10)
    assert attention(torch.randn(1, 2, 10)).shape == (1, 2, 10)


def test_the_cruncher_is_a_product_of_matrices() -> None:
    model = nn.Cruncher(4, 3)
    x = torch.randn(5, 4)
    expected = x
    for layer in [*model.layers, model.final]:
        expected = expected @ layer.w
    torch.testing.assert_close(model(x), expected[:, 0])
    assert sum(p.numel() for p in model.parameters()) == 3 * 4 * 4 + 4


def test_a_layer_without_inputs_gives_its_bias() -> None:
    assert torch.equal(nn.Linear(0, 3, bias=True)(torch.ones(2, 0)), torch.zeros(2, 3))


def test_sizes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="Attention: 3 heads do not divide d_model 8; give head_dim"):
        nn.Attention(8, 3)
    with pytest.raises(ValueError, match="Attention: 3 kv_heads do not divide 4 heads"):
        nn.Attention(8, 4, kv_heads=3)
    for heads, kv_heads in ((0, None), (4, 0)):
        with pytest.raises(ValueError, match=rf"at least 1 head, got heads={heads}, kv_heads={kv_heads}"):
            nn.Attention(8, heads, kv_heads=kv_heads)
    with pytest.raises(ValueError, match=r"Attention: dropout is a probability in \[0, 1\], got 1.5"):
        nn.Attention(8, 4, dropout=1.5)
    with pytest.raises(ValueError, match="MLP: no activation 'tanh'; there are gelu, gelu_tanh, silu, relu"):
        nn.MLP(8, 8, activation="tanh")  # type: ignore[arg-type]  # the point of the test


def test_each_sequence_may_be_turned_by_positions_of_its_own() -> None:
    layer = nn.Attention(16, 2)
    x, positions = torch.randn(2, 4, 16), torch.tensor([[0, 1, 2, 3], [7, 8, 0, 1]])
    together = layer(x, nn.Rotation(*rope_table(positions, 8)))
    each = [layer(x[i : i + 1], nn.Rotation(*rope_table(positions[i], 8))) for i in range(2)]
    torch.testing.assert_close(together, torch.cat(each))
