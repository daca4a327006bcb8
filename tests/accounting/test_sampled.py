"""Formulas in depths and of sums of several axes: right at sizes nothing was read from."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from typedtorch.accounting import SizeError, account
from typedtorch.accounting.labels import Place, choose
from typedtorch.accounting.reading import Decoder
from typedtorch.shapes.size import evaluate


class Alternating(nn.Module):
    """Every other layer, or every fourth, masks what is far away."""

    def __init__(self, dim: int, layers: int, every: int = 2) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(dim, dim) for _ in range(layers))
        self.every = every

    def forward(self, x: Float[Tensor, "batch seq dim"]) -> Float[Tensor, "batch seq dim"]:
        for i, layer in enumerate(self.layers):
            scores = x @ x.mT
            if i % self.every == self.every - 1:
                scores = scores + torch.ones(x.shape[1], x.shape[1]).triu(1)
            x = layer(scores.softmax(-1) @ x)
        return x


@pytest.mark.parametrize("every", [2, 4])
@pytest.mark.parametrize("sizes", [{}, {"dim": 6, "layers": 4, "batch": 2, "seq": 5}])
def test_what_comes_every_few_layers_is_counted_so(every: int, sizes: dict[str, int]) -> None:
    def build(dim: int, layers: int) -> nn.Module:
        return Alternating(dim, layers, every)

    found = account(build, sizes=sizes)
    assert found.formula("flops.forward").polynomial
    for layers in (2, 7, 16):
        there = {"dim": 5, "layers": layers, "batch": 3, "seq": 7}
        numbers = account(build, sizes=there).numbers
        for figure in ("flops.forward", "memory.saved", "flops.elementwise", "bytes.step"):
            formula = found.formula(figure)
            assert not formula.pinned, figure
            assert formula.subs(there) == numbers[figure], (figure, layers)


class Doubling(nn.Module):
    """A width that doubles at every level, and a stack between."""

    def __init__(self, width: int, levels: int, middle: int) -> None:
        super().__init__()
        self.down = nn.ModuleList(nn.Linear(width * 2**i, width * 2 ** (i + 1)) for i in range(levels))
        self.middle = nn.ModuleList(nn.Linear(width * 2**levels, width * 2**levels) for _ in range(middle))

    def forward(self, x: Float[Tensor, "batch width"]) -> Tensor:
        for layer in (*self.down, *self.middle):
            x = layer(x).relu()
        return x


def test_one_depth_that_is_no_polynomial_leaves_the_other_a_letter() -> None:
    found = account(Doubling, width=4, levels=2, middle=3, batch=5)
    formula = found.formula("flops.forward")
    assert dict(formula.pinned) == {"levels": 2}
    there = {"width": 6, "levels": 2, "middle": 7, "batch": 3}
    assert formula.subs(there) == account(Doubling, sizes=there).flops.forward


def test_symbols_leave_an_axis_that_counts_layers_at_its_size() -> None:
    formula = account(Alternating, dim=6, layers=3, every=2, batch=2, seq=5).formula(
        "flops.forward", engine="symbols"
    )
    assert formula.pinned["layers"] == 3
    there = {"dim": 7, "layers": 3, "every": 2, "batch": 4, "seq": 3}
    assert formula.subs(there) == account(Alternating, sizes=there).flops.forward


class Radiance(nn.Module):
    """Positions encoded by sines, which enter again half way up."""

    def __init__(self, depth: int, width: int, bands: int) -> None:
        super().__init__()
        encoded = 3 + 6 * bands
        self.skip, self.bands = depth // 2, bands
        widths = [encoded if i == 0 else width + encoded * (i == depth // 2) for i in range(depth)]
        self.layers = nn.ModuleList(nn.Linear(n, width) for n in widths)
        self.out = nn.Linear(width, 4)

    def forward(self, x: Float[Tensor, "rays samples 3"]) -> Float[Tensor, "rays samples 4"]:
        angles = (x[..., None] * 2.0 ** torch.arange(self.bands)).flatten(-2)
        encoded = h = torch.cat([x, angles.sin(), angles.cos()], -1)
        for i, layer in enumerate(self.layers):
            h = F.relu(layer(torch.cat([h, encoded], -1) if i == self.skip else h))
        return self.out(h)


class Fused(nn.Module):
    """Queries, and fewer keys and values, in one product."""

    def __init__(self, dim: int, heads: int, kv_heads: int, head_dim: int, layers: int) -> None:
        super().__init__()
        self.sizes, self.head_dim = (heads, kv_heads, kv_heads), head_dim
        self.qkv = nn.ModuleList(nn.Linear(dim, (heads + 2 * kv_heads) * head_dim) for _ in range(layers))
        self.out = nn.ModuleList(nn.Linear(heads * head_dim, dim) for _ in range(layers))

    def forward(self, x: Float[Tensor, "batch seq dim"]) -> Float[Tensor, "batch seq dim"]:
        for qkv, out in zip(self.qkv, self.out, strict=True):
            q, k, v = qkv(x).unflatten(-1, (-1, self.head_dim)).transpose(1, 2).split(self.sizes, 1)
            x = x + out(F.scaled_dot_product_attention(q, k, v, enable_gqa=True).transpose(1, 2).flatten(2))
        return x


class Routed(nn.Module):
    """A few of the experts for each token, all of them run."""

    def __init__(self, dim: int, experts: int, top_k: int, layers: int) -> None:
        super().__init__()
        self.routers = nn.ModuleList(nn.Linear(dim, experts, bias=False) for _ in range(layers))
        self.weights = nn.ParameterList(nn.Parameter(torch.zeros(experts, dim, dim)) for _ in range(layers))
        self.top_k = top_k

    def forward(self, x: Float[Tensor, "tokens dim"]) -> Float[Tensor, "tokens dim"]:
        for router, weight in zip(self.routers, self.weights, strict=True):
            scores, chosen = router(x).softmax(-1).topk(self.top_k, -1)
            share = torch.zeros(x.shape[0], weight.shape[0]).scatter(1, chosen, scores)
            x = x + torch.einsum("td,edf,te->tf", x, weight, share)
        return x


class Subsampled(nn.Module):
    """Two strided convolutions without padding on a time of any length."""

    def __init__(self, channels: int, blocks: int) -> None:
        super().__init__()
        self.a, self.b = nn.Conv1d(1, channels, 3, 2), nn.Conv1d(channels, channels, 3, 2)
        self.blocks = nn.ModuleList(nn.Linear(channels, channels) for _ in range(blocks))

    def forward(self, x: Float[Tensor, "batch 1 time"]) -> Tensor:
        y: Tensor = self.b(self.a(x)).mT
        for block in self.blocks:
            y = block(y)
        return y


@pytest.mark.parametrize(
    ("build", "sizes", "there"),
    [
        (Radiance, {"depth": 6, "width": 20, "bands": 4, "rays": 3, "samples": 5},
         {"depth": 9, "width": 14, "bands": 6, "rays": 2, "samples": 7}),
        (Fused, {"dim": 20, "heads": 6, "kv_heads": 3, "head_dim": 5, "layers": 2, "batch": 2, "seq": 7},
         {"dim": 22, "heads": 8, "kv_heads": 2, "head_dim": 7, "layers": 5, "batch": 3, "seq": 6}),
        (Routed, {"dim": 27, "experts": 5, "top_k": 3, "layers": 3, "tokens": 8},
         {"dim": 20, "experts": 7, "top_k": 2, "layers": 5, "tokens": 6}),
        (Subsampled, {"channels": 5, "blocks": 2, "batch": 3, "time": 67},
         {"channels": 7, "blocks": 4, "batch": 2, "time": 131}),
    ],
)  # fmt: skip
def test_every_axis_stays_a_letter(
    build: type[nn.Module], sizes: dict[str, int], there: dict[str, int]
) -> None:
    found = account(build, sizes=sizes)
    numbers = account(build, sizes=there).numbers
    for figure in ("parameters.total", "flops.forward", "flops.backward", "memory.saved", "bytes.step"):
        formula = found.formula(figure)
        assert not formula.pinned, figure
        assert formula.subs(there) == numbers[figure], figure


def test_of_several_readings_the_shortest_is_meant() -> None:
    sizes = {"heads": 6, "kv_heads": 3, "head_dim": 8, "inter": 14, "window": 5, "seq": 11}
    layout = {n: Place(1) for n in sizes} | {"kv_heads": Place(3), "heads": Place(2, ("kv_heads",))}
    decoder = Decoder(choose(sizes, layout=layout), sizes)

    def seen(at: dict[str, int]) -> list[int]:
        fused = (at["heads"] + 2 * at["kv_heads"]) * at["head_dim"]
        return [fused, at["inter"] + 6 * at["seq"] + 3, 2 * at["heads"] * at["head_dim"] + at["seq"] + 1]

    for here, there in zip(seen(dict(decoder.labels.values)), seen(sizes), strict=True):
        size = decoder.decode(here, there)
        third = dict(choose(sizes, layout=layout, turn=2).values)
        assert evaluate(size, third) == seen(third)[seen(sizes).index(there)]


@pytest.mark.parametrize("size", [23, 29, 31, 37])
def test_no_label_is_the_size_it_stands_for(size: int) -> None:
    assert choose({"batch": size, "dim": size + 6}).values["batch"] != size

    class Up(nn.Module):
        def __init__(self, dim: int) -> None:
            super().__init__()
            self.up = nn.Linear(dim, dim)

        def forward(self, x: Float[Tensor, "batch dim"]) -> Float[Tensor, "batch dim"]:
            return self.up(x)

    assert account(Up, batch=size, dim=29).named_shape("up") == "batch dim"


def test_a_window_that_fills_an_axis_keeps_no_other_size() -> None:
    class Windows(nn.Module):
        """Windows on a grid, and on one of half as many points: cutting a single window moves nothing."""

        def __init__(self, dim: int, window: int) -> None:
            super().__init__()
            self.window, self.mix, self.merge = window, nn.Linear(dim, dim), nn.Linear(4 * dim, dim)

        def cut(self, image: Tensor) -> Tensor:
            batch, height, width, dim = image.shape
            w = self.window
            x = image.view(batch, height // w, w, width // w, w, dim).transpose(2, 3).reshape(-1, w * w, dim)
            mixed = (self.mix(x) @ x.mT).softmax(-1) @ x
            back = mixed.view(batch, height // w, width // w, w, w, dim).transpose(2, 3)
            return back.reshape(batch, height, width, dim)

        def forward(self, image: Float[Tensor, "batch height width dim"]) -> Tensor:
            x = self.cut(image)
            x = torch.cat([x[:, i::2, j::2] for i in (0, 1) for j in (0, 1)], -1)
            return self.cut(self.merge(x))

    found = account(Windows, dim=6, window=4, batch=2, height=16, width=8)
    assert not found.formula("flops.forward").pinned
    moved = found.formula("bytes.step")
    assert set(moved.pinned) <= {"window", "width"}
    assert moved.subs(found.sizes) == found.bytes_moved


class Patched(nn.Module):
    """Patches that need not fill the image, then layers."""

    def __init__(self, dim: int, size: int, layers: int) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, dim, 4, stride=4)
        self.positions = nn.Parameter(torch.zeros((size // 4) ** 2, dim))
        self.layers = nn.ModuleList(nn.Linear(dim, dim) for _ in range(layers))

    def forward(self, x: Float[Tensor, "batch 3 size size"]) -> Float[Tensor, "batch patches dim"]:
        y = self.patches(x).flatten(2).mT + self.positions
        for layer in self.layers:
            y = layer(y)
        return y


@pytest.mark.parametrize("sizes", [{}, {"dim": 32, "size": 16, "layers": 2, "batch": 3}])
def test_a_formula_in_depths_says_which_sizes_the_program_rounds(sizes: dict[str, int]) -> None:
    formula = account(Patched, sizes=sizes).formula("flops.forward")
    assert dict(formula.multiples) == {"size": 4}
    assert not formula.ranges
    there = {"dim": 8, "size": 20, "layers": 5, "batch": 2}
    assert formula.subs(there) == account(Patched, sizes=there).flops.forward
    with pytest.raises(SizeError, match="holds for size that 4 divides, not for size=18"):
        formula.subs({**there, "size": 18})
