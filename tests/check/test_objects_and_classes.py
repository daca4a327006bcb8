"""What objects hold and classes make of methods: working code, beside the mistake that is still found."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from typedtorch.shapes.infer import check_files

from .programs import messages

SILENT = {
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
    "a constant of a class that a subclass may set": """
        class Head:
            width = 4

        class Wide(Head):
            width = 8

        def shifted(x: Float[Tensor, "n 8"], head: Head) -> Float[Tensor, "n 8"]:
            return x + torch.zeros(head.width)
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
    "what a __setattr__ keeps elsewhere, others may change": """
        class Record:
            def __init__(self, width: int):
                self.gain = torch.ones(width)

            def __setattr__(self, name: str, value) -> None:
                self.__dict__.setdefault("held", {})[name] = value

            def __getattr__(self, name: str):
                return self.held[name]

            def scaled(self, x: Float[Tensor, "n d"], names: list[str]) -> Tensor:
                for name in names:
                    self.held[name] = torch.ones(x.shape[1])
                return x * self.gain

        def scaled(x: Float[Tensor, "n 8"]) -> Tensor:
            return Record(4).scaled(x, ["gain"])
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
        "returns (*m, d), annotated (*n, d); not the axes that *n stands for",
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
    "a __setattr__ that passes on what it gets": (
        """
        class Base(nn.Module):
            def __setattr__(self, name: str, value) -> None:
                if isinstance(value, Base):
                    raise ValueError("register it in a container")
                return super().__setattr__(name=name, value=value)

        class Plain(Base):
            def __setattr__(self, name: str, value) -> None:
                '''As of a module.'''
                super().__setattr__(name, value)

        class Positions(Plain):
            def __init__(self, width: int, height: int):
                super().__init__()
                self.width, self.height = width, height
                self.across = nn.Parameter(torch.zeros(height, 8))

            def forward(self, x: Tensor) -> Tensor:
                return x.view(len(x), self.width, 8) + self.across
        """,
        "do not broadcast: axis -2 is width in x.view(len(x), self.width, 8) and height in self.across",
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
