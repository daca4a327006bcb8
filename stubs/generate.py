"""Writes a partial ``torch-stubs`` package (PEP 561): a module's call has the type of its ``forward``.

    python stubs/generate.py                  # from the torch of this interpreter
    pip install build/torch-stubs             # into the environment that the type checker looks into

``torch.nn.Module.__call__`` is ``Callable[..., Any]`` in torch, so type checkers let every call of every
module pass.  The package replaces one file, ``torch/nn/modules/module.py``, by stubs with the same names, in
which ``__call__`` is a descriptor: read from an instance it is that instance's ``forward``.  It needs no list
of classes and holds for torch's layers as for those of a program.  Overloads and type variables of
``forward`` are kept.  torch's own ``.pyi`` files are repeated beside it unchanged, since pyright sees none of
them once a partial package of that name is installed.

Generated anew for each version of torch, from its sources and without importing it.
"""

from __future__ import annotations

import argparse
import ast
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from mypy import stubgen

MODULE = Path("nn", "modules", "module.py")
CALL = """
_ForwardT = TypeVar('_ForwardT', bound=Callable[..., Any])
_ForwardT_co = TypeVar('_ForwardT_co', covariant=True)

class _HasForward(Protocol[_ForwardT_co]):
    @property
    def forward(self) -> _ForwardT_co: ...

class _Call:
    @overload
    def __get__(self, instance: None, owner: Any, /) -> _Call: ...
    @overload
    def __get__(self, instance: _HasForward[_ForwardT], owner: Any = ..., /) -> _ForwardT: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

"""
# What torch leaves to be inferred from bodies, which stubs do not have.
RETURNS = {
    "load_state_dict": "_IncompatibleKeys",
    "named_modules": "Iterator[tuple[str, Module]]",
    "_get_name": "str",
}
PROJECT = """\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "typedtorch-torch-stubs"
version = "{version}"
description = "Calls of torch modules typed by their forward, generated from torch {version}."
requires-python = ">=3.11"
dependencies = ["torch=={series}.*"]

[tool.setuptools]
packages = ["torch-stubs"]

[tool.setuptools.package-data]
"torch-stubs" = ["py.typed", "**/*.pyi"]
"""


class GenerateError(RuntimeError):
    """torch is missing, or its sources are not what the generator knows."""


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", nargs="?", type=Path, default=Path("build", "torch-stubs"), metavar="FOLDER")
    parser.add_argument("--torch", type=Path, metavar="FOLDER", help="the torch package (default: installed)")
    options = parser.parse_args(argv)
    try:
        written = generate(options.torch or installed(), options.out)
    except GenerateError as error:
        print(f"{parser.prog}: error: {error}", file=sys.stderr)
        return 2
    print(f"{written}: pip install {options.out}")
    return 0


def installed() -> Path:
    """The folder of the torch that this interpreter would import.

    Raises:
        GenerateError: there is none.
    """
    spec = find_spec("torch")
    if spec is None or spec.origin is None:
        raise GenerateError(f"torch is not installed for {sys.executable}; --torch names its folder")
    return Path(spec.origin).parent


def generate(torch: Path, out: Path) -> Path:
    """Write the package for the torch in a folder, as a project that pip installs; its folder is returned.

    Raises:
        GenerateError: the folder holds no torch, or one whose ``Module`` looks different.
    """
    version = torch_version(torch)
    stubs = out / "torch-stubs"
    shutil.rmtree(stubs, ignore_errors=True)
    for path in sorted(torch.rglob("*.pyi")):
        _write(stubs / path.relative_to(torch), path.read_text(encoding="utf-8"))
    _write(stubs / MODULE.with_suffix(".pyi"), typed_call(module_stub(torch / MODULE), version))
    _write(stubs / "py.typed", "partial\n")
    series = ".".join(version.split(".")[:2])
    _write(out / "pyproject.toml", PROJECT.format(version=version, series=series))
    return stubs


def torch_version(torch: Path) -> str:
    """The public part of torch's version, without what says how it was built."""
    try:
        text = (torch / "version.py").read_text(encoding="utf-8")
        (torch / MODULE).stat()
    except OSError as error:
        raise GenerateError(f"{torch} is not a torch package: {error.filename} is missing") from None
    match = re.search(r"^__version__ = ['\"]([\w.]+)", text, re.M)
    if match is None:
        raise GenerateError(f"{torch / 'version.py'} does not say its __version__")
    return match[1]


def module_stub(source: Path) -> str:
    """What mypy's stubgen makes of a file, private names and ``__all__`` included."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["--include-private", "--parse-only", "--quiet", "--output", folder]
        stubgen.main([*arguments, str(source)])
        (written,) = Path(folder).rglob("*.pyi")
        text = written.read_text(encoding="utf-8")
    names = exported(ast.parse(source.read_text(encoding="utf-8")))
    return text.replace("__all__: Incomplete\n", f"__all__ = {names!r}\n")


def exported(tree: ast.Module) -> list[str]:
    """The names in ``__all__``."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return [str(name) for name in ast.literal_eval(node.value)]
    return []


def typed_call(stub: str, version: str) -> str:
    """The stubs of ``module.py`` with a typed ``__call__``.

    Raises:
        GenerateError: there is not exactly one place where it belongs.
    """
    text, calls = re.subn(r"^    __call__: Callable\[\.\.\., Any\]$", "    __call__: _Call", stub, flags=re.M)
    text, classes = re.subn(r"^class Module:\n", lambda found: CALL.lstrip() + found[0], text, flags=re.M)
    text, imports = re.subn(r"^from typing import (.*)$", _with_protocol, text, flags=re.M)
    if (calls, classes, imports) != (1, 1, 1):
        raise GenerateError(f"torch {version}: {MODULE} declares Module.__call__ in a way that is not known")
    for name, returns in RETURNS.items():
        text = re.sub(rf"^(    def {name}\(.*\)): \.\.\.$", rf"\1 -> {returns}: ...", text, flags=re.M)
    return f"# Generated by typedtorch from torch {version}: stubs/generate.py makes it anew.\n{text}"


def _with_protocol(found: re.Match[str]) -> str:
    names = {*found[1].split(", "), "Any", "Protocol", "TypeVar", "overload"}
    return f"from typing import {', '.join(sorted(names))}"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
