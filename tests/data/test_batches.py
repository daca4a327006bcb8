"""Batches: shifted by one, exact across resumes, the same whatever reads them."""

import threading
import time
from typing import Any

import numpy as np
import pytest
import torch

from typedtorch.data import (
    DataError,
    EpochStarts,
    MemoryTokens,
    Prefetcher,
    PrefetchError,
    RowBuffer,
    Shard,
    TokenBatches,
    UniformStarts,
    get_batch,
    row_buffer,
)

TOKENS = MemoryTokens((np.arange(5000) * 31 % 241).astype(np.uint8), vocab=256)


def stream(batch: int = 4, seq: int = 7, seed: int = 0) -> TokenBatches:
    return TokenBatches(TOKENS, UniformStarts(len(TOKENS), seq, seed), batch=batch, seq=seq)


def test_targets_are_the_next_tokens() -> None:
    starts = np.array([0, 17, 4992])
    batch = get_batch(TOKENS, starts, 7)
    assert batch.inputs.dtype == batch.targets.dtype == torch.int64
    for row, start in enumerate(starts):
        assert batch.inputs[row].tolist() == TOKENS.array[start : start + 7].tolist()
        assert batch.targets[row].tolist() == TOKENS.array[start + 1 : start + 8].tolist()


def test_a_batch_stays_what_it_was_when_the_buffer_is_used_again() -> None:
    for dtype in (np.uint8, np.int64):
        tokens = MemoryTokens(TOKENS.array.astype(dtype), vocab=256)
        batches = TokenBatches(tokens, UniformStarts(len(tokens), 7, 0), batch=4, seq=7)
        first = next(batches)
        kept = first.inputs.clone()
        next(batches)
        assert torch.equal(first.inputs, kept)


def test_three_integers_bring_back_the_stream() -> None:
    whole = stream()
    expected = [next(whole).inputs for _ in range(12)]
    part = stream()
    for _ in range(5):
        next(part)
    state = part.state_dict()
    assert set(state) == {"seed", "windows", "position"}
    resumed = stream()
    resumed.load_state_dict(state)
    for batch in expected[5:]:
        assert torch.equal(next(resumed).inputs, batch)


@pytest.mark.parametrize("array", [np.arange(9), torch.arange(9), list(range(9))])
def test_an_array_has_to_become_tokens(array: Any) -> None:
    with pytest.raises(TypeError, match=r"tokens are a \w+; pass MemoryTokens\(tokens\)"):
        get_batch(array, [0, 3], 2)


def test_a_position_in_other_data_is_refused() -> None:
    with pytest.raises(ValueError, match="data seed: the saved position is for 1, this data has 0"):
        stream().load_state_dict(stream(seed=1).state_dict())
    with pytest.raises(ValueError, match="data windows"):
        stream().load_state_dict(stream(seq=9).state_dict())


def test_halved_batches_take_the_same_samples() -> None:
    whole, halved = stream(batch=4), stream(batch=4)
    next(whole), next(halved), next(halved)
    assert halved.halve(drawn=1)
    expected = next(whole).inputs
    found = torch.cat([next(halved).inputs, next(halved).inputs])
    assert torch.equal(found, expected)
    assert not stream(batch=1).halve(drawn=0)


@pytest.mark.parametrize("depth", [1, 3])
def test_reading_ahead_changes_nothing(depth: int) -> None:
    plain, ahead = stream(), Prefetcher(stream(), depth=depth)
    for _ in range(20):
        assert torch.equal(next(ahead).inputs, next(plain).inputs)
        assert ahead.state_dict() == plain.state_dict()
    ahead.load_state_dict({**plain.state_dict(), "position": 8})
    plain.load_state_dict({**plain.state_dict(), "position": 8})
    assert torch.equal(next(ahead).inputs, next(plain).inputs)
    ahead.close()
    with pytest.raises(PrefetchError, match="closed"):
        next(ahead)


class SlowCopy:
    """An event whose copy ends only when it is told to."""

    def __init__(self) -> None:
        self.recorded, self.ended, self.waited_for = 0, threading.Event(), 0

    def record(self) -> None:
        self.recorded += 1
        self.ended.clear()

    def synchronize(self) -> None:
        self.waited_for += 1
        assert self.ended.wait(20)


def test_a_slot_is_not_refilled_before_its_copy_ended() -> None:
    events = [SlowCopy(), SlowCopy()]
    fills: list[int] = []
    source = stream()
    plain_fill = source.fill

    def counting(position: int, slot: RowBuffer) -> RowBuffer:
        fills.append(position)
        return plain_fill(position, slot)

    source.fill = counting  # type: ignore[method-assign]  # of this instance
    ahead = Prefetcher(source, depth=2, events=events)
    next(ahead), next(ahead)
    deadline = time.monotonic() + 10
    while not events[0].waited_for and time.monotonic() < deadline:
        time.sleep(0.001)
    assert events[0].waited_for == 1
    assert len(fills) == 2  # both slots are with copies under way: nothing is read
    for event in events:
        event.ended.set()
    next(ahead)
    assert len(fills) >= 3
    for event in events:
        event.ended.set()
    ahead.close()


def test_an_error_in_the_thread_is_raised_where_batches_are_asked_for() -> None:
    bad = MemoryTokens(np.array([1, 2, 99, 3, 4, 5]), vocab=10)
    ahead = Prefetcher(TokenBatches(bad, EpochStarts(6, 5, 0), batch=1, seq=5))
    for _ in range(2):
        with pytest.raises(DataError, match="found 99 at token 2"):
            next(ahead)
    ahead.close()


def test_a_thread_that_hangs_is_reported_with_its_place() -> None:
    source, release = stream(), threading.Event()

    def stuck(position: int, slot: RowBuffer) -> RowBuffer:
        release.wait(20)
        return slot

    source.fill = stuck  # type: ignore[method-assign]  # of this instance
    ahead = Prefetcher(source, timeout=0.05)
    with pytest.raises(PrefetchError, match=r"gave no batch for 0\.05 s; it is at(.|\n)*stuck"):
        next(ahead)
    release.set()
    ahead.close()


def test_a_thread_that_dies_is_reported() -> None:
    source = stream()

    def fatal(position: int, slot: RowBuffer) -> RowBuffer:
        raise SystemExit(3)

    source.fill = fatal  # type: ignore[method-assign]  # of this instance
    ahead = Prefetcher(source)
    with pytest.raises(PrefetchError, match=r"died: SystemExit\(3\)"):
        next(ahead)
    ahead.close()


def test_batches_of_nothing_are_refused() -> None:
    tokens, sampler = MemoryTokens(np.arange(9)), EpochStarts(9, 2, 0)
    with pytest.raises(ValueError, match="batch and seq are at least 1, got 0 and 2"):
        TokenBatches(tokens, sampler, batch=0, seq=2)
    with pytest.raises(ValueError, match="seq is 3, and the sampler's windows are of 2"):
        TokenBatches(tokens, sampler, batch=2, seq=3)
    for kind in (EpochStarts, UniformStarts):
        with pytest.raises(ValueError, match="seq: expected at least 1, got 0"):
            kind(9, 0, 0)
    with pytest.raises(ValueError, match="depth is at least 1, got 0"):
        Prefetcher(TokenBatches(tokens, sampler, batch=2, seq=2), depth=0)
    with pytest.raises(ValueError, match="get_batch: seq is at least 1, got 0"):
        get_batch(tokens, [0], 0)
    for starts in ([2.9], np.array([0.0]), [True], ["1"]):
        # where annotations are enforced, they are what refuses
        wanted = rf"starts are whole numbers, got {starts[0]}|'starts'.*: wanted"
        with pytest.raises((ValueError, TypeError), match=wanted):
            get_batch(tokens, starts, 2)  # type: ignore[arg-type]  # what the test is about
    for many in (3, [[1, 2]]):
        with pytest.raises((ValueError, TypeError), match=r"one for each row, got \(|'starts'.*: wanted"):
            get_batch(tokens, many, 2)  # type: ignore[arg-type]
    assert get_batch(tokens, [], 2).inputs.shape == (0, 2)


@pytest.mark.parametrize(("rank", "world"), [(2, 2), (-1, 2), (0, 0)])
def test_a_rank_that_no_process_has_is_refused(rank: int, world: int) -> None:
    with pytest.raises(ValueError, match=f"rank is from 0 to {world - 1}, got {rank}"):
        Shard(rank, world)


@pytest.mark.parametrize(("batch", "seq", "dtype"), [(1, 3, "u1"), (3, 3, "u1"), (2, 4, "u1"), (2, 3, "u2")])
def test_a_buffer_of_another_size_or_dtype_is_refused(batch: int, seq: int, dtype: str) -> None:
    with pytest.raises(ValueError, match=r"out is .*, wanted uint8 of \(2, 4\)"):
        get_batch(TOKENS, [0, 1], 3, out=row_buffer(batch, seq, np.dtype(dtype)))
