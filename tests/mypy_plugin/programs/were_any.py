"""Correct programs written while the result of a module was Any: its type must not make them wrong."""

import heapq
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypedDict, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

net = nn.Linear(3, 2)
criterion = nn.MSELoss()
names = ["a", "b"]


def to_numpy(t: Tensor) -> np.ndarray:
    return t.detach().numpy()


def rebound(x: Tensor) -> Any:
    y = net(x)
    y = y.shape
    size = net(x).shape
    size = size[0]
    kind = net(x)
    kind = kind.dtype
    array = net(x)
    array = to_numpy(array)
    other = net(x)
    other = np.asarray(other.detach())
    print(kind, array, other)
    return len(y) + size


def walrus(x: Tensor) -> int:
    if (y := net(x)) is not None:
        y = y.shape
    return len(y)


def dropped(x: Tensor) -> Callable[[], None]:
    held = net(x)

    def drop() -> None:
        nonlocal held
        held = None

    print(held)
    return drop


def tensors_all_the_time(x: Tensor) -> Tensor:
    y = net.forward(x)
    y = torch.relu(y) + net(x)
    y = y.transpose(0, 1)
    reveal_type(y)  # N: Revealed type is "torch._tensor.Tensor"
    z = net(y)
    print(z)
    z = net(x)
    reveal_type(z)  # N: Revealed type is "torch._tensor.Tensor"
    return y


def combined(x: Tensor) -> float:
    loss = sum(criterion(net(x), net(x)) for _ in range(3)) / 3
    loss.backward()
    best = float("inf")
    value = criterion(net(x), net(x))
    best = min(best, value)
    out = dict(loss=criterion(net(x), net(x)))
    out["accuracy"] = 0.5
    value.tag = "validation"
    return math.exp(min(20.0, criterion(net(x), net(x))))


class Meter:
    def __init__(self) -> None:
        self.correct = 0


def numbers(meter: Meter, x: Tensor) -> Any:
    right: int = (net(x) > 0).sum().item()
    meter.correct += (net(x) > 0).sum().item()
    hits = (net(x) > 0).sum().item()
    meter.correct += hits
    _, found = net(x).max(1)
    mine = names[x.argmax().item()]  # E: Invalid index type "int | float" for "list[str]"; expected type "SupportsIndex"  [index]
    return names[net(x).argmax().item()] + names[found[0].item()] + mine + str(right)


def one_of_two(x: Tensor, gru: bool) -> Any:
    if gru:
        out, state = nn.GRU(3, 4)(x)
    else:
        out, state = nn.LSTM(3, 4)(x)
        state = state[0]
    return out, state


class Scale(nn.Module):
    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 2)
        self.inner = inner
        for name in ("mean", "std"):
            self.register_buffer(name, torch.ones(2))
        for i in range(2):
            setattr(self, f"w{i}", nn.Parameter(torch.ones(2)))

    def forward(self, x: Tensor) -> Tensor:
        y = self.layer(x)
        y = y * self.std + self.mean
        y[:, self.w0] = 0
        reveal_type(self.std)  # N: Revealed type is "torch._tensor.Tensor | torch.nn.modules.module.Module"
        return torch.where(self.layer(x) > self.inner.gamma, y, y.mul(self.w1))


def local_classes() -> Any:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(3, 3)
            self.register_buffer("one", torch.randn(3))

        def forward(self, x: Tensor) -> Tensor:
            return self.layer(x) + self.one

    return Net


def more_local_classes() -> Any:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("other", torch.randn(3))

        def forward(self, x: Tensor) -> Tensor:
            reveal_type(self.other)  # N: Revealed type is "torch._tensor.Tensor"
            return x + self.other

    return Net


@dataclass
class Output:
    logits: Tensor
    loss: Tensor | None = None


class Head(nn.Module):
    def forward(self, x: Tensor, labels: Tensor | None = None) -> Output:
        return Output(x, None if labels is None else (x - labels).sum())


def with_labels(head: Head, x: Tensor, given: Output) -> None:
    out = head(x, labels=x)
    out.loss.backward()
    head(x, labels=x).loss.backward()
    out.logits.no_such_method()  # E: "Tensor" has no attribute "no_such_method"  [attr-defined]
    given.loss.backward()  # E: Item "None" of "Tensor | None" has no attribute "backward"  [union-attr]


@dataclass
class Nested(Output):
    weights: Tensor | None = None
    inner: Output | None = None


class Wide(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.convs = nn.ModuleList([nn.Conv2d(1, 1, 1), nn.Conv2d(1, 1, 1)])
        self.norms = nn.Sequential(nn.BatchNorm2d(1), nn.BatchNorm2d(1))

    def forward(self, x: Tensor) -> Nested:
        return Nested(x, x, x, Output(x, x))


def inherited_fields(wide: Wide, x: Tensor, given: Nested, conv: nn.Conv2d) -> None:
    out = wide(x)
    print(out.loss.sum(), wide(x).weights.shape, out.inner.loss.shape, wide(x).inner.loss.item())
    print(wide.convs[0].bias.shape, [norm.running_mean.shape for norm in wide.norms])
    conv.bias.shape  # E: Item "None" of "Tensor | None" has no attribute "shape"  [union-attr]
    given.loss.backward()  # E: Item "None" of "Tensor | None" has no attribute "backward"  [union-attr]


class Sized(nn.Module):
    def __init__(self, width: int | None = None) -> None:
        super().__init__()
        self.net = nn.Linear(3, 3)
        self.width = width

    def forward(self, x: Tensor, n: int | None = None) -> Tensor:
        y = self.net(x)
        x.view(-1, self.width)  # E: Argument 2 to "view" of "TensorBase" has incompatible type "int | None"; expected "int | SymInt"  [arg-type]
        return self.net(x).view(-1, n) + y.view(-1, self.width)


class Several(nn.Module):
    def forward(self, x: Tensor, all: bool = False) -> Tensor | list[Tensor] | None:
        return [x, x] if all else x


def one_or_all(several: Several, x: Tensor) -> Any:
    return several(x).mean(), several(x, all=True)[0]


class Words(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(10, 3)

    def forward(self, ids: torch.LongTensor) -> torch.FloatTensor:
        return self.table(ids)


def legacy(words: Words, given: torch.FloatTensor | None) -> Tensor:
    made = words(torch.zeros(2, dtype=torch.long))
    reveal_type(made)  # N: Revealed type is "torch._tensor.Tensor"
    words("ids")  # E: Argument 1 to "forward" of "Words" has incompatible type "str"; expected "Tensor"  [arg-type]
    return made if given is None else given


class Swapped(nn.Module):
    def __init__(self, fast: bool) -> None:
        super().__init__()
        if fast:
            self.forward = self.forward_fast  # type: ignore[method-assign]

    def forward_fast(self, x: Tensor, k: int = 2) -> Tensor:
        return x * k

    def forward(self, x: Tensor) -> Tensor:
        return x


Swapped(fast=True)(torch.ones(2), k=5)


class Parts(TypedDict):
    logits: Tensor
    loss: Tensor


class Scored(nn.Module):
    def forward(self, x: Tensor) -> Parts:
        return {"logits": x, "loss": x.sum()}


def by_key(scored: Scored, x: Tensor) -> list[Any]:
    parts = scored(x)
    return [parts[key] for key in ("logits", "loss")]


def misspelt(scored: Scored, x: Tensor) -> Any:
    parts = scored(x)
    return parts["bias"]  # E: TypedDict "Parts" has no key "bias"  [typeddict-item]


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.LSTM(3, 4)
        self.other = nn.LSTM(4, 4)

    def last(self, x: Tensor) -> Any:
        _, h = self.rnn(x)
        h = h[0]
        return h.transpose(0, 1)

    def of_either_kind(self, x: Tensor) -> Any:
        out, h = self.rnn(x)
        if isinstance(h, tuple):
            h = h[0]
        out.transposed(0, 1)  # E: "Tensor" has no attribute "transposed"  [attr-defined]
        return out + h

    def together(self, x: Tensor) -> Any:
        _, h = self.rnn(x)
        h = torch.cat(h, -1)
        return h

    def parts_of_parts(self, x: Tensor) -> Tensor:
        y, (h, c) = self.rnn(x)
        c = c[0]
        reveal_type(h)  # N: Revealed type is "torch._tensor.Tensor"
        print(c)
        return y

    def twice(self, x: Tensor) -> Tensor:
        y, h = self.rnn(x)
        y, h = self.rnn(x, h)
        reveal_type(h)  # N: Revealed type is "tuple[torch._tensor.Tensor, torch._tensor.Tensor]"
        return y

    def unchanged(self, x: Tensor) -> Tensor:
        _, h = self.rnn(x)
        return h  # E: Incompatible return value type (got "tuple[Tensor, Tensor]", expected "Tensor")  [return-value]


class Sorts(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor], dict[str, Tensor]]:
        return x, (x, x), {"x": x}


def the_rest(sorts: Sorts, x: Tensor) -> Any:
    y, *rest = sorts(x)
    rest = rest[0]
    return y + rest[0]


class Totals:
    def __init__(self) -> None:
        self.total = 0.0
        self.parts = {"loss": 0.0}
        self.each = [0.0, 0.0]

    def add(self, x: Tensor) -> None:
        loss = criterion(net(x), net(x))
        loss.backwards()  # E: "Tensor" has no attribute "backwards"; maybe "backward"?  [attr-defined]
        self.total += loss
        self.parts["loss"] += loss
        self.each[0] += criterion(net(x), net(x))
        self.total += x  # E: Incompatible types in assignment (expression has type "Tensor", variable has type "float")  [assignment]


class Regularised(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.penalty = 0.0

    def forward(self, x: Tensor) -> Tensor:
        self.penalty = self.layer(x).pow(2).mean()
        self.penalty += self.layer(x).mean()
        return self.layer(x)


heap = [(0.0, 0)]


def filled(x: Tensor) -> Any:
    best = {"score": -1.0, "epoch": 0}
    best.update(score=net(x).mean(), epoch=1)
    counts = Counter({"a": 1})
    counts.update(a=net(x).mean())
    score = net(x).mean()
    heapq.heappush(heap, (score, 1))
    heap.append((score, 1))
    best.update({"score": score})
    losses = [0.0]
    losses.append(net(x).sum())
    outputs = []
    y = net(x)
    outputs.append(y)
    y.no_such_method()  # E: "Tensor" has no attribute "no_such_method"  [attr-defined]
    return best, losses, outputs


class Activation(nn.Module):
    forward: Callable[[Tensor], Tensor]

    def __init__(self, name: str) -> None:
        super().__init__()
        self.forward = getattr(torch, name)


Activation("relu")(torch.ones(2))


class Batch(TypedDict):
    ids: Tensor
    mask: Tensor


class Masked(nn.Module):
    def forward(self, batch: Batch, n: int = 0) -> Tensor:
        return batch["ids"] * batch["mask"] + n


def moved(model: Masked, batch: Batch, several: list[Any]) -> Tensor:
    model({name: torch.ones(2) for name in ("ids", "mask")})
    model([batch])  # E: Argument 1 to "forward" of "Masked" has incompatible type "list[Batch]"; expected "Batch"  [arg-type]
    return model(*several, n=1)


T = TypeVar("T")


class Twin(nn.Module, Generic[T]):
    def forward(self, x: T) -> tuple[T, T]:
        return x, x


class Named(Tensor):
    label = "m"


class Wrapped:
    data: Tensor

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return cls()


def other_tensors(x: Tensor, named: Named) -> Any:
    print(Twin()(x)[0].shape, net(named).label, net(Wrapped()).data)
    net("text")  # E: Argument 1 to "forward" of "Linear" has incompatible type "str"; expected "Tensor"  [arg-type]
    return net(x).label  # E: "Tensor" has no attribute "label"  [attr-defined]
