"""What mypy's Errors are told of a file, and what they hold of it."""

from __future__ import annotations

from mypy import errorcodes
from mypy.errors import ErrorInfo, Errors
from mypy.nodes import Import, ImportAll, ImportBase, ImportFrom

from typedtorch.mypy_plugin import messages
from typedtorch.shapes.answers import Answer
from typedtorch.shapes.findings import Finding


def report_finding(finding: Finding, errors: Errors) -> None:
    """Tell mypy of a finding, in the file that its errors are directed to.

    A comment silences it on any of its lines, and the hint with it.  Of a key that a TypedDict does not
    have mypy tells itself.
    """
    infos = errors.error_info_map.get(errors.file, []) if finding.code == "attribute" else []
    if any(info.line == finding.line and info.code == errorcodes.TYPEDDICT_ITEM for info in infos):
        return
    line, column, message, lines = finding.line, finding.column, finding.message, finding.lines
    if finding.severity == "note":
        errors.report(line, column, message, errorcodes.MISC, severity="note", origin_span=lines)
        return
    info = errors.report(
        line,
        column,
        message,
        messages.code(finding.code),
        end_line=finding.end_line,
        end_column=finding.end_column,
        origin_span=lines,
    )
    if finding.hint:
        errors.report(line, column, finding.hint, severity="note", parent_error=info, origin_span=lines)


def renew_unused_ignores(path: str, errors: Errors) -> None:
    """The daemon looks for unused ignores before it asks for findings: look again, now that some are used."""
    infos = errors.error_info_map.get(path, [])
    kept = [info for info in infos if info.code != errorcodes.UNUSED_IGNORE]
    if len(kept) < len(infos) and path in errors.ignored_lines:
        errors.error_info_map[path] = kept
        errors.generate_unused_ignore_errors(path)


def told(answer: Answer, infos: list[ErrorInfo]) -> bool:
    """Whether findings, be they notes alone, are among what mypy has been told of a file.

    Of attributes that are not there mypy tells, and tells again, itself.
    """
    notes = {finding.message for finding in answer.findings if finding.severity == "note"}
    codes = [code for name, code in messages.CODES.items() if name != "attribute"]
    return any(info.code in codes or info.message in notes for info in infos)


def imports_torch(statement: ImportBase) -> bool:
    """Whether an import that is reached is of torch."""
    if statement.is_unreachable:
        return False
    match statement:
        case Import():
            return any(name.partition(".")[0] == "torch" for name, _ in statement.ids)
        case ImportFrom() | ImportAll():
            return not statement.relative and statement.id.partition(".")[0] == "torch"
    return False
