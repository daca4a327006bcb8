from dataclasses import dataclass
from typing import Any, Optional

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Settings:
    def __init__(self, **others: Any) -> None:
        for name, value in others.items():
            setattr(self, name, value)


class DecoderSettings(Settings):
    def __init__(self, vocab_size=100, hidden_size=32, num_heads=4, num_kv_heads=2, layers=2, eps=1e-6, **others):
        super().__init__(**others)
        self.vocab_size = vocab_size
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.layers = layers
        self.eps = eps


@dataclass
class Output:
    last_hidden_state: Tensor
    hidden_states: Optional[tuple[Tensor, ...]] = None


class Norm(nn.Module):
    def __init__(self, hidden_size, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.eps = eps

    def forward(self, x):
        return self.weight * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)


def repeat_heads(x: Float[Tensor, "b kv s d"], times: int) -> Float[Tensor, "b h s d"]:
    if times == 1:
        return x
    b, kv, s, d = x.shape
    return x[:, :, None].expand(b, kv, times, s, d).reshape(b, kv * times, s, d)


class Attention(nn.Module):
    def __init__(self, config: DecoderSettings):
        super().__init__()
        self.num_heads = config.num_heads
        self.num_kv_heads = config.num_kv_heads
        self.head_dim = config.hidden_size // config.num_heads
        self.groups = config.num_heads // config.num_kv_heads
        self.q_proj = nn.Linear(config.hidden_size, self.num_heads * self.head_dim, bias=False)
        self.kv_proj = nn.Linear(config.hidden_size, 2 * self.num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(self.num_heads * self.head_dim, config.hidden_size, bias=False)  #! self.o_proj = nn.Linear(self.head_dim, config.hidden_size, bias=False)

    def forward(
        self, x: Float[Tensor, "batch seq hidden"], mask: Optional[Tensor] = None, weights_too: bool = False
    ) -> tuple[Float[Tensor, "batch seq hidden"], Optional[Tensor]]:
        b, s, _ = x.size()
        q = self.q_proj(x).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
        k, v = self.kv_proj(x).view(b, s, 2, self.num_kv_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        k, v = repeat_heads(k, self.groups), repeat_heads(v, self.groups)
        scores = q @ k.transpose(2, 3) / self.head_dim**0.5
        if mask is not None:
            scores = scores + mask
        weights = scores.softmax(-1)
        out = (weights @ v).transpose(1, 2).reshape(b, s, -1)
        return self.o_proj(out), weights if weights_too else None  # E: shape


class Layer(nn.Module):
    def __init__(self, config: DecoderSettings):
        super().__init__()
        self.attention = Attention(config)
        self.norm = Norm(config.hidden_size, config.eps)

    def forward(self, hidden, mask=None, weights_too=False):
        attended, weights = self.attention(self.norm(hidden), mask, weights_too)
        outputs = (hidden + attended,)
        if weights_too:
            outputs += (weights,)
        return outputs


class Model(nn.Module):
    def __init__(self, config: DecoderSettings):
        super().__init__()
        self.embed = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList([Layer(config) for _ in range(config.layers)])
        self.norm = Norm(config.hidden_size, config.eps)

    def forward(
        self,
        input_ids: Optional[Int[Tensor, "batch seq"]] = None,
        embeddings: Optional[Float[Tensor, "batch seq hidden"]] = None,
        all_states: Optional[bool] = None,
    ) -> Output:
        if (input_ids is None) ^ (embeddings is not None):
            raise ValueError("give either tokens or embeddings")
        if embeddings is None:
            embeddings = self.embed(input_ids)
        hidden = embeddings
        s = hidden.shape[1]
        mask = torch.full((s, s), float("-inf")).triu(1)[None, None]
        states = () if all_states else None
        for layer in self.layers:
            if all_states:
                states += (hidden,)
            outputs = layer(hidden, mask)
            hidden = outputs[0]
        return Output(last_hidden_state=self.norm(hidden), hidden_states=states)


class LanguageModel(nn.Module):
    def __init__(self, config: DecoderSettings):
        super().__init__()
        self.model = Model(config)
        self.vocab_size = config.vocab_size
        self.head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)

    def forward(self, input_ids: Int[Tensor, "batch seq"], labels: Optional[Int[Tensor, "batch seq"]] = None):
        logits = self.head(self.model(input_ids).last_hidden_state)
        loss = None
        if labels is not None:
            shifted = logits[:, :-1].reshape(-1, self.vocab_size)
            loss = nn.functional.cross_entropy(shifted, labels[:, 1:].reshape(-1))  #! loss = nn.functional.cross_entropy(shifted, labels.reshape(-1))  # E: shape
        return logits, loss


def train() -> None:
    config = DecoderSettings(hidden_size=64)
    model = LanguageModel(config)
    ids = torch.randint(0, config.vocab_size, (2, 8))
    logits, loss = model(ids, labels=ids)
    probabilities: Float[Tensor, "2 8 100"] = logits.softmax(-1)  #! probabilities: Float[Tensor, "2 8 64"] = logits.softmax(-1)  # E: shape
    print(probabilities.shape, loss)


# run: train()
