"""``typedtorch account``: what a model costs, from the command line."""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import torch

from typedtorch.accounting import presets
from typedtorch.accounting.account import account
from typedtorch.accounting.answers import Account
from typedtorch.accounting.errors import AccountingError

_DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32}
_EXAMPLE = "example: typedtorch account llama-3-8b --sizes batch=1,seq=8192 --device h100 --optimizer adamw"


def parser() -> argparse.ArgumentParser:
    """The command line's options."""
    made = argparse.ArgumentParser(prog="typedtorch account", description=__doc__, epilog=_EXAMPLE)
    made.add_argument(
        "target",
        help="FILE:OBJECT (a module, a class, a function, a constructor) or one of "
        + ", ".join(presets.NAMES),
    )
    made.add_argument("--sizes", default="", help="axis sizes, for example batch=8,seq=1024")
    made.add_argument("--device", help="device for time and roofline, for example h100 or its name in torch")
    made.add_argument(
        "--optimizer", help="adamw, sgd, ...; with ':fused' or ':foreach' for that implementation"
    )
    made.add_argument("--loss", default="sum", help="sum, mean, mse or cross_entropy (default: sum)")
    made.add_argument("--autocast", choices=sorted(_DTYPES), help="run the forward under autocast")
    made.add_argument("--dtype", choices=sorted(_DTYPES), help="cast the model's parameters first")
    made.add_argument("--accumulate", type=int, default=1, help="micro-batches to a step")
    made.add_argument(
        "--checkpoint", action="append", default=[], metavar="PATH", help="modules to run again"
    )
    made.add_argument("--tokens", type=float, help="tokens of a whole run, for days and devices")
    made.add_argument("--devices", type=float, default=1, help="devices of that run")
    made.add_argument("--mfu", type=float, default=0.5, help="utilisation of that run (default: 0.5)")
    made.add_argument("--depth", type=int, default=3, help="levels of the module tree (default: 3)")
    made.add_argument("--no-formulas", action="store_true", help="numbers only, which is faster")
    made.add_argument("--strict", action="store_true", help="fail where an operator has no FLOP formula")
    made.add_argument("--json", action="store_true", help="print JSON instead of the report")
    made.add_argument("--png", type=Path, metavar="DIR", help="write pictures into a folder")
    return made


def parse_sizes(text: str) -> dict[str, int]:
    """``batch=8,seq=1024`` as a mapping.

    Raises:
        AccountingError: an item that is not a name and an integer.

    >>> parse_sizes("batch=8,seq=1024")
    {'batch': 8, 'seq': 1024}
    """
    sizes: dict[str, int] = {}
    for item in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = item.partition("=")
        if not equals or not name.strip().isidentifier() or not value.strip().lstrip("-").isdigit():
            raise AccountingError(f"--sizes: wanted name=integer, got {item!r}")
        sizes[name.strip()] = int(value)
    return sizes


def load(target: str) -> Any:
    """A preset, or an object of a Python file.

    Raises:
        AccountingError: no such preset, file or object.
    """
    if target in presets.NAMES:
        return presets.build(target)
    file, colon, name = target.rpartition(":")
    if not colon:
        raise AccountingError(f"{target!r}: wanted FILE:OBJECT or a preset: {', '.join(presets.NAMES)}")
    path = Path(file)
    if not path.is_file():
        raise AccountingError(f"{file!r}: no such file")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise AccountingError(f"{file!r}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # annotations are looked up there
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise AccountingError(f"{file!r} has no {name!r}")
        found = getattr(found, part)
    return found


def main(argv: list[str] | None = None) -> int:
    """Run the command; 0 when it answered, 2 when the question was wrong."""
    options = parser().parse_args(argv)
    try:
        made = account(
            load(options.target),
            sizes=parse_sizes(options.sizes),
            optimizer=options.optimizer,
            loss=options.loss,
            autocast=_DTYPES.get(options.autocast),
            dtype=_DTYPES.get(options.dtype),
            accumulate=options.accumulate,
            checkpoint=tuple(options.checkpoint),
            strict=options.strict,
        )
        _show(made, options)
    except AccountingError as error:
        print(f"typedtorch account: {error}", file=sys.stderr)
        return 2
    return 0


def _show(made: Account, options: argparse.Namespace) -> None:
    if options.json:
        print(json.dumps(_answer(made, options), indent=1))
    else:
        from rich.console import Console  # noqa: PLC0415 - not needed for --json

        from typedtorch.accounting.report import render  # noqa: PLC0415 - likewise

        console = Console(soft_wrap=False)
        if made.unbound:
            _formulas_only(made, console)
        else:
            console.print(
                render(made, device=options.device, depth=options.depth, formulas=not options.no_formulas)
            )
            if options.tokens:
                console.print(f"run          {_run(made, options)}", highlight=False)
    if options.png is not None:
        from typedtorch.accounting.pictures import write  # noqa: PLC0415 - matplotlib is slow to import

        for path in write(made, options.png, device=options.device):
            print(path, file=sys.stderr)


def _run(made: Account, options: argparse.Namespace) -> str:
    device = options.device or "h100"
    return str(made.napkin(tokens=options.tokens, devices=options.devices, mfu=options.mfu, device=device))


def _formulas_only(made: Account, console: Any) -> None:
    """Without sizes the answer is the formulas."""
    console.print(f"no sizes for {', '.join(made.unbound)}: formulas only", highlight=False)
    for name in ("parameters.total", "flops.forward", "flops.backward", "memory.saved"):
        console.print(f"{name}  =  {made.formula(name)}", highlight=False)


def _answer(made: Account, options: argparse.Namespace) -> dict[str, Any]:
    if made.unbound:
        names = ("parameters.total", "flops.forward", "flops.backward", "memory.saved")
        return {"formulas": {name: str(made.formula(name)) for name in names}}
    answer = made.to_dict()
    if options.device:
        time = made.time(options.device)
        answer["time"] = None if time is None else {
            "device": time.device.name, "seconds": float(time), "ideal": time.ideal,
            "memory_share": time.memory_share,
        }  # fmt: skip
        if time is None:
            answer["why_no_time"] = made.why_no_time(options.device)
    if not options.no_formulas:
        answer["formulas"] = {name: str(made.formula(name)) for name in made.numbers}
    return answer
