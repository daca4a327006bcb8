"""The report of a run as one HTML file that needs nothing else: no script, no other file, no network."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from typedtorch.data.files import write_atomically

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
:root { color-scheme: light; --ink: #1f2937; --grey: #6b7280; --line: #e5e7eb }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); max-width: 64rem; margin: 2rem auto;
  padding: 0 1rem }
h1 { font-size: 1.5rem; margin-bottom: 0 } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem }
p.sub { color: var(--grey); margin-top: .2rem }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
td, th { padding: .25rem .9rem .25rem 0; text-align: left; border-bottom: 1px solid var(--line);
  vertical-align: top }
th { color: var(--grey); font-weight: 500 }
svg { width: 100%; height: auto }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #f9fafb; border: 1px solid var(--line);
  padding: .8rem; font-size: .85rem }
details summary { cursor: pointer; color: var(--grey) }
"""

Rows = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Page:
    """What a report says; every text is shown as it is, whatever it holds."""

    title: str
    subtitle: str
    facts: Rows
    compared: Rows = ()
    """Name, predicted, measured, remark."""
    evaluations: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    pictures: Sequence[tuple[str, str]] = ()
    """Heading and SVG element."""
    sample: str = ""
    settings: Mapping[str, object] = field(default_factory=dict)

    def text(self) -> str:
        """The page.

        >>> page = Page("a <run>", "", [("steps", "3")]).text()
        >>> "a &lt;run&gt;" in page, "<script" in page
        (True, False)
        """
        parts = [
            f"<h1>{_shown(self.title)}</h1><p class=sub>{_shown(self.subtitle)}</p>",
            _table((), self.facts),
        ]
        if self.compared:
            header = ("", "predicted", "measured", "")
            parts += ["<h2>Predicted and measured</h2>", _table(header, self.compared)]
        for heading, element in self.pictures:
            parts.append(f"<h2>{_shown(heading)}</h2><figure style='margin:0'>{element}</figure>")
        if self.evaluations:
            names = sorted({name for figures in self.evaluations.values() for name in figures})
            rows = [
                (str(step), *(f"{figures[n]:.4f}" if n in figures else "" for n in names))
                for step, figures in sorted(self.evaluations.items())
            ]
            parts += ["<h2>Validation</h2>", _table(("step", *names), rows)]
        if self.sample:
            parts.append(f"<h2>Sample</h2><pre>{_shown(self.sample)}</pre>")
        if self.settings:
            rows = [(name, repr(value)) for name, value in self.settings.items()]
            parts.append(f"<h2>Settings</h2><details><summary>all</summary>{_table((), rows)}</details>")
        body = "\n".join(parts)
        return (
            f"<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>\n"
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
            f'<meta name=viewport content="width=device-width">\n'
            f"<title>{_shown(self.title)}</title><style>{_STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
        )


def write_page(path: Path, page: Page) -> None:
    """Write the report, whole or not at all.

    Raises:
        WriteError: the file cannot be written.
    """
    write_atomically(path, page.text().encode("utf-8", "replace"))


def _table(header: Sequence[str], rows: Rows) -> str:
    head = "<tr>" + "".join(f"<th>{_shown(name)}</th>" for name in header) + "</tr>" if header else ""
    body = "".join("<tr>" + "".join(f"<td>{_shown(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table>{head}{body}</table>"


def _shown(text: str) -> str:
    """Text as it is: markup in it is not, and characters that control something are not sent."""
    visible = "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)
    return html.escape(visible)
