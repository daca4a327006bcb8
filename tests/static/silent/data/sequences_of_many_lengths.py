"""Jagged batches: a list-like class, torch.nested, pad and pack."""
from __future__ import annotations

from typing import Callable, Iterator, Sequence, overload

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence, pad_sequence


class Jagged:
    def __init__(self, values: Float[Tensor, "total d"], lengths: Int[Tensor, " b"]) -> None:
        self.values, self.lengths = values, lengths

    @classmethod
    def of(cls, parts: Sequence[Tensor]) -> "Jagged":
        return cls(torch.cat(list(parts)), torch.tensor([len(p) for p in parts]))

    @property
    def offsets(self) -> Int[Tensor, " b1"]:
        return nn.functional.pad(self.lengths.cumsum(0), (1, 0))

    def __len__(self) -> int:
        return len(self.lengths)

    def __iter__(self) -> Iterator[Tensor]:
        yield from self.values.split(self.lengths.tolist())

    @overload
    def __getitem__(self, key: int) -> Tensor: ...
    @overload
    def __getitem__(self, key: slice) -> "Jagged": ...
    def __getitem__(self, key):
        if isinstance(key, slice):
            return Jagged.of(list(self)[key])
        start, stop = self.offsets[key : key + 2].tolist() if key >= 0 else (self.offsets[key - 1], self.offsets[key:].tolist()[0])
        return self.values[start:stop]

    def map(self, fn: Callable[[Tensor], Tensor]) -> "Jagged":
        return Jagged(fn(self.values), self.lengths)

    def segment(self) -> Int[Tensor, " total"]:
        return torch.repeat_interleave(torch.arange(len(self)), self.lengths)

    def padded(self) -> tuple[Float[Tensor, "b t d"], Bool[Tensor, "b t"]]:
        x = pad_sequence(list(self), batch_first=True)
        return x, torch.arange(x.shape[1]) < self.lengths[:, None]

    def mean(self) -> Float[Tensor, "b d"]:
        out = self.values.new_zeros(len(self), self.values.shape[1])
        out.index_add_(0, self.segment(), self.values)
        return out / self.lengths[:, None]


def head_alone_too(pairs: Float[Tensor, "t t d"]) -> Float[Tensor, "2 t t d"]:
    both = pad_sequence([pairs, pairs[:1]], batch_first=True)  # as long as the first, which is the longer
    return both - pairs[None][: len(pairs)]


class Encoder(nn.Module):
    def __init__(self, d: int, h: int) -> None:
        super().__init__()
        self.rnn = nn.LSTM(d, h, batch_first=True, bidirectional=True)

    def forward(self, j: Jagged) -> tuple[Float[Tensor, "b t two_h"], Float[Tensor, "b two_h"]]:
        x, mask = j.padded()
        packed = pack_padded_sequence(x, j.lengths, batch_first=True, enforce_sorted=False)
        out, (h, _) = self.rnn(packed)
        assert isinstance(out, PackedSequence)
        y, lengths = pad_packed_sequence(out, batch_first=True)
        final = h.transpose(0, 1).reshape(len(j), -1)
        return y * mask[..., None], final


def main() -> None:
    parts = [torch.randn(n, 3) for n in (4, 1, 6)]
    j = Jagged.of(parts)
    assert j[0].shape == (4, 3) and j[1].shape == (1, 3) and j[-1].shape == (6, 3)
    tail = j[1:]
    assert len(tail) == 2 and tail.values.shape == (7, 3)
    wide = j.map(lambda v: torch.cat([v, v.square()], -1))
    assert wide.values.shape == (11, 6)
    m = wide.mean()
    x, mask = j.padded()
    assert x.shape == (3, 6, 3) and mask.sum() == 11 and m.shape == (3, 6)
    enc = Encoder(3, 5)
    y, f = enc(j)
    assert y.shape == (3, 6, 10) and f.shape == (3, 10)
    y2, f2 = enc(j[:2])
    assert y2.shape == (2, 4, 10)
    valid = y[mask]
    assert valid.shape == (11, 10)
    for a, b in zip(parts, j):
        assert a.shape == b.shape
    nt = torch.nested.nested_tensor(parts)
    back = torch.nested.to_padded_tensor(nt, 0.0)
    pieces = nt.unbind()
    assert back.shape == (3, 6, 3) and pieces[1].shape == (1, 3)
    order = j.lengths.argsort(descending=True)
    resorted = Jagged.of([parts[i] for i in order])
    head = resorted[0]
    assert head.shape == (6, 3)
    buckets: dict[int, list[Tensor]] = {}
    for p in parts + [torch.zeros(4, 3)]:
        buckets.setdefault(p.shape[0], []).append(p)
    stacks = {n: torch.stack(ps) for n, ps in buckets.items()}
    assert stacks[4].shape == (2, 4, 3) and stacks[1].shape == (1, 1, 3)


# run: main()
# run: head_alone_too(torch.zeros(4, 4, 3))
