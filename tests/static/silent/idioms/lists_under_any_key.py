from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor


class Metrics:
    def __init__(self) -> None:
        self.values = defaultdict(list)
        self.recent = deque(maxlen=4)

    def update(self, **values: Tensor) -> None:
        for name, value in values.items():
            self.values[name].append(value)
            bucket = self.values[name + " squared"]
            bucket.append(value**2)
        self.recent.append(values)

    def means(self) -> dict[str, Float[Tensor, ""]]:
        return {name: torch.stack(values).mean() for name, values in self.values.items()}


def two_aliases(x: Float[Tensor, "d"], y: Float[Tensor, "d"]) -> Float[Tensor, "1 d"]:
    groups = defaultdict(list)
    one, other = groups["one"], groups["other"]
    one.append(x)
    other.append(y)
    return torch.stack(one)


def one_of_each(x: Float[Tensor, "d"], y: Float[Tensor, "e"]) -> tuple[Float[Tensor, "2 d"], Float[Tensor, "1 e"]]:
    groups = defaultdict(list)
    groups["x"].append(x)
    groups["y"].append(y)
    groups["x"] += [x]
    return torch.stack(groups["x"]), torch.stack(groups["y"])


def filled_by_others(xs: list[Float[Tensor, "d"]]) -> Float[Tensor, "n d"]:
    groups = defaultdict(list)

    def visit(x: Tensor, key: int) -> None:
        groups[key].append(x)

    def walk(f: Callable[[Tensor, int], None]) -> None:
        for i, x in enumerate(xs):
            f(x, i % 2)

    walk(visit)
    return torch.stack([*groups[0], *groups[1]])


def of_dicts(xs: list[Float[Tensor, "d"]], names: list[str]) -> dict[str, Float[Tensor, "n d"]]:
    tree = defaultdict(lambda: defaultdict(list))
    for x, name in zip(xs, names):
        tree[name]["raw"].append(x)
        tree[name]["unit"].append(x / x.norm())
    return {name: torch.stack(parts["raw"] + parts["unit"]) for name, parts in tree.items()}


def sums(xs: Float[Tensor, "n d"], labels: Int[Tensor, "n"]) -> Float[Tensor, "k d"]:
    totals = defaultdict(lambda: torch.zeros(xs.shape[1]))
    counts: Counter[int] = Counter()
    for x, label in zip(xs, labels.tolist()):
        totals[label] += x
        counts[label] += 1
    return torch.stack([totals[label] / counts[label] for label in sorted(totals)])


def of_two_kinds(xs: Float[Tensor, "n d"], labels: Int[Tensor, "n"]) -> Float[Tensor, "m"]:
    kept = defaultdict(list)
    for i, (x, label) in enumerate(zip(xs, labels)):
        for name, value in (("x", x), ("label", label)):
            kept[name].append(value)
        kept["norm"].append(x.norm())
    return torch.stack(kept["norm"])[: len(kept["x"])]


def cached(keys: list[str], d: int) -> list[Float[Tensor, "d"]]:
    cache: dict[str, Tensor] = {}
    made = []
    for key in keys:
        made.append(cache.setdefault(key, torch.randn(d)))
    first = cache.pop(keys[0])
    while cache:
        key, value = cache.popitem()
        made.append(value + first)
    return made


def least_recently_used(keys: list[str], x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
    kept: OrderedDict[str, Tensor] = OrderedDict()
    for key in keys:
        if key in kept:
            kept.move_to_end(key)
        else:
            kept[key] = x * len(kept)
        if len(kept) > 2:
            kept.popitem(last=False)
    return kept[keys[-1]]


def breadth_first(root: Float[Tensor, "d"], depth: int) -> Float[Tensor, "n d"]:
    seen, queue = [], deque([(root, 0)])
    while queue:
        node, level = queue.popleft()
        seen.append(node)
        if level < depth:
            queue.extend([(node + 1, level + 1), (node - 1, level + 1)])
            queue.rotate(1)
            queue.appendleft((node * 2, level + 1))
    return torch.stack(seen)


def measured(xs: list[Float[Tensor, "d"]]) -> dict[str, Float[Tensor, ""]]:
    metrics = Metrics()
    for x in xs:
        metrics.update(mean=x.mean(), largest=x.max())
    return metrics.means()


# run: two_aliases(torch.randn(3), torch.randn(3))
# run: one_of_each(torch.randn(3), torch.randn(2))
# run: filled_by_others([torch.randn(3) for _ in range(4)])
# run: of_dicts([torch.randn(3) for _ in range(4)], ["a", "b", "a", "b"])
# run: sums(torch.randn(5, 3), torch.tensor([0, 1, 0, 1, 2]))
# run: of_two_kinds(torch.randn(5, 3), torch.tensor([0, 1, 0, 1, 2]))
# run: cached(["a", "b", "a"], 3)
# run: least_recently_used(["a", "b", "a", "c"], torch.randn(2, 3))
# run: breadth_first(torch.randn(3), 2)
# run: measured([torch.randn(3) for _ in range(4)])
