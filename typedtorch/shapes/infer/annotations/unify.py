"""Promises against values: what an annotation lets the body assume, and what contradicts it.

``assume`` reads an annotation forwards (a parameter's value), ``match`` backwards (an argument, a
returned value).  Both share :class:`Names`, what each axis name means in one evaluation.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING, Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.axes import Dim, evaluate
from typedtorch.shapes.equality import name_against_number, observe, same
from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.annotations.assuming import Names, assume
from typedtorch.shapes.infer.annotations.problems import Problem, expected_shape, shown_shape
from typedtorch.shapes.infer.annotations.runs import match_run, match_unknown
from typedtorch.shapes.infer.annotations.specs import ArraySpec, Spec
from typedtorch.shapes.infer.reports.misaligned import misaligned, misplaced, permuted, permuted_text
from typedtorch.shapes.infer.values.contents import holds_tensors
from typedtorch.shapes.infer.values.values import (
    Awaitable,
    Choice,
    DictV,
    FunctionV,
    Instance,
    Sequence,
    Value,
    is_size,
    join,
)
from typedtorch.shapes.ones import counts_items
from typedtorch.shapes.rule import Fields, tuple_text
from typedtorch.shapes.scopes import GIVEN_SCOPE
from typedtorch.shapes.size import Size, axis, integer, is_counted, is_unknown, unknown
from typedtorch.shapes.tensor import ANY_AXES, UNKNOWN, Pack, Scalar, Shape, Tensor, better, pack_index, show

if TYPE_CHECKING:
    from typedtorch.shapes.infer.classes.classes import ClassInfo


def match(spec: Spec, value: Value, names: Names, *, binder: str = "", path: str = "") -> list[Problem]:
    """Contradictions between a promise and a value; binds axis names on the way.

    Nothing is reported for a value of another kind than the annotation: that is a type checker's.
    """
    if value is UNKNOWN or isinstance(spec, specs.Anything):
        if isinstance(spec, ArraySpec):
            match_unknown(spec.axes, names)
        return []
    if isinstance(value, Fields) and not _comparable(spec, value):
        return []
    if isinstance(value, Choice):
        return _match_choice(spec, value, names, binder, path)
    match spec:
        case ArraySpec():
            if isinstance(value, Tensor):
                return match_array(spec, value, names, binder, path)
            if isinstance(value, tuple) and not spec.any_library and spec.shaped:
                return [_other_kind(value, f"annotated a tensor {spec.axes.text!r}", path)]
        case specs.UnionSpec(options=options):
            return _match_union(options, value, names, binder, path)
        case specs.TupleSpec(items=items) if isinstance(value, tuple) and len(items) == len(value):
            return [
                p
                for i, (item, part) in enumerate(zip(items, value, strict=True))
                for p in match(item, part, names, binder=f"{binder}[{i}]", path=f"{path}[{i}]")
            ]
        case specs.TupleSpec(items=items) if isinstance(value, (tuple, Tensor)) and specs.shaped(spec):
            return [_other_kind(value, f"annotated a tuple of {len(items)}", path)]
        case specs.SequenceSpec(element=element):
            return _match_items(element, _items(value), names, binder, path)
        case specs.DictSpec(value=element) if isinstance(value, DictV):
            return _match_items(element, list(_dict_items(value)), names, binder, path)
        case specs.InstanceSpec(info=info) if isinstance(value, DictV) and info.kind.is_typed_dict:
            return _match_keys(info, value, binder, path)
        case specs.CallableSpec() if isinstance(value, FunctionV):
            return _match_function(spec, value, path)
        case specs.AwaitableSpec(result=result) if isinstance(value, Awaitable):
            return match(result, value.value, names, binder=binder, path=path)
        case specs.VariableSpec(name=name, bounded=bounded) if not (bounded and holds_tensors(value)):
            known = names.variables.setdefault(name, value)
            if known is not value:
                names.variables[name] = join(known, value, f"{path}.{name}")
    return []


def _match_keys(info: ClassInfo, value: DictV, binder: str, path: str) -> list[Problem]:
    """A dict where a TypedDict is promised: its keys share axes with each other, and with nobody else."""
    names = Names(lambda name: unknown(f"?{path}.{name}"))
    found: list[Problem] = []
    for key, part in value.items.items():
        spec = info.spec(key) if isinstance(key, str) else None
        if spec is not None:
            found += match(spec, part, names, binder=f"{binder}[{key!r}]", path=f"{path}[{key!r}]")
    return found


def _match_function(spec: specs.CallableSpec, function: FunctionV, path: str) -> list[Problem]:
    """A function with a signature of its own, called with what ``Callable[...]`` says it will be given."""
    if spec.parameters is None or function.overloads or function.is_bound or function.name == "lambda":
        return []
    signature = function.module.program.interpreter.signature(function)
    if signature.is_generator or signature.is_async or not signature.shaped:
        return []
    own, theirs = Names(axis, generic=True), Names(lambda name: unknown(f"?{name}"))
    positional = [p for p in signature.parameters if p.kind == "positional"]
    if len(positional) < len(spec.parameters):
        return []
    for wanted, parameter in zip(spec.parameters, positional, strict=False):
        found = match(parameter.spec, assume(wanted, own, parameter.name), theirs)
        if found:
            return [_of_function(found[0], f"whose {parameter.name}", "is given", path)]
    own.generic = False
    found = match(spec.result, assume(signature.result, theirs), own)
    return [_of_function(found[0], "that", "returns", path)] if found else []


def _of_function(problem: Problem, who: str, verb: str, path: str) -> Problem:
    if problem.kind == "kind":
        text = f"a function {who} {verb} {problem.text}"
    elif problem.kind == "dtype":
        text = f"a function {who} {verb} {dtypes.show(problem.value.dtype)}, wanted {problem.spec.wrapper}"
    else:
        text = f"a function {who} {verb} {show(problem.value.shape)}, wanted {problem.spec.axes.text!r}"
    return Problem("kind", specs.ANY_TENSOR, problem.value, path, text=text)


def _other_kind(value: Value, annotated: str, path: str) -> Problem:
    """A tuple where a tensor was promised, or the other way round: every operator tells them apart."""
    if isinstance(value, Tensor):
        return Problem("kind", specs.ANY_TENSOR, value, path, text=f"one tensor, {annotated}")
    text = f"{tuple_text(value)}, {annotated}"
    return Problem("kind", specs.ANY_TENSOR, Tensor((ANY_AXES,)), path, text=text)


def _dict_items(value: DictV) -> Iterator[tuple[str, Value]]:
    for key, item in value.items.items():
        yield f"[{key!r}]", item
    if value.rest is not None:
        yield "[...]", value.rest


def _match_items(
    element: Spec, items: list[tuple[str, Value]], names: Names, binder: str, path: str
) -> list[Problem]:
    """Names that only the items have are sizes of each: sequences of different lengths, a smaller batch.

    At run time one item of a list is looked at, or each as it comes.
    """
    trials: list[Names] = []
    for place, part in items:
        trials.append(names.copy())
        problems = match(element, part, trials[-1], binder=f"{binder}{place}", path=f"{path}{place}")
        if problems:
            return problems
    if trials:
        names.adopt(*trials)
    return []


def _items(value: Value) -> list[tuple[str, Value]]:
    """The items of a sequence, each with its place in it."""
    if isinstance(value, Sequence) and value.items is None:
        return [("", value.element)]
    items = value.items if isinstance(value, Sequence) else value if isinstance(value, tuple) else None
    return [(f"[{i}]", item) for i, item in enumerate(items or ())]


def _match_choice(spec: Spec, value: Choice, names: Names, binder: str, path: str) -> list[Problem]:
    first: list[Problem] = []
    trials: list[Names] = []
    of_tensors: list[Names] = []
    fits = False
    # a tensor or None: where an array is wanted, None is no more right than a tensor that does not fit
    tensors = isinstance(spec, ArraySpec) and any(isinstance(option, Tensor) for option in value.options)
    for option in value.options:
        if option is None and tensors:
            continue
        trial = names.copy()
        problems = match(spec, option, trial, binder=binder, path=path)
        if not problems:
            fits = True
            if option is not None:
                trials.append(trial)
            if isinstance(option, Tensor):
                of_tensors.append(trial)
        first = first or problems
    if trials:
        if 0 < len(of_tensors) < len(trials):
            names.of_tensors = of_tensors[0].copy()
            names.of_tensors.adopt(*of_tensors)
        names.adopt(*trials)
    return [] if fits else first


def _match_union(
    options: tuple[Spec, ...], value: Value, names: Names, binder: str, path: str
) -> list[Problem]:
    """Any option will do; if none does, the contradiction with the nearest one."""
    if any(_takes_a_number(option, value) for option in options):
        return []
    best: list[Problem] = []
    trials: list[Names] = []
    for option in (o for o in options if _comparable(o, value)):
        trial = names.copy()
        problems = match(option, value, trial, binder=binder, path=path)
        if not problems:
            trials.append(trial)
        elif not best or _distance(problems) < _distance(best):
            best = problems
    if trials:
        names.adopt(*trials)
    return [] if trials else best


def _takes_a_number(option: Spec, value: Value) -> bool:
    """Whether what numpy gives for one item of an array, an ``np.float64``, is what an option wants."""
    if not isinstance(value, Tensor) or value.library != "numpy" or value.shape:
        return False
    named = isinstance(option, specs.ObjectSpec) and option.name.startswith("numpy.")
    return named or isinstance(option, specs.NumberSpec)


def _distance(problems: list[Problem]) -> int:
    return sum({"size": 1, "dtype": 2, "pack": 3, "rank": 4, "kind": 5}[p.kind] for p in problems)


def _comparable(spec: Spec, value: Value) -> bool:
    """Whether a mismatch with this option would be certain."""
    match spec:
        case ArraySpec(library=library):
            return isinstance(value, Tensor) and library in ("any", value.library)
        case specs.NoneSpec():
            return value is None
        case specs.TupleSpec():
            return isinstance(value, tuple)
        case specs.SequenceSpec(kind=kind, element=element):
            # Iterable[Tensor] | Float[Tensor, "3"]: a tensor of any shape is iterable, its items are tensors
            items = kind == "iterator" and not isinstance(element, specs.NumberSpec)
            return isinstance(value, (tuple, Sequence)) or (items and isinstance(value, Tensor))
        case specs.DictSpec():
            return isinstance(value, DictV)
        case specs.InstanceSpec():
            return isinstance(value, Instance)
        case specs.NumberSpec():
            return is_size(value) or isinstance(value, (float, bool, Scalar))
    return False


def match_array(
    spec: ArraySpec, value: Tensor, names: Names, binder: str = "", path: str = ""
) -> list[Problem]:
    """What is wrong with a tensor where an annotation of an array stands; names are bound."""
    if not spec.any_library and spec.library != value.library:
        return []
    if not value.dtype & spec.dtype:
        return [Problem("dtype", spec, value, path)]
    sizes, packs = len(names.sizes), len(names.packs)
    problems = _match_shape(spec, value, names, binder, path)
    if any(p.kind == "size" for p in problems):
        _unbind(names.sizes, sizes)  # what is wrong in itself is not held against the others
        _unbind(names.packs, packs)
    return problems


def _unbind(bound: MutableMapping[str, Any], before: int) -> None:
    """Forget the names that were bound last, all but so many."""
    for name in list(bound)[before:]:
        del bound[name]


def _match_shape(spec: ArraySpec, value: Tensor, names: Names, binder: str, path: str) -> list[Problem]:
    wrong_rank = _check_rank(spec, value, names, path)
    if wrong_rank is not None:
        return [wrong_rank]
    if names.generic:
        _observe_misplaced(spec, value.shape, names)
    dims, variadic = spec.axes.dims, spec.axes.variadic
    head, tail = _seen_ends(spec, value.shape)
    problems = _match_ends(spec, value, names, binder, path, head, tail)
    if variadic is not None and head == variadic and tail == len(dims) - variadic - 1:
        run = value.shape[head : len(value.shape) - tail]
        differs = match_run(dims[variadic], run, names, binder)
        if differs is not None and not problems:
            wanted = expected_shape(spec, names)
            problems.append(Problem("pack", spec, value, path, dims[variadic], wanted=wanted, text=differs))
    if not problems and variadic is None and pack_index(value.shape) is None:
        problems = misaligned(spec, value, names, path)
        if names.strict and not problems:
            problems = misplaced(spec, value, names, path)
    return problems or permuted(spec, value, names, path) or permuted_text(spec, value, names, path)


def _check_rank(spec: ArraySpec, value: Tensor, names: Names, path: str) -> Problem | None:
    """What is wrong where the number of axes certainly is."""
    shape, variadic = value.shape, spec.axes.variadic
    whole = pack_index(shape) is None
    fixed = len(spec.axes.dims) - (variadic is not None)
    known = len(shape) if whole else sum(not isinstance(e, Pack) for e in shape)
    counted = _axes_in_run(spec, names) if whole else None
    count = fixed + (counted or 0)
    too_many = (variadic is None or counted is not None) and known > count
    if not too_many and not (whole and known < count):
        return None
    return Problem("rank", spec, value, path, got=known, expected=count, wanted=expected_shape(spec, names))


def _seen_ends(spec: ArraySpec, shape: Shape) -> tuple[int, int]:
    """How many of the first and of the last axes stand outside runs, in the annotation and in the shape."""
    count, variadic, pack = len(spec.axes.dims), spec.axes.variadic, pack_index(shape)
    head, tail = (count, 0) if variadic is None else (variadic, count - variadic - 1)
    if pack is None:
        return head, tail
    behind = len(shape) - 1 - max(i for i, e in enumerate(shape) if isinstance(e, Pack))
    seen = min(head, pack)
    return seen, min(head - seen if variadic is None else tail, behind)


def _match_ends(
    spec: ArraySpec, value: Tensor, names: Names, binder: str, path: str, head: int, tail: int
) -> list[Problem]:
    """What differs among the first and among the last axes."""
    dims, problems = spec.axes.dims, []
    for place in (*range(head), *range(-tail, 0)):
        entry = value.shape[place]
        if isinstance(entry, Pack):
            continue
        differs = _match_dim(dims[place], entry, names, binder)
        if differs is not None:
            expected, who = differs
            shown = shown_shape(spec, names, binder)
            problems.append(
                Problem(
                    "size", spec, value, path, dims[place], place % len(dims), expected, entry, who, shown
                )
            )
    return problems


def _axes_in_run(spec: ArraySpec, names: Names) -> int | None:
    """How many axes a run is taken for in this evaluation, where no more may stand in its place."""
    dim = None if spec.axes.variadic is None else spec.axes.dims[spec.axes.variadic]
    if dim is None or dim.name not in names.spread or dim.broadcastable or dim.treepath:
        return None
    run = names.packs.get(dim.name, (ANY_AXES,))
    return len(run) if pack_index(run) is None else None


def _observe_misplaced(spec: ArraySpec, shape: Shape, names: Names) -> None:
    """A name that only the result has, and the integer of that name somewhere in what is returned."""
    for dim in spec.axes.dims:
        if dim.kind == "named" and not dim.variadic and dim.name not in names.sizes:
            number = integer(dim.name)
            if number in shape:
                observe(axis(dim.name), number)


def _match_dim(dim: Dim, size: Size, names: Names, binder: str) -> tuple[Size, str | None] | None:
    """The size the annotation wants and who bound it, where ``size`` certainly differs."""
    if dim.kind == "anonymous" or dim.treepath or (dim.broadcastable and (size == 1 or is_unknown(size))):
        return None
    if dim.kind == "fixed":
        expected: Size | None = dim.size
    elif dim.kind == "symbolic":
        expected = evaluate(dim, names.sizes.get, names.brace)
    else:
        expected = names.sizes.get(dim.name)
        if expected is None:
            names.sizes[dim.name] = size
            names.binders[dim.name] = binder
            observe(axis(dim.name, GIVEN_SCOPE), size)
            return None
    if expected is None:
        return None
    verdict = same(expected, size)
    one = dim.kind == "fixed" and expected == 1 and not names.dispatched
    if verdict is None and names.tied is not None and names.tied(expected, size):
        return None
    if verdict is None and (names.strict or one):
        # a caller's name for what the callee wants to be a number may only say too little; a function's
        # own result may not
        verdict = False if name_against_number(expected, size) else None
    if verdict is None and names.tie is not None and not names.tie(expected, size):
        verdict = False
    if verdict is None and names.strict and is_counted(expected) and counts_items(size):
        # the longest of several is not how many there are, where the result has both under two names
        verdict = False if size in names.sizes.values() else None
    if verdict is False:
        return expected, names.binders.get(dim.name)
    if verdict is None and dim.kind == "named":
        names.sizes[dim.name] = better(expected, size)
    return None


__all__ = ["match", "match_array"]
