"""From settings to parts: tokens, model, optimizer, schedule, loss."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from rich.console import Console as RichConsole
from rich.progress import Progress
from torch import Tensor, nn

from typedtorch import optim
from typedtorch.data import (
    BYTES,
    Batch,
    DataError,
    EpochStarts,
    Prefetcher,
    Shard,
    TokenBatches,
    Tokens,
    TokenSpan,
    UniformStarts,
    collect_files,
    open_shards,
    open_tokens,
    pack_files,
    split,
    standard_library,
)
from typedtorch.data.layout import is_token_file
from typedtorch.losses import cross_entropy, valid_tokens
from typedtorch.nn import Transformer
from typedtorch.training.config import TrainConfig
from typedtorch.training.distributed import Parallel, repeated_blocks
from typedtorch.training.errors import ConfigError, told
from typedtorch.training.resolve import settled
from typedtorch.training.step import LossSum

Note = Callable[[str], None]


@dataclass(frozen=True)
class Corpus:
    """The tokens of a run, in two parts unless nothing is held out, and what they are."""

    train: TokenSpan
    held_out: TokenSpan | None
    name: str
    is_text: bool
    """One token is one byte of text."""


def open_corpus(config: TrainConfig, note: Note) -> Corpus:
    """Open or pack what ``config.data`` names.

    Raises:
        DataError: missing, empty, damaged, or too short for one window on either side.
        ConfigError: a vocabulary smaller than that of text, or all tokens on one side.
    """
    wanted, name = config.data, config.data.data
    if name == "stdlib":
        tokens, is_text = _packed(standard_library(), note), True
        name = "the Python standard library's sources"
    else:
        files = collect_files(name)
        is_text = wanted.token_dtype is None and not all(map(is_token_file, files))
        shards = functools.partial(open_shards, dtype=wanted.token_dtype, vocab=wanted.vocab)
        tokens = _packed(files, note) if is_text else shards(files)
    if is_text and wanted.vocab is not None and wanted.vocab < tokens.vocab:
        raise ConfigError(
            f"vocab: expected at least {tokens.vocab} for text, whose tokens are bytes, got {wanted.vocab}"
        )
    seq = settled(config.model.seq)
    held_out: TokenSpan | None = None
    if wanted.val_fraction:
        train, held_out = split(tokens, wanted.val_fraction)
    else:
        train = TokenSpan(tokens, 0, len(tokens))
    for part, what in ((train, "training"), (held_out, "validation")):
        if part is not None and len(part) < seq + 1:
            # enough for both, were they divided otherwise
            if held_out is not None and len(tokens) >= 2 * (seq + 1):
                wanted_share = f"a share that leaves {seq + 1} tokens for {what} (seq {seq} and the target)"
                found = f"{wanted.val_fraction} of {len(tokens)}, which leaves {len(part)}"
                raise ConfigError(f"val_fraction: expected {wanted_share}, got {found}")
            raise DataError(
                name,
                f"at least {seq + 1} tokens for {what} (seq {seq} and the target)",
                len(part),
                "too short",
            )
    windows, batch = (len(train) - 1) // seq, config.run.batch or 0
    if batch > windows:
        note(f"data: {windows} windows of {seq} tokens, fewer than the batch of {batch}: a step repeats some")
    return Corpus(train, held_out, name, is_text)


def _packed(files: list[Path], note: Note) -> Tokens:
    """Pack text, with a bar on a terminal and a line now and then elsewhere; one process of many shows it."""
    console = RichConsole(stderr=True)
    shown = console.is_terminal and os.environ.get("RANK", "0") == "0"
    with Progress(console=console, transient=True, disable=not shown) as bar:
        task = bar.add_task("packing", total=len(files), visible=False)

        def progress(done: int, total: int) -> None:
            bar.update(task, completed=done, visible=True)
            if not shown and done % 1000 == 0 and done < total:
                note(f"packing: {done} of {total} files")

        pack = functools.partial(pack_files, files, tokenizer=BYTES, progress=progress)
        path = pack()
        try:
            return open_tokens(path)
        except DataError as error:
            note(f"damaged, packed again: {error}")
            return open_tokens(pack(again=True))


def make_batches(corpus: Corpus, config: TrainConfig, parallel: Parallel, device: torch.device) -> Any:
    """The stream of training batches of this process."""
    seq, micro = settled(config.model.seq), settled(config.run.micro_batch)
    kind = EpochStarts if config.data.sampler == "epochs" else UniformStarts
    sampler = kind(len(corpus.train), seq, config.run.seed)
    shard = Shard(parallel.rank, parallel.world)
    batches = TokenBatches(corpus.train, sampler, batch=micro, seq=seq, shard=shard, device=device)
    return Prefetcher(batches, depth=config.data.prefetch) if config.data.prefetch else batches


def make_model(config: TrainConfig, vocab: int) -> Transformer:
    """The Transformer of the settings, on the CPU: the same weights whatever it then runs on."""
    sizes = config.model
    return Transformer(
        vocab=vocab,
        d_model=settled(sizes.d_model),
        layers=settled(sizes.layers),
        heads=settled(sizes.heads),
        kv_heads=sizes.kv_heads,
        d_ff=sizes.d_ff,
        max_seq=settled(sizes.seq),
        tie=sizes.tie,
        dropout=sizes.dropout,
    )


def make_schedule(config: TrainConfig) -> Callable[[int], float]:
    """Step to learning rate."""
    peak, total, warmup = settled(config.optim.lr), settled(config.run.steps), settled(config.optim.warmup)
    floor = peak * config.optim.final_lr
    match config.optim.schedule:
        case "constant":
            return functools.partial(optim.constant, peak=peak, warmup=warmup)
        case "linear":
            return functools.partial(optim.warmup_linear, peak=peak, total=total, warmup=warmup, floor=floor)
        case "wsd":
            decay = min(max(1, (total - warmup) // 5), total - warmup)  # none where all of it is warm-up
            return functools.partial(
                optim.warmup_stable_decay, peak=peak, total=total, warmup=warmup, decay=decay, floor=floor
            )
        case _:
            return functools.partial(optim.warmup_cosine, peak=peak, total=total, warmup=warmup, floor=floor)


def language_model_loss(model: nn.Module, batch: object, /) -> LossSum:
    """Summed cross-entropy of the next token, or of a class, in nats; targets of -100 do not count.

    Raises:
        TypeError: the batch is no pair of inputs and targets.
    """
    if not isinstance(batch, tuple | list) or len(batch) != 2:
        wanted = "without a loss of your own a pair (inputs, targets)"
        raise TypeError(f"batches: expected {wanted}, got {told(batch)}")
    inputs, targets = batch
    logits: Float[Tensor, "*items classes"] = model(inputs)
    counted = targets.numel() if isinstance(batch, Batch) else valid_tokens(targets)  # a file holds no -100
    return LossSum(cross_entropy(logits, targets, reduction="sum"), counted)


def recompute_blocks(model: nn.Module) -> None:
    """Activation checkpointing: each block keeps its input and computes the rest again when it is needed."""
    for block in repeated_blocks(model):
        block.forward = functools.partial(
            torch.utils.checkpoint.checkpoint, block.forward, use_reentrant=False
        )
