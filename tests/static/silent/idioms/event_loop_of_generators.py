"""An event loop: a scheduler of coroutines by generators, callbacks that mutate a state object, global registries."""
from __future__ import annotations

import heapq
import itertools
from collections import defaultdict
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

Task = Generator[float, Tensor, None]
CHANNELS: dict[str, list[Tensor]] = defaultdict(list)
state = SimpleNamespace(x=torch.zeros(3), n=0, log=[])


class Event:
    def __init__(self) -> None:
        self.handlers: list[Callable[..., Any]] = []

    def __iadd__(self, fn: Callable[..., Any]) -> "Event":
        self.handlers.append(fn)
        return self

    def __isub__(self, fn: Callable[..., Any]) -> "Event":
        self.handlers.remove(fn)
        return self

    def __call__(self, *args: Any) -> None:
        for h in list(self.handlers):
            h(*args)


@dataclass(order=True)
class Item:
    time: float
    order: int
    task: Any = field(compare=False)


class Loop:
    def __init__(self) -> None:
        self.queue: list[Item] = []
        self.count = itertools.count()
        self.now = 0.0
        self.world = torch.zeros(1, 2)
        self.on_tick = Event()

    def spawn(self, task: Task, at: float = 0.0) -> None:
        next(task)
        heapq.heappush(self.queue, Item(at, next(self.count), task))

    def run(self, until: float) -> Float[Tensor, "n 2"]:
        while self.queue and self.queue[0].time <= until:
            item = heapq.heappop(self.queue)
            self.now = item.time
            try:
                delay = item.task.send(self.world)
            except StopIteration:
                continue
            self.on_tick(self)
            heapq.heappush(self.queue, Item(self.now + delay, next(self.count), item.task))
        return self.world


def spawner(loop: Loop, every: float, limit: int) -> Task:
    world = yield 0.0
    for _ in range(limit):
        loop.world = torch.cat([world, torch.rand(1, 2)])
        world = yield every


def mover(loop: Loop, dt: float) -> Task:
    world = yield 0.0
    velocity = torch.zeros_like(world)
    while True:
        if len(velocity) < len(world):
            velocity = torch.cat([velocity, torch.randn(len(world) - len(velocity), 2)])
        loop.world = world + dt * velocity
        world = yield dt


def emit(name: str, x: Tensor) -> int:
    CHANNELS[name].append(x)
    return len(CHANNELS[name])


def drain(name: str) -> Tensor:
    items = CHANNELS.pop(name, [])
    return torch.stack(items) if items else torch.empty(0)


def advance() -> Tensor:
    global state
    state.n += 1
    state.x = torch.cat([state.x, torch.full((state.n,), float(state.n))])
    state.log.append(state.x.shape[0])
    if state.n == 3:
        state = SimpleNamespace(x=torch.ones(2, 2), n=-1, log=state.log)
    return state.x


def counter():
    total = torch.zeros(0)

    def add(x: Tensor) -> Tensor:
        nonlocal total
        total = torch.cat([total, x])
        return total

    def reset(shape: tuple[int, ...] = (0,)) -> None:
        nonlocal total
        total = torch.zeros(shape)

    return add, reset


def main() -> None:
    loop = Loop()
    sizes: list[int] = []
    seen = torch.zeros(0, 2)

    def watch(l: Loop) -> None:
        nonlocal seen
        sizes.append(len(l.world))
        seen = torch.cat([seen, l.world[-1:]])

    loop.on_tick += watch
    loop.spawn(spawner(loop, 1.0, 3))
    loop.spawn(mover(loop, 0.4))
    before = loop.world
    world = loop.run(2.5)
    loop.on_tick -= watch
    n = len(sizes)
    loop.run(3.0)
    after = loop.world
    assert before.shape == (1, 2) and world.shape == (4, 2) and after.shape == (4, 2)
    assert len(sizes) == n and seen.shape == (n, 2)
    emit("a", torch.zeros(3))
    emit("a", torch.ones(3))
    a, b = drain("a"), drain("a")
    assert a.shape == (2, 3) and b.shape == (0,)
    first = state.x
    xs = [advance() for _ in range(3)]
    last = state.x
    assert first.shape == (3,) and [tuple(x.shape) for x in xs] == [(4,), (6,), (2, 2)] and last.shape == (2, 2)
    add, reset = counter()
    c = add(torch.ones(2))
    d = add(torch.ones(3))
    reset((2,))
    e = add(torch.zeros(1))
    f, _ = counter()
    g = f(torch.ones(4))
    assert c.shape == (2,) and d.shape == (5,) and e.shape == (3,) and g.shape == (4,)


# run: main()
