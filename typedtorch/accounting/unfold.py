"""Write the repetitions of a folded block into a trace.

Every phase goes through the kept blocks 0 1 2 3 4 in order (or 4 3 2 1 0).  One such passage is a
*sweep*; it falls into five segments.  The repetitions are placed between block 2 and block 3, each a
repetition of block 2: the same operators, and for every storage of block 2 one that is born and dies
at the same place of its own segment, or of a neighbour's.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass, replace
from typing import Any

from typedtorch.accounting.fold import KEPT, Run
from typedtorch.accounting.trace import Op, Storage, TensorMeta, Trace

_MIDDLE = 2


class NotPeriodicError(Exception):
    """The kept blocks do not do the same; the program is run in full instead."""


@dataclass(frozen=True)
class Sweep:
    """One passage: where each block's segment starts and ends, in operators of the folded trace."""

    segments: tuple[tuple[int, int], ...]  # by block, 0 to 4
    upward: bool


def unfold(trace: Trace, run: Run) -> Trace:
    """The trace of all ``run.count`` blocks.

    Raises:
        NotPeriodicError: the middle blocks differ, or reach further than their neighbours.
    """
    return _Unfolding(trace, run).result()


class _Unfolding:
    def __init__(self, trace: Trace, run: Run) -> None:
        self.trace, self.run = trace, run
        self.copies = len(run.copies)
        self.prefixes = [f"{run.path}.{name}" if run.path else name for name in run.kept]
        self._storage_blocks = [self._block(s.path) for s in trace.storages]
        self._spread()
        self.labels = [self._label(op) for op in trace.ops]
        self.sweeps = self._find_sweeps()
        self._last = {at - 1 for at in trace.marks.values()}
        self._starts = sorted(
            (s.segments[b][0], i, b) for i, s in enumerate(self.sweeps) for b in range(KEPT)
        )
        self._check_operators()

    # -- who owns what --------------------------------------------------------------------------

    def _block(self, path: str) -> int | None:
        for block, prefix in enumerate(self.prefixes):
            if path == prefix or path.startswith(f"{prefix}."):
                return block
        return None

    def _owner(self, meta: TensorMeta) -> int | None:
        return self._storage_blocks[meta.storage] if meta.storage >= 0 else None

    def _spread(self) -> None:
        """What an optimizer makes belongs to the block of the tensor it was made from."""
        for index, op in enumerate(self.trace.ops):
            if op.phase != "optimizer" or not op.outs:
                continue
            lists = [a for a in op.args if isinstance(a, tuple) and len(a) == len(op.outs)]
            single = {o for o in map(self._owner, op.ins) if o is not None}
            for position, out in enumerate(op.outs):
                if out.storage < 0 or self.trace.storages[out.storage].born != index:
                    continue
                if self._storage_blocks[out.storage] is None:
                    source = lists[0][position] if lists else None
                    aligned = self._owner(source) if isinstance(source, TensorMeta) else None
                    only = next(iter(single)) if len(single) == 1 else None
                    self._storage_blocks[out.storage] = aligned if aligned is not None else only

    def _label(self, op: Op) -> int | None:
        """The block an operator belongs to; none for an operator on lists over all blocks."""
        if op.phase != "optimizer":
            return self._block(op.path)
        owners = {o for o in map(self._owner, (*op.ins, *op.outs)) if o is not None}
        return owners.pop() if len(owners) == 1 else None

    # -- sweeps ---------------------------------------------------------------------------------

    def _find_sweeps(self) -> list[Sweep]:
        """Group labelled operators into passages; every label must be in one."""
        stretches: list[list[int]] = []  # block, first operator, last operator, phase
        for index, (op, label) in enumerate(zip(self.trace.ops, self.labels, strict=True)):
            if label is None:
                continue
            phase = {"forward": 0, "optimizer": 2}.get(op.phase, 1) + 3 * op.step
            if stretches and stretches[-1][0] == label and stretches[-1][3] == phase:
                stretches[-1][2] = index
            else:
                stretches.append([label, index, index, phase])
        if len(stretches) % KEPT:
            raise NotPeriodicError("blocks are not visited in order")
        return [self._sweep(stretches[i : i + KEPT]) for i in range(0, len(stretches), KEPT)]

    def _sweep(self, stretches: list[list[int]]) -> Sweep:
        blocks = [s[0] for s in stretches]
        upward = blocks == list(range(KEPT))
        if (not upward and blocks != list(reversed(range(KEPT)))) or len({s[3] for s in stretches}) > 1:
            raise NotPeriodicError("blocks are not visited in order")
        bounds: dict[int, tuple[int, int]] = {}
        for at, (block, start, last, _) in enumerate(stretches):
            end = stretches[at + 1][1] if at + 1 < KEPT else last + 1
            bounds[block] = (start, end)
        return Sweep(tuple(bounds[b] for b in range(KEPT)), upward)

    def _check_operators(self) -> None:
        for sweep in self.sweeps:
            wanted = self._shapes(sweep.segments[_MIDDLE])
            for block in (1, 3):
                if self._shapes(sweep.segments[block]) != wanted:
                    raise NotPeriodicError("the middle blocks run other operators")

    def _shapes(self, segment: tuple[int, int]) -> list[Any]:
        return [
            (op.name, op.phase, [(m.shape, m.dtype) for m in (*op.ins, *op.outs)])
            for op in self.trace.ops[segment[0] : segment[1]]
        ]

    def _place(self, index: int) -> tuple[int, int, int] | None:
        """Sweep, block and offset of an operator, if it lies in a sweep.

        What ends with a phase (gradients that are cleared) ends with no block.
        """
        if index in self._last:
            return None
        at = bisect.bisect_right(self._starts, (index, len(self.sweeps), KEPT)) - 1
        if at < 0:
            return None
        start, sweep, block = self._starts[at]
        return (sweep, block, index - start) if index < self.sweeps[sweep].segments[block][1] else None

    # -- the unfolded trace ---------------------------------------------------------------------

    def _virtual(self, block: int) -> int:
        """Position of a kept block among all."""
        return block if block <= _MIDDLE else block + self.copies

    def result(self) -> Trace:
        ops, self._moved, self._at = self._operators()
        storages = self._storages()
        marks = {key: self._moved[at] for key, at in self.trace.marks.items()}
        copies = {**self.trace.copies, self.prefixes[_MIDDLE]: tuple(self._copy_paths())}
        return replace(self.trace, ops=ops, storages=storages, marks=marks, copies=copies)

    def _copy_paths(self) -> list[str]:
        return [f"{self.run.path}.{n}" if self.run.path else n for n in self.run.copies]

    def _operators(self) -> tuple[list[Op], list[int], dict[tuple[int, int], int]]:
        """Operators with repetitions; the new position of each old one; where each segment starts."""
        ops: list[Op] = []
        moved: list[int] = []
        at: dict[tuple[int, int], int] = {}
        starts = {s.segments[b][0]: (i, b) for i, s in enumerate(self.sweeps) for b in range(KEPT)}
        for index, op in enumerate(self.trace.ops):
            if index in starts:
                sweep, block = starts[index]
                first, last = self.sweeps[sweep].segments[_MIDDLE]
                middle = self.trace.ops[first:last]
                before = block == (_MIDDLE + 1 if self.sweeps[sweep].upward else _MIDDLE)
                if before:
                    order = range(3, 3 + self.copies)
                    for virtual in order if self.sweeps[sweep].upward else reversed(order):
                        at[sweep, virtual] = len(ops)
                        ops.extend(middle)
                at[sweep, self._virtual(block)] = len(ops)
            moved.append(len(ops))
            ops.append(op if self.labels[index] is not None else self._over_lists(op))
        return ops, [*moved, len(ops)], at

    def _over_lists(self, op: Op) -> Op:
        """An operator on lists over all parameters sees the repeated ones as well."""
        lists = [a for a in op.args if isinstance(a, tuple) and any(self._mine(m) for m in a)]
        if not lists:
            return op
        where = [i for i, m in enumerate(lists[0]) if self._mine(m)]
        outs = op.outs
        if len(outs) == len(lists[0]):
            outs = self._longer(outs, where)
        args = tuple(
            self._longer(a, where) if isinstance(a, tuple) and len(a) == len(lists[0]) else a for a in op.args
        )
        return replace(op, args=args, outs=outs)

    def _longer(self, items: tuple[Any, ...], where: list[int]) -> tuple[Any, ...]:
        return (*items, *(items[i] for i in where for _ in range(self.copies)))

    def _mine(self, value: Any) -> bool:
        return isinstance(value, TensorMeta) and self._owner(value) == _MIDDLE

    def _when(self, index: int | None, owner: int | None, virtual: int | None) -> int | None:
        """The new position of a birth or death of a storage of block ``owner``, now at ``virtual``."""
        if index is None or index < 0:
            return index
        place = self._place(index)
        if place is None:
            return self._moved[index]
        sweep, block, offset = place
        if owner is None or virtual is None:
            if block in (1, 2, 3):
                raise NotPeriodicError("a block releases something of all blocks")
            return self._at[sweep, self._virtual(block)] + offset
        reach = block - owner
        if abs(reach) > 1:
            if owner in (1, 2, 3) or block in (1, 2, 3):
                raise NotPeriodicError("a block reaches further than its neighbours")
            return self._at[sweep, self._virtual(block)] + offset
        return self._at[sweep, virtual + reach] + offset

    def _storages(self) -> list[Storage]:
        found: list[Storage] = []
        repeated: dict[int, list[Storage]] = {1: [], 2: [], 3: []}
        prefix = self.prefixes[_MIDDLE]
        names = self._copy_paths()
        for index, storage in enumerate(self.trace.storages):
            owner = self._birthplace(index)
            found.append(self._moved_storage(storage, owner, None if owner is None else self._virtual(owner)))
            if owner in repeated:
                repeated[owner].append(storage)
        self._check_storages(repeated)
        for storage in repeated[_MIDDLE]:
            fixed = storage.category in ("parameter", "buffer", "input")
            born, died = None if fixed else self._course(storage.born), self._course(storage.died)
            tail = storage.path[len(prefix) :] if storage.path.startswith(prefix) else None
            for number, name in enumerate(names):
                path = storage.path if tail is None else name + tail
                start = 0 if fixed else self._position(born, number) or 0
                end = self._position(died, number)
                found.append(Storage(storage.nbytes, storage.dtype, start, end, storage.category, path))
        return found

    def _course(self, index: int | None) -> tuple[int, int, int] | int | None:
        """When block 2 does something: at an offset of a near block's segment, or at one moment."""
        place = None if index is None or index < 0 else self._place(index)
        if place is None:
            return index if index is None or index < 0 else self._moved[index]
        sweep, block, offset = place
        if abs(block - _MIDDLE) > 1:
            raise NotPeriodicError("a block reaches further than its neighbours")
        return sweep, block - _MIDDLE, offset

    def _position(self, course: tuple[int, int, int] | int | None, number: int) -> int | None:
        if not isinstance(course, tuple):
            return course
        sweep, reach, offset = course
        return self._at[sweep, 3 + number + reach] + offset

    def _birthplace(self, index: int) -> int | None:
        """The block whose segment a storage is born in, or that it was said to belong to."""
        storage = self.trace.storages[index]
        if storage.category not in ("parameter", "buffer", "input"):
            place = self._place(storage.born)
            if place is not None:
                return place[1]
        return self._storage_blocks[index]

    def _moved_storage(self, storage: Storage, owner: int | None, virtual: int | None) -> Storage:
        if storage.category in ("parameter", "buffer", "input"):
            born = 0
        else:
            born = self._when(storage.born, owner, virtual) or 0
        return replace(storage, born=born, died=self._when(storage.died, owner, virtual))

    def _check_storages(self, repeated: dict[int, list[Storage]]) -> None:
        """The middle blocks must own the same storages for the same time."""
        wanted = [self._life(s, _MIDDLE) for s in repeated[_MIDDLE]]
        for block in (1, 3):
            if [self._life(s, block) for s in repeated[block]] != wanted:
                raise NotPeriodicError("the middle blocks keep other storages")

    def _life(self, storage: Storage, block: int) -> tuple[Any, ...]:
        def moment(index: int | None) -> Any:
            place = None if index is None else self._place(index)
            return index if place is None else (place[0], place[1] - block, place[2])

        born = 0 if storage.category in ("parameter", "buffer") else moment(storage.born)
        return storage.nbytes, storage.dtype, storage.category, born, moment(storage.died)
