"""What is settled before mypy reads a module: options, and environments in which nothing can be right."""

from __future__ import annotations

from pathlib import Path

from mypy.errors import CompileError
from mypy.modulefinder import get_search_dirs
from mypy.options import Options

from typedtorch.mypy_plugin import messages
from typedtorch.shapes import config


def configuration(options: Options) -> config.Config:
    """The table ``[tool.typedtorch]`` that stands beside mypy's own configuration or above it.

    Raises:
        CompileError: the table is wrong; mypy shows the text and stops.
    """
    folder = Path(options.config_file).parent if options.config_file else Path()
    try:
        return config.load(folder, messages.CODES)
    except config.ConfigError as error:
        raise CompileError([_as_error(str(error))], use_stdout=False) from None


def refuse_shadowing_stubs(options: Options) -> None:
    """Stop with one clear sentence where mypy would stop with a wrong one.

    Raises:
        CompileError: stubs that mypy cannot read take the place of torch.
    """
    for folder in _search_path(options):
        stubs = folder / "torch-stubs"
        if stubs.is_dir() and any(folder.glob("pyrefly_torch_stubs-*.dist-info")):
            raise CompileError([f"error: {messages.shadowing_stubs(str(stubs))}"], use_stdout=False)


def quieten_torch(options: Options) -> None:
    """``loss.backward()`` and its like have no annotations in torch, which is no fault of the caller."""
    if "torch" not in options.untyped_calls_exclude:
        options.untyped_calls_exclude.append("torch")


def _search_path(options: Options) -> list[Path]:
    """Folders in which mypy looks for installed packages; mypy asks the interpreter once and remembers."""
    if options.python_executable is None or options.no_site_packages:
        return []
    _, packages = get_search_dirs(options.python_executable)
    return [Path(folder) for folder in packages]


def _as_error(text: str) -> str:
    """``file:line: text`` in mypy's form ``file:line: error: text``."""
    where, separator, what = text.partition(": ")
    return f"{where}: error: {what}" if separator else f"error: {text}"
