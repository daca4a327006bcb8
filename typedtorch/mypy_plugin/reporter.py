"""Runs the engine over a module and hands its findings to mypy as errors of mypy's own.

mypy asks for indirect dependencies of each module right after it has checked it and before its errors are
shown and cached.  What is reported in that moment is treated as any error is: ignored by comment, replayed
from the cache, sent home by a worker.  All that this assumes of mypy's internals stands in this file.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from mypy import errorcodes
from mypy.errors import Errors
from mypy.nodes import MypyFile
from mypy.options import Options
from mypy.plugin import AnalyzeTypeContext, Plugin
from mypy.types import Type

from typedtorch.mypy_plugin import messages, removals, store, workers
from typedtorch.mypy_plugin.ahead import Ahead, worth_starting
from typedtorch.mypy_plugin.kept_facts import KeptFacts, Written
from typedtorch.mypy_plugin.telling import imports_torch, renew_unused_ignores, report_finding, told
from typedtorch.mypy_plugin.turns import Turns
from typedtorch.mypy_plugin.unreachable import unreachable_lines
from typedtorch.shapes import texts
from typedtorch.shapes.answers import Answer, Kept, Stamp, stamp
from typedtorch.shapes.config import Config
from typedtorch.shapes.conftests import beside_tests
from typedtorch.shapes.cores import ONE_MORE
from typedtorch.shapes.findings import Finding
from typedtorch.shapes.garbage import uncollected
from typedtorch.shapes.sources import Sources, is_installed, text_of
from typedtorch.shapes.texts import Texts

if TYPE_CHECKING:
    from typedtorch.shapes.ignores import Ignores
    from typedtorch.shapes.infer import Reach

# Whether mypy asks once a module is checked; before 2.4 it does not, see older.py.
LAST_WORD = hasattr(Plugin, "get_additional_indirect_deps")

# Modules the engine knows by rule and must not read; torch's sources would say less than the rules do.
_BY_RULE = {"torch", "einops", "jaxtyping", "numpy", "beartype", "builtins", "typing", "typing_extensions"}


class Reporter:
    """One per build.  ``modules`` is mypy's table of loaded modules, ``errors`` where it collects errors."""

    def __init__(self, options: Options, config: Config) -> None:
        self.options = options
        self.config = config
        self.errors: Errors | None = None
        self.modules: dict[str, MypyFile] = {}
        self.knows_all = True  # modules of the build: what is found where it does not is kept by nobody
        self.watch: Callable[[Errors], None] = lambda errors: None  # is told of the Errors
        self._ahead = Ahead()
        self._cached: dict[str, str] = {}  # modules that mypy has results of already, and their files
        self._conftests: dict[str, str] = {}
        self._importing = False  # mypy has read what it was given, and now reads what that imports
        self._silent: dict[str, bool] = {}
        self._size = 0  # bytes of what mypy has read anew that names tensors and is to be checked
        self._sources = Sources(self.find)
        kept, self.texts = store.beside(options), Texts()
        texts.know(kept, Path(__file__).parent)
        self._kept = Kept(kept, self.texts, self.find)
        self._kept_facts = KeptFacts(kept, self.texts)
        self._engine: Reach | None = None
        self._broken = False
        self._read: dict[str, tuple[Path, Stamp]] = {}
        self._checked: dict[str, Answer] = {}
        self._watched: dict[str, MypyFile] | None = None
        self._met: set[str] = set()  # modules that the daemon has checked
        self._ignores: dict[str, Ignores] = {}

    def wants_errors(self, name: str) -> bool:
        """Whether to look at an annotation: mypy hands its Errors to nobody, but a hook can reach them.

        Only names that mean the same however often and wherever they are analysed are looked at.
        """
        return self.errors is None and (
            name.startswith(("builtins.", "torch.")) or name == "typing.Annotated"
        )

    def meet_in_annotation(self, ctx: AnalyzeTypeContext) -> Type:
        """Take the Errors, and leave the answer to mypy as if no plugin had been asked."""
        self.errors = errors = ctx.api.api.errors  # type: ignore[attr-defined]  # behind the interface
        self.watch(errors)
        return ctx.api.analyze_type(ctx.type)

    def cached(self, module: str, path: str) -> None:
        """mypy has results of a module already."""
        self._cached[module] = path

    def outdated(self, module: str) -> bool:
        """Whether what was found in a module rests on texts that have changed since."""
        return self._kept.holds(module) is False

    def met(self, tree: MypyFile) -> None:
        """mypy has read a module: where there is much to check, other processes get ready for it."""
        if self.silent(tree.fullname) or not self._alone or not self._may_be_checked(tree):
            return
        path = Path(tree.path)
        if self._kept_facts.get(tree.fullname, tree.path) is None:
            self._ahead.read(path)
        if not self._is_known(tree.fullname) and self._sources.names_tensors(tree.fullname, path):
            self._size += stamp(path)[1]
            self._ahead.get_ready(worth_starting(self._size))

    def silent(self, module: str) -> bool:
        """Whether mypy reads a module only because others import it, and is told to show no errors there.

        It comes to what it was given first, and to the builtins that everything imports soon after.
        """
        if module not in self._silent:
            self._importing |= module == "builtins"
            options = self.options
            if options.per_module_options:
                options = options.clone_for_module(module)
            self._silent[module] = self._importing and self._alone and options.follow_imports != "normal"
        return self._silent[module]

    def facts(self, module: str, path: str) -> Written | None:
        """What another process has read in a source, or what was read there in an earlier run."""
        found = self._ahead.facts(Path(path))
        if found is None:
            only_imported = self.silent(module) or is_installed(Path(path))
            return self._kept_facts.get(module, path, only_imported=only_imported)
        self._kept_facts.keep(module, path, found)
        return found

    def keep_facts(self, module: str, path: str, written: Written) -> None:
        """What was read in a source here."""
        self._kept_facts.keep(module, path, written)

    def given_around(self, module: str, path: str, text: str) -> list[str]:
        """What other files give to a module's objects."""
        return self._kept_facts.around(module, path, text)

    def loaded(self, modules: dict[str, MypyFile]) -> None:
        """mypy knows every module of the build, and has checked none yet."""
        self.modules = modules
        if workers.works_for_another(self.options):
            files = workers.known_files()
            self._cached.update(files)
            self.knows_all = bool(files)
        paths = {**self._cached, **{name: tree.path for name, tree in modules.items()}}
        self._conftests = beside_tests(paths)  # pytest runs them whether mypy is given them or not
        if self._alone and worth_starting(self._size):
            paths = {**self._conftests, **paths}
            files = {name: path for name, path in paths.items() if _is_source(name, path)}
            # what is imported comes after what imports it, and mypy begins with what is imported
            check = [n for n, tree in modules.items() if self._may_be_checked(tree) and not self._is_known(n)]
            sizes = {name: stamp(Path(modules[name].path))[1] for name in reversed(check)}
            self._ahead.begin(files, Turns(sizes, shared=self._shares), self._shows_errors)

    @property
    def _shares(self) -> bool:
        """Whether there is so much to check that this process had better take its part."""
        return self._size > ONE_MORE

    def _is_known(self, module: str) -> bool:
        return self.silent(module) or self._kept.holds(module) is True

    @property
    def _alone(self) -> bool:
        """Whether mypy checks the files on the disk, once, and in this process."""
        options = self.options
        others = workers.works_for_another(options)
        return not (options.fine_grained_incremental or options.shadow_file or others)

    def _shows_errors(self, module: str) -> bool:
        """Whether mypy will show errors in a module, as far as it has said so yet."""
        return self.errors is None or self.modules[module].path not in self.errors.ignored_files

    def _may_be_checked(self, tree: MypyFile) -> bool:
        path = Path(tree.path)
        return (
            _is_source(tree.fullname, tree.path)
            and not tree.is_stub
            and not is_installed(path.absolute())
            and not self.config.excludes(path)
        )

    def path_of(self, module: str) -> str | None:
        """Where mypy reads a module from, whatever it is."""
        tree = self.modules.get(module)
        return self._cached.get(module, self._conftests.get(module)) if tree is None else tree.path

    def find(self, module: str) -> Path | None:
        """Where the source of a module of this build is, if the engine follows calls into it."""
        path = self.path_of(module)
        if path is None or not _is_source(module, path):
            return None
        return Path(path) if self._sources.followed(module, Path(path)) else None

    def module_checked(self, tree: MypyFile) -> None:
        """Check the shapes of a module that mypy has just checked."""
        errors = self.errors
        if self.options.fine_grained_incremental and self._watched is not self.modules:
            removals.tell(self.modules, self._removed)  # a scan of the heap: once for each table
            self._watched = self.modules
        if errors is None:
            return
        if self.options.fine_grained_incremental:
            self._report_again(tree.fullname, errors)
            self._met.add(tree.fullname)
        answer = None
        if not tree.is_stub and self._wanted(tree, errors):
            self._look_for_torch(tree, errors)
            answer = self._answer(tree)
        if answer is None:
            self._kept.forget(tree.fullname)
        else:
            self._report(tree, answer.findings, errors)

    def _wanted(self, tree: MypyFile, errors: Errors) -> bool:
        """Whether mypy would show an error in this module, and tensors may occur in it."""
        path = Path(tree.path)
        if tree.path in errors.ignored_files or tree.fullname.partition(".")[0] in _BY_RULE:
            return False
        return (
            path.is_file() and not self.config.excludes(path) and self._sources.relevant(tree.fullname, path)
        )

    def _look_for_torch(self, tree: MypyFile, errors: Errors) -> None:
        """Without torch's types mypy finds nothing wrong with anything, and says so: Success."""
        if "torch" in self.modules or self.options.clone_for_module("torch").follow_imports == "skip":
            return
        line = next((i.line for i in tree.imports if imports_torch(i)), None)
        # ``from torch.nn.utils import ...`` alone may be read from the cache without torch itself
        if line is not None and not any(name.startswith("torch.") for name in self.modules):
            self._enter(tree, errors)
            text = messages.torch_missing(self.options.python_executable)
            infos = errors.error_info_map.get(tree.path, [])
            said = any(info.code == errorcodes.IMPORT_NOT_FOUND for info in infos)
            code, severity = errorcodes.IMPORT_NOT_FOUND, "note" if said else "error"
            errors.report(line, 0, text, code, severity=severity, only_once=True)

    def _answer(self, tree: MypyFile) -> Answer | None:
        """What is kept from an earlier run, else what another process found, else what is found here."""
        if self.options.shadow_file:
            return self._check(tree)
        known = self._kept.answer(tree.fullname, tree.path)
        if known is not None:
            return known
        path, take_back = Path(tree.path), self._engine is not None or self._shares
        answer = self._ahead.answer(tree.fullname, path, take_back=take_back) or self._check(tree)
        if answer is not None and self.knows_all:
            self._kept.keep(tree.fullname, tree.path, answer)
        return answer

    def _check(self, tree: MypyFile) -> Answer | None:
        path = Path(tree.path)
        if self._broken:
            return None
        try:
            with uncollected():
                answer = self._current().answer(tree.fullname, path, self._shadow(tree.path))
        except Exception as error:
            self._broken = self._engine is None  # it did not even start: telling once is enough
            self._failed(tree, error)
            return None
        self._read[tree.fullname] = (path, answer.stamp)
        self._checked[tree.fullname] = answer
        return answer

    def _current(self) -> Reach:
        """The engine's model of the program, made anew when the daemon sees a file that changed since."""
        if self.options.fine_grained_incremental and any(stamp(p) != old for p, old in self._read.values()):
            self._engine = None
        if self._engine is None:
            from typedtorch.shapes.infer import Program, Reach  # noqa: PLC0415  # needed only where mypy checks

            self._read.clear()
            self._engine = Reach(Program(self._find_and_note))
        return self._engine

    def _find_and_note(self, module: str) -> Path | None:
        path = self.find(module)
        if path is not None:
            self._read[module] = (path, stamp(path))
        return path

    def _shadow(self, path: str) -> str | None:
        """The text that an editor wants checked in place of what is on disk."""
        shadow = self.errors.find_shadow_file_mapping(path) if self.errors is not None else None
        return text_of(Path(shadow)) if shadow else None

    def _failed(self, tree: MypyFile, error: Exception) -> None:
        """An exception in the engine costs its findings in this file, never the run."""
        if self.options.show_traceback:
            traceback.print_exc()
        text = messages.engine_failed(tree.path, error, traceback_shown=self.options.show_traceback)
        if self.errors is not None:
            self._enter(tree, self.errors)
            self.errors.report(1, 0, text, severity="note", only_once=True)

    def silences(self, tree: MypyFile, lines: range, code: str) -> bool:
        """Whether our own options or comments switch a code off on lines; of its own comments mypy knows."""
        if code in self.config.disabled(Path(tree.path)):
            return True
        return self._comments(tree.path)(lines, code)

    def _report(self, tree: MypyFile, findings: list[Finding], errors: Errors) -> None:
        self._enter(tree, errors)
        skipped = unreachable_lines(tree) if findings else set()
        for finding in findings:
            unwanted = finding.line in skipped or finding.code in ("syntax", "aside")
            if not unwanted and not self.silences(tree, finding.lines, finding.code):
                report_finding(finding, errors)
        renew_unused_ignores(tree.path, errors)
        if LAST_WORD and errors.options.warn_unused_ignores:
            self._report_unused(tree, errors)
        self._ignores.pop(tree.path, None)

    def _report_unused(self, tree: MypyFile, errors: Errors) -> None:
        """Comments of our own that silenced nothing, where mypy is asked to tell of its own."""
        unused = list(self._comments(tree.path).unused())
        skipped = unreachable_lines(tree) if unused else set()
        for line, column, message in unused:
            if line not in skipped:
                errors.report(line, column, message, messages.OWN_UNUSED_IGNORE)

    def _comments(self, path: str) -> Ignores:
        """Which lines of a file our own comments silence; kept until all of its findings are reported."""
        from typedtorch.shapes import ignores  # noqa: PLC0415  # needed only where there are findings

        if path not in self._ignores:
            self._ignores[path] = ignores.read(self._shadow(path) or _text(path), own_only=True)
        return self._ignores[path]

    def _enter(self, tree: MypyFile, errors: Errors) -> None:
        """Direct errors to a file, with that file's own options.

        In the daemon they belong to no target: mypy rechecks targets with errors after each edit, which
        would drop the findings without asking for them again.
        """
        own = errors.target_module == tree.fullname and errors.file == tree.path
        options = errors.options if own else self.options.clone_for_module(tree.fullname)
        module = None if self.options.fine_grained_incremental else tree.fullname
        errors.set_file(tree.path, module, options)

    def _removed(self, module: str) -> None:
        """The daemon has removed a module; one that it has read and puts off it will ask about later."""
        if module in self._met and self.errors is not None:
            self._met.remove(module)
            for known in (self._checked, self._cached):
                known.pop(module, None)
            self._engine = None
            self.watch(self.errors)
            self._report_again(module, self.errors)

    def _report_again(self, edited: str, errors: Errors) -> None:
        """The daemon forgets all errors before it processes an edited file, and asks about that one alone."""
        file, module, options = errors.file, errors.target_module, errors.options
        for name, answer in sorted(self._checked.items()):
            tree = self.modules.get(name)
            if name == edited or tree is None or not Path(tree.path).is_file():
                continue
            if tree.path in errors.flushed_files:  # of the first build, which forgets nothing
                continue
            if told(answer, errors.error_info_map.get(tree.path, [])):
                continue
            errors.set_file_ignored_lines(tree.path, tree.ignored_lines, tree.path in errors.ignored_files)
            errors.set_skipped_lines(tree.path, tree.skipped_lines)
            fresh = self._check(tree) if edited in answer.used | answer.absent else answer
            if fresh is not None:
                self._report(tree, fresh.findings, errors)
        errors.set_file(file, module, options)


def _is_source(module: str, path: str) -> bool:
    """Whether the engine may read a module; of the standard library it knows what it knows."""
    if module.partition(".")[0] in _BY_RULE or "/typeshed/stdlib/" in path.replace("\\", "/"):
        return False
    return path.endswith((".py", ".pyi"))


def _text(path: str) -> str:
    try:
        return text_of(Path(path))
    except (OSError, UnicodeDecodeError):
        return ""
