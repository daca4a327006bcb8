"""Every message of the engine: wanted, got, where, in the user's words."""

from __future__ import annotations

import ast
from dataclasses import replace
from difflib import get_close_matches

from typedtorch.shapes import dtypes
from typedtorch.shapes.infer.annotations import reading, specs
from typedtorch.shapes.infer.annotations.problems import Problem
from typedtorch.shapes.infer.frame import Frame, source
from typedtorch.shapes.infer.operators.demands import met_before
from typedtorch.shapes.infer.reports.grounds import Ground, ground, written, written_in
from typedtorch.shapes.infer.reports.numpy_words import worded
from typedtorch.shapes.infer.values.values import UNKNOWN, DictV, Value, is_size
from typedtorch.shapes.rule import tuple_text
from typedtorch.shapes.scopes import HELD_SCOPE, INSTANCE_SCOPE, LINKED_SCOPE, bare
from typedtorch.shapes.size import Size, atoms, is_counted, is_unknown
from typedtorch.shapes.tensor import Entry, Pack, Shape, Tensor, axes_text, show

_ORDINALS = {0: "first", 1: "second", 2: "third", 3: "fourth", 4: "fifth", 5: "sixth"}


def check_axes(frame: Frame, wrapper: str, array: Value, text: Value, node: ast.expr) -> None:
    """Report an axis string that is not in the language."""
    if isinstance(text, str):
        wrong = reading.problem(wrapper, array, text)
        if wrong is not None:
            frame.reporter.add(node, "axes", wrong)


def argument(frame: Frame, node: ast.expr, call: str, problem: Problem, parameter: str | None = None) -> None:
    """An argument contradicts the parameter's annotation, which names it where it is not written."""
    node, problem = _item(node, _told_apart(frame, problem))
    what = parameter or source(node)
    rests = _ground(frame, problem, [node, *_callee(call)])
    text = f"{call}: {_describe(what, problem)}"
    frame.reporter.add(node, _code(problem), text, _hint(problem), ground=rests)


def _callee(call: str) -> list[ast.AST]:
    """``self.net`` where that is called; the name of a function takes no part in what is wrong."""
    parsed = written(call)
    return [parsed] if isinstance(parsed, ast.Attribute) else []


def _ground(frame: Frame, problem: Problem, nodes: list[ast.AST]) -> Ground:
    """What a contradiction between an annotation and some expressions rests on."""
    binder = written(problem.binder or "")
    if binder is not None:
        nodes.append(binder)
    if problem.kind in ("size", "rank"):
        kind = () if problem.kind == "size" else ("axes",)
        return ground(frame, nodes, [problem.expected, problem.got, *kind]) | written_in(frame, nodes)
    if problem.kind == "dtype":
        return ground(frame, nodes, [dtypes.show(problem.value.dtype), _wrapper(problem)])
    return ground(frame, nodes, ())


def result(
    frame: Frame, node: ast.expr, problem: Problem, verb: str = "returns", hint: str | None = None
) -> None:
    """A returned (or yielded) value contradicts the annotation."""
    part = f" at {problem.path}" if problem.path else ""
    apart = _told_apart(frame, problem)
    if apart is not problem:
        met = met_before(frame.state.ties, problem.got, problem.expected)
        if met is not None and hint is None:
            hint = f"{_of(frame, met[0])} is {_of(frame, met[1])} on line {met[2]}"
        problem = apart
    if problem.kind == "kind":
        text = f"{verb} {problem.text}" if not part else f"{verb} a result that is {problem.text}{part}"
    elif problem.kind == "dtype":
        text = f"{verb} {dtypes.show(problem.value.dtype)}{part}, annotated {_wrapper(problem)}"
    else:
        text = f"{verb} {_shown(problem.value.shape)}{part}, annotated {annotated_shape(problem)}"
        detail = _detail(problem)
        text += f"; {detail}" if detail else ""
    whole = isinstance(node, ast.Tuple) and {f"[{i}]": item for i, item in enumerate(node.elts)}
    rests = _ground(frame, problem, [(whole or {}).get(problem.path, node)])
    hint = worded(hint, [problem.value]) or _hint(problem)
    frame.reporter.add(node, _code(problem), text, hint, ground=rests)


def declared(frame: Frame, node: ast.expr, problem: Problem) -> None:
    """An assigned value contradicts the variable's or attribute's annotation."""
    node, problem = _item(node, problem)
    what = source(node)
    frame.reporter.add(node, _code(problem), _describe(what, problem), _hint(problem))


def _item(node: ast.expr, problem: Problem) -> tuple[ast.expr, Problem]:
    """The item of a dict, list or tuple that is written out, where it is that one that contradicts."""
    items: list[tuple[object, ast.expr]] = []
    if isinstance(node, ast.Dict):
        items = [
            (k.value, v) for k, v in zip(node.keys, node.values, strict=True) if isinstance(k, ast.Constant)
        ]
    elif isinstance(node, (ast.List, ast.Tuple)) and not any(isinstance(e, ast.Starred) for e in node.elts):
        items = list(enumerate(node.elts))
    found = next((value for key, value in items if problem.path == f"[{key!r}]"), None)
    return (node, problem) if found is None else (found, replace(problem, path=""))


def unpack(frame: Frame, node: ast.expr, value: Value, wanted: int, got: int) -> None:
    """A tuple or first axis does not have as many items as there are names."""
    if isinstance(value, Tensor):
        shape = show(value.shape)
        text = f"cannot unpack {source(node)} of shape {shape} into {wanted} names: its first axis is {got}"
    else:
        text = f"cannot unpack {source(node)} into {wanted} names: it has {got} item{'' if got == 1 else 's'}"
        if isinstance(value, tuple) and all(is_size(v) for v in value):
            text += f", {show(value)}"
    frame.reporter.add(node, "shape", text)


def unpack_number(frame: Frame, node: ast.expr, wanted: int) -> None:
    """A tensor without axes has no items."""
    reduced = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr
    hint = f"{reduced} with dim= gives values and indices" if reduced in ("max", "min", "median") else ""
    text = f"cannot unpack {source(node)} into {wanted} names: it is a single number, without axes"
    frame.reporter.add(node, "shape", text, hint)


def check_items(frame: Frame, value: Value, node: ast.AST | None) -> None:
    """A tensor without axes has no items, and no number of them."""
    if isinstance(value, Tensor) and not value.shape and node is not None:
        frame.reporter.add(node, "shape", f"{source(node)} is a single number, without axes: it has no items")


def unpack_along(
    frame: Frame, node: ast.expr, parted: ast.expr, value: Tensor, taken: int, wanted: int
) -> None:
    """One axis is taken apart, and it is another one that has as many items as there are names."""
    axis = _told(value.shape, value.shape.index(wanted))
    what = source(parted)
    text = f"unpacks axis {taken} of {what}, of shape {show(value.shape)}, into {wanted} names: "
    text += f"it is {value.shape[taken]}, and axis {axis} is {wanted}"
    split = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split"
    how = f"split(1, {axis})" if split else f"unbind({axis})"
    frame.reporter.add(node, "shape", text, f"{what}.{how} takes that axis apart")


def _told(shape: Shape, axis: int) -> int:
    """The number of an axis; behind a run of axes it is counted from the end."""
    before = any(isinstance(entry, Pack) or str(entry).startswith("*") for entry in shape[:axis])
    return axis - len(shape) if before else axis


def no_axis(frame: Frame, node: ast.Subscript, shape: Shape) -> None:
    """``x.shape[2]`` of a tensor with two axes."""
    if not any(isinstance(e, Pack) for e in shape):
        what = source(node.value).removesuffix(".shape")
        frame.reporter.add(node, "shape", f"{source(node)}: {what} has {_axes(len(shape))}, {_shown(shape)}")


def no_key(frame: Frame, node: ast.Subscript, held: DictV, key: str) -> None:
    """``batch["target"]`` of a dict that has other keys."""
    text = f"{source(node.value)} has no key {key!r}"
    close = get_close_matches(key, held.items, n=1)
    if close:
        text += f"; maybe {close[0]!r}?"
    elif len(held.items) <= _MOST_KEYS:
        text += f": it has {', '.join(map(repr, held.items))}"
    frame.reporter.add(node, "attribute", text)


_MOST_KEYS = 6  # that are listed


def several(frame: Frame, node: ast.AST, value: tuple[Value, ...], attribute: str = "") -> None:
    """A tuple of tensors is used as if it were one."""
    if isinstance(node, ast.Attribute):
        text = f"{source(node.value)} is {tuple_text(value)}, it has no .{attribute}"
    elif isinstance(node, ast.Subscript):
        text = f"{source(node)}: {source(node.value)} is {tuple_text(value)}, indexed as if it were a tensor"
    else:
        text = f"{source(node)}: an operand is {tuple_text(value)}, wanted a tensor"
    frame.reporter.add(node, "shape", text)


def not_written(frame: Frame, node: ast.expr, value: Tensor, form: str) -> None:
    """``f"{losses:.3f}"`` of several: torch and numpy write only what has no axes in some form."""
    if value.library in ("torch", "numpy"):
        text = f"{source(node)} has shape {show(value.shape)}: with axes it cannot be written as {form!r}"
        frame.reporter.add(node, "shape", text)


def reveal(frame: Frame, node: ast.AST, name: str, value: Value) -> None:
    """What is known of a value that the program asks about; values that have no shapes are left to others."""
    text = _revealed(value)
    if text is not None:
        # beside mypy, which answers the same question with a type, only shapes are worth a line
        code = "note" if isinstance(value, Tensor) else "aside"
        frame.reporter.add(node, code, f"{name} {text}", severity="note")


def _revealed(value: Value) -> str | None:
    if isinstance(value, Tensor):
        return f"has shape {_shown(value.shape)}, {dtypes.show(value.dtype)}"
    if value is UNKNOWN:
        return "is not known here"
    if is_size(value):
        return "is a size, not known here" if is_unknown(value) else f"is the size {value}"
    if isinstance(value, tuple) and value:
        parts = [_part(item) for item in value]
        return None if None in parts else f"is ({', '.join(map(str, parts))}{',' * (len(parts) == 1)})"
    return None


def _part(value: Value) -> str | None:
    """One item of a tuple, as short as it can be."""
    if isinstance(value, Tensor):
        return show(value.shape)
    if is_size(value):
        return "?" if is_unknown(value) else str(value)
    return "?" if value is UNKNOWN else None


def _code(problem: Problem) -> str:
    return "dtype" if problem.kind == "dtype" else "shape"


def _shown(shape: Shape) -> str:
    return show(shape) if shape else "a scalar ()"


def _wrapper(problem: Problem) -> str:
    return problem.spec.wrapper


def annotated_shape(problem: Problem) -> str:
    """The annotation as a shape with what its names stand for: ``(b, 64)``."""
    wanted = problem.wanted
    if len(wanted) != len(problem.spec.axes.dims):
        return repr(problem.spec.axes.text)
    parts = [
        dim.text if not isinstance(e, Pack) and is_unknown(e) and dim.text != "_" else show((e,))[1:-2]
        for dim, e in zip(problem.spec.axes.dims, wanted, strict=True)
    ]
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})" if parts else _shown(wanted)


def _describe(what: str, problem: Problem) -> str:
    subject = f"{what}{problem.path}"
    if problem.kind == "kind":
        return f"{subject} is {problem.text}"
    if problem.kind == "dtype":
        return f"{subject} is {dtypes.show(problem.value.dtype)}, annotated {_wrapper(problem)}"
    shape = _shown(problem.value.shape)
    text = problem.spec.axes.text
    if problem.kind == "rank":
        has, wanted = _counts(problem)
        return f"{subject} has {has}, shape {shape}, annotated {text!r}: wanted {wanted}"
    if problem.kind == "pack":
        return f"{subject} is {shape}, annotated {text!r}: {_run_detail(problem)}"
    return f"{subject} is {shape}, annotated {text!r}: {_size_detail(problem)}"


def _counts(problem: Problem) -> tuple[str, str]:
    """How many axes a value has, and how many its annotation asks for."""
    fixed = len(problem.spec.axes.dims) - (problem.spec.axes.variadic is not None)
    least = problem.spec.axes.variadic is not None and problem.expected == fixed
    return axes_text(problem.value.shape), f"{'at least ' if least else ''}{_axes(problem.expected)}"


def _axes(count: object) -> str:
    return f"{count} axis" if count == 1 else f"{count} axes"


# axes whose size only running tells
_COUNTS = {"selected": "as many as were selected", "longest": "as long as the longest of them"}


_FROM_THE_END = {1: "last", 2: "last but one", 3: "last but two"}


def _place(problem: Problem) -> str:
    """Which axis it is; behind a run of axes, counted from the end."""
    axes, at = problem.spec.axes, problem.position
    if axes.variadic is not None and at > axes.variadic:
        found = _FROM_THE_END.get(len(axes.dims) - at)
        if found is not None:
            return found
    return _ORDINALS.get(at, f"{at + 1}th")


def _told_apart(frame: Frame, problem: Problem) -> Problem:
    """Of two sizes that are written alike, whose each is."""
    if problem.kind != "size" or str(problem.got) != str(problem.expected):
        return problem
    got, wanted = (_of(frame, size) for size in (problem.got, problem.expected))
    return replace(problem, text=f"the {_place(problem)} axis is {got}, wanted {wanted}")


def _of(frame: Frame, size: Size) -> str:
    """A size and whose it is: of ``self``, of the parameter that first mentions it, of what a line makes."""
    scopes = {bare(atom.scope) for atom in atoms(size) if atom.kind == "axis"}
    scope = scopes.pop() if len(scopes) == 1 else None
    if scope in (HELD_SCOPE, INSTANCE_SCOPE, LINKED_SCOPE):
        return f"{size} of self"
    if scope == "" and frame.function is not None:
        names = {atom.name for atom in atoms(size)}
        parameters = frame.interpreter.signature(frame.function).parameters
        return next(
            (f"{size} of {p.name}" for p in parameters if names & specs.axis_names(p.spec)), str(size)
        )
    if scope is not None and scope[:1].isdigit():
        return f"{size} of what line {scope.partition(':')[0].rpartition('@')[2]} makes"
    return f"{size} of {scope}" if scope is not None and scope.isidentifier() else f"another {size}"


def _size_detail(problem: Problem) -> str:
    dim = problem.dim
    assert dim is not None
    if problem.text:
        return problem.text
    where = _place(problem)
    if dim.kind == "fixed":
        return f"the {where} axis is {problem.got}, wanted {problem.expected}"
    if str(problem.expected).replace(" ", "") == dim.name.replace(" ", ""):
        got = _COUNTS.get(str(problem.got), problem.got) if is_counted(problem.got) else problem.got
        return f"the {where} axis is {got}, wanted {dim.name}"
    who = f" for {problem.binder}" if problem.binder else ""
    return f"{dim.name} is {problem.expected}{who}, got {problem.got}"


def _detail(problem: Problem) -> str:
    if problem.kind == "rank":
        got, wanted = _counts(problem)
        return f"wanted {wanted}, got {got}"
    swapped = swapped_axes(problem.wanted, problem.value.shape)
    if swapped:
        return f"the {swapped} are swapped"
    if problem.kind == "pack":
        return _run_detail(problem)
    return _size_detail(problem)


def _run_detail(problem: Problem) -> str:
    name = problem.dim.text if problem.dim is not None else "..."
    return problem.text or f"not the axes that {name} stands for"


def swapped_axes(wanted: Shape, got: Shape) -> str | None:
    """Which two axes change places, where that is the whole difference."""
    if len(wanted) != len(got) or any(isinstance(e, Pack) and e.open for e in (*wanted, *got)):
        return None
    different = [i for i, (w, g) in enumerate(zip(wanted, got, strict=True)) if w != g]
    if len(different) != 2:
        return None
    i, j = different
    if not _is_meant(wanted[i], got[j]) or not _is_meant(wanted[j], got[i]):
        return None
    if i == len(wanted) - 2 and j == len(wanted) - 1 and len(wanted) > 2:
        return "last two axes"
    return f"{_ORDINALS.get(i, i)} and {_ORDINALS.get(j, j)} axes"


def _is_meant(wanted: Entry, got: Entry) -> bool:
    """Whether a size is the one that is wanted, or has the name of an axis that nothing else bound."""
    if wanted == got:
        return True
    names = [a.name for a in atoms(wanted)] if not isinstance(wanted, Pack) and is_unknown(wanted) else []
    return names == [str(got)]


def _hint(problem: Problem) -> str | None:
    return worded(_change(problem), [problem.value])


def _change(problem: Problem) -> str | None:
    """What would give a value the axes that are annotated, where it has them in another way."""
    if problem.kind in ("size", "pack") and len(problem.wanted) == len(problem.value.shape):
        wanted, got = problem.wanted, problem.value.shape
        different = [i for i, (w, g) in enumerate(zip(wanted, got, strict=True)) if w != g]
        if swapped_axes(wanted, got) and not any(isinstance(got[d], Pack) for d in different):
            i, j = (d - len(got) for d in different)
            if problem.value.library == "numpy" and len(got) == 2:
                return ".T swaps them"
            return f"transpose({i}, {j}) swaps them"
    if problem.kind == "rank":
        return _rank_hint(problem)
    return None


def _rank_hint(problem: Problem) -> str | None:
    wanted, got = problem.wanted, problem.value.shape
    if len(wanted) == len(got) + 1:
        for i, entry in enumerate(wanted):
            if entry == 1 and wanted[:i] + wanted[i + 1 :] == got:
                return f"keepdim=True, or unsqueeze({i - len(wanted)}), keeps the axis of size 1"
    if len(got) == len(wanted) + 1:
        for i, entry in enumerate(got):
            if entry == 1 and got[:i] + got[i + 1 :] == wanted:
                return f"squeeze({i - len(got)}) removes the axis of size 1"
    return None


__all__ = ["argument", "check_axes", "declared", "result", "reveal", "source", "swapped_axes", "unpack"]
