"""Programs that compute with numbers, texts, lists, dicts, objects and functions, as sizes are computed."""

from __future__ import annotations

from static.random_programs import Grammar

_PRELUDE = """
import functools
import itertools
import math
from collections import namedtuple, OrderedDict, defaultdict, deque, Counter
from dataclasses import dataclass, field
from enum import Enum, IntEnum
import torch

Pair = namedtuple("Pair", ["left", "right"])


class Base:
    scale = 2

    def __init__(self, n, m=3):
        self.n = n
        self.m = m

    @property
    def area(self):
        return self.n * self.m

    @classmethod
    def square(cls, n):
        return cls(n, n)

    @staticmethod
    def add(a, b):
        return a + b

    def size(self):
        return self.n * self.scale

    def bump(self, by=1):
        self.k = by
        return self.n + by

    def __len__(self):
        return self.m

    def __call__(self, k, *rest):
        return self.n + k + len(rest)

    def __getitem__(self, i):
        return self.n + i

    def __iter__(self):
        yield self.n
        yield self.m

    def __eq__(self, other):
        return self.n == other.n

    def __add__(self, other):
        return Base(self.n + other.n, self.m)

    def __contains__(self, x):
        return x == self.n

    def __bool__(self):
        return self.n > 2


class Child(Base):
    scale = 3

    def __init__(self, n, m=4):
        super().__init__(n + 1, m)
        self.extra = 5

    def size(self):
        return super().size() + 1

    def bump(self, by=2):
        return super().bump(by) + self.extra


class Other(Child):
    @property
    def area(self):
        return self.n + 100

    def __getattr__(self, name):
        return len(name)


@dataclass
class Data:
    n: int
    m: int = 7
    sizes: list = field(default_factory=list)

    def total(self):
        return self.n + self.m + sum(self.sizes)


class Kind(IntEnum):
    SMALL = 2
    BIG = 5


def fact(n):
    return 1 if n <= 1 else n * fact(n - 1)


def fib(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def defaults(a, b=2, *rest, c=3, **more):
    return a + 2 * b + 3 * len(rest) + 5 * c + 7 * len(more)


def gen(n):
    for i in range(n):
        if i % 2:
            yield i
    yield n


def both(n):
    yield from gen(n)
    yield from range(2)


def early(n):
    for i in range(n):
        if i == 2:
            return i
    else:
        return n + 10
    return -1


def counter(start):
    count = start

    def step(by=1):
        nonlocal count
        count += by
        return count

    return step


def twice(f):
    @functools.wraps(f)
    def inner(*args, **kwargs):
        return f(*args, **kwargs) * 2

    return inner


@twice
def doubled(a, b=1):
    return a + b


def kind_of(x):
    match x:
        case 0 | 1:
            return 10
        case int(k) if k > 3:
            return k
        case [a, b, *rest]:
            return a + b + len(rest)
        case {"a": a}:
            return a
        case str():
            return len(x)
        case Base(n=n):
            return n
        case _:
            return 99


def tries(n):
    try:
        if n > 2:
            raise ValueError(n)
        result = n
    except ValueError:
        result = n * 10
    else:
        result += 1
    finally:
        result += 100
    return result


def finds(l, x):
    i = 0
    while i < len(l):
        if l[i] == x:
            break
        i += 1
    else:
        i = 50
    return i


def last_default(x, acc=[1]):
    return len(acc) + x


def astuple2(p):
    a, *b = p
    return (a, len(b))


def head(l):
    [a, b] = l[:2]
    return a


"""

_EXPRESSIONS = {
    "I": [
        "{n}", "{n}", "0", "-{n}", "{i}", "{i}", "{i}", "{I} + {I}", "{I} - {I}", "{I} * {I}",
        "{I} // {n}", "{I} % {n}", "-({I}) // {n}", "({I}) % -{n}", "{n} ** {n}", "divmod({I}, {n})[0]",
        "divmod({I}, {n})[1]", "abs({I})", "min({I}, {I})", "max({I}, {I}, {n})", "round({I} / {n})",
        "int({I} / {n})", "int({I} * 1.5)", "{I} & {n}", "{I} | {n}", "{I} ^ {n}", "{n} << {n}",
        "({I}) >> 1", "~{I}", "({I} if {c} else {I})", "({I} and {I})", "({I} or {I})",
        "math.ceil({I} / {n})", "math.floor({I} / {n})", "math.prod({L})", "math.gcd({I}, {I})",
        "int(math.sqrt(abs({I})))", "len({s})", "int(str(abs({I})))", "len(str({I}))", '{s}.count("a")',
        '{s}.find("b")', 'len({s}.split("a"))', "ord({s}[0])", 'len(f"{{{i}}}x{{{i}:3d}}")',
        "len({s}[1:])", "len({s} * {n})", 'len({s}.replace("a", "xx"))',
        'len(",".join(str(v) for v in {l}))', "{l}[0]", "{l}[-1]", "{l}[{n}]", "len({l})", "sum({L})",
        "max({l})", "min({L})", "{l}.count({i})", "{l}.index({l}[-1])", "sorted({L})[0]",
        "sorted({L}, reverse=True)[-1]", "sorted({l}, key=lambda v: -v)[0]",
        "sum(v for v in {l} if v > {n})", "sum(a * b for a, b in zip({l}, {l}))",
        "len([v for v in {l} if v % 2])", "max(enumerate({l}), key=lambda p: p[1])[0]", "next(iter({l}))",
        "next((v for v in {l} if v > {n}), {i})", "len(set({L}))", "len(set({L}) - set({l}))",
        "len(set({l}) | {{{n}, 1}})", "sorted(set({l}))[0]",
        "max({{{i}, {n}, 3}})",
        "int({i} in {{1, {n}, 3}})", "int({n} in frozenset({l}))", "len({{*{l}, {n}}} & set({L}))",
        'len({d}.keys() - {{"a"}})', "len({{1, 2}} ^ {{{n}, 3}})", "int({{1, {n}}}.issubset({l}))",
        "[k := {{1, 2}}, k.add({n}), len(k)][2]", "len(set({l}).difference({L}, [{n}]))",
        "functools.reduce(lambda a, b: a + b, {l}, {n})", "{l}.pop()", "{l}.pop(0)", "{p}[0]", "{p}[-1]",
        "len({P})", "sum({P})", '{d}["a"]', '{d}.get("z", {I})', "len({d})", '{d}.get("b", {n})',
        '{d}.setdefault("q", {I})', "sum({d}.values())", "len(list({d}.items()))", 'int("a" in {d})',
        "len({d} | {D})", 'list({d}.keys()).index("a")', '{d}.pop("b", {n})', "{o}.n", "{o}.m", "{o}.area",
        "{o}.size()", "{o}.bump()", "{o}.bump({n})", "len({o})", "{o}({n})", "{o}({n}, 1, 2)", "{o}[{n}]",
        "{o}.scale", "sum({o})", "int({o} == {o})", "({o} + {o}).n", "list({o})[1]", "Base.add({I}, {n})",
        "int({n} in {o})", "(1 if {o} else 2)", "Child.scale", "Base.scale", "type({o}).scale",
        'getattr({o}, "n")', 'getattr({o}, "zz", {n})', 'int(hasattr({o}, "extra"))',
        "int(isinstance({o}, Child))", "fact({n})", "fib({n})", "defaults({I})",
        "defaults({I}, {n}, c={n})", "defaults({n}, 1, 2, 3, z=1)", "defaults(*{l}[:2])",
        'defaults(1, **{{"c": {n}, "y": 2}})', "sum(gen({n}))", "len(list(both({n})))", "early({n})",
        "counter({I})()", "doubled({I})", "doubled({n}, b={I})", "kind_of({I})", "kind_of({L})",
        "kind_of({s})", "kind_of({o})", "kind_of({D})", "tries({n})", "tries({I})", "finds({l}, {n})",
        "last_default({I})", "functools.partial(defaults, {n})({I})", "(lambda a, b={n}: a - b)({I})",
        "(lambda *a: len(a))(*{l})", "sum(map(lambda v: v + 1, {l}))",
        "len(list(filter(lambda v: v > 1, {l})))", "len(list(itertools.chain({l}, {P})))",
        "len(list(itertools.product({l}[:2], {l}[:2])))", "sum(itertools.accumulate({l}[:3]))",
        "int(any(v > {n} for v in {l}))", "int(all(v > 0 for v in {l}))", "int({i} < {i} < {n})",
        "int({i} == {i})", "int(not {I})", "int({i} in {l})", "Kind.BIG", "int(Kind.SMALL)",
        "Kind(5).value", "Pair({I}, {n}).left", "Data({n}).total()", "Data({n}, sizes={l}).total()",
        "Data({n}, m={I}).m", "(q := {I}) + 1", "len(range({n}, 10, {n}))", "range(2, 20, {n})[1]",
        "range(10, 0, -{n})[-1]", "sum(range({n}))", "max((1, {n}), (1, 3))[1]", "{T}.shape[0]",
        "{T}.numel()", "len({T})", "{T}.shape[-1]", "{T}.ndim", "{T}.size(0)", "bool({I}) + {n}",
        "True + {I}", 'int("{n}{n}")', 'int("1{n}", 4)', 'int(float("{n}.5"))', "hash({n})",
        "pow({n}, {n})", "pow({n}, {n}, 5)", "sum([[{n}], {l}], [])[0]", "[{I}, {I}][{c}]",
        "({I}, {I})[int({c})]", "{{True: {I}, False: {n}}}[{c}]", "len({{*{l}, {n}}})",
        "{l}[{i} % len({l})]", "{f}()", "{f}({n})", "next({g}, {n})", "next({g}, {I})",
        "sum(itertools.islice({g}, 3))",
    ],
    "S": [
        '"abc"', '"a"*{n}', "{s}", "str({I})", "{s} + {s}", "{s}[::-1]", "{s}.upper()",
        'f"{{{i}}}-{{{n}}}"', '"-".join(["a"] * {n})', "{s}[:{n}]", "{s} if {c} else {s}",
        '"%d,%s" % ({I}, {n})', '"{{}}b".format({I})', '{s}.strip("a") + "a"',
        '"a,b,c".split(",")[{n} % 3]',
    ],
    "L": [
        "[{I}, {I}]", "[{I}, {n}, {I}]", "list(range({n}, {n} + 4))", "[v * 2 for v in {l}]", "{l}",
        "{l}[:]", "{l}[::-1]", "{l} + [{I}]", "[{I}] * {n}", "list(gen({n} + 2))", "sorted({l})",
        "{l}[1:] + [{n}]", "[v for v in {l} if v != {n}] + [{n}]", "list({P})",
        "[a + b for a, b in zip({l}, {l})]", "[i * v for i, v in enumerate({l}, {n})]",
        "list(map(abs, {l}))", "[*{l}, {I}]", "list({d}.values()) + [{n}]",
        "[x for y in [{l}, {l}] for x in y]", "{l}[:{n}] + [{n}]", "{l}[::2] + [{I}]",
        "list(reversed({l}))", "{l}[-2:] + [{n}]", "{T}.shape[:1] + (0,) and list({T}.shape)", "list({o})",
        '[int(c) for c in "3{n}1"]', '[len(w) for w in "aa b {n}".split()]',
        "sorted({l}, key=lambda v: v % 3)", "list(dict.fromkeys({l}))",
        "[j for i in range({n}) for j in range(i)] + [1]", "[n for n in (v + 1 for v in {l})]",
        "list(both({n}))", "({l} or [{n}])", "({l} if {c} else {L})", "[fact(v % 4) for v in {l}]",
        "list(itertools.accumulate({l}))", "[p[0] for p in {d}.items()] and [{n}, {I}]",
    ],
    "P": [
        "({I}, {I})", "({I},)", "tuple({l})", "{p}", "{p} + ({I},)", "{p}[::-1]", "divmod({I}, {n})",
        "Pair({I}, {I})", "tuple(v + 1 for v in {p})", "({n}, *{p})",
        "(({I}, {I}) if {c} else ({I}, {I}))", "tuple(sorted({p}))", "max({p}, {p})", "{p} * 2",
        "tuple(zip({l}, {l}))[0]", "{T}.shape", "astuple2({p})",
    ],
    "D": [
        '{{"a": {I}, "b": {n}}}', "dict(a={I}, c={I})", "{d}", "dict({d})", '{{**{d}, "b": {I}}}',
        "{{k: v + 1 for k, v in {d}.items()}}", 'dict(zip("abc", {l} + [1, 2, 3]))',
        '{{**{{"a": {n}}}, **{d}}}', 'dict([("a", {I}), ("z", {n})])', "OrderedDict(a={I})", "{d}.copy()",
        '{{"a": 1}} | {d}', 'dict.fromkeys("ab", {I})',
        '{{k: v for k, v in {d}.items() if v > {n} or k == "a"}}', "dict(sorted({d}.items()))",
        'Counter("aab{n}") or {d}',
    ],
    "O": [
        "Base({I})", "Child({I})", "Other({n})", "Base({n}, {I})", "Child.square({n})", "Base.square({I})",
        "{o}", "{o} + {o}", "({o} if {c} else {o})", "Child({I}, m={n})", "Other({n}, {n})",
    ],
    "F": [
        "counter({I})", "{f}", "functools.partial(defaults, {I})", "(lambda k=1: {l}.append(k) or len({l}))",
        "{o}.bump", "(lambda k={n}: k * {n})", "({f} if {c} else {f})",
    ],
    "G": [  # of lists that stay: an iterator of one that is changed while it is read is not followed
        "iter({l}[:])", "gen({n})", "iter({p})", "(v * 2 for v in {l}[:])", "map(abs, {P})", "{g}",
        "both({n})", "iter(sorted({l}))", "(k for k in {l}[:] if k > {n})", "reversed({l}[:])",
        "itertools.chain({g}, {p})", "itertools.islice({g}, {n})", "iter([{I}, {n}, {I}])",
        "itertools.count({n})",
    ],
    "T": [
        "torch.zeros({n}, {n})", "torch.zeros(abs({I}) % 7 + 1, {n})", "{t}", "{t}.T",
        "torch.zeros(*[abs(v) % 5 for v in {l}[:2]] or [1])", "torch.cat([{t}, {t}])",
        "torch.stack([{t} for _ in range({n})])[0]", "{t}[:{n}]", "{t}[{i} % 2:]",
        "torch.zeros({n}, 3)[:, 1:]",
    ],
}  # fmt: skip

_STATEMENTS = [
    "{i} += {I}", "{i} -= {n}", "{i} *= {n}", "{i} //= {n}", "{i}, {i} = {I}, {I}", "{i} = {i} = {I}",
    "{i}, *{l} = {P}", "*{l}, {i} = {L}", "({i}, {i}), {i} = ({I}, {n}), {I}", "{i}, {i} = {l}[:2]",
    "{l}[0] = {I}", "{l}[-1] += {I}", "{l}.append({I})", "{l}.extend({L})", "{l}.insert({n}, {I})",
    "{l}.insert(0, {n})", "del {l}[0]", "{l}[1:2] = {L}", "{l}.sort()", "{l}.sort(reverse=True)",
    "{l}.reverse()", "{l}.remove({l}[0])", "{l} += [{I}]", "{l} *= 2", "{l}.append({l}.pop(0))",
    "{l}.clear()", '{d}["a"] = {I}', '{d}["b"] = {n}', '{d}["a"] += {I}', "{d}.update(b={I})",
    "{d}.update({D})", '{d}.pop("b", None)', 'del {d}["a"]', "{d} |= {D}", '{d}.setdefault("c", {I})',
    "{o}.n = {I}", "{o}.m = {I}", "{o}.n += {n}", "{o}.bump()", "{o}.scale = {n}",
    'setattr({o}, "n", {I})', "Base.scale = {n}", "{i} = [{i} := {I}, {n}][0]", '{s} += "a"',
    "assert {i} or True", "assert {l}.pop() < 9999", "assert -9999 < {l}.pop() < 9999",
    "assert ({i} := {I}) < 9999", "(lambda v: {l}.append(v))({I})", "{i} = (lambda: {l}.pop())()",
    "(lambda: {o}.bump({n}))()", "{f}()", "{i} += {f}()", "{d}[{n}] = {f}()", "next({g}, None)",
    "{l}.extend(itertools.islice({g}, 2))",
    "{l}[{f}() % len({l})] = {n}", "{i}, {i} = {f}(), {f}({n})", "{i}, *_ = [next({g}, {n}), {n}]",
    "[{l}.append(v) for v in range({n})]", "list(map({l}.append, ({I}, {n})))",
    "{i} = {l}.pop() if {c} else {I}", "{i} = {l}.pop() or {I}", "({i} := {l}.pop())",
    "{l}[{l}.pop() % len({l})] = {n}", "{l}.append({l}.pop() + {l}.pop(0))",
    "{i} = sum({o}.bump() for _ in range({n}))", "({i}) = {I}", "{i} = kind_of({P})",
]  # fmt: skip
_CONDITIONS = [
    "flag", "not flag", "other", "flag or other", "flag and other", "{i} > {n}", "{i} < {i}",
    "{n} < {i} < 6", "{i} % 2 == 0", "len({l}) > {n}", "{i} in {l}", "{i} == {n}", '"b" in {d}',
    "isinstance({o}, Child)", "{o}", "{l}", "{s} == {s}", "{i} is not None", "not {i}", "{p} < {p}",
    "many > 2", "{i} != {i} or flag", "{l} == {l}", "{s} in {s}", "{l}.pop() > {n}",
    "{n} < {l}.pop() < 6", "({i} := {I}) > {n}", "{o}.bump() == {n}", '{d}.pop("b", 1) == 1 and flag',
    "not {l}.pop(0)", "{f}() > {n}", "next({g}, {n}) > {n}", "{f}({n}) == {f}({n})",
    "{i} in itertools.islice({g}, 2)", "{l}.pop() in {l}", "isinstance({l}.pop(), int)",
    "({n} == {l}.pop()) ^ flag",
]  # fmt: skip
_BLOCKS = [
    "if {c}:", "if {c}:", "for _ in range({n}):", "for _ in range(many):", "for v in {l}:",
    "for k, v in {d}.items():", "for v in gen({n}):", "for v in range({n}, 8, {n}):",
    "while len({l}) > 1 and {l}.pop() > {n}:", "while {l}.pop() > {n}:", "for v in [{l}.pop()]:",
    "while {f}() < {n}:", "while next({g}, 0) > {n}:",
    "try:", "for a, b in zip({l}, {l}):",
]  # fmt: skip
_ASKED = {
    "I": ["{}"],
    "S": ["len({})"],
    "L": ["len({})", "{}[0]", "{}[-1]"],
    "P": ["len({})", "{}[0]", "{}[-1]"],
    "D": ["len({})", '{}["a"]', '{}.get("b", 0)'],
    "O": ["{}.n", "{}.m", "{}.scale", "{}.size()", "{}.area"],
    "F": ["{}()", "{}(2)"],
    "G": ["next({}, 7)", "sum(itertools.islice({}, 4))"],
    "T": ["{}"],
}  # fmt: skip

GRAMMAR = Grammar(
    _PRELUDE,
    _EXPRESSIONS,
    _STATEMENTS,
    _CONDITIONS,
    _BLOCKS,
    _ASKED,
    often="IIIIIILLLPDOTSFG",
    start={
        "I": "2",
        "L": "[3, 1, 4]",
        "P": "(2, 5)",
        "D": '{"a": 3, "b": 1}',
        "O": "Child(2)",
        "T": "torch.zeros(3, 2)",
        "F": "counter(3)",
        "G": "iter([4, 1, 5])",
        "S": '"abab"',
    },
)
