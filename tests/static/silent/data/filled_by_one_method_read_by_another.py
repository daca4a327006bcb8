"""What methods put into an object's lists, and what begins as None, where an object's methods are followed."""

import random
from collections import defaultdict, deque
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn


class Replay:
    def __init__(self, capacity: int):
        self.memory = deque(maxlen=capacity)
        self.returns = []
        self.by_length = defaultdict(list)

    def push(self, state: Float[Tensor, " obs"], action: int, reward: float, then: Float[Tensor, " obs"]):
        self.memory.append((state, action, reward, then))

    def finish(self, episode: Float[Tensor, "time obs"]):
        self.returns.append(episode.sum(1))
        self.by_length[len(episode)].append(episode)

    def sample(self, n: int):
        states, actions, rewards, then = zip(*random.sample(self.memory, n))
        return torch.stack(states), torch.tensor(actions), torch.tensor(rewards), torch.stack(then)

    def clear(self):
        self.memory.clear()
        self.returns = []


def td_loss(net: nn.Module, replay: Replay) -> Float[Tensor, ""]:
    states, actions, rewards, then = replay.sample(4)
    q = net(states).gather(1, actions[:, None]).squeeze(1)
    return F.mse_loss(q, rewards + net(then).max(dim=1).values.detach())


def play(replay: Replay, obs: int):
    for _ in range(6):
        replay.push(torch.randn(obs), random.randrange(3), random.random(), torch.randn(obs))
    for time in (3, 5, 3):
        replay.finish(torch.randn(time, obs))


def replayed():
    replay = Replay(10)
    play(replay, 5)
    loss = td_loss(nn.Linear(5, 3), replay)
    lengths = torch.cat(replay.returns)
    both = torch.stack(replay.by_length[3])
    replay.clear()
    play(replay, 7)
    return loss + td_loss(nn.Linear(7, 3), replay), lengths + torch.zeros(11), both + torch.zeros(2, 3, 5)


class LayerCache:
    def __init__(self):
        self.k = self.v = None
        self.seen = []

    def append(self, k: Float[Tensor, "b h t d"], v: Float[Tensor, "b h t d"]):
        if self.k is None:
            self.k, self.v = k, v
        else:
            self.k = torch.cat((self.k, k), dim=2)
            self.v = torch.cat((self.v, v), dim=2)
        self.seen.append(k.shape[2])
        return self.k, self.v

    @property
    def length(self) -> int:
        return 0 if self.k is None else self.k.shape[2]

    def reorder(self, rows: list[int]):
        if self.k is not None:
            self.k, self.v = self.k[rows], self.v[rows]


def mask(t: int, past: int) -> Bool[Tensor, "t total"]:
    return torch.ones(t, past + t, dtype=torch.bool).tril(past)


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)

    def forward(self, x: Float[Tensor, "b t dim"], cache: LayerCache | None = None) -> Float[Tensor, "b t dim"]:
        b, t, dim = x.shape
        q, k, v = (y.view(b, t, self.heads, -1).transpose(1, 2) for y in self.qkv(x).chunk(3, dim=-1))
        past = 0
        if cache is not None:
            past = cache.length
            k, v = cache.append(k, v)
        scores = (q @ k.mT).masked_fill(~mask(t, past), -1e9)
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, t, dim))


class Decoder(nn.Module):
    def __init__(self, dim: int, heads: int, depth: int):
        super().__init__()
        self.layers = nn.ModuleList(Attention(dim, heads) for _ in range(depth))
        self.caches = None

    def reset(self):
        self.caches = [LayerCache() for _ in self.layers]

    def forward(self, x: Float[Tensor, "b t dim"]) -> Float[Tensor, "b t dim"]:
        for i, layer in enumerate(self.layers):
            x = x + layer(x, None if self.caches is None else self.caches[i])
        return x


def decoded():
    model = Decoder(12, 3, 2)
    whole = model(torch.randn(2, 9, 12))
    model.reset()
    x = model(torch.randn(2, 5, 12))
    for _ in range(3):
        x = model(x[:, -1:])
    for cache in model.caches:
        cache.reorder([1, 1, 0])
    x = model(torch.randn(3, 1, 12))
    model.caches = None
    return whole, x, model(torch.randn(4, 2, 12))


class Lazy:
    def __init__(self, x: Tensor):
        self.x = x
        self._turned = None
        self.later = None
        self.wider = None

    @property
    def turned(self) -> Tensor:
        if self._turned is None:
            self._turned = self.x.T
        return self._turned

    def prepare(self):
        self.later = self.x.T

    def widen(self, by: int):
        self.wider = self.x if self.wider is None else torch.cat([self.wider, self.x[:, :by]], dim=1)

    def value(self):
        return self.x if self.later is None else self.later


def call(function):
    function()


def lazily(flag: bool):
    one = Lazy(torch.randn(3, 4))
    a = one.turned + torch.zeros(4, 1)
    b = one._turned + torch.zeros(4, 3)
    call(one.prepare)
    c = one.value() + torch.zeros(4, 3)
    two = Lazy(torch.randn(3, 4))
    if flag:
        two.prepare()
    d = two.value() + torch.zeros(4, 3) if flag else two.value() + torch.zeros(3, 4)
    three = Lazy(torch.randn(3, 4))
    held = {"a": three}
    held["a"].prepare()
    e = three.value() + torch.zeros(4, 3)
    four = Lazy(torch.randn(3, 4))

    def inner():
        four.later = torch.zeros(9)

    inner()
    f = four.value() + torch.zeros(9)
    five = Lazy(torch.randn(3, 4))
    for by in (1, 2, 3):
        five.widen(by)
    g = five.wider + torch.zeros(3, 9)
    six = Lazy(torch.randn(3, 4))
    setattr(six, "later", torch.zeros(8))
    h = six.value() + torch.zeros(8)
    seven = Lazy(torch.randn(3, 4))
    vars(seven)["later"] = torch.zeros(7)
    i = seven.value() + torch.zeros(7)
    return a, b, c, d, e, f, g, h, i


class Recorder:
    def __init__(self):
        self.outputs = []
        self.last = None

    def add(self, x: Tensor):
        self.outputs.append(x)
        self.last = x


def hooked():
    one, two, three = Recorder(), Recorder(), Recorder()
    layer = nn.Linear(3, 4)
    layer.register_forward_hook(lambda module, given, made: one.add(made))
    layer.register_forward_hook(lambda module, given, made: two.outputs.append(made))

    def hook(module, given, made):
        three.add(made)

    layer.register_forward_hook(hook)
    layer(torch.randn(5, 3))
    all_outputs = torch.cat(one.outputs + two.outputs + three.outputs) + torch.zeros(15, 4)
    return all_outputs, one.last is None, (torch.zeros(9) if three.last is None else torch.zeros(4)) + torch.zeros(4)


def handed_out(unknown):
    four, five, six = Recorder(), Recorder(), Recorder()
    unknown.subscribe([four], by_name={"five": five})
    unknown.recorder = six
    unknown.tell(torch.randn(4))
    first = torch.cat(four.outputs + six.outputs) + torch.zeros(8)
    return first + (torch.zeros(9) if five.last is None else torch.zeros(8))


class Hub:
    def subscribe(self, listeners, by_name):
        self.listeners = [*listeners, *by_name.values()]

    def tell(self, x):
        for listener in [*self.listeners, self.recorder]:
            listener.add(x)


class Router(nn.Module):
    def __init__(self, dim: int, n: int):
        super().__init__()
        self.gate = nn.Linear(dim, n)
        self.last = None
        self.scores = torch.zeros(3, 3)
        self.history = []

    def forward(self, x: Float[Tensor, "t dim"]) -> Float[Tensor, "t n"]:
        self.last = self.scores = self.gate(x)
        self.history.append(len(x))
        return self.last.softmax(-1)


class Experts(nn.Module):
    def __init__(self, dim: int, n: int):
        super().__init__()
        self.router = Router(dim, n)

    def forward(self, x: Float[Tensor, "b s dim"]) -> Float[Tensor, "b s n"]:
        return self.router(x.flatten(0, 1)).unflatten(0, x.shape[:2])


class Stack(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.first = nn.ModuleList([Experts(dim, dim), Experts(dim, dim)])
        self.second = nn.Sequential(Experts(dim, dim), nn.ReLU())

    def forward(self, x: Float[Tensor, "b s dim"]) -> Float[Tensor, "b s dim"]:
        for layer in self.first:
            x = x + layer(x)
        return self.second(x)


def run(model: Experts, x: Float[Tensor, "b s dim"]) -> Float[Tensor, "b s n"]:
    return model(x)


def run_again(model, x: Float[Tensor, "b s dim"]) -> Float[Tensor, "b s n"]:
    return run(model, x)


def deeper(model: Stack, x: Float[Tensor, "b s dim"], depth: int) -> Float[Tensor, "b s dim"]:
    return deeper(model, x, depth - 1) if depth else model(x)


def nested():
    one, two, three, four = Experts(3, 4), Experts(3, 4), Stack(3), Stack(3)
    one(torch.randn(2, 5, 3))
    run_again(two, torch.randn(2, 5, 3))
    three(torch.randn(2, 5, 3))
    deeper(four, torch.randn(2, 5, 3), 9)
    a = one.router.scores + two.router.scores + torch.zeros(10, 4)
    b = three.first[1].router.scores + three.second[0].router.scores + torch.zeros(10, 3)
    c = four.first[0].router.scores + four.second[0].router.scores + torch.zeros(10, 3)
    d = (torch.zeros(5, 6) if one.router.last is None else torch.zeros(4, 3)) + torch.zeros(4, 3)
    e = torch.zeros(len(one.router.history)) + torch.zeros(1)
    return a, b, c, d, e


@dataclass(eq=False)
class Track:
    box: Tensor


class Tracker:
    def __init__(self):
        self.tracks = []
        self.by_id = {}

    def spawn(self, n: int):
        for i in range(n):
            track = Track(torch.zeros(4))
            self.tracks.append(track)
            self.by_id[i] = track

    def step(self, x: Tensor):
        for track in self.tracks:
            track.box = track.box + x
        self.tracks = [track for track in self.tracks if track.box.sum() < 9]


def tracked():
    tracker = Tracker()
    tracker.spawn(2)
    tracker.step(torch.zeros(4))
    tracker.step(torch.zeros(4))
    first, *others = tracker.tracks
    first.box = torch.zeros(6)
    return tracker.by_id[0].box + torch.zeros(6), len(others)


# run: replayed()
# run: decoded()
# run: lazily(True)
# run: lazily(False)
# run: hooked()
# run: handed_out(Hub())
# run: nested()
# run: tracked()
