"""A line that shows how far a fit is: rewritten in place in terminals, updated in notebooks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any


class ProgressLine:
    """Called about twenty times per second with the progress of the method and the number of rows read."""

    def __init__(self, name: str, passes: float | None) -> None:
        self._name = name
        self._passes = passes
        self._began = time.perf_counter()
        self._shown = 0.0
        self._handle = _notebook_line()
        self._width = 0

    def __call__(self, progress: dict[str, Any], rows: int) -> None:
        now = time.perf_counter() - self._began
        if now - self._shown < 0.1:
            return
        self._shown = now
        self._show(self._text(progress, rows, now))

    def _text(self, progress: dict[str, Any], rows: int, seconds: float) -> str:
        parts = [self._name]
        if progress["iteration"] > 0:
            of = f" of {self._passes:g}" if self._passes else ""
            parts.append(f"pass {progress['passes']:.2f}{of}, step {progress['iteration']}")
            parts.append(f"stationarity {progress['stationarity']:.1e}")
        else:
            parts.append(f"reading, {rows} rows")
        parts.append(f"{seconds:.1f} s")
        return " · ".join(parts)

    def _show(self, text: str) -> None:
        if self._handle is not None:
            self._handle(text)
        else:
            self._width = max(self._width, len(text))
            sys.stderr.write("\r" + text.ljust(self._width))
            sys.stderr.flush()

    def end(self, text: str) -> None:
        """The last line stays."""
        self._show(f"{self._name} · {text}")
        if self._handle is None:
            sys.stderr.write("\n")


def _notebook_line() -> Callable[[str], None] | None:
    """A display that can be updated, inside a notebook."""
    if "ipykernel" not in sys.modules:
        return None
    from IPython.display import display

    handle = display({"text/plain": ""}, raw=True, display_id=True)
    return lambda text: handle.update({"text/plain": text}, raw=True)
