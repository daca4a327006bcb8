"""How many single faults in the annotated functions of published packages the checker finds, by kind.

``python benchmarks/static_package_mutants.py [NAME ...]`` takes the packages of ``static_packages.py`` that
use jaxtyping.  What takes part is what can be called on its own: a function, a constructor or a method whose
every argument can be made from its annotation (axes get random sizes, one for each name; objects of the
package's dataclasses are made from their fields), and which returns without complaint while jaxtyping and
beartype check every function and annotated local on the way.  Of a package no module is imported: the
definitions of a file, and of those it imports from its own package, are executed without their decorators;
what needs another library stays undefined.

A fault counts if a call of what holds it, or of what names that in the same file, then fails for a reason of
shapes or dtypes.  Arguments are made anew from the annotations as they stand with the fault, in the same
sizes: an annotation that is changed, but that nothing in the file contradicts, is not a fault.
"""

from __future__ import annotations

import argparse
import ast
import multiprocessing
import platform
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parent))

import torch
from mutations import Mutant, mutants
from mutations.arguments import Cannot
from mutations.execution import Call, Modules, runnable
from static_mutants import _about_tensors
from static_packages import CACHE, JAXTYPING, RESULTS, Package, download

from typedtorch.shapes.infer import Program
from typedtorch.shapes.infer.files import find_in

MANY = 12  # calls for each mutant
SECONDS = 900  # on the clock, for a file
SEARCHING, PLANTING = 100, 150  # of CPU time, for what can be called in a file and for its faults


@dataclass(frozen=True)
class Fault:
    """A mutant that breaks, and where it stands."""

    package: str
    module: str
    path: str
    mutant: Mutant


def faults_of(package: Package, path: Path, per_kind: int) -> tuple[int, list[Fault]]:
    """How many definitions of a file can be run, and faults in them that break."""
    text = path.read_text(errors="replace")
    name = ".".join(path.relative_to(package.root).with_suffix("").parts).removesuffix(".__init__")
    modules = Modules(package.root)
    space = modules.load(name)
    tops = [n.name for n in ast.parse(text).body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    calls: dict[str, list[Call]] = {}
    end = time.process_time() + SEARCHING
    for top in tops:
        if time.process_time() < end and (several := runnable(space, top)):
            calls[top] = several
    users = {top: _users(text, top, calls) for top in calls}
    by_kind: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in mutants(text) if calls else ():
        if mutant.scope[0] in calls:
            by_kind[mutant.kind].append(mutant)
    found, end = [], time.process_time() + PLANTING
    for kind in sorted(by_kind):
        random.Random(f"{name} {kind}").shuffle(by_kind[kind])
        if time.process_time() > end:
            break
        kept = [m for m in by_kind[kind][: 4 * per_kind] if breaks(m, users[m.scope[0]], modules, name)]
        found += [Fault(package.name, name, str(path), m) for m in kept[:per_kind]]
    return sum(map(len, calls.values())), found


def _users(text: str, name: str, calls: dict[str, list[Call]]) -> list[Call]:
    """The calls of a definition, and of others of the file that name it."""
    found = list(calls[name])
    for node in ast.parse(text).body:
        other = node.name if isinstance(node, ast.FunctionDef | ast.ClassDef) else name
        named = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        found += calls.get(other, []) if other != name and name in named else []
    return found[:MANY]


def breaks(mutant: Mutant, calls: Sequence[Call], modules: Modules, name: str) -> bool:
    """Whether one of the calls fails for a reason of shapes or dtypes, and none for another."""
    space, broken = modules.load(name, mutant.text), False
    for call in calls:
        try:
            call.run(space)
        except Cannot:
            continue
        except Exception as error:
            if not _about_tensors(error):
                return False
            broken = True
    return broken


def collect(package: Package, per_kind: int) -> Iterator[tuple[int, list[Fault]]]:
    """Each file in a process of its own, since what it runs is not ours."""
    context = multiprocessing.get_context("fork")
    for path in package.files():
        text = path.read_text(errors="replace")
        if "jaxtyping" not in text and "Float[" not in text:
            continue
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=_send, args=(sender, package, path, per_kind))
        process.start()
        sender.close()
        try:
            if receiver.poll(SECONDS):
                yield receiver.recv()
        except EOFError:
            pass
        finally:
            process.kill()
            process.join()


def _send(sender: Any, package: Package, path: Path, per_kind: int) -> None:
    torch.set_num_threads(1)
    try:
        sender.send(faults_of(package, path, per_kind))
    except Exception:
        sender.send((0, []))


def caught(fault: Fault, root: Path, clean: dict[str, Counter[tuple[str, str]]]) -> bool:
    """Whether the checker says something of the mutant's file that it does not say of the original."""
    if fault.path not in clean:
        clean[fault.path] = _findings(fault, root, None)
    return bool(_findings(fault, root, fault.mutant.text) - clean[fault.path])


def _findings(fault: Fault, root: Path, text: str | None) -> Counter[tuple[str, str]]:
    program = Program(lambda name: find_in([root], name))
    report = program.check(fault.module, Path(fault.path), text)
    return Counter((f.code, f.message) for f in report.findings if f.severity == "error")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="packages (default: those of static_packages.py)")
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--per-kind", type=int, default=2, help="faults of each kind in each file")
    parser.add_argument("--missed", action="store_true", help="print the faults that were not found")
    options = parser.parse_args()
    rows, total, found = [], Counter[str](), Counter[str]()
    for name in options.names or JAXTYPING:
        package = download(name, options.cache)
        if package is None:
            continue
        count, faults = 0, list[Fault]()
        for calls, some in collect(package, options.per_kind):
            count += calls
            faults += some
        clean: dict[str, Counter[tuple[str, str]]] = {}
        hits = 0
        for fault in faults:
            total[fault.mutant.kind] += 1
            if caught(fault, package.root, clean):
                found[fault.mutant.kind] += 1
                hits += 1
            elif options.missed:
                was, now = (t.split("\n")[0] for t in (fault.mutant.was, fault.mutant.now))
                print(
                    f"  {fault.module} {'.'.join(fault.mutant.scope)}: {fault.mutant.kind}: {was}  ->  {now}"
                )
        if count:
            rows.append(f"{name:<40} {count:>6} {len(faults):>6} {hits:>6}")
            print(rows[-1], flush=True)
    text = table(rows, total, found)
    print(text)
    if not options.names:
        (RESULTS / "static_package_mutants.txt").write_text(text)


def table(rows: list[str], total: Counter[str], found: Counter[str]) -> str:
    share = found.total() / max(1, total.total())
    head = (
        f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {platform.machine()}\n"
        f"{total.total()} single faults of {len(total)} kinds, each breaks when run; found: {found.total()} "
        f"({share:.1%})\n\n{'package':<40} {'runs':>6} {'faults':>6} {'found':>6}\n"
    )
    kinds = [f"{kind:<40} {found[kind]:>4} of {total[kind]:>4}" for kind in sorted(total)]
    return head + "\n".join([*rows, "", *kinds]) + "\n"


if __name__ == "__main__":
    main()
