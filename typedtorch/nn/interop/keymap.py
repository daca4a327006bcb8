"""Key maps between two naming schemes of the same weights, and the check that a state dict fits one.

An entry pairs one of their tensors with one or more of ours: theirs is ours stacked along the first axis,
and transposed where they store (in, out).  Everything is compared before anything is copied.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch
from jaxtyping import Shaped
from torch import Tensor

Shapes = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class Entry:
    """``theirs = stack(ours)``, or its transpose."""

    theirs: str
    ours: tuple[str, ...]
    transposed: bool = False

    def wanted(self, shapes: Shapes) -> tuple[int, ...]:
        """The shape their tensor must have, given the shapes of ours."""
        first = shapes[self.ours[0]]
        stacked = (sum(shapes[name][0] for name in self.ours), *first[1:])
        return stacked[::-1] if self.transposed else stacked

    def to_ours(self, tensor: Shaped[Tensor, "*theirs"], shapes: Shapes) -> dict[str, Tensor]:
        """Their tensor as ours."""
        stacked = tensor.t() if self.transposed else tensor
        parts = torch.split(stacked, [shapes[name][0] for name in self.ours])
        return dict(zip(self.ours, parts, strict=True))

    def to_theirs(self, tensors: Mapping[str, Tensor]) -> Shaped[Tensor, "*theirs"]:
        """Ours as their tensor, in memory of its own."""
        stacked: Shaped[Tensor, "*ours"] = torch.cat([tensors[name] for name in self.ours])
        return stacked.t().contiguous() if self.transposed else stacked


@dataclass(frozen=True)
class KeyMap:
    """A naming scheme: its entries, and the keys it may have beside them.

    Attributes:
        entries: every weight, once on each side.
        prefixes: what may stand before all of their keys.
        ignored: endings of keys that hold no weight, such as a stored mask.
        tied: their key of a tied unembedding, which repeats the embedding's or is left out.
    """

    entries: tuple[Entry, ...]
    prefixes: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    tied: tuple[str, str] | None = None

    def to_ours(self, state: Mapping[str, Tensor], shapes: Shapes) -> dict[str, Tensor]:
        """Their state dict under our names.

        Raises:
            StateDictMismatch: keys are missing, unexpected, of another shape, or tied and different.
        """
        named = self._plain(state)
        difference = self.compare(named, shapes)
        if difference:
            raise StateDictMismatch(difference)
        found: dict[str, Tensor] = {}
        for entry in self.entries:
            found |= entry.to_ours(named[entry.theirs], shapes)
        return found

    def to_theirs(self, state: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Our state dict under their names; a tied unembedding is written out, as theirs is."""
        found = {entry.theirs: entry.to_theirs(state) for entry in self.entries}
        if self.tied is not None:
            found[self.tied[0]] = found[self.tied[1]]
        return found

    def compare(self, state: Mapping[str, Tensor], shapes: Shapes) -> "Difference":
        """Every way in which a state dict does not fit."""
        wanted = {entry.theirs: entry.wanted(shapes) for entry in self.entries}
        extra = [key for key in state if key not in wanted and not key.endswith(self.ignored)]
        untied: tuple[str, ...] = ()
        if self.tied is not None and self.tied[0] in extra:
            extra.remove(self.tied[0])
            if self.tied[1] in state and not torch.equal(state[self.tied[0]], state[self.tied[1]]):
                untied = self.tied
        return Difference(
            missing={key: shape for key, shape in wanted.items() if key not in state},
            unexpected={key: tuple(state[key].shape) for key in extra},
            reshaped={
                key: (shape, tuple(state[key].shape))
                for key, shape in wanted.items()
                if key in state and tuple(state[key].shape) != shape
            },
            untied=untied,
        )

    def _plain(self, state: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Without what wrappers put before the keys, and with what a bare backbone leaves out."""
        known = {entry.theirs for entry in self.entries}
        named = {
            key.removeprefix("module.").removeprefix("_orig_mod."): value for key, value in state.items()
        }
        for prefix in self.prefixes:
            if not any(key.startswith(prefix) for key in named):
                named = {
                    prefix + key if prefix + key in known else key: value for key, value in named.items()
                }
        return named


@dataclass(frozen=True)
class Difference:
    """What a state dict has, and what was wanted; false where they agree."""

    missing: dict[str, tuple[int, ...]] = field(default_factory=dict)
    unexpected: dict[str, tuple[int, ...]] = field(default_factory=dict)
    reshaped: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = field(default_factory=dict)
    untied: Sequence[str] = ()

    def __bool__(self) -> bool:
        return bool(self.missing or self.unexpected or self.reshaped or self.untied)

    def __str__(self) -> str:
        rows = [("missing", key, f"wanted {shape}") for key, shape in self.missing.items()]
        rows += [("unexpected", key, f"got {shape}") for key, shape in self.unexpected.items()]
        rows += [("shape", key, f"wanted {want}, got {got}") for key, (want, got) in self.reshaped.items()]
        if self.untied:
            rows.append(
                ("untied", self.untied[0], f"differs from {self.untied[1]}, to which the model ties it")
            )
        width = max((len(key) for _, key, _ in rows), default=0)
        return "\n".join(f"  {what:<10}  {key:<{width}}  {text}" for what, key, text in rows)


class StateDictMismatch(ValueError):
    """A state dict does not fit the model; ``difference`` says where, key by key."""

    def __init__(self, difference: Difference) -> None:
        self.difference = difference
        super().__init__(f"the state dict does not fit the model; nothing was changed\n{difference}")
