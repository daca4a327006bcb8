"""What is settled before mypy reads a module: options, and environments in which nothing can be right."""

from __future__ import annotations

from pathlib import Path

from mypy.errors import CompileError
from mypy.modulefinder import get_search_dirs
from mypy.options import Options

from typedtorch.mypy_plugin import messages
from typedtorch.shapes import config


class Start:
    """Options, and what makes a run pointless, if anything does.

    A plugin that raises while it is constructed is announced as broken; so the run is stopped by the first
    hook that mypy calls.
    """

    def __init__(self, options: Options) -> None:
        quieten_torch(options)
        folder = Path(options.config_file).parent if options.config_file else Path()
        self.config = config.Config(folder.absolute())
        self._problem = _shadowing_stubs(options)
        try:
            self.config = config.load(folder, messages.CODES)
        except config.ConfigError as error:
            self._problem = _as_error(str(error))

    def refuse(self) -> None:
        """Stop the run with one line.

        Raises:
            CompileError: the options are wrong, or stubs that mypy cannot read take the place of torch.
        """
        if self._problem is not None:
            raise CompileError([self._problem], use_stdout=False)


def _shadowing_stubs(options: Options) -> str | None:
    for folder in _search_path(options):
        stubs = folder / "torch-stubs"
        if stubs.is_dir() and any(folder.glob("pyrefly_torch_stubs-*.dist-info")):
            return f"mypy: error: {messages.shadowing_stubs(str(stubs))}"
    return None


def quieten_torch(options: Options) -> None:
    """``loss.backward()`` and its like have no annotations in torch, which is no fault of the caller.

    The list is made anew: the daemon holds on to the old one, and restarts where it finds it changed.
    """
    if "torch" not in options.untyped_calls_exclude:
        options.untyped_calls_exclude = [*options.untyped_calls_exclude, "torch"]


def _search_path(options: Options) -> list[Path]:
    """Folders in which mypy looks for installed packages; mypy asks the interpreter once and remembers."""
    if options.python_executable is None or options.no_site_packages:
        return []
    _, packages = get_search_dirs(options.python_executable)
    return [Path(folder) for folder in packages]


def _as_error(text: str) -> str:
    """``file:line: text`` in mypy's form ``file:line: error: text``."""
    where, separator, what = text.partition(": ")
    return f"{where}: error: {what}" if separator else f"mypy: error: {text}"
