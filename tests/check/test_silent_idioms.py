"""What working code does and no rule may hold against it, each beside the mistake that is still found."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from typedtorch.shapes.infer import check_files

from .programs import messages

SILENT = {
    "a name of the module that is bound to itself and then anew": """
        signal = signal
        signal = signal.squeeze()
        first: Tensor = signal[0:10]
    """,
    "what is unpacked may be as many as the channels are": """
        def frames(z: Tensor) -> Tensor:
            b, c, h, w = z.shape
            y = nn.Conv2d(4, 4, 3)(z)
            return y.reshape(2, 2, *y.shape[1:])
    """,
    "a method that an unknown decorator may make anything of": """
        from elsewhere import dispatch

        class Value(nn.Module):
            @dispatch(auto=True)
            def forward(self, values: Tensor):
                return values

        def use() -> Tensor:
            action, values, chosen = Value()(torch.zeros(6))
            return action
    """,
    "as many different ones as a literal tensor has rows": """
        def features(ids: Tensor) -> Tensor:
            rows = nn.Embedding(9, 2)(ids.reshape(-1).unique())
            return torch.cat([rows, torch.tensor([[0.2], [0.3]])], 1)
    """,
    "an object of an abstract class is of another": """
        import abc

        class Storage(abc.ABC):
            def __init__(self, size: int) -> None:
                self.size = size

            @abc.abstractmethod
            def get(self, index: int): ...

            @property
            def shape(self):
                return torch.Size([self.size])

        class Shelf:
            def __init__(self, size: int) -> None:
                self.size = size

            def put(self, index: int):
                raise NotImplementedError("by kind")

            def shape(self):
                return (self.size,)

        def rows(storage: Storage, shelf: Shelf) -> tuple[Tensor, Tensor]:
            return torch.zeros(storage.shape).transpose(0, 1), torch.zeros(shelf.shape()).transpose(0, 1)
    """,
    "self is another object where the receiver has another name": """
        class Test:
            def run(self) -> None:
                class Net(nn.Module):
                    def __init__(me) -> None:
                        super().__init__()
                        me.linear = nn.Linear(3, 3)

                    def forward(me, x: Tensor) -> Tensor:
                        self.assert_true(x)
                        return me.linear(x)

                Net()(torch.ones(3))

            def assert_true(self, x: Tensor) -> None: ...
    """,
    "embedding_bag takes its weight first, as it once did": """
        def bags(table: Float[Tensor, "v d"]) -> Float[Tensor, "2 d"]:
            ids, offsets = torch.tensor([1, 2, 4, 5]), torch.tensor([0, 2])
            return torch.nn.functional.embedding_bag(table.float(), ids, offsets)
    """,
    "an object's run of axes is not the method's": """
        class Guidance:
            def __init__(self, y: Float[Tensor, "b *dims"], loss: Callable[
                [Float[Tensor, "b *dims"], Float[Tensor, "b *dims"]], Float[Tensor, "b *dims"]
            ]) -> None:
                self.y, self.loss = y, loss

            def same_name(self, x: Float[Tensor, "b *dims"]) -> Float[Tensor, "b *dims"]:
                return self.loss(x, self.y.to(x.device))

            def other_name(self, x: Float[Tensor, "b *shape"]) -> Float[Tensor, "b *shape"]:
                return self.loss(x, self.y.to(x.device))

            def two_axes(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
                return self.loss(x, self.y.to(x.device))
    """,
    "a default pair of numbers is one of many": """
        class Net(nn.Module):
            def __init__(
                self, dim: int, size: tuple[int, int] = (720, 1440), patch: tuple[int, int] = (16, 16)
            ) -> None:
                super().__init__()
                self.h, self.w = size[0] // patch[0], size[1] // patch[1]
                self.patch = patch
                self.embed = nn.Conv2d(3, dim, kernel_size=patch, stride=patch)
                self.head = nn.Linear(dim, 3 * patch[0] * patch[1])

            def forward(self, x: Float[Tensor, "b 3 height width"]) -> Float[Tensor, "b 3 height width"]:
                y = self.head(self.embed(x).flatten(2).transpose(1, 2))
                y = y.view(len(x), self.h, self.w, 3, self.patch[0], self.patch[1]).permute(0, 3, 1, 4, 2, 5)
                return y.reshape(len(x), 3, self.h * self.patch[0], self.w * self.patch[1])
    """,
    "an axis that is not used may be of any size": """
        def normalised(x: Tensor, adj: Tensor) -> Tensor:
            b, n, _ = adj.size()
            scale = adj.sum(dim=-1).pow(-0.5)
            return scale.unsqueeze(-1) * adj * scale.unsqueeze(-2)
    """,
    "a constant of a class that a subclass may set": """
        class Head:
            width = 4

        class Wide(Head):
            width = 8

        def shifted(x: Float[Tensor, "n 8"], head: Head) -> Float[Tensor, "n 8"]:
            return x + torch.zeros(head.width)
    """,
    "what is written with out= has the dtype of what it is written into": """
        def frequencies(count: int) -> Tensor:
            freq = torch.empty(count)
            torch.arange(1, count + 1, out=freq).mul_(3.14)
            return freq
    """,
    "a buffer that a method lays out anew": """
        class Counts(nn.Module):
            def __init__(self, width: int):
                super().__init__()
                self.width = width
                self.reset()

            def reset(self, batch: int | None = None):
                shape = [self.width] if batch is None else [batch, self.width]
                self.register_buffer("seen", torch.zeros(shape))
                self.last = torch.zeros(shape)

        def rows(counts: list[Counts]) -> list[Tensor]:
            for c in counts:
                c.reset(batch=2)
            return [c.seen.flatten(end_dim=-2) for c in counts] + [c.last.flatten(end_dim=-2) for c in counts]
    """,
    "a number where a flag is not set, a tensor where it is": """
        class Quantizers(nn.Module):
            def __init__(self, count: int):
                super().__init__()
                self.count = count

            def forward(self, x: Float[Tensor, "b d"], used: int | None = None) -> Float[Tensor, "b d"]:
                used = self.count if used is None else used
                if self.training:
                    used = torch.randint(1, self.count, (len(x),))
                for i in range(self.count):
                    if not self.training and i >= used:
                        break
                return x
    """,
    "a run of axes alone in parentheses is one axis": """
        def flat(x: Float[Tensor, "b h w d"]) -> Float[Tensor, "b h*w d"]:
            return einops.rearrange(x, "b ... d -> b (...) d")
    """,
    "sizes that arise in two calls of one function": """
        def form(m: Tensor, v: Tensor) -> Tensor:
            return torch.einsum("bci,bci->bc", v, torch.einsum("bcij,bcj->bci", m, v))

        def differences(m: Tensor, v: Tensor, p: Tensor, q: Tensor, n: int, k: int) -> Tensor:
            first, second = form(m, v), form(p, q)
            return first.repeat_interleave(n, dim=1) - second.repeat(1, k)
    """,
    "as many repeats as a tensor has axes": """
        def tiled(centres: Float[Tensor, "n"], p: Tensor) -> Tensor:
            return centres.unsqueeze(0).repeat(p[..., 0:1].shape)
    """,
    "a tensor without axes as an index is an integer": """
        def gathered(ids: Tensor, masks: Float[Tensor, "n h w"]) -> Tensor:
            unique, inverse = torch.unique(ids, return_inverse=True)
            out = torch.zeros(len(unique), masks.shape[1], masks.shape[2])
            for i, mask in zip(inverse, masks):
                out[i] = torch.logical_or(out[i], mask)
            return out
    """,
    "a loop that is perhaps not entered": """
        class Grouped(nn.Module):
            def __init__(self, channels: int, estimators: int, gamma: int = 1):
                super().__init__()
                groups = gamma * estimators
                while channels % groups != 0 and groups > 1:
                    gamma -= 1
                    groups = gamma * estimators
                self.conv = nn.Conv2d(channels, channels, 3, groups=groups)

            def forward(self, x: Tensor) -> Tensor:
                return self.conv(x)

        def run(x: Float[Tensor, "b 32 h w"], estimators: int) -> Tensor:
            return Grouped(32, estimators)(x)
    """,
    "unknown sizes of each turn, and of each item": """
        def rows(x: Tensor) -> Tensor:
            return x[x[:, 0] > 0]

        def by_rank(features: dict[str, Tensor]) -> None:
            found = {}
            for rank in range(3):
                found[f"rank_{rank}"] = rows(features[f"rank_{rank}"])
            assert found["rank_0"].shape == (11, 5)
            assert found["rank_1"].shape == (22, 5)

        def by_name(names: list[str]) -> None:
            found = {}
            for name in names:
                found[name] = rows(torch.randn(40, 5))
            assert found["a"].shape == (11, 5)
            assert found["b"].shape == (22, 5)
    """,
    "an einsum that only multiplies promotes": """
        def weighted(table: Float64[Tensor, "m l k"], weights: Float64[Tensor, "k"], lmax: int) -> Tensor:
            degree = torch.arange(lmax)
            return torch.einsum("mlk,k,l->mlk", table, weights, 1.0 / (degree + 1))
    """,
}


@pytest.mark.parametrize("body", SILENT.values(), ids=SILENT)
def test_working_code_is_not_reported(tmp_path: Path, body: str) -> None:
    assert messages(tmp_path, body) == []


FOUND = {
    "a method under a decorator that keeps it": (
        """
        class Value(nn.Module):
            @torch.no_grad()
            def forward(self, values: Tensor):
                return values

        def use() -> Tensor:
            action, values, chosen = Value()(torch.zeros(6))
            return action
        """,
        "into 3 names: its first axis is 6",
    ),
    "a class whose methods are all there": (
        """
        class Shelf:
            def __init__(self, size: int) -> None:
                self.size = size

            def put(self, index: int):
                if index > self.size:
                    raise NotImplementedError("no room")

            def shape(self):
                return (self.size,)

        def rows(shelf: Shelf) -> Tensor:
            return torch.zeros(shelf.shape()).transpose(0, 1)
        """,
        "dim=1 is out of range",
    ),
    "a run of axes against one axis of the same signature": (
        """
        class Scale:
            def __init__(self, gain: Float[Tensor, "d"]) -> None:
                self.gain = gain

            def both(self, x: Float[Tensor, "*n d"], y: Float[Tensor, "*m d"]) -> Float[Tensor, "*n d"]:
                return y * self.gain
        """,
        "returns (*m, d), annotated (*n, d); *n stands for other axes here",
    ),
    "a square that is none": (
        """
        def normalised(adj: Float[Tensor, "b n m"]) -> Tensor:
            scale = adj.sum(dim=-1)
            return scale.unsqueeze(-1) * adj * scale.unsqueeze(-2)
        """,
        "do not broadcast",
    ),
    "a buffer that only the constructor lays out": (
        """
        class Counts(nn.Module):
            def __init__(self, width: int):
                super().__init__()
                self.lay_out(width)

            def lay_out(self, width: int):
                self.register_buffer("seen", torch.zeros(width))

        def rows(counts: list[Counts]) -> list[Tensor]:
            return [c.seen.flatten(end_dim=-2) for c in counts]
        """,
        "dim=-2 is out of range",
    ),
    "a refused call: what it would have given is not used against what follows": (
        """
        def matrices(q: Float[Tensor, "n 4"]) -> Float[Tensor, "n 3 3"]: ...

        def turn(q: Float[Tensor, "4"], x: Float[Tensor, "n 3"]) -> Float[Tensor, "3 n"]:
            return matrices(q).mm(x.T)
        """,
        "matrices: q has 1 axis, shape (4,), annotated 'n 4': wanted 2 axes",
    ),
    "a run of axes and the axes after it": (
        """
        def encode(x: Float[Tensor, "*bs 3"], n: int) -> Float[Tensor, "*bs n features"]:
            return torch.zeros(n, 3).matmul(x.reshape(-1, 3).T).T.reshape(*x.shape[:-1], n)
        """,
        "returns (*bs, n), annotated (*bs, n, features); wanted 3 axes, got 2 axes",
    ),
    "a run of axes beside which there are too many": (
        """
        def scaled(x: Float[Tensor, "..."], g: Float[Tensor, "1 c 1 1"]) -> Tensor:
            return einops.rearrange(x * g, "c h w -> h w c")
        """,
        "has shape (..., ?, c, ?, ?), at least 4 axes, and 'c h w' has 3",
    ),
    "one axis at least where there should be none": (
        """
        def scalar(x: Float[Tensor, ""]) -> None: ...

        def scaled(x: Tensor) -> None:
            scalar(x * torch.ones(1))
        """,
        "has at least 1 axis, shape (..., ?), annotated '': wanted 0 axes",
    ),
    "the truth of a tensor that a number meets": (
        """
        def first(x: Float[Tensor, "b"], used: int) -> bool:
            return bool(used >= x)
        """,
        "the truth of several elements is ambiguous",
    ),
    "masks stored through several indices at once": (
        """
        def stored(out: Float[Tensor, "n d"], rows: Tensor, d: int) -> None:
            out[torch.arange(3)] = torch.ones(3, d, dtype=torch.bool)
        """,
        "assignment through index tensors wants one dtype",
    ),
}


@pytest.mark.parametrize(("body", "message"), FOUND.values(), ids=FOUND)
def test_the_mistake_beside_it_is(tmp_path: Path, body: str, message: str) -> None:
    found = messages(tmp_path, body)
    assert len(found) == 1
    assert message in found[0]


def test_two_widths_may_be_equal_where_no_axis_has_a_name(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(
        textwrap.dedent("""
            from typing import Literal
            from torch import Tensor, nn

            class Net(nn.Module):
                def __init__(self, time: int = 512, other: int | None = None) -> None:
                    super().__init__()
                    self.time = nn.Linear(8, time)
                    self.other = None if other is None else nn.Linear(8, other)

                def get(self) -> "Processor": ...

                def mode(self, how: Literal["mean", "sum"] = "mean") -> None: ...

                def forward(self, t: Tensor) -> Tensor:
                    emb = self.time(t)
                    if self.other is not None:
                        emb = emb + self.other(t)
                    return emb
        """)
    )
    assert not check_files([path], search=[tmp_path])


def test_what_a_malformed_string_was_to_say_is_not_held_against_anything(tmp_path: Path) -> None:
    body = """
        def ends(offsets: Float[Tensor, "b + 1"]) -> Float[Tensor, "b + 1"]:
            return offsets

        ends(torch.zeros(3))
        """
    found = messages(tmp_path, body)
    assert len(found) == 2
    assert all("write b+1" in message for message in found)
