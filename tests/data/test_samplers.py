"""Samplers: every window, in an order that depends on the seed and on nothing else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from typedtorch.data import EpochStarts, MemoryTokens, Shard, TokenBatches, UniformStarts
from typedtorch.data.samplers import permute


@given(size=st.integers(1, 3000), seed=st.integers(0, 2**64 - 1))
def test_the_permutation_is_one(size: int, seed: int) -> None:
    found = permute(np.arange(size), size, np.array([seed], np.uint64))
    assert sorted(found.tolist()) == list(range(size))


@given(
    count=st.integers(5, 400), seq=st.integers(1, 4), seed=st.integers(-5, 1 << 40), first=st.integers(0, 900)
)
def test_any_index_can_be_asked_alone(count: int, seq: int, seed: int, first: int) -> None:
    for sampler in (EpochStarts(count, seq, seed), UniformStarts(count, seq, seed)):
        together = sampler.starts(np.arange(first, first + 20))
        alone = [int(sampler.starts(np.array([i]))[0]) for i in range(first, first + 20)]
        assert together.tolist() == alone
        assert together.min() >= 0
        assert together.max() <= count - seq - 1  # a target follows the last token


@given(count=st.integers(3, 500), seq=st.integers(1, 7), seed=st.integers(0, 100), epoch=st.integers(0, 5))
def test_an_epoch_has_every_window_once(count: int, seq: int, seed: int, epoch: int) -> None:
    if count <= seq:
        return
    sampler = EpochStarts(count, seq, seed)
    n = sampler.windows
    starts = sampler.starts(np.arange(epoch * n, (epoch + 1) * n))
    assert sorted(starts.tolist()) == [i * seq for i in range(n)]
    assert n * seq <= count - 1 < (n + 1) * seq


def test_epochs_and_seeds_have_their_own_order() -> None:
    n = EpochStarts(1001, 1, 0).windows
    orders = [
        tuple(EpochStarts(1001, 1, s).starts(np.arange(e * n, (e + 1) * n))) for s in (0, 1) for e in (0, 1)
    ]
    assert len(set(orders)) == 4


def test_uniform_starts_reach_both_ends_and_are_even() -> None:
    sampler = UniformStarts(count=12, seq=4, seed=3)
    found = np.bincount(sampler.starts(np.arange(80_000)), minlength=8)
    assert len(found) == sampler.windows == 8
    assert found.min() > 9_500  # 10,000 expected, standard deviation 94
    assert found.max() < 10_500


def test_neighbours_in_an_epoch_are_not_neighbours_in_the_text() -> None:
    starts = EpochStarts(100_001, 10, 1).starts(np.arange(10_000)) // 10
    steps = np.abs(np.diff(starts))
    assert 3000 < steps.mean() < 3700  # a third of the range, as for random places
    assert (steps == 1).mean() < 0.002


@pytest.mark.parametrize("kind", [EpochStarts, UniformStarts])
def test_too_short_data_is_refused(kind: type[EpochStarts] | type[UniformStarts]) -> None:
    kind(5, 4, 0)
    with pytest.raises(
        ValueError, match=r"tokens: expected at least 5 \(seq 4 and the shifted target\), got 4"
    ):
        kind(4, 4, 0)


@pytest.mark.parametrize("world", [1, 2, 4])
def test_the_global_order_does_not_depend_on_the_processes(world: int) -> None:
    tokens = MemoryTokens(np.arange(997) % 251, vocab=251)
    per_rank = 8 // world
    streams = [
        TokenBatches(tokens, EpochStarts(997, 5, 9), batch=per_rank, seq=5, shard=Shard(rank, world))
        for rank in range(world)
    ]
    seen = [[row.tolist() for s in streams for row in next(s).inputs] for _ in range(60)]
    alone = TokenBatches(tokens, EpochStarts(997, 5, 9), batch=8, seq=5)
    assert seen == [next(alone).inputs.tolist() for _ in range(60)]
    assert all(s.state_dict() == alone.state_dict() for s in streams)
