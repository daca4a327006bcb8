"""Programs that gather tensors: in dicts of lists, in deques, by what itertools gives."""

from __future__ import annotations

from static.random_programs import Grammar

_PRELUDE = """
import itertools
import operator
from collections import OrderedDict, defaultdict, deque
from functools import reduce

import torch


class Store:
    def __init__(self):
        self.groups = defaultdict(list)
        self.last = deque(maxlen=2)

    def put(self, key, t):
        self.groups[key].append(t)
        self.last.append(t)

    def count(self, key):
        return len(self.groups[key])


def put(groups, key, t):
    groups[key].append(t)


def add(items, t):
    items.append(t)


def key_of(many):
    return "abc"[many % 3]


"""

_EXPRESSIONS = {
    "T": [
        "torch.zeros({n}, 3)", "torch.zeros(2, 3)", "{t}", "{t} + 1", "torch.cat([{t}, {t}])", "{t}[:{n}]",
        "torch.cat([*{l}, {t}])", "torch.cat([{t}, *{m}[{k}]])", "torch.cat([{t}, *{q}])",
        "reduce(lambda a, b: torch.cat([a, b]), {l}, {t})", "torch.cat([{t}, *itertools.islice({l}, {n})])",
        "next(iter({l}), {t})", "[*{l}, {t}][0]", "[{t}, *{m}[{k}]][-1]",
        "[{t}, *{d}.setdefault({k}, [])][-1]",
        "max([{t}, *{l}], key=len)", "operator.itemgetter(-1)([{t}, *{l}])",
    ],
    "K": ['"a"', '"b"', "{k}", "key_of(many)", "key_of({n})", "many", "{n}"],
    "L": [
        "[{t}]", "[]", "{l}", "[{t}, {t}]", "{m}[{k}]", "{d}.setdefault({k}, [])", "list({q})",
        "list(itertools.islice(itertools.cycle([{t}, {t}]), {n}))", "list({d}.setdefault({k}, []))",
        "list(itertools.chain({l}, {q}))", "list(itertools.chain.from_iterable({m}.values()))",
        "[torch.cat(p) for p in itertools.combinations({l}, 2)]",
        "[torch.cat(p) for p in itertools.product({l}, {q})]",
        "list(itertools.accumulate({l}, lambda a, b: torch.cat([a, b])))",
        "[a for a, b in itertools.pairwise({l})]",
        "list(itertools.starmap(lambda a, b: torch.cat([a, b]), zip({l}, {l})))",
        "[t for t, i in zip({l}, itertools.count())]", "list(itertools.repeat({t}, {n}))",
        "[a if b is None else b for a, b in itertools.zip_longest([{t}], {l})]",
        "[torch.cat(list(g)) for k, g in itertools.groupby({l}, key=len)]",
        "list(itertools.takewhile(lambda t: len(t) < 5, {l}))",
        "list(map(operator.itemgetter(0), zip({l}, {q})))",
        "sorted({l}, key=len)", "[torch.cat(v) for v in {m}.values() if v]",
    ],
    "M": ["defaultdict(list)", "{m}"],
    "D": ["{{}}", "{d}", '{{"a": []}}', "dict({m})", "{{**{m}}}", "OrderedDict({d})"],
    "Q": ["deque()", "deque(maxlen=2)", "deque({l})", "deque({l}, {n})", "{q}"],
    "O": ["Store()", "{o}"],
}  # fmt: skip
_STATEMENTS = [
    "{m}[{k}].append({T})", "{m}[{k}].append({T})", "{m}[{K}].append({T})", "{m}[{K}].extend({L})",
    "{m}[{k}] += [{T}]", "{m}[{K}] = {L}", "{d}[{K}] = {L}", "{d}.setdefault({k}, []).append({T})",
    "{d}.setdefault({K}, []).append({T})", "{d}.setdefault({K}, {l})", "{d}.get({K}, []).append({T})",
    "add({m}[{K}], {T})", "put({m}, {K}, {T})", "put({m}, {k}, {T})", "{l}.append({T})", "{l}.append({T})",
    "add({l}, {T})", "{q}.append({T})", "{q}.append({T})", "{q}.appendleft({T})", "{q}.extend({L})",
    "{q}.extendleft({l}[:2])", "{q} and {q}.popleft()", "{q} and {q}.pop()", "{q}.rotate({n})",
    "{o}.put({K}, {T})", "{o}.put({k}, {T})", "{o}.groups[{K}].append({T})", "{o}.last.append({T})",
    "{m}.pop({K}, None)", "{d}.pop({K}, None)", "{d} and {d}.popitem()", "{m}.clear()", "{m}.update({d})",
    "(lambda k, t: {m}[k].append(t))({K}, {T})", "len({m}[{K}])", "{l} += {m}[{K}]",
    "[{m}[k].append({T}) for k in ({K}, {K})]", "{l}.reverse()",
    "{l}.sort(key=len)",
]  # fmt: skip
_CONDITIONS = [
    "flag", "not flag", "other", "many > {n}", "len({m}[{k}]) > {n}", "{K} in {m}", "{K} not in {d}", "{l}",
    "{m}[{K}]", "{q}", "len({l}) > {n}",
]  # fmt: skip
_BLOCKS = [
    "if {c}:", "if {c}:", "for _ in range({n}):", "for _ in range(many):", "for v in [{t}, *{l}][:2]:",
    "for v in itertools.islice([{t}, {t}], 1):", "for k, v in [*{m}.items(), (1, [{t}])]:",
]  # fmt: skip


def _asked(items: str) -> list[str]:
    some = "[*" + items + ", torch.zeros(2, 3)]"
    return [
        f"len({some})",
        f"max({some}, key=len)",
        f"min({some}, key=len)",
        f"torch.cat({some})",
        f"{some}[0]",
    ]


_ASKED = {
    "T": ["{}"],
    "K": list[str](),
    "L": _asked("{}"),
    "M": [
        "len({})", *_asked('{}["a"]'), *_asked('{}["b"]'), *_asked("{}[key_of(many)]"), *_asked("{}[many]"),
        *_asked("[v for vs in {}.values() for v in vs]"),
    ],
    "D": ["len({})", *_asked("[v for vs in {}.values() for v in vs]")],
    "Q": _asked("{}"),
    "O": [
        '{}.count("a")', *_asked("{}.last"), *_asked('{}.groups["a"]'), *_asked("{}.groups[many]"),
        *_asked("[v for vs in {}.groups.values() for v in vs]"),
    ],
}  # fmt: skip

GRAMMAR = Grammar(
    _PRELUDE,
    _EXPRESSIONS,
    _STATEMENTS,
    _CONDITIONS,
    _BLOCKS,
    _ASKED,
    often="TTTTLLKKMDQO",
    start={
        "T": "torch.zeros(2, 3)",
        "K": '"c"',
        "L": "[torch.zeros(4, 3)]",
        "M": "defaultdict(list)",
        "D": "{}",
        "Q": "deque()",
        "O": "Store()",
    },
)
