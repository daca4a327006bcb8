"""Shards as one sequence: the same windows as of the whole, wherever they begin and end."""

from pathlib import Path

import numpy as np
import pytest

from typedtorch.data import (
    DataError,
    EpochStarts,
    JoinedTokens,
    MemoryTokens,
    TokenBatches,
    get_batch,
    open_shards,
    open_tokens,
    row_buffer,
    write_tokens,
)

IDS = np.arange(100, dtype=np.uint8)


def shards(cuts: list[int]) -> JoinedTokens:
    return JoinedTokens([MemoryTokens(part, vocab=100) for part in np.split(IDS, cuts)])


@pytest.mark.parametrize("cuts", [[50], [1, 2, 3], [10, 10, 90], [99], [0]])
@pytest.mark.parametrize("length", [1, 2, 13, 100])
def test_every_window_is_that_of_the_whole(cuts: list[int], length: int) -> None:
    tokens = shards(cuts)
    starts = np.arange(100 - length + 1)
    out = row_buffer(len(starts), length - 1, tokens.dtype)
    tokens.read(starts, out)
    assert (out.rows == starts[:, None] + np.arange(length)).all()
    for outside in (-1, 101 - length):
        with pytest.raises(DataError, match=f"found start {outside}"):
            tokens.read(np.full(len(starts), outside), out)


@pytest.mark.parametrize("in_memory", [True, False])
def test_files_are_joined_in_order_of_their_names(tmp_path: Path, in_memory: bool) -> None:
    for i, part in enumerate(np.split(IDS, [30, 60])):
        head = np.zeros(256, "<i4")
        head[:3] = 20240520, 1, len(part)
        (tmp_path / f"train_{i:06}.bin").write_bytes(head.tobytes() + part.astype("<u2").tobytes())
    tokens = open_shards(list(tmp_path.glob("*.bin"))[::-1], in_memory=in_memory)
    assert (len(tokens), tokens.vocab) == (100, 100)
    batch = get_batch(tokens, np.array([0, 25, 59, 90]), 9)
    assert batch.inputs[:, 0].tolist() == [0, 25, 59, 90]
    assert (batch.targets == batch.inputs + 1).all()
    alone = tmp_path / "train_000001.bin"
    assert open_shards([alone]).fingerprint() == open_tokens(alone).fingerprint() != tokens.fingerprint()


def test_a_stream_over_shards_is_that_over_the_whole() -> None:
    whole = MemoryTokens(IDS, vocab=100)
    streams = [TokenBatches(t, EpochStarts(100, 7, 1), batch=3, seq=7) for t in (whole, shards([33, 66]))]
    for _ in range(20):
        one, other = (next(stream) for stream in streams)
        assert (one.inputs == other.inputs).all()


def test_parts_that_do_not_fit_together_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="expected parts, found none"):
        JoinedTokens([])
    write_tokens(tmp_path / "a.tok", IDS, vocab=100)
    write_tokens(tmp_path / "b.tok", IDS, vocab=1000)
    with pytest.raises(DataError, match=r"b\.tok: expected uint8, separator -1 as in .*a\.tok, found uint16"):
        open_shards([tmp_path / "a.tok", tmp_path / "b.tok"])
