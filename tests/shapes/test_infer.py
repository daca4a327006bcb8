"""The engine: what its joins and loops promise, and that nothing makes it crash or hang."""

from __future__ import annotations

import ast
import re
import textwrap
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import typedtorch.shapes
from typedtorch.shapes import infer
from typedtorch.shapes.infer import Finding, Program, Report, interpreter
from typedtorch.shapes.infer.calls import inlining
from typedtorch.shapes.infer.calls.signatures import Signature
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    Choice,
    DictV,
    FunctionV,
    Scalar,
    Sequence,
    Value,
    equal,
    join,
)
from typedtorch.shapes.size import axis, unknown
from typedtorch.shapes.tensor import ANY_AXES, Pack, Tensor

HEADER = """
from jaxtyping import Float, Int
from torch import Tensor, nn
import torch
"""

entries = st.sampled_from([axis("b"), axis("d"), 3, unknown("?1"), Pack("batch"), ANY_AXES])
tensors = st.builds(
    Tensor, st.lists(entries, max_size=3).map(tuple), st.sampled_from([1 << 17, 1 << 8, (1 << 17) | (1 << 8)])
)
leaves = st.one_of(
    tensors,
    st.sampled_from([UNKNOWN, None, True, "a", 2, axis("n"), Scalar("float"), 1.5, Choice((None, 3))]),
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=2).map(tuple),
        st.lists(inner, max_size=2).map(lambda v: Sequence("list", tuple(v))),
        inner.map(lambda v: Sequence("list", None, v)),
        st.dictionaries(st.sampled_from("xy"), inner, max_size=2).map(DictV),
    ),
    max_leaves=6,
)


@given(values)
def test_join_with_itself_is_itself(value: Value) -> None:
    assert join(value, value) is value


@given(values, values)
def test_join_reaches_a_fixed_point(a: Value, b: Value) -> None:
    """Joining again with what was joined changes nothing: this is why loops end."""
    seen = [join(a, b, "k")]
    for _ in range(4):
        seen.append(join(seen[-1], b, "k"))
    assert equal(seen[-1], seen[-2])


@given(values)
def test_join_with_unknown_is_unknown(value: Value) -> None:
    assert join(value, UNKNOWN) is UNKNOWN
    assert join(UNKNOWN, value) is UNKNOWN


def check(body: str) -> Report:
    return Program(lambda name: None).check("example", Path("example.py"), HEADER + textwrap.dedent(body))


def messages(body: str) -> list[str]:
    return [f.message for f in check(body).findings]


def test_a_branch_that_is_unknown_silences_what_follows() -> None:
    assert not messages(
        """
        def f(x: Float[Tensor, "b d"], other) -> Float[Tensor, "d b"]:
            if other:
                x = other(x)
            return x
        """
    )


def test_a_loop_that_grows_a_shape_ends_and_is_silent() -> None:
    assert not messages(
        """
        def f(x: Float[Tensor, "b d"], n: int) -> Float[Tensor, "b e"]:
            seen = x
            for i in range(n):
                seen = torch.cat([seen, x], dim=-1)
                while seen.shape[0] > i:
                    seen = seen.unsqueeze(0).squeeze(0)
            return seen
        """
    )


def test_sizes_of_one_turn_are_not_those_of_the_next() -> None:
    assert not messages(
        """
        def f(xs: list[Float[Tensor, "_ d"]]) -> None:
            before = None
            for x in xs:
                if before is not None:
                    before[: x.shape[0]] + x[: before.shape[0]]
                before = torch.cat([x, x])
        """
    )


def test_recursion_and_deep_calls_end() -> None:
    assert not messages(
        """
        def even(x, n):
            return x if n == 0 else odd(x, n - 1)
        def odd(x, n):
            return even(x.T, n - 1)
        def f(x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
            return even(x, 10)
        """
    )


def test_functions_that_need_much_leave_something_to_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "STEPS_A_MODULE", 400)
    monkeypatch.setattr(interpreter, "STEPS_A_LINE", 10)
    calls = [f"    total += helper(x, {number})\n" for number in range(2000)]  # no two alike
    starts = range(0, 2000, 100)
    costly = [f"def f{i}(x):\n    total = 0\n{''.join(calls[i : i + 100])}    return total\n" for i in starts]
    last = """
    def join(x, y):
        return torch.cat([x, y], 0)
    def last(x: Float[Tensor, "a b"], y: Float[Tensor, "a c"]):
        return join(x, y)
    """
    helper = "def helper(x, n):\n    return (n + 1) * (n + 2) * (n + 3) * (n + 4) * len(x)\n"
    assert len(messages(helper + "".join(costly) + textwrap.dedent(last))) == 1


def test_a_body_that_is_not_looked_at_to_its_end_may_fill_what_it_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = """
    def fill(held, x):
        held["first"] = x + 1
        held["inner"]["second"] = x + 2
    def both(x):
        inner = {"a": 1}
        held = {"inner": inner}
        fill(held, x)
        return held["first"], inner["second"]
    def wrong(x):
        held = {"a": 1}
        return held["b"]
    """
    for steps in range(30):
        monkeypatch.setattr(interpreter, "STEPS_A_MODULE", steps)
        monkeypatch.setattr(interpreter, "STEPS_A_LINE", 0)
        assert len(messages(program)) == 1, steps


def test_a_body_is_looked_at_for_so_long(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = "    torch.zeros(2, 3) @ torch.zeros(4, 5)\n"
    loops = "".join(f"{'    ' * (i + 1)}for i{i} in range(7):\n" for i in range(6))
    program = f"def f(x):\n{fault}{loops}{'    ' * 7}x = torch.relu(x) + 1\n{fault}"
    assert len(messages(program)) == 2  # 117,649 turns, of which few are run one by one
    monkeypatch.setattr(interpreter, "STEPS_A_BODY", 100)
    monkeypatch.setattr(interpreter, "STEPS_A_LINE_OF_IT", 0)
    assert len(messages(program)) == 1


@pytest.mark.parametrize(
    ("named", "asks", "fault"),
    [
        ('def rows(x: Float[Tensor, "a 3"]): ...', "given.rows(x)", "parts.rows(torch.zeros(2, 4))"),
        ("WIDTH = 2 * 4", "given.WIDTH", "torch.zeros(2, 3) @ torch.zeros(parts.WIDTH, 3)"),
        ("out = nn.Linear(2 * 4, 3)", "given.out(x)", "parts.out(torch.zeros(2, 4))"),
        (
            "class Base(nn.Linear): ...\nclass Net(Base): ...",
            "given.Net(2 * 4, 3)",
            "parts.Net(2 * 4, 3)(torch.zeros(2, 4))",
        ),
    ],
    ids=["signature", "number", "layer", "class"],
)
def test_what_is_asked_for_when_nothing_is_left_is_there_for_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str, asks: str, fault: str
) -> None:
    monkeypatch.setattr(interpreter, "STEPS_A_MODULE", 0)
    monkeypatch.setattr(interpreter, "STEPS_A_LINE", 5)
    parts = tmp_path / "parts.py"
    parts.write_text(f"{HEADER}\n{named}\n")
    for before in range(40):  # steps run out just before it is asked for, or while it is looked up
        inner = f"import parts\ndef inner(x, given):\n    return [{'x, ' * before}{asks}]"
        spent = "def spent(x):\n    return inner(x, parts)"
        other = f"import parts\ndef other():\n    return {fault}"
        program = Program({"parts": parts}.get)
        program.check("spent", tmp_path / "spent.py", f"{HEADER}{inner}\n{spent}")
        assert len(program.check("other", tmp_path / "other.py", f"{HEADER}{other}").findings) == 1, before


def test_a_constructor_is_run_once_for_what_it_makes_and_what_is_wrong_in_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs: list[str] = []
    run_body = inlining.run_body

    def noting(frame: Frame, function: FunctionV, signature: Signature) -> Value:
        runs.append(getattr(function.node, "name", ""))
        return run_body(frame, function, signature)

    monkeypatch.setattr(inlining, "run_body", noting)
    findings = check(
        """
        class Net(nn.Module):
            def __init__(self, d: int, wide: bool) -> None:
                super().__init__()
                self.table = torch.zeros(3)
                if wide:
                    self.other = torch.zeros(3) + torch.zeros(4)
                    return
                self.other = torch.zeros(7)

            def forward(self, x: Float[Tensor, "b 5"]) -> Float[Tensor, "b 5"]:
                return x + self.table
        """
    ).findings
    assert [finding.line for finding in findings] == [11, 16]
    assert runs == []


def test_a_member_of_an_enumeration_is_a_key_and_not_the_whole_program() -> None:
    (message,) = messages(
        """
        import enum
        class Kind(enum.Enum):
            SMALL = "small"
            LARGE = "large"
        table: dict[Kind, Float[Tensor, "3"]] = {Kind.SMALL: torch.zeros(3), Kind.LARGE: torch.zeros(4)}
        """
    )
    assert "[Kind.LARGE] is (4,)" in message
    assert len(message) < 200


def test_functions_inside_a_constructor_are_checked_whoever_asks_for_it_first() -> None:
    found = check(
        """
        class Net(nn.Module):
            def __init__(self, d: int) -> None:
                super().__init__()
                def inner(x: Float[Tensor, "a"]) -> Float[Tensor, "a"]:
                    return x + torch.zeros(3, 4)[0, :, None, None]
                self.inner = inner

            def widen(self, x: Float[Tensor, "b c"]) -> Float[Tensor, "b k"]:
                return torch.cat([x, x], 1)

        def use(net: Net, x: Float[Tensor, "b 3"]) -> Float[Tensor, "b 6"]:
            return twice(net, x)

        def twice(net, x):
            return Net.widen(net, x)[:, :4] @ torch.zeros(3)
        """
    ).findings
    assert [finding.line for finding in found] == [10, 17]


def test_a_helper_is_blamed_at_the_call_that_brings_the_sizes() -> None:
    (finding,) = check(
        """
        def project(x, w):
            return x @ w
        def f(x: Float[Tensor, "b d"], w: Float[Tensor, "k d"]) -> Float[Tensor, "b k"]:
            return project(x, w)
        """
    ).findings
    assert finding.line == 9
    assert finding.message.startswith("in project() (line 7): x @ w: the last axis of x is d")


def test_a_module_linked_by_evidence_and_one_that_only_shares_a_name() -> None:
    linked = """
        class Up(nn.Module):
            def __init__(self, d_in: int, d_out: int) -> None:
                super().__init__()
                self.w = nn.Linear(d_in, d_out)
            def forward(self, x: Float[Tensor, "b d_in"]) -> Float[Tensor, "b d_out"]:
                return self.w(x)
        def f() -> None:
            Up(3, 4)(torch.randn(2, 5))
        """
    (message,) = messages(linked)
    assert "d_in is 3 for Up(3, 4), got 5" in message
    assert not messages(
        """
        class Blur(nn.Module):
            def __init__(self, width: int) -> None:  # channels, not the width of an image
                super().__init__()
                self.conv = nn.Conv2d(width, width, 3, padding=1)
            def forward(self, x: Float[Tensor, "b c height width"]) -> Float[Tensor, "b c height width"]:
                return x + self.conv(x)
        """
    )


def test_reveal_type_is_a_note() -> None:
    (note,) = check("def f(x: Float[Tensor, 'b d']) -> None:\n    reveal_type(x.T)\n").findings
    assert (note.severity, note.message) == ("note", "x.T has shape (d, b), float")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("x.shape[0] * 2", "is the size 2*b"),
        ("x.shape", "is (b, d)"),
        ("(x.T, 3, y)", "is ((d, b), 3, ?)"),
        ("y", "is not known here"),
        ("len(y)", "is a size, not known here"),
        ("'text'", None),
        ("torch.nn.ReLU()", None),
    ],
)
def test_reveal_type_answers_about_sizes_and_what_is_unknown(asked: str, said: str | None) -> None:
    notes = check(f"def f(x: Float[Tensor, 'b d'], y) -> None:\n    reveal_type({asked})\n").findings
    assert [note.message for note in notes] == ([f"{asked} {said}"] if said else [])


def test_reveal_type_in_a_loop_says_what_holds_in_every_turn() -> None:
    (note,) = check(
        "def f(x: Float[Tensor, 'b t'], n: int) -> None:\n"
        "    for _ in range(n):\n        x = torch.cat([x, x[:, -1:]], 1)\n        reveal_type(x)\n"
    ).findings
    assert note.message == "x has shape (b, ?), float"


@pytest.mark.parametrize("text", ["def f(:\n", "\x00", "x = (" * 300])
def test_a_broken_file_is_a_finding(text: str) -> None:
    (finding,) = Program(lambda name: None).check("m", Path("m.py"), text).findings
    assert finding.code == "syntax"


def test_a_product_of_what_a_layer_was_made_with_is_what_its_body_says() -> None:
    """At run time jaxtyping refuses such an axis, whose names no argument has; without, it is common."""
    net = """
        class Heads(nn.Module):
            def __init__(self, feat: int, out: int, heads: int):
                super().__init__()
                self.project = nn.Linear(feat, heads * out)

            def forward(self, x: Float[Tensor, "n feat"]) -> Float[Tensor, "n heads*out"]:
                return self.project(x)

        class Net(nn.Module):
            def __init__(self, feat: int, hidden: int, classes: int, heads: int = 2):
                super().__init__()
                sizes = [feat] + [hidden * heads]
                self.layers = nn.ModuleList([Heads(size, hidden, heads) for size in sizes])
                self.norms = nn.ModuleList([nn.LayerNorm(hidden * heads) for _ in sizes])
                self.classify = nn.Linear({width}, classes)

            def forward(self, x: Float[Tensor, "n feat"]) -> Float[Tensor, "n classes"]:
                for layer, norm in zip(self.layers, self.norms):
                    x = norm(layer(x)).relu()
                return self.classify(x)

        Net(5, 8, 3)(torch.zeros(4, 5))
        """
    assert not messages(net.format(width="hidden * heads"))
    (message,) = messages(net.format(width="hidden"))
    assert "in_features is 8, the last axis of x is 16" in message


def test_the_answer_does_not_depend_on_what_was_checked_before() -> None:
    files = sorted(Path(__file__).parent.parent.glob("static/silent/models/*.py"))[:6]

    def run(order: list[Path]) -> list[Finding]:
        program = Program(lambda name: None)
        return sorted(f for path in order for f in program.check(path.stem, path).findings)

    assert run(files) == run(files[::-1])


def test_the_engine_survives_its_own_sources() -> None:
    root = Path(typedtorch.shapes.__file__).parent
    program = Program(lambda name: None)
    for path in sorted(root.glob("infer/**/*.py")):
        assert not program.check(path.stem, path).findings


def test_the_map_of_the_engine_has_every_package_and_where_to_begin() -> None:
    root = Path(infer.__file__).parent
    begin = dict(re.findall(r"^- ``(\w+)``: .* \(``(\w+)``\)$", infer.__doc__ or "", re.M))
    assert begin.keys() == {path.parent.name for path in root.glob("*/__init__.py")}
    for package, module in begin.items():
        about = ast.get_docstring(ast.parse((root / package / "__init__.py").read_text())) or ""
        assert (root / package / f"{module}.py").is_file()
        assert about.endswith(f"read ``{module}`` first.")


def test_modules_of_the_engine_import_each_other_in_no_circle() -> None:
    root = Path(infer.__file__).parent
    paths = {
        ".".join(("typedtorch.shapes.infer", *p.relative_to(root).with_suffix("").parts)): p
        for p in root.rglob("*.py")
    }
    imported = {}
    for name, path in paths.items():
        nodes = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.ImportFrom)]
        of = {f"{node.module}.{alias.name}" for node in nodes for alias in node.names}
        imported[name] = (of | {str(node.module) for node in nodes}) & paths.keys()
    assert sum(map(len, imported.values())) > len(paths)
    TopologicalSorter(imported).prepare()


def test_the_engine_has_no_starred_item_in_a_test_of_membership() -> None:
    """``x in (a, *b)`` stops mypyc, which compiles these modules."""
    for path in Path(infer.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
                items = [item for c in node.comparators for item in getattr(c, "elts", ())]
                assert not any(isinstance(item, ast.Starred) for item in items), f"{path}:{node.lineno}"
