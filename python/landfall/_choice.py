"""How many components and how much ridge: cross-validation, as ``landfall cv`` has it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._messages import python_errors
from ._types import Array


@dataclass
class CrossValidation:
    """What each choice gives on rows that were not fitted. ``model.set_params(**choice.params)`` takes the recommended one.

    ``values`` and ``errors`` have a column for each ridge. Of CCA row p - 1 is the total of the first p correlations, and ``n_components`` has
    the number of pairs that stand out from chance with each ridge; of LDA the one row is the accuracy. Errors are standard errors over the folds.
    """

    measure: str
    folds: int
    ridges: Array
    values: Array
    errors: Array
    best: int
    """The number of the ridge with the largest value."""
    chosen: int
    """That of the smallest ridge within one standard error of it."""
    params: dict[str, Any]
    n_components: list[int] | None = None
    """Of CCA, for each ridge; at least 1."""
    any_real: bool = True
    """Of CCA: False where not even the first pair stands out from chance."""

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        rows = len(self.values)
        heads = ["accuracy"] if self.n_components is None else [f"{p} {'pair' if p == 1 else 'pairs'}" for p in range(1, rows + 1)]
        cells = [[f"{ridge:g}", *(f"{self.values[k, r]:.4f} ± {self.errors[k, r]:.4f}" for k in range(rows)), "<- chosen" if r == self.chosen else ""]
                 for r, ridge in enumerate(self.ridges)]
        return ["ridge", *heads, ""], cells

    def __str__(self) -> str:
        names, cells = self._cells()
        widths = [max(len(line[j]) for line in [names, *cells]) for j in range(len(names))]
        return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths)).rstrip() for line in [names, *cells])

    def _repr_html_(self) -> str:
        from ._html import table

        return table(*self._cells())


def cross_validate(model: Any, X: Any, Y: Any, *, ridges: Sequence[float] | None = None, folds: int = 5) -> CrossValidation:
    """Chooses the ridge, and for CCA the number of pairs, by cross-validation: ``model`` is a :class:`CCA` or an :class:`LDA`, fitted or not.

    CCA reads the rows once; ``n_components`` is the most pairs to look at, None for all, 10 at most. A pair counts while its correlation on rows that
    were not fitted is two standard errors above 0. LDA fits once for each ridge and fold. ``ridges`` are multiples of the variance of each
    column. The choice is the smallest ridge within one standard error of the best.
    """
    if getattr(model, "_cross_validate", None) is None:
        raise ValueError(f"{type(model).__name__} cannot be cross-validated, expected CCA or LDA")
    if getattr(model, "comm", None) is not None:
        raise ValueError("cross_validate runs in one process, expected a model without comm")
    with python_errors():
        found = model._cross_validate(X, Y, [] if ridges is None else [float(ridge) for ridge in ridges], int(folds))
    pairs = found.get("components_by_ridge")
    ridge_numbers = np.asarray(found["ridges"])
    params = {"relative_ridge": float(ridge_numbers[found["chosen"]]), "ridge": "auto"}
    if pairs is not None:
        params = {"n_components": int(pairs[found["chosen"]])} | params
    return CrossValidation(
        measure="accuracy" if pairs is None else "total correlation",
        folds=found["folds"],
        ridges=ridge_numbers,
        values=found["values"],
        errors=found["errors"],
        best=found["best"],
        chosen=found["chosen"],
        params=params,
        n_components=pairs,
        any_real=found.get("any_real", True),
    )
