"""pytest: ``--typedtorch-check=mypackage`` checks the array annotations of a package during its tests.

The same in ``pytest.ini`` or ``pyproject.toml``: ``typedtorch_check = ["mypackage"]``.  No decorator is
needed; the package must not be imported before pytest starts (by another plugin, say).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from typedtorch.runtime.hook import Hook

_HOOK: pytest.StashKey[Hook | None] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the option and its entry in the ini file."""
    group = parser.getgroup("typedtorch")
    group.addoption(
        "--typedtorch-check", action="append", default=[], metavar="PACKAGES",
        help="check the jaxtyping annotations of these packages (comma separated) at each call",
    )  # fmt: skip
    parser.addini(
        "typedtorch_check", "packages whose jaxtyping annotations are checked", type="args", default=[]
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Install the import hook before any conftest imports a package."""
    early_config.stash[_HOOK] = None
    given = [*early_config.known_args_namespace.typedtorch_check, *early_config.getini("typedtorch_check")]
    packages = [name.strip() for names in given for name in names.split(",") if name.strip()]
    if not packages:
        return
    from typedtorch.runtime.hook import install  # noqa: PLC0415 - sessions that check nothing load nothing

    try:
        early_config.stash[_HOOK] = install(dict.fromkeys(packages))
    except ImportError as error:
        raise pytest.UsageError(f"--typedtorch-check: {error}") from None


def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave imports after the session alone."""
    hook = config.stash.get(_HOOK, None)
    if hook is not None:
        hook.uninstall()


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say what is checked."""
    hook = config.stash.get(_HOOK, None)
    return None if hook is None else f"typedtorch: checking {', '.join(hook.packages)}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Point out a package that was named and never imported: most likely a misspelling."""
    hook = config.stash.get(_HOOK, None)
    if hook is None or config.pluginmanager.hasplugin("dsession"):
        return  # under xdist the workers import, not this process
    for package in hook.packages:
        if not any(name == package or name.startswith(package + ".") for name in hook.seen):
            terminalreporter.write_line(f"typedtorch: nothing was imported from {package!r}: nothing checked")
