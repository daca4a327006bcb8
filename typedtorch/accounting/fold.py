"""Repeated blocks are run five times, however many there are.

Five, because the first and the last are special (no gradient below, no block above) and the middle one
must have a neighbour of its own kind on either side: what it repeats is then known
(:mod:`unfold` writes the repetitions into the trace).  Blocks are folded only where the source shows
that the program does nothing but go through them in order; anything else is run in full.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from torch import nn

KEPT = 5
_FEWEST = KEPT + 2
# attributes that only say where a block stands
_PLAIN = (int, float, str, bool, tuple, type(None))
_POSITIONS = {"layer_idx", "layer_id", "layer_index", "layer_number", "idx", "index", "layer", "block_idx"}


@dataclass(frozen=True)
class Run:
    """A container's blocks ``first`` to ``first + count`` are alike; ``path`` is the container's."""

    container: nn.Module
    path: str
    names: tuple[str, ...]
    first: int
    count: int

    @property
    def kept(self) -> tuple[str, ...]:
        """Names of the blocks that are run: three from the start, two from the end."""
        run = self.names[self.first : self.first + self.count]
        return (*run[:3], *run[-2:])

    @property
    def copies(self) -> tuple[str, ...]:
        """Names of the blocks that are not."""
        return self.names[self.first + 3 : self.first + self.count - 2]


def runs(module: nn.Module) -> list[Run]:
    """Where the module repeats a block; outer repetitions win over inner ones."""
    found: list[Run] = []
    parents = {id(c): (p, name) for p in module.modules() for name, c in p._modules.items() if c is not None}
    for path, container in module.named_modules():
        if any(path.startswith(f"{run.path}.") or path == run.path for run in found):
            continue
        if isinstance(container, (nn.ModuleList, nn.Sequential)) and len(container) >= _FEWEST:
            parent = parents.get(id(container))
            if _only_iterated(container, parent):
                found.extend(_alike(container, path))
    return found


def _alike(container: nn.Module, path: str) -> Iterator[Run]:
    blocks = list(container._modules.items())
    names = tuple(name for name, _ in blocks)
    start = 0
    signatures = [_signature(block) for _, block in blocks]
    shared = _shared(container)
    while start < len(blocks):
        end = start
        while end < len(blocks) and signatures[end] == signatures[start]:
            end += 1
        if end - start >= _FEWEST and not shared:
            yield Run(container, path, names, start, end - start)
            return
        start = end


def _shared(container: nn.Module) -> bool:
    """Whether two blocks own one parameter."""
    seen: set[int] = set()
    for block in container._modules.values():
        own = {id(p) for p in block.parameters()} if block is not None else set()
        if own & seen:
            return True
        seen |= own
    return False


def _signature(module: nn.Module | None) -> Any:
    """Equal for blocks that do the same with other weights."""
    if module is None:
        return None
    plain = {
        k: v for k, v in vars(module).items()
        if not k.startswith("_") and k not in _POSITIONS and isinstance(v, _PLAIN)
    }  # fmt: skip
    tensors = [
        (name, tuple(t.shape), t.dtype, t.requires_grad) if t is not None else (name,)
        for table in (module._parameters, module._buffers) for name, t in table.items()
    ]  # fmt: skip
    hooks = len(module._forward_hooks), len(module._forward_pre_hooks), len(module._backward_hooks)
    children = tuple((name, _signature(child)) for name, child in module._modules.items())
    return type(module), tuple(sorted(plain.items(), key=str)), tuple(tensors), hooks, children


def _only_iterated(container: nn.Module, parent: tuple[nn.Module, str] | None) -> bool:
    """Whether the program goes through the blocks in order and asks nothing else of the container."""
    if isinstance(container, nn.Sequential) and type(container).forward is nn.Sequential.forward:
        if parent is None:
            return True
        owner, name = parent
        if isinstance(owner, (nn.Sequential, nn.ModuleList)):
            return True
        return _uses(type(owner), name)
    return (
        parent is not None and not isinstance(parent[0], nn.ModuleList) and _uses(type(parent[0]), parent[1])
    )


def _uses(cls: Any, name: str) -> bool:
    """Whether every use of ``self.name`` reachable from ``forward`` is ``for x in self.name`` or a call."""
    pending, seen = ["forward"], set()
    while pending:
        method = pending.pop()
        if method in seen:
            continue
        seen.add(method)
        tree = _tree(getattr(cls, method, None))
        if tree is None:
            return False
        allowed = {id(node) for node in _allowed(tree, name)}
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
                continue
            if node.attr == name and id(node) not in allowed:
                return False
            if node.value.id == "self" and inspect.isfunction(inspect.getattr_static(cls, node.attr, None)):
                pending.append(node.attr)
    return True


def _allowed(tree: ast.AST, name: str) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        source = node.iter if isinstance(node, ast.For) else node.func if isinstance(node, ast.Call) else None
        if (
            isinstance(source, ast.Subscript)
            and isinstance(source.slice, ast.Slice)
            and source.slice.lower is None
        ):
            source = source.value
        if isinstance(source, ast.Attribute) and source.attr == name:
            yield source


def _tree(function: Any) -> ast.AST | None:
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    except (OSError, TypeError, SyntaxError, IndentationError):
        return None


@contextlib.contextmanager
def folded(found: list[Run]) -> Iterator[None]:
    """Only the kept blocks are in their containers until the block ends."""
    saved = [(run.container, dict(run.container._modules)) for run in found]
    try:
        for run in found:
            blocks = run.container._modules
            run_names = set(run.copies)
            left = [block for name, block in blocks.items() if name not in run_names]
            blocks.clear()
            blocks.update({str(i): block for i, block in enumerate(left)})
        yield
    finally:
        for container, blocks in saved:
            container._modules.clear()
            container._modules.update(blocks)
