"""Time of one batch from a large token file: the usual ways beside ours, in one process.

    python benchmarks/batches.py [--gigabytes 1.0] [--cold | --small-cache]

64 windows of 1024 uint16 tokens, as int64 inputs and targets; every one of ours also checks each token
against the vocabulary. ``--cold`` drops the file from the page cache before each batch. ``--small-cache``
drops nothing and forgets nothing between batches, for a process whose memory is limited to less than the
file, as a cgroup does:

    mkdir /sys/fs/cgroup/memory/small && echo 700M > /sys/fs/cgroup/memory/small/memory.limit_in_bytes
    (echo $BASHPID > /sys/fs/cgroup/memory/small/cgroup.procs; python benchmarks/batches.py --small-cache)
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from report import write_result
from torch import Tensor

from typedtorch.data import EpochStarts, Prefetcher, TokenBatches, UniformStarts, open_tokens

BATCH, SEQ, VOCAB = 64, 1024, 50257
Pair = tuple[Tensor, Tensor]


def write_file(path: Path, tokens: int) -> None:
    """Random tokens below the vocabulary."""
    generator = np.random.default_rng(0)
    with open(path, "wb") as file:
        for start in range(0, tokens, 1 << 24):
            size = min(1 << 24, tokens - start)
            file.write(generator.integers(0, VOCAB, size, dtype=np.uint16).tobytes())


def slices(path: Path) -> Callable[[], Pair]:
    """A Python list of slices per row, as lecture notes write it."""
    data = np.memmap(path, dtype=np.uint16, mode="r")

    def batch() -> Pair:
        starts = np.random.randint(0, len(data) - SEQ - 1, BATCH)
        x = torch.tensor([data[i : i + SEQ].tolist() for i in starts])
        y = torch.tensor([data[i + 1 : i + SEQ + 1].tolist() for i in starts])
        return x, y

    return batch


def memmap_stack(path: Path) -> Callable[[], Pair]:
    """A map made anew for each batch, each row cast alone, then stacked: nanoGPT's way."""

    def batch() -> Pair:
        data = np.memmap(path, dtype=np.uint16, mode="r")
        starts = torch.randint(len(data) - SEQ, (BATCH,))
        x = torch.stack([torch.from_numpy(data[i : i + SEQ].astype(np.int64)) for i in starts])
        y = torch.stack([torch.from_numpy(data[i + 1 : i + 1 + SEQ].astype(np.int64)) for i in starts])
        return x, y

    return batch


def ours(path: Path, *, in_memory: bool, epochs: bool = False, ahead: bool = False) -> Callable[[], Pair]:
    """A stream over the file: in memory or with pread, inline or read ahead."""
    tokens = open_tokens(path, dtype="uint16", vocab=VOCAB, in_memory=in_memory)
    sampler = (EpochStarts if epochs else UniformStarts)(len(tokens), SEQ, 0)
    stream = TokenBatches(tokens, sampler, batch=BATCH, seq=SEQ)
    source = Prefetcher(stream) if ahead else stream
    return lambda: next(source)


def drop_cache(path: Path) -> None:
    """Ask the kernel to forget the file's pages."""
    descriptor = os.open(path, os.O_RDONLY)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(descriptor)


def memory_limit() -> int:
    """What this process's cgroup allows, of either kind."""
    lines = Path("/proc/self/cgroup").read_text(encoding="ascii").splitlines()
    paths = dict(line.split(":", 2)[1:] for line in lines)
    first, second = Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup")
    if "memory" in paths:
        return int((first / paths["memory"].strip("/") / "memory.limit_in_bytes").read_text())
    text = (second / paths[""].strip("/") / "memory.max").read_text().strip()
    return 1 << 62 if text == "max" else int(text)


def measure(batch: Callable[[], Pair], times: int, before: Callable[[], None] | None) -> list[float]:
    """Milliseconds of each batch."""
    found = []
    for _ in range(times):
        if before is not None:
            before()
        began = time.perf_counter()
        batch()
        found.append((time.perf_counter() - began) * 1e3)
    return found


def main() -> None:
    """Measure and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=1.0)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--cold", action="store_true")
    kind.add_argument("--small-cache", action="store_true")
    parser.add_argument("--folder", default=None, help="where the file is written for the time being")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path = Path(folder, "tokens.bin")
        write_file(path, int(options.gigabytes * 1e9) // 2)
        ways: dict[str, Callable[[], Pair]] = {
            "memmap and stack (nanoGPT)": memmap_stack(path),
            "typedtorch, pread": ours(path, in_memory=False),
        }
        slow = options.cold or options.small_cache
        if not slow:
            ways |= {
                "list of slices (lecture)": slices(path),
                "typedtorch, in memory": ours(path, in_memory=True),
                "typedtorch, in memory, epoch-exact": ours(path, in_memory=True, epochs=True),
                "typedtorch, pread, read ahead": ours(path, in_memory=False, ahead=True),
            }
        times: dict[str, list[float]] = {name: [] for name in ways}
        before = (lambda: drop_cache(path)) if options.cold else None
        for _ in range(10):
            for name, batch in ways.items():
                few = slow or "lecture" in name
                times[name] += measure(batch, 10 if few else 40, before)
    least = {name: min(found) for name, found in times.items()}
    median = {name: statistics.median(found) for name, found in times.items()}
    base = "memmap and stack (nanoGPT)"
    rows = [
        {
            "way": name,
            "ms_least": round(least[name], 4),
            "ms_median": round(median[name], 4),
            "ms_95_percent": round(float(np.quantile(times[name], 0.95)), 4),
            "times_faster": round(least[base] / least[name], 1),
            "times_faster_by_median": round(median[base] / median[name], 1),
        }
        for name in ways
    ]
    name = "batches_cold" if options.cold else "batches_small_cache" if options.small_cache else "batches"
    settings = {"gigabytes": options.gigabytes, "batch": BATCH, "seq": SEQ}
    if options.small_cache:
        settings["memory_limit_megabytes"] = memory_limit() / 1e6
    write_result(name, settings, rows)


if __name__ == "__main__":
    main()
