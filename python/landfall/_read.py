"""Files as data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core
from ._inputs import as_input
from ._messages import in_python, python_errors
from ._types import Array


class Data:
    """Rows of a file, or of anything else an estimator takes. They are read when they are needed.

    ``np.asarray(data)`` reads them all.
    """

    def __init__(self, source: _core.Input) -> None:
        self._landfall_input = source
        with python_errors():
            told = _core.describe(source)
        self.name: str = told["name"]
        self.format: str = told["format"]
        self.n_rows: int | None = told["rows"]
        self.n_columns: int = told["cols"]
        self.sparse: bool = told["sparse"]
        self.element_type: str = told["element_type"]
        self.column_names: list[str] = told["column_names"]
        self.warnings: list[str] = [in_python(text) for text in told["warnings"]]

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        with python_errors():
            rows = _core.read_all(self._landfall_input)
        return rows if dtype is None else rows.astype(dtype, copy=False)

    def __repr__(self) -> str:
        rows = "?" if self.n_rows is None else self.n_rows
        kind = "sparse" if self.sparse else "dense"
        return f"<landfall.Data {self.name}: {rows}x{self.n_columns}, {kind} {self.format}, {self.element_type}>"


def read(
    path: Any,
    *,
    columns: Sequence[str] | str = (),
    exclude: Sequence[str] | str = (),
    index_column: str | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    na: Sequence[str] | str = (),
    one_hot: bool | None = None,
    format: str | None = None,
) -> Data:
    """Opens a file, a folder, or several files whose rows follow each other, in any format of docs/files.md.

    ``columns`` and ``exclude`` name columns by name, number from 1, range ("s1..s6", "3..7") or wildcard ("a*"). ``na`` lists what stands
    for a missing value. ``one_hot`` makes columns of zeros and ones of text.
    """
    given = {
        "columns": _items(columns),
        "exclude": _items(exclude),
        "index_column": index_column,
        "separator": separator,
        "decimal": decimal,
        "header": header,
        "na": _items(na),
        "one_hot": one_hot,
        "format": format,
    }
    options = {name: value for name, value in given.items() if value not in (None, [])}
    return Data(as_input(path, "data", options))


def _items(given: Sequence[str] | str) -> list[str]:
    return [given] if isinstance(given, str) else [str(item) for item in given]
