"""Every activation passes a hook point that may replace it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal, Optional, Union, overload

import einops
import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

log = logging.getLogger(__name__)
HookFn = Callable[..., Optional[Tensor]]


class HookPoint(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.hooks: list[HookFn] = []
        self.name: Optional[str] = None

    def forward(self, x: Tensor) -> Tensor:
        for hook in self.hooks:
            out = hook(x, hook=self)
            if out is not None:
                x = out
        return x


class Attention(nn.Module):
    mask: Tensor
    IGNORE: Tensor

    def __init__(self, d_model: int, n_heads: int, d_head: int, n_ctx: int) -> None:
        super().__init__()
        self.d_head, self.n_ctx = d_head, n_ctx
        self.W_Q = nn.Parameter(torch.randn(n_heads, d_model, d_head) * 0.1)
        self.W_K = nn.Parameter(torch.randn(n_heads, d_model, d_head) * 0.1)
        self.W_V = nn.Parameter(torch.randn(n_heads, d_model, d_head) * 0.1)
        self.W_O = nn.Parameter(torch.randn(n_heads, d_head, d_model) * 0.1)
        self.b_Q = nn.Parameter(torch.zeros(n_heads, d_head))
        self.b_O = nn.Parameter(torch.zeros(d_model))
        self.register_buffer("mask", torch.tril(torch.ones(n_ctx, n_ctx).bool()))
        self.register_buffer("IGNORE", torch.tensor(-torch.inf))
        self.hook_k, self.hook_q, self.hook_v = HookPoint(), HookPoint(), HookPoint()
        self.hook_z, self.hook_pattern = HookPoint(), HookPoint()

    def forward(
        self,
        query_input: Union[Float[Tensor, "batch pos d_model"], Float[Tensor, "batch pos head_index d_model"]],
        additive: Optional[Float[Tensor, "batch 1 1 kv_pos"]] = None,
    ) -> Float[Tensor, "batch pos d_model"]:
        if query_input.ndim == 4:
            pattern = "b p h d, h d e -> b p h e"
        else:
            pattern = "b p d, h d e -> b p h e"
        q = self.hook_q(einops.einsum(query_input, self.W_Q, pattern) + self.b_Q)
        k = self.hook_k(einops.einsum(query_input, self.W_K, pattern))
        v = self.hook_v(einops.einsum(query_input, self.W_V, pattern))
        scores = einops.einsum(q, k, "b i h e, b j h e -> b h i j") / self.d_head**0.5
        scores = self.apply_causal_mask(scores)
        if additive is not None:
            scores = scores + additive
        pattern_ = self.hook_pattern(scores.softmax(-1))
        z = self.hook_z(einops.einsum(pattern_, v, "b h i j, b j h e -> b i h e"))
        return einops.einsum(z, self.W_O, "b p h e, h e d -> b p d") + self.b_O

    def apply_causal_mask(
        self, scores: Float[Tensor, "batch head pos pos_plus_past"]
    ) -> Float[Tensor, "batch head pos pos_plus_past"]:
        q_len, k_len = scores.size(-2), scores.size(-1)
        final = self.mask[None, None, -q_len:, -k_len:] if q_len == self.n_ctx else self.mask[None, None, :q_len, :k_len]
        return torch.where(final, scores, self.IGNORE)

    @property
    def OV(self) -> Float[Tensor, "heads d_model d_model"]:
        return self.W_V @ self.W_O

    @property
    def QK(self) -> Float[Tensor, "heads d_model d_model"]:
        return self.W_Q @ self.W_K.transpose(-2, -1)


class Model(nn.Module):
    def __init__(self, d_model: int, n_heads: int, d_head: int, n_ctx: int, d_vocab: int, n_layers: int) -> None:
        super().__init__()
        self.W_E = nn.Parameter(torch.randn(d_vocab, d_model))
        self.blocks = nn.ModuleList([Attention(d_model, n_heads, d_head, n_ctx) for _ in range(n_layers)])
        self.W_U = nn.Parameter(torch.randn(d_model, d_vocab))
        for name, module in self.named_modules():
            if isinstance(module, HookPoint):
                module.name = name

    @overload
    def forward(self, tokens: Int[Tensor, "batch pos"], return_type: Literal["logits"]) -> Float[Tensor, "batch pos d_vocab"]: ...
    @overload
    def forward(self, tokens: Int[Tensor, "batch pos"], return_type: Literal["loss"]) -> Float[Tensor, ""]: ...
    @overload
    def forward(self, tokens: Int[Tensor, "batch pos"], return_type: None) -> None: ...
    def forward(self, tokens, return_type="logits"):
        residual = self.W_E[tokens]
        for block in self.blocks:
            residual = residual + block(residual)
        if return_type is None:
            return None
        logits = residual @ self.W_U
        if return_type == "loss":
            return F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())
        return logits

    @contextmanager
    def hooks(self, fwd: dict[str, HookFn]) -> Iterator["Model"]:
        points = dict(self.named_modules())
        try:
            for name, fn in fwd.items():
                points[name].hooks.append(fn)
            yield self
        finally:
            for name in fwd:
                points[name].hooks.clear()

    def run_with_cache(self, tokens: Int[Tensor, "batch pos"]) -> tuple[Float[Tensor, "batch pos d_vocab"], dict[str, Tensor]]:
        cache: dict[str, Tensor] = {}

        def save(x: Tensor, hook: HookPoint) -> None:
            cache[str(hook.name)] = x.detach()

        names = [n for n, m in self.named_modules() if isinstance(m, HookPoint)]
        with self.hooks({n: save for n in names}):
            logits = self(tokens, "logits")
        return logits, cache


def ablate(z: Float[Tensor, "batch pos head d_head"], hook: HookPoint, head: int) -> Float[Tensor, "batch pos head d_head"]:
    z = z.clone()
    z[:, :, head] = 0.0
    return z


def patch(z: Float[Tensor, "batch pos head d_head"], hook: Any, clean: dict[str, Tensor], position: int) -> Tensor:
    z[:, position] = clean[hook.name][:, position]
    return z


def head_effects(model: Model, tokens: Int[Tensor, "batch pos"], n_heads: int) -> Float[Tensor, "layers heads"]:
    base = model(tokens, "loss")
    effects = torch.zeros(len(model.blocks), n_heads)
    for layer in range(len(model.blocks)):
        for head in range(n_heads):
            with model.hooks({f"blocks.{layer}.hook_z": partial(ablate, head=head)}):
                effects[layer, head] = model(tokens, "loss") - base
    log.debug("effects %s", effects.shape)
    return effects


# run: m = Model(7, 3, 5, 11, 13, 2); t = randint(0, 13, (2, 6)); logits, cache = m.run_with_cache(t); head_effects(m, t, 3); m(t, None)
# run: m.blocks[0].OV; m.blocks[0].QK; c = m.hooks({"blocks.0.hook_z": lambda z, hook: patch(z.clone(), hook, cache, 1)}); c.__enter__()(t, "logits")
# run: m.blocks[0](randn(2, 6, 3, 7), randn(2, 1, 1, 6))
