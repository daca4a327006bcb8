"""Findings in the forms that other programs read: GitHub's annotations and SARIF."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePath
from urllib.parse import quote

from typedtorch.shapes.findings import EXPLAIN, Finding

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def where(finding: Finding) -> str:
    """The place of a finding, for people.

    >>> where(Finding("a.ipynb", 3, 4, 3, 9, "shape", "x @ y: 3, 4", cell=2))
    'a.ipynb:cell 2:3:5'
    """
    cell = f"cell {finding.cell}:" if finding.cell is not None else ""
    return f"{finding.path}:{cell}{finding.line}:{finding.column + 1}"


def github(findings: Iterable[Finding]) -> Iterator[str]:
    """One workflow command for each finding: GitHub shows it at the line of a pull request.

    The log keeps only the text of a command, so the text has the place too.

    https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands

    >>> next(github([Finding("a.py", 3, 4, 3, 9, "shape", "x @ y: 3, 4")]))
    '::error title=typedtorch (shape),file=a.py,line=3,col=5,endLine=3,endColumn=10::a.py:3:5: x @ y: 3, 4'
    """
    for f in findings:
        place: dict[str, object] = {"title": f"typedtorch ({f.code})", "file": PurePath(f.path).as_posix()}
        if f.cell is None:
            place |= {
                "line": f.line,
                "col": f.column + 1,
                "endLine": f.end_line,
                "endColumn": f.end_column + 1,
            }
        properties = ",".join(f"{name}={_property(str(value))}" for name, value in place.items())
        severity = "error" if f.severity == "error" else "notice"
        yield f"::{severity} {properties}::{_data(f'{where(f)}: {_message(f)}')}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _message(finding: Finding) -> str:
    return f"{finding.message}\n{finding.hint}" if finding.hint else finding.message


def sarif(findings: Iterable[Finding], version: str) -> str:
    """One SARIF 2.1.0 document, for code scanning and for editors.

    https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
    """
    driver = {"name": "typedtorch", "version": version, "rules": [_rule(code) for code in EXPLAIN]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding) for finding in findings],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _rule(code: str) -> Mapping[str, object]:
    return {
        "id": code,
        "shortDescription": {"text": EXPLAIN[code].partition("\n\n")[0].replace("\n", " ")},
        "help": {"text": EXPLAIN[code].strip()},
    }


def _result(finding: Finding) -> Mapping[str, object]:
    location: dict[str, object] = {"artifactLocation": {"uri": _uri(finding.path)}}
    message = _message(finding)
    if finding.cell is None:
        location["region"] = {
            "startLine": finding.line,
            "startColumn": finding.column + 1,
            "endLine": finding.end_line,
            "endColumn": finding.end_column + 1,
        }
    else:  # lines of a cell are none of the file
        message = f"cell {finding.cell}, line {finding.line}: {message}"
    return {
        "ruleId": finding.code,
        "level": finding.severity,
        "message": {"text": message},
        "locations": [{"physicalLocation": location}],
    }


def _uri(path: str) -> str:
    """Relative as it is, for the reader knows the root; else with its scheme."""
    return Path(path).as_uri() if Path(path).is_absolute() else quote(PurePath(path).as_posix())
