"""Programs that share, change and exchange tensors, lists, dicts and objects."""

from __future__ import annotations

from static.random_programs import Grammar

_PRELUDE = """
import copy
import torch


class Box:
    def __init__(self, x):
        self.x = x
        self.items = [x]

    def put(self, x):
        self.x = x
        return self

    def grown(self):
        return Box(grow(self.x))


class Turning(Box):
    def put(self, x):
        self.x = x.T
        return self


class Holder:
    def __init__(self, box):
        self.box = box
        self.boxes = [box]

    def touch(self):
        for box in self.boxes:
            box.x = grow(box.x)


def grow(t):
    return torch.cat([t, torch.zeros(1, t.shape[1])])


def wide(t, by=1):
    return torch.cat([t, torch.zeros(t.shape[0], by)], 1)


def make_box(n):
    return Box(torch.zeros(n, 2))


def make_dict():
    return {"a": torch.zeros(2, 5), "b": torch.zeros(5, 2)}


def same(value):
    return value


def choose(flag, a, b):
    return a if flag else b


def set_a(d, t):
    d["a"] = t
    return d


def push(items, t):
    items.append(t)
    return items


def swap(items):
    items[0], items[-1] = items[-1], items[0]


def turn_boxes(boxes):
    for box in boxes:
        box.x = box.x.T


def both(t, u, *rest, **more):
    for other in rest:
        t = other
    for key in more:
        u = more[key]
    return t, u


def counted(n):
    for i in range(n):
        yield torch.zeros(i + 1, 2)


"""

_EXPRESSIONS = {
    "T": [
        "torch.zeros({n}, {n})", "grow({T})", "wide({T}, by={n})", "{T}.T", "same({T})", "{T}.clone()",
        "choose(flag, {T}, {T})", "both({T}, {T}, {T})[0]", "both({T}, {T}, k={T})[1]",
        "({T} if {c} else {T})", "(lambda t: wide(t))({T})", "{t}", "{t}", "{t}", "{l}[0]", "{l}[-1]",
        '{d}["a"]', '{d}["b"]', "{o}.x", "{o}.x", "{o}.items[0]", "{b}[0].x", "{b}[-1].x", "{h}.box.x",
        "{h}.boxes[0].x",
    ],
    "L": [
        "[{T}, {T}]", "[torch.zeros(i + 1, 2) for i in range({n})]", "list(counted({n}))", "[{T}] * {n}",
        "{l}", "same({l})", "list({l})", "{l} + [{T}]", "[grow(t) for t in {l}]", "push({l}, {T})",
        "list(reversed({l}))", "{o}.items", "list({d}.values())",
    ],
    "D": [
        "make_dict()", '{{"a": {T}, "b": {T}}}', "dict(a={T}, b={T})", "{d}", "same({d})", "dict({d})",
        "set_a({d}, {T})", "{{k: grow(v) for k, v in {d}.items()}}", '{{**{d}, "a": {T}}}',
    ],
    "O": [
        "make_box({n})", "Box({T})", "Turning({T})", "{o}", "same({o})", "{o}.put({T})", "{o}.grown()",
        "copy.copy({o})", "copy.deepcopy({o})", "({o} if {c} else {o})", "{b}[0]", "{h}.box",
    ],
    "B": [
        "[{O}, {O}]", "[make_box(i) for i in range(1, 4)]", "[make_box({n}) for _ in range({n})]",
        "[{O}] * 2", "{b}", "[box.grown() for box in {b}]", "{b}[::-1]", "{h}.boxes",
    ],
    "H": ["Holder({O})", "{h}", "same({h})", "copy.copy({h})", "copy.deepcopy({h})"],
}  # fmt: skip

_STATEMENTS = [
    "{l}[0] = {T}", "{l}.append({T})", "swap({l})", "{l}[-1] = grow({l}[-1])", "push({l}, {T})",
    "{l}.append({l}.pop(0))", "{l} += [{T}]", "{l}.reverse()",
    '{d}["a"] = {T}', "set_a({d}, {T})", "{d}.update(b={T})", '{d}["a"], {d}["b"] = {d}["b"], {d}["a"]',
    "{o}.x = {T}", "{o}.put({T})", "{o}.items.append({T})", "{o}.items = {L}", 'setattr({o}, "x", {T})',
    "{o}.x, {o}.items[0] = {o}.items[0], {o}.x", "{t} = grow({t})",
    "{b}[0].x = {T}", "turn_boxes({b})", "{b}.append({O})", "{b}[0] = {O}", "swap({b})",
    "{h}.touch()", "{h}.box.x = {T}", "{h}.box = {O}", "{h}.boxes.append({O})", "{h}.box.put({T})",
]  # fmt: skip
_CONDITIONS = ["flag", "not flag", "other", "flag or other", "{t}.shape[0] > 2", "len({l}) > 2"]
_BLOCKS = ["if {c}:", "for _ in range({n}):", "for _ in range(many):", "try:"]
_ASKED = {
    "T": ["{}"], "L": ["{}[0]", "{}[-1]", "len({})"], "D": ['{}["a"]', '{}["b"]'],
    "O": ["{}.x", "{}.items[0]", "{}.items[-1]"], "B": ["{}[0].x", "{}[-1].x"],
    "H": ["{}.box.x", "{}.boxes[0].x", "{}.boxes[-1].x"],
}  # fmt: skip

GRAMMAR = Grammar(
    _PRELUDE,
    _EXPRESSIONS,
    _STATEMENTS,
    _CONDITIONS,
    _BLOCKS,
    _ASKED,
    often="TTTLLDDOOOBH",
    simplest={"L": "list(counted({n}))"},
)
