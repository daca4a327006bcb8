"""What the static checks say of published packages: mypy with and without the plugin, and ``check``.

``python benchmarks/static_packages.py [NAME ...]`` downloads packages by name into a cache folder (without
their dependencies, and none of their code is run), checks each with mypy alone, with mypy and the plugin, and
with ``typedtorch check --coverage``, and prints what the plugin adds and removes, crashes, CPU time and the
share of tensor expressions whose shape is known.  ``NAME/folder`` checks only a part of a package.  mypy
starts from a cache that holds torch; ``--cold``: from nothing, as the first run in a project does.

Every error that is added is listed in ``benchmarks/results/static_packages_added.txt`` and judged in
``benchmarks/results/static_packages.md``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "typedtorch" / "packages"
# Packages with torch that annotate with jaxtyping, or with wrappers of their own around it.
JAXTYPING = (
    "alphafold3-pytorch", "chai_lab", "e2-tts-pytorch", "eai-delphi", "f3rm", "graphein", "inseq",
    "interpreto", "lightning-pose", "meshgpt-pytorch", "nerfstudio", "nvidia-physicsnemo/physicsnemo/mesh",
    "nvidia-physicsnemo/physicsnemo/models", "refiners",
    "sae-vis", "sparse-autoencoder", "torchmix", "toto-ts", "transformer-lens", "transfusion-pytorch",
    "uni2ts", "vit-prisma",
)  # fmt: skip
# Packages with torch that do not.
OTHERS = (
    "accelerate", "boltz", "dalle2-pytorch", "descript-audio-codec", "dictionary-learning",
    "diffusers/diffusers/models/autoencoders", "e3nn", "f5-tts", "gsplat", "kornia/kornia/geometry",
    "lightly", "linear_operator", "monai/monai/networks", "peft", "protenix", "pytorch-metric-learning",
    "sae-lens", "segmentation-models-pytorch", "speechbrain/speechbrain/nnet", "timm/timm/models",
    "titans-pytorch", "torch-geometric/torch_geometric/nn", "torchdr",
    "transformers/transformers/models/llama", "vector-quantize-pytorch", "vit-pytorch", "x-transformers",
    "zuko",
)  # fmt: skip
PRIMER = "import einops\nimport jaxtyping\nimport numpy\nimport torch\nimport torch.nn.functional\n"
OPTIONS = (
    "--ignore-missing-imports", "--follow-imports=silent", "--namespace-packages", "--explicit-package-bases",
    "--no-error-summary", "--no-color-output", "--hide-error-context", "--show-error-codes",
)  # fmt: skip
_ERROR = re.compile(r"^(?P<place>[^:]+:\d+): error: (?P<text>.*)$")


@dataclass(frozen=True)
class Package:
    """A downloaded package, or one folder of it."""

    name: str
    root: Path
    part: str = "."

    def files(self) -> list[Path]:
        return sorted((self.root / self.part).rglob("*.py"))

    @property
    def lines(self) -> int:
        return sum(p.read_bytes().count(b"\n") for p in self.files())


@dataclass
class Run:
    """One run of a checker: its errors by place, seconds of CPU and on the clock, and how it ended."""

    errors: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    clock: float = 0.0
    crashed: bool = False
    stopped: bool = False  # it refused before checking, as for a syntax error


@dataclass
class Outcome:
    """What was seen of one package."""

    package: Package
    off: Run
    on: Run
    check: Run
    known: int
    total: int

    @property
    def added(self) -> list[str]:
        return _only(self.on, self.off)

    @property
    def removed(self) -> list[str]:
        return _only(self.off, self.on)


def _only(one: Run, other: Run) -> list[str]:
    """Errors of one run at places where the other has none of that code, whatever the words."""
    known = {_place(error) for error in other.errors}
    return sorted(error for error in one.errors if _place(error) not in known)


def _place(error: str) -> tuple[str, str]:
    return error.partition(": ")[0], error.rpartition("[")[2]


def download(wanted: str, cache: Path) -> Package | None:
    """The package of that name, fetched once; None where it cannot be had."""
    name, _, part = wanted.partition("/")
    root = cache / name
    if not root.exists():
        target = cache / f".{name}"
        shutil.rmtree(target, ignore_errors=True)
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile"]
        done = subprocess.run([*command, "--target", str(target), name], capture_output=True, check=False)
        if done.returncode:
            shutil.rmtree(target, ignore_errors=True)
            return None
        target.rename(root)
    return Package(wanted, root, part or ".")


def version(package: Package) -> str:
    """As the downloaded metadata has it."""
    for folder in package.root.glob("*.dist-info"):
        found = re.search(r"^Version: (.*)$", (folder / "METADATA").read_text(errors="replace"), re.MULTILINE)
        if found and folder.name.partition("-")[0].lower() == re.sub(
            "[-.]", "_", package.name.partition("/")[0].lower()
        ):
            return found[1]
    return "?"


def timed(
    command: Sequence[str], cwd: Path, seconds: int
) -> tuple[subprocess.CompletedProcess[str] | None, float]:
    """A command's result (None: it took too long) and the CPU time of it and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # as installed: with this variable Python compiles each of our modules anew in every process
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    try:
        done = subprocess.run(
            command, cwd=cwd, capture_output=True, text=True, check=False, timeout=seconds, env=environment
        )
    except subprocess.TimeoutExpired:
        done = None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Mypy:
    """mypy in one configuration, from a cache that holds torch and nothing of the package, or from none."""

    def __init__(self, folder: Path, name: str, *, plugin: bool, cold: bool) -> None:
        self.config, self.primed, self.cold = folder / f"{name}.ini", folder / f"cache_{name}", cold
        self.config.write_text("[mypy]\n" + ("plugins = typedtorch.mypy_plugin\n" if plugin else ""))
        primer = folder / "primer.py"
        primer.write_text(PRIMER)
        if not cold:
            self.run(primer.name, folder, self.primed, 1800)

    def run(
        self, target: str, cwd: Path, cache: Path, seconds: int
    ) -> tuple[subprocess.CompletedProcess[str] | None, float]:
        command = [sys.executable, "-m", "mypy", "--config-file", str(self.config), "--cache-dir", str(cache)]
        return timed([*command, *OPTIONS, target], cwd, seconds)

    def check(self, package: Package, seconds: int) -> Run:
        with tempfile.TemporaryDirectory() as name:
            cache = Path(name) / "cache"
            if not self.cold:
                shutil.copytree(self.primed, cache)
            start = time.perf_counter()
            done, spent = self.run(package.part, package.root, cache, seconds)
            clock = time.perf_counter() - start
        if done is None:
            return Run(seconds=spent, clock=clock, stopped=True)
        crashed = "INTERNAL ERROR" in done.stdout + done.stderr or done.returncode not in (0, 1, 2)
        return Run(Counter(_errors(done.stdout)), spent, clock, crashed, done.returncode == 2)


def _errors(output: str) -> Iterator[str]:
    for line in output.splitlines():
        found = _ERROR.match(line)
        if found:
            yield f"{found['place']}: {found['text']}"


def check(package: Package, seconds: int) -> tuple[Run, int, int]:
    """``typedtorch check``: its run, tensor expressions with a known shape, and all."""
    options = ["--no-cache", "--jobs", "1", "--json", "--coverage"]
    command = [sys.executable, "-m", "typedtorch", "check", *options, package.part]
    done, spent = timed(command, package.root, seconds)
    try:
        report = json.loads(done.stdout) if done is not None else None
    except json.JSONDecodeError:
        report = None
    if report is None:
        return Run(seconds=spent, crashed=done is not None, stopped=done is None), 0, 0
    errors = Counter(
        f"{f['path']}:{f['line']}: {f['message']}  [{f['code']}]"
        for f in report["findings"]
        if f.get("severity", "error") == "error"
    )
    parts = report["coverage"].values()
    return Run(errors, seconds=spent), sum(p["known"] for p in parts), sum(p["total"] for p in parts)


def row(o: Outcome) -> str:
    ratio = f"{o.on.seconds / o.off.seconds:5.2f}" if o.off.seconds else "    -"
    clock = f"{o.on.clock / o.off.clock:5.2f}" if o.off.clock else "    -"
    share = f"{o.known / o.total:6.1%}" if o.total else "     -"
    state = "crash" if o.on.crashed or o.check.crashed else "mypy stops" if o.off.stopped else ""
    return (
        f"{o.package.name:<42} {version(o.package):<10} {o.package.lines:>7} {sum(o.off.errors.values()):>6} "
        f"{len(o.added):>6} {len(o.removed):>8} {sum(o.check.errors.values()):>6} {o.off.seconds:>7.1f} "
        f"{o.on.seconds:>7.1f} {ratio} {clock} {o.check.seconds:>7.1f} {share} {state}"
    ).rstrip()


HEAD = (
    f"{'package':<42} {'version':<10} {'lines':>7} {'mypy':>6} {'added':>6} {'removed':>8} {'check':>6} "
    f"{'off s':>7} {'on s':>7} {'ratio':>5} {'clock':>5} {'check s':>7} {'known':>6}"
)


def summary(outcomes: list[Outcome]) -> str:
    off, on = sum(o.off.seconds for o in outcomes), sum(o.on.seconds for o in outcomes)
    slower = sum(o.on.clock for o in outcomes) / max(sum(o.off.clock for o in outcomes), 1e-9)
    known, total = sum(o.known for o in outcomes), sum(o.total for o in outcomes)
    crashes = sum(o.on.crashed or o.check.crashed for o in outcomes)
    return (
        f"{len(outcomes)} packages, {sum(o.package.lines for o in outcomes)} lines: "
        f"{sum(len(o.added) for o in outcomes)} errors added, "
        f"{sum(len(o.removed) for o in outcomes)} removed, "
        f"{crashes} crashes, CPU time with the plugin {on / max(off, 1e-9):.2f} times that without, "
        f"on the clock {slower:.2f} times, "
        f"{known} of {total} tensor expressions known ({known / max(total, 1):.1%})"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="packages (default: those listed in this file)")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where packages are kept")
    parser.add_argument("--seconds", type=int, default=1800, help="limit of one run")
    parser.add_argument("--added", action="store_true", help="print every error that is added or removed")
    parser.add_argument("--cold", action="store_true", help="mypy from nothing, torch read too")
    parser.add_argument("--check-only", action="store_true", help="without mypy")
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    wanted = options.names or [*JAXTYPING, *OTHERS]
    outcomes: list[Outcome] = []
    print(HEAD, flush=True)
    with tempfile.TemporaryDirectory() as name:
        kinds = {} if options.check_only else {"off": False, "on": True}
        runs = [Mypy(Path(name), kind, plugin=on, cold=options.cold) for kind, on in kinds.items()]
        for one in wanted:
            package = download(one, options.cache)
            if package is None:
                print(f"{one}: not found", flush=True)
                continue
            off, on = [mypy.check(package, options.seconds) for mypy in runs] or [Run(), Run()]
            outcomes.append(Outcome(package, off, on, *check(package, options.seconds)))
            print(row(outcomes[-1]), flush=True)
            if options.added:
                last = outcomes[-1]
                changes = [("+", last.added), ("-", last.removed), ("check", sorted(last.check.errors))]
                print(
                    *(f"  {sign} {text}" for sign, texts in changes for text in texts), sep="\n", flush=True
                )
    print(summary(outcomes))
    if options.cold:
        (RESULTS / "static_packages_cold.txt").write_text(
            table(outcomes, "mypy from nothing, torch read too")
        )
    elif not options.names and not options.check_only:
        write(outcomes)


def table(outcomes: list[Outcome], note: str) -> str:
    head = f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {platform.machine()}"
    explained = f"{head}, {os.cpu_count()} cores; seconds of CPU, ratios of CPU time and on the clock; {note}"
    return "\n".join([explained, "", HEAD, *map(row, outcomes), "", summary(outcomes)]) + "\n"


def write(outcomes: list[Outcome]) -> None:
    """The table, and every error that the plugin or ``check`` adds."""
    note = "mypy's cache holds torch in both configurations, and nothing of the package"
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "static_packages.txt").write_text(table(outcomes, note))
    listed: list[str] = []
    for o in outcomes:
        messages = sorted({*o.added, *o.check.errors})
        listed += [f"{o.package.name} {version(o.package)}", *(f"  {m}" for m in messages), ""]
    (RESULTS / "static_packages_added.txt").write_text("\n".join(listed))


if __name__ == "__main__":
    main()
