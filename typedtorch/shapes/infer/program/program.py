"""The program as text: modules found by name, their top-level names resolved on demand.

A module other than the one being checked is never run: each top-level name is resolved to a value
when somebody asks for it, through its ``import``, ``def``, ``class`` or single assignment.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from typedtorch.shapes import dtypes, syntax
from typedtorch.shapes.findings import Coverage, Finding, Report
from typedtorch.shapes.infer.classes.given_sizes import attributes_in
from typedtorch.shapes.infer.program.bindings import Binding, bindings_of
from typedtorch.shapes.infer.program.index import Facts, facts_of
from typedtorch.shapes.infer.program.stars import find_in_stars
from typedtorch.shapes.infer.values.values import External, Value, join_all
from typedtorch.shapes.sources import text_of
from typedtorch.shapes.syntax import Syntax
from typedtorch.shapes.tensor import UNKNOWN

# Packages whose meaning comes from rules, never from their source.
EXTERNAL = frozenset(
    {
        "torch", "numpy", "jaxtyping", "einops", "typing", "typing_extensions", "builtins", "math",
        "functools",
        "itertools", "collections", "contextlib", "dataclasses", "abc", "enum", "operator", "copy", "os",
        "sys",
        "beartype", "typeguard", "warnings", "logging", "random", "re", "time", "pathlib", "json", "types",
        "torchvision", "torchaudio", "transformers", "jax", "scipy", "pandas", "matplotlib", "tqdm", "pytest",
        "sympy", "tensorflow", "sklearn", "PIL", "cv2", "lightning", "pytorch_lightning", "accelerate",
        "triton", "mypy", "pydantic", "strenum", "attr", "attrs", "wandb", "datasets", "hydra", "omegaconf",
    }
)  # fmt: skip

_CANONICAL = (
    ("torch.nn.modules.", "torch.nn."),
    ("torch.functional.", "torch."),
    ("torch._tensor.", "torch."),
    ("torch._C._nn.", "torch.nn.functional."),
    ("torch._C._VariableFunctions.", "torch."),
    ("einops.einops.", "einops."),
    ("typing_extensions.", "typing."),
    ("collections.abc.", "typing."),
    ("numpy.typing.", "numpy.typing."),
    ("torch.nn.parameter.", "torch.nn."),
    ("torch.optim.optimizer.", "torch.optim."),
)


# Of this package, what stands around a program's own code: to the engine a module, and a decorator.
OURS = {
    **dict.fromkeys(
        ("typedtorch.Module", "typedtorch.nn.Module", "typedtorch.nn.module.Module"), "torch.nn.Module"
    ),
    **dict.fromkeys(
        ("typedtorch.typed", "typedtorch.runtime.typed", "typedtorch.runtime.decorate.typed"),
        "typedtorch.typed",
    ),
}


def canonical(name: str) -> str:
    """The public name of something torch or einops defines elsewhere.

    >>> canonical("torch.nn.modules.linear.Linear"), canonical("torch.nn.parameter.Parameter")
    ('torch.nn.Linear', 'torch.nn.Parameter')
    """
    if name in OURS:
        return OURS[name]
    for prefix, public in _CANONICAL:
        if name.startswith(prefix):
            rest = name.removeprefix(prefix)
            return public + (rest.rpartition(".")[2] if "modules" in prefix else rest)
    return name


@dataclass(slots=True, eq=False)
class Module:
    """One source file."""

    name: str
    path: str
    text: str
    syntax: Syntax
    program: Program
    is_package: bool = False
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    resolved: dict[str, Value] = field(default_factory=dict)
    resolving: set[str] = field(default_factory=set)
    asked_before: Set[str] = frozenset()  # names, of this module as it was read the first time
    _annotates: bool | None = None
    _overridden: dict[str, set[str]] | None = None
    _integers: Mapping[str, frozenset[str]] | None = None
    _facts: dict[int, Facts] = field(default_factory=dict)

    @property
    def tree(self) -> ast.Module:
        """The module's syntax tree."""
        return self.syntax.tree

    def facts(self, node: ast.AST) -> Facts:
        """What the text of one of the module's functions says about names."""
        known = self._facts.get(id(node))
        if known is None:
            known = self._facts[id(node)] = facts_of(node, self.syntax)
        return known

    @property
    def annotates_shapes(self) -> bool:
        """Whether the text may annotate shapes anywhere."""
        if self._annotates is None:
            self._annotates = _WRAPPED.search(self.text) is not None
        return self._annotates

    @property
    def integers_given(self) -> Mapping[str, frozenset[str]]:
        """Of names, the attributes with which the module makes layers."""
        if self._integers is None:
            self._integers = attributes_in(self.syntax.nodes, self.facts(self.tree).given)
        return self._integers

    def overridden(self, class_name: str) -> Set[str]:
        """Methods of a class that some class of this module overrides."""
        if self._overridden is None:
            self._overridden = _overridden(self.syntax.nodes)
        return self._overridden.get(class_name, frozenset())

    def lookup(self, name: str) -> Value:
        """The value of a top-level name; UNKNOWN where it cannot be seen."""
        if name in self.resolved:
            return self.resolved[name]
        found = self.find(name)
        return _builtin(name) if found is None else found[0]

    def find(self, name: str) -> tuple[Value] | None:
        """Like ``lookup``, but None where the module does not define the name."""
        if name in self.resolved:
            return (self.resolved[name],)
        if name in self.resolving:
            return (UNKNOWN,)
        bindings = self.bindings.get(name)
        if not bindings:
            return None if name.startswith("_") else find_in_stars(self, name)
        self.resolving.add(name)
        try:
            with self.program.interpreter.apart():
                value = self._resolve(name, bindings)
        finally:
            self.resolving.discard(name)
        self.resolved[name] = value
        return (value,)

    def was_asked(self, name: str) -> bool:
        """Whether anybody has asked for a top-level name yet."""
        return name in self.resolved or name in self.asked_before

    def _resolve(self, name: str, bindings: list[Binding]) -> Value:
        last = bindings[-1]
        if last.kind == "def" and all(b.kind == "def" for b in bindings):
            ways = [[b for b in bindings if b.fallback is other] for other in (False, True)]
            return join_all([self._function(way) for way in ways if way], f"{self.name}.{name}")
        preferred = [b for b in bindings if not b.fallback] or bindings
        if len(preferred) > 1 and self._rebinds_itself(name, preferred[-1]):
            return self._rebound(name, preferred)
        values = [self._value(name, b) for b in preferred]
        if preferred[-1].kind in ("def", "class"):
            return values[-1]
        known = [v for v in values if v is not UNKNOWN]
        if len(known) < len(values):
            return UNKNOWN
        return join_all(values, f"{self.name}.{name}")

    def _rebinds_itself(self, name: str, binding: Binding) -> bool:
        """``Float = Wrapper(Float)`` at the top level: the name changes its meaning for good."""
        if binding.kind != "assign" or not any(binding.node is s for s in self.tree.body):
            return False
        value = getattr(binding.node, "value", None)
        return value is not None and any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(value))

    def _rebound(self, name: str, bindings: list[Binding]) -> Value:
        self.resolved[name] = self._resolve(name, bindings[:-1])
        try:
            return self._value(name, bindings[-1])
        finally:
            del self.resolved[name]

    def _function(self, bindings: list[Binding]) -> Value:
        return self.program.interpreter.define_functions(
            [b.node for b in bindings if isinstance(b.node, (ast.FunctionDef, ast.AsyncFunctionDef))], self
        )

    def _value(self, name: str, binding: Binding) -> Value:
        match binding.kind:
            case "def":
                return self._function([binding])
            case "class":
                assert isinstance(binding.node, ast.ClassDef)
                return self.program.interpreter.define_class(binding.node, self)
            case "import":
                return self.program.import_module(binding.alias[0])
            case "from":
                module, attribute = binding.alias
                return self.program.import_from(module, attribute or "")
            case "assign" | "annotated":
                return self.program.interpreter.evaluate_global(binding.node, binding.target, name, self)
        return UNKNOWN

    def absolute(self, node: ast.ImportFrom) -> str:
        """The dotted name of the module an ``from . import`` refers to."""
        if not node.level:
            return node.module or ""
        parts = self.name.split(".")
        keep = len(parts) - node.level + (1 if self.is_package else 0)
        base = parts[: max(keep, 0)]
        return ".".join([*base, *([node.module] if node.module else [])])


@lru_cache(maxsize=4096)
def _builtin(name: str) -> Value:
    known = hasattr(builtins, name) or name == "reveal_type"
    return External(f"builtins.{name}") if known else UNKNOWN


class Program:
    """All modules of one run, found through ``find`` and kept by content."""

    def __init__(self, find: Callable[[str], Path | None], options: Options | None = None) -> None:
        from typedtorch.shapes.infer.interpreter import Interpreter  # noqa: PLC0415 - it holds a Program

        self._find = find
        self.options = options or Options()
        self._modules: dict[str, Module | None] = {}
        # by module with tables, the modules that may put definitions into them, and those definitions
        self.registered: dict[str, set[tuple[str, str]]] = {}
        self.interpreter = Interpreter(self)

    def module(self, name: str) -> Module | None:
        """The module of a dotted name, parsed; None where there is no source to read."""
        if name in self._modules:
            return self._modules[name]
        self._modules[name] = None
        path = self._find(name) if name else None
        if path is not None:
            self._modules[name] = self.load(name, path)
        return self._modules[name]

    def load(self, name: str, path: Path, text: str | None = None) -> Module | None:
        """Read and parse one file under this name; None if it is not Python."""
        try:
            source = text_of(path) if text is None else text
            parsed = syntax.read(source, str(path))
        except (OSError, SyntaxError, ValueError, RecursionError):
            return None
        module = Module(name, str(path), source, parsed, self, path.stem == "__init__")
        for binding_name, binding in bindings_of(parsed.tree.body, module.absolute):
            if binding_name == "*":
                module.stars.append(binding.alias[0])
            else:
                module.bindings.setdefault(binding_name, []).append(binding)
        for node in parsed.nodes if "global " in source else ():  # functions bind those names anew
            for global_name in node.names if isinstance(node, ast.Global) else ():
                known = module.bindings.get(global_name, [])
                if known and known[-1].kind == "assign":
                    known.append(Binding("other", node))
        return module

    def check(self, name: str, path: Path, text: str | None = None) -> Report:
        """Check one module; other modules are read through ``find``."""
        from typedtorch.shapes.infer.checking import check_module  # noqa: PLC0415 - it runs this program

        module = self.load(name, path, text)
        if module is None:
            return _broken(path, text)
        self.adopt(module)
        return check_module(module)

    def adopt(self, module: Module) -> None:
        """Let a module that was loaded answer to its name."""
        known = self._modules.get(module.name)
        if known is not None:
            module.asked_before = known.resolved.keys() | known.asked_before
        self._modules[module.name] = module

    @property
    def asked(self) -> Set[str]:
        """Names of the modules that have been asked for, those that are not there among them."""
        return self._modules.keys()

    def known(self, name: str) -> Module | None:
        """A module that has been read; None of one that nobody asked for, too."""
        return self._modules.get(name)

    def import_module(self, name: str) -> Value:
        """What ``import a.b`` gives for the name ``a.b``."""
        if name.partition(".")[0] in EXTERNAL:
            return External(canonical(name))
        module = self.module(name)
        return External(name) if module is None else ModuleV(module)

    def import_from(self, module_name: str, attribute: str) -> Value:
        """What ``from module import attribute`` gives."""
        if module_name.partition(".")[0] in EXTERNAL:
            return self.interpreter.external_attribute(canonical(f"{module_name}.{attribute}"))
        if f"{module_name}.{attribute}" in OURS:
            return External(OURS[f"{module_name}.{attribute}"])
        module = self.module(module_name)
        if module is not None and attribute not in module.resolving:  # ``from . import x`` in a package
            found = module.find(attribute)
            if found is not None:
                return found[0]
        submodule = self.module(f"{module_name}.{attribute}")
        if submodule is not None:
            return ModuleV(submodule)
        return UNKNOWN if module is not None else External(f"{module_name}.{attribute}")


@dataclass(frozen=True, slots=True, eq=False)
class ModuleV:
    """A module of the program, as a value."""

    module: Module


@dataclass(frozen=True, slots=True)
class Options:
    """What a user can choose."""

    disable: frozenset[str] = frozenset()


_WRAPPED = re.compile(r"jaxtyping|\b(?:" + "|".join(dtypes.WRAPPERS) + r")\b")


def _overridden(nodes: list[ast.AST]) -> dict[str, set[str]]:
    """By class name, what its direct and indirect subclasses in one file define."""
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    defined: dict[str, set[str]] = {}
    bases: dict[str, set[str]] = {}
    for node in classes:
        defined.setdefault(node.name, set()).update(
            n.name for n in node.body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))
        )
        bases.setdefault(node.name, set()).update(ast.unparse(b).rpartition(".")[2] for b in node.bases)
    found: dict[str, set[str]] = {}
    for name, methods in defined.items():
        todo, seen = list(bases[name]), {name}
        while todo:
            base = todo.pop()
            if base not in seen:
                seen.add(base)
                found.setdefault(base, set()).update(methods)
                todo.extend(bases.get(base, ()))
    return found


def _broken(path: Path, text: str | None) -> Report:
    """A file that is not Python is a finding, not a crash."""
    try:
        ast.parse(text_of(path) if text is None else text)
    except SyntaxError as error:
        line, column = error.lineno or 1, max((error.offset or 1) - 1, 0)
        message = f"cannot be read as Python: {error.msg}"
    except (OSError, ValueError, RecursionError) as error:
        line, column, message = 1, 0, f"cannot be read: {error}"
    else:
        line, column, message = 1, 0, "cannot be read as Python"
    return Report([Finding(str(path), line, column, line, column + 1, "syntax", message)], Coverage())


__all__ = [
    "EXTERNAL",
    "OURS",
    "Module",
    "ModuleV",
    "Options",
    "Program",
    "canonical",
]
