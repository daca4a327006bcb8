"""What other tools call our settings, for those who come from there."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

ELSEWHERE = {
    "lr": "learning_rate",
    "steps": "max_steps max_iters num_steps n_steps iterations epochs num_epochs max_epochs num_train_epochs",
    "batch": "batch_size bs global_batch_size train_batch_size",
    "micro_batch": "accumulate accumulation gradient_accumulation_steps accumulate_grad_batches grad_accum "
    "per_device_train_batch_size micro_batch_size",
    "layers": "n_layer n_layers num_layers num_hidden_layers depth",
    "d_model": "n_embd dim hidden_size embed_dim width",
    "heads": "n_head n_heads num_heads num_attention_heads",
    "kv_heads": "n_kv_heads num_key_value_heads",
    "d_ff": "ffn_dim intermediate_size hidden_dim",
    "seq": "block_size context context_length seq_len seq_length sequence_length max_seq max_seq_len n_ctx",
    "precision": "dtype amp mixed_precision fp16 bf16",
    "clip": "grad_clip max_norm max_grad_norm gradient_clip_val clip_grad",
    "out": "output output_dir out_dir run_dir save_dir",
    "data": "dataset data_dir data_path train_data",
    "warmup": "warmup_steps warmup_iters num_warmup_steps",
    "schedule": "scheduler lr_scheduler lr_scheduler_type",
    "weight_decay": "wd",
    "seed": "random_seed",
    "eval_every": "eval_interval eval_steps val_check_interval",
    "log_every": "log_interval logging_steps log_every_n_steps",
    "save_every": "save_steps save_interval checkpoint_every",
    "keep": "save_total_limit keep_last",
    "vocab": "vocab_size n_vocab",
    "recompute": "gradient_checkpointing activation_checkpointing",
    "resume": "resume_from resume_from_checkpoint",
    "parallel": "strategy",
    "ema": "ema_decay",
}
_OURS = {name: ours for ours, names in ELSEWHERE.items() for name in names.split()}


def from_elsewhere(name: str) -> str | None:
    """The setting that another tool calls ``name``.

    >>> from_elsewhere("batch_size"), from_elsewhere("batches")
    ('batch', None)
    """
    return _OURS.get(name)


def meant(name: str, known: Iterable[str]) -> str | None:
    """The setting that an unknown name is likely to mean; ``known`` are all there are.

    >>> meant("batch_size", ["batch", "steps"]), meant("step", ["batch", "steps"]), meant("x", ["steps"])
    ('batch', 'steps', None)
    """
    return from_elsewhere(name) or next(iter(difflib.get_close_matches(name, known, 1)), None)
