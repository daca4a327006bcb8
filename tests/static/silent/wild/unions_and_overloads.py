"""Signatures that promise one of several shapes, and code that finds out which."""

from typing import Literal, Optional, Union, overload

import torch
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor, nn

SingleLoss = Float[Tensor, ""]
LossPerToken = Float[Tensor, "batch pos-1"]
Loss = Union[SingleLoss, LossPerToken]
Residual = Union[Float[Tensor, "batch pos d"], Float[Tensor, "batch pos head d"]]


class LayerNorm(nn.Module):
    def forward(self, x: Residual) -> Residual:
        x = x - x.mean(-1, keepdim=True)
        return x / (x.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt()


class Attention(nn.Module):
    def __init__(self, d: int, heads: int) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.randn(heads, d, d))

    def forward(self, x: Residual) -> Float[Tensor, "batch pos d"]:
        per_head = x if x.ndim == 4 else x.unsqueeze(2).expand(-1, -1, self.w.shape[0], -1)
        return torch.einsum("bphd,hde->bpe", per_head, self.w)


class Block(nn.Module):
    def __init__(self, d: int, heads: int, split: bool) -> None:
        super().__init__()
        self.heads, self.split = heads, split
        self.ln = LayerNorm()
        self.attn = Attention(d, heads)

    def forward(self, x: Float[Tensor, "batch pos d"]) -> Float[Tensor, "batch pos d"]:
        query = x.unsqueeze(2).repeat(1, 1, self.heads, 1) if self.split else x
        out = self.attn(self.ln(query))
        x = x + out
        normalised = self.ln(x)
        return normalised + x


class Model(nn.Module):
    def __init__(self, d: int, vocab: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocab, d)
        self.block = Block(d, 2, True)
        self.unembed = nn.Linear(d, vocab)

    @overload
    def forward(self, tokens: Int[Tensor, "batch pos"], return_type: Literal["loss"], per_token: bool = False) -> Loss: ...
    @overload
    def forward(
        self, tokens: Int[Tensor, "batch pos"], return_type: Literal["both"], per_token: bool = False
    ) -> tuple[Float[Tensor, "batch pos vocab"], Loss]: ...
    def forward(self, tokens, return_type="logits", per_token=False):
        logits = self.unembed(self.block(self.embed(tokens)))
        if return_type == "logits":
            return logits
        loss = cross_entropy(logits, tokens, per_token)
        return loss if return_type == "loss" else (logits, loss)


def cross_entropy(
    logits: Float[Tensor, "batch pos vocab"], tokens: Int[Tensor, "batch pos"], per_token: bool = False
) -> Loss:
    logp = logits.log_softmax(-1)
    picked = logp[..., :-1, :].gather(dim=-1, index=tokens[..., 1:, None])[..., 0]
    if per_token:
        return -picked
    return -picked.mean()


def use(model: Model, tokens: Int[Tensor, "batch pos"]) -> float:
    logits = model(tokens)  # the default is in the implementation only
    last = logits[:, -1, :].softmax(-1)
    per_token = model(tokens, return_type="loss", per_token=True)
    worst = per_token[:, 0].max()
    both, loss = model(tokens, return_type="both")
    return float(worst + loss + both.mean() + last.max())


def median_depth(
    weights: Float[Tensor, "*batch samples 1"], steps: Float[Tensor, "*batch samples 1"]
) -> Float[Tensor, "*batch 1"]:
    cumulative = torch.cumsum(weights[..., 0], dim=-1)
    split = torch.ones((*weights.shape[:-2], 1)) * 0.5
    index = torch.searchsorted(cumulative, split, side="left")
    index = torch.clamp(index, 0, steps.shape[-2] - 1)
    return torch.gather(steps[..., 0], dim=-1, index=index)


def colour(image: Shaped[Tensor, "*bs channels"]) -> Float[Tensor, "*bs 3"]:
    if image.shape[-1] == 3:
        return image
    if image.shape[-1] == 1 and torch.is_floating_point(image):
        return grey(image)
    if image.dtype == torch.bool:
        return flags(image)
    raise NotImplementedError


def heat(image: Float[Tensor, "*bs channels"]) -> Float[Tensor, "*bs 3"]:
    if image.dtype == torch.bool:  # callers do not always keep their promise
        return flags(image)
    return grey(image[..., :1])


def grey(image: Float[Tensor, "*bs 1"]) -> Float[Tensor, "*bs 3"]:
    if image.ndim == 3:
        return image.repeat(1, 1, 3)
    return image.expand(*image.shape[:-1], 3)


def tiled(image: Float[Tensor, "*bs 1"]) -> Float[Tensor, "*bs 3"]:
    return image.repeat(1, 1, 3)  # images only, which the annotation does not say


def flags(image: Bool[Tensor, "*bs 1"]) -> Float[Tensor, "*bs 3"]:
    out = torch.ones(image.shape[:-1] + (3,))
    out[image[..., 0], :] = torch.tensor([1.0, 0.0, 0.5])
    return out


def pick(x: Optional[Union[Float[Tensor, "b d"], Int[Tensor, "b"]]], table: Float[Tensor, "v d"]) -> Optional[Float[Tensor, "b d"]]:
    if x is None:
        return None
    if not x.is_floating_point():
        x = table[x]
    return x


class Index:
    def __init__(self, rows: Float[Tensor, "n d"]) -> None:
        self.rows = rows

    @overload
    def scores(self, q: Float[Tensor, "d"]) -> Float[Tensor, "n"]: ...
    @overload
    def scores(self, q: Float[Tensor, "q d"]) -> Float[Tensor, "q n"]: ...
    def scores(self, q: Float[Tensor, "d"] | Float[Tensor, "q d"]) -> Float[Tensor, "n"] | Float[Tensor, "q n"]:
        return q @ self.rows.T

    def best(self, q: Tensor, k: int) -> Tensor:  # which of the two is meant, the callers know
        return self.scores(q).topk(k, dim=1).indices


# run: m = Model(6, 11); t = randint(0, 11, (2, 5)); use(m, t); Block(6, 3, False)(randn(2, 5, 6))
# run: median_depth(torch.rand(2, 3, 7, 1), torch.rand(2, 3, 7, 1)); tiled(randn(5, 7, 1)); colour(randn(5, 7, 1)); colour(randn(5, 7, 1) > 0); heat(randn(5, 7, 2)); heat(randn(4, 5, 7, 2))
# run: pick(randint(0, 4, (3,)), randn(4, 5)); pick(randn(3, 5), randn(4, 5)); pick(None, randn(4, 5)); cross_entropy(randn(2, 5, 7), randint(0, 7, (2, 5)))
# run: Index(randn(5, 3)).best(randn(2, 3), 2)
