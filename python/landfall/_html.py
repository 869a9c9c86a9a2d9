"""Small tables, for notebooks and terminals."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape


def table(names: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "") -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def text_table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The same for terminals: columns aligned to the right."""
    lines = [names, *rows]
    widths = [max(len(line[j]) for line in lines) for j in range(len(names))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)
