"""A small asynchronous embedding service with batching, a cache and streaming results."""
from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import TypedDict

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Request(TypedDict):
    ids: Int[Tensor, "t"]
    kind: str


class Response(TypedDict):
    vector: Float[Tensor, "d"]
    norm: float


@dataclass
class Stats:
    hits: int = 0
    misses: int = 0
    sizes: list[int] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return self.hits / max(1, self.hits + self.misses)


class Encoder(nn.Module):
    def __init__(self, vocab: int, dim: int) -> None:
        super().__init__()
        self.vocab, self.dim = vocab, dim
        self.emb = nn.EmbeddingBag(vocab, dim, mode="mean")
        self.out = nn.Linear(dim, dim)

    def forward(self, flat: Int[Tensor, "total"], offsets: Int[Tensor, "b"]) -> Float[Tensor, "b dim"]:
        return nn.functional.normalize(self.out(self.emb(flat, offsets)), dim=-1)


class Cache:
    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._store: OrderedDict[tuple[int, ...], Float[Tensor, "d"]] = OrderedDict()

    def get(self, key: tuple[int, ...]) -> Float[Tensor, "d"] | None:
        if key not in self._store:
            return None
        self._store.move_to_end(key)
        return self._store[key]

    def put(self, key: tuple[int, ...], value: Float[Tensor, "d"]) -> None:
        self._store[key] = value
        while len(self._store) > self.capacity:
            self._store.popitem(last=False)


def collate(requests: list[Request]) -> tuple[Int[Tensor, "total"], Int[Tensor, "b"]]:
    lengths = torch.tensor([len(r["ids"]) for r in requests])
    offsets = torch.cat([torch.zeros(1, dtype=torch.long), lengths.cumsum(0)[:-1]])
    return torch.cat([r["ids"] for r in requests]), offsets


class Service:
    def __init__(self, encoder: Encoder, cache: Cache, max_batch: int = 4) -> None:
        self.encoder = encoder
        self.cache = cache
        self.max_batch = max_batch
        self.stats = Stats()
        self._lock = asyncio.Lock()

    @torch.no_grad()
    def _encode(self, requests: list[Request]) -> Float[Tensor, "b d"]:
        flat, offsets = collate(requests)
        self.stats.sizes.append(len(requests))
        return self.encoder(flat, offsets)

    async def embed(self, request: Request) -> Response:
        key = tuple(request["ids"].tolist())
        cached = self.cache.get(key)
        if cached is None:
            self.stats.misses += 1
            async with self._lock:
                vector = self._encode([request])[0]
            self.cache.put(key, vector)
        else:
            self.stats.hits += 1
            vector = cached
        return {"vector": vector, "norm": float(vector.norm())}

    async def embed_many(self, requests: list[Request]) -> Float[Tensor, "n d"]:
        parts = []
        for i in range(0, len(requests), self.max_batch):
            parts.append(self._encode(requests[i : i + self.max_batch]))
            await asyncio.sleep(0)
        return torch.cat(parts)

    async def stream(self, requests: Iterable[Request]) -> AsyncIterator[Response]:
        for request in requests:
            yield await self.embed(request)


@contextlib.asynccontextmanager
async def serving(vocab: int, dim: int) -> AsyncIterator[Service]:
    service = Service(Encoder(vocab, dim).eval(), Cache(8))
    try:
        yield service
    finally:
        service.stats.sizes.clear()


def top_k(query: Float[Tensor, "d"], bank: Float[Tensor, "n d"], k: int) -> tuple[Float[Tensor, "{k}"], Int[Tensor, "{k}"]]:
    scores = bank @ query
    values, index = scores.topk(k)
    return values, index


async def retry(fn: Callable[[], Awaitable[Response]], times: int) -> Response:
    for attempt in range(times):
        try:
            return await fn()
        except RuntimeError:
            await asyncio.sleep(0)
    raise RuntimeError("gave up")


async def main(texts: list[list[int]], dim: int) -> list[float]:
    requests: list[Request] = [{"ids": torch.tensor(t), "kind": "doc"} for t in texts]
    async with serving(100, dim) as service:
        bank = await service.embed_many(requests)
        first, second = await asyncio.gather(service.embed(requests[0]), service.embed(requests[1]))
        mean = (first["vector"] + second["vector"]) / 2
        values, index = top_k(mean, bank, 2)
        again = await retry(lambda: service.embed(requests[0]), 3)
        out = [again["norm"], float(values.max())]
        async for response in service.stream(requests):
            out.append(float(response["vector"] @ mean))
        groups: defaultdict[str, list[Tensor]] = defaultdict(list)
        for request, vector in zip(requests, bank):
            groups[request["kind"]].append(vector)
        centre = {k: torch.stack(v).mean(0) for k, v in groups.items()}
        sims = {k: bank @ c for k, c in centre.items()}
        return out + [float(s.mean()) for s in sims.values()]


# run: import asyncio
# run: asyncio.run(main([[1,2,3],[4,5],[6]], 8))
