"""Write docs/coverage.md: every public name of torch's tensor namespaces, and what the checker knows of it.

python tests/shapes/coverage_page.py
"""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

import torch

import typedtorch.shapes.rules  # noqa: F401 - fills the table
from typedtorch.shapes.infer.library import library, transforms
from typedtorch.shapes.rule import ATTRIBUTES, LAYERS, RULES

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
SPACES = (
    "torch", "torch.Tensor", "torch.nn.functional", "torch.nn", "torch.linalg", "torch.fft", "torch.special",
    "torch.nn.init", "torch.nn.utils.rnn", "torch.signal.windows", "torch.func",
    "einops", "einops.layers.torch",
)  # fmt: skip
STATES = ("rule", "transparent", "unknown")

# About settings, devices, files or types: whatever tensors are given to them keep their shapes.
_ASIDE = re.compile(
    r"(set|get|use|is|has|are|sym|import|parse|init|autocast|save|load|compile|manual_seed|seed|initial_seed|fork|wait|"
    r"typename|thread_safe|clear|prepare|profiler|classproperty|unify|merge|device|register|data_ptr|const_data_ptr|"
    r"storage|untyped_storage|record_stream|backward|retain|name|output_nr|layout|dim_order|grad|requires|"
    r"compiled_with|assert_int_or_pair|boolean_dispatch|handle_torch_function|from_file)(_.*)?"
)


SPECIAL = (library.SPECIAL, transforms.SPECIAL, library.CONTAINERS, library.SAME_MODULE, library.OBJECTS)


def names_of(space: str) -> list[str]:
    """Public callables, classes and, of Tensor, attributes of a namespace, as installed."""
    owner = torch.Tensor if space == "torch.Tensor" else importlib.import_module(space)
    found = []
    for name in dir(owner):
        value = getattr(owner, name, None)
        wanted = callable(value) or space == "torch.Tensor"
        if not name.startswith("_") and wanted and not inspect.ismodule(value) and _belongs(space, value):
            found.append(name)
    return found


def _belongs(space: str, value: object) -> bool:
    """Not a type or helper that the module only imports."""
    home = getattr(value, "__module__", "") or ""
    if home.startswith(("typing", "collections", "enum", "importlib")):
        return False
    if inspect.isclass(value):
        return space in ("torch.nn", "einops.layers.torch") and home.startswith(("torch.nn", "einops"))
    return True


def state(name: str) -> str:
    """What the checker knows of a public name."""
    if name in RULES or name in LAYERS or name in ATTRIBUTES:
        return "rule"
    specials = (
        library.SPECIAL,
        transforms.SPECIAL,
        library.CONTAINERS,
        library.SAME_MODULE,
        library.OBJECTS,
    )
    if any(name in table for table in specials) or _ASIDE.fullmatch(name.rpartition(".")[2]):
        return "transparent"
    return "unknown"


def page() -> str:
    """The page, for the installed versions."""
    lines = [
        "# Coverage",
        "",
        "Every public name of torch's tensor namespaces and of einops, and what the static checker knows.",
        "Written by `python tests/shapes/coverage_page.py`; a test compares it with the installed torch.",
        "",
        "- **rule**: shape, dtype and refusals, each tested against the operator itself.",
        "- **transparent**: makes no tensor of its own (settings, devices, function transforms, containers).",
        "- **unknown**: its result is not known, which is never an error.",
        "",
        "| namespace | rule | transparent | unknown |",
        "| --- | ---: | ---: | ---: |",
    ]
    listed = {
        space: {s: [n for n in names_of(space) if state(f"{space}.{n}") == s] for s in STATES}
        for space in SPACES
    }
    for space, found in listed.items():
        lines.append(f"| `{space}` | {' | '.join(str(len(found[s])) for s in STATES)} |")
    numpy = sum(1 for n in (*RULES, *ATTRIBUTES) if n.startswith("numpy."))
    total = len(RULES) + len(ATTRIBUTES)
    count = f"{total} functions, methods and attributes, and {len(LAYERS)} modules"
    lines += ["", f"With Python's operators and numpy ({numpy} names) the table has {count}."]
    for space, found in listed.items():
        lines += ["", f"## {space}"]
        for one in STATES:
            if found[one]:
                lines += ["", f"**{one}**: " + ", ".join(f"`{n}`" for n in found[one])]
    return "\n".join(lines) + "\n"


def listed_states(text: str) -> dict[str, str]:
    """What a page says of each name."""
    said: dict[str, str] = {}
    space = ""
    for line in text.splitlines():
        if line.startswith("## "):
            space = line[3:]
        matched = re.match(r"\*\*(\w+)\*\*: (`.*)", line)
        if matched and space:
            said |= {f"{space}.{n}": matched[1] for n in re.findall(r"`([^`]+)`", matched[2])}
    return said


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page())
