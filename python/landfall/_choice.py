"""How many components and how much ridge, as ``landfall cv`` chooses them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ._html import table, text_table
from ._messages import python_errors
from ._types import Array

if TYPE_CHECKING:
    from ._cca import CCA
    from ._ica import ICA
    from ._lda import LDA


@dataclass
class CrossValidation:
    """What each choice gives on rows that were not fitted. ``model.set_params(**choice.params)`` takes the recommended one.

    ``values`` and ``errors`` have a column for each ridge and a row for each number in ``components``: of CCA the total of the first p correlations, of LDA the
    accuracy with the first p directions. ``n_components`` has the number of pairs that stand out from chance with each ridge. Errors are standard
    errors over the folds.
    """

    measure: str
    folds: int
    ridges: Array
    components: Array
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

    def _heads(self) -> list[str]:
        what = "pair" if self.measure == "total correlation" else "direction"
        return [f"{p} {what}{'' if p == 1 else 's'}" for p in self.components]

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        rows = range(len(self.values))
        cells = [[f"{ridge:g}", *(f"{self.values[k, r]:.4f} ± {self.errors[k, r]:.4f}" for k in rows), "<- chosen" if r == self.chosen else ""]
                 for r, ridge in enumerate(self.ridges)]
        return ["ridge", *self._heads(), ""], cells

    def __str__(self) -> str:
        return text_table(*self._cells())

    def _repr_html_(self) -> str:
        return table(*self._cells())

    def _plot(self, ax: Any) -> None:
        places = np.arange(len(self.ridges))
        for head, values, errors in zip(self._heads(), self.values, self.errors):
            ax.errorbar(places, values, errors, marker="o", markersize=3, capsize=2, label=head)
        ax.axvline(self.chosen, color="grey", linestyle="--", linewidth=0.8)
        ax.set(xlabel="relative ridge", ylabel=self.measure, xticks=places, xticklabels=[f"{ridge:g}" for ridge in self.ridges])
        ax.legend(fontsize=8)


@dataclass
class ComponentChoice:
    """What an ICA with each number of components gives. ``model.set_params(**choice.params)`` takes the recommended one.

    The choice is the number with the most components that are stable (see :class:`Stability`) and not Gaussian, of several the smallest. Where there are none it is the
    smallest number that holds 95 % of the variance.
    """

    measure: str
    components: Array
    explained_variance: Array
    """The share of the variance in so many principal components."""
    mean_quality: Array
    """Iq of the clusters."""
    worst_quality: Array
    stable: Array
    """How many of the components come back from other starts and halves of the rows, and are not Gaussian."""
    runs: Array
    chosen: int
    """The place of the choice in these arrays."""
    params: dict[str, Any]

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        rows = [[str(p), str(stable), f"{mean:.3f}", f"{worst:.3f}", f"{100 * share:.2f} %", "<- chosen" if i == self.chosen else ""]
                for i, (p, stable, mean, worst, share) in enumerate(
                    zip(self.components, self.stable, self.mean_quality, self.worst_quality, self.explained_variance))]
        return ["components", "stable", "mean Iq", "worst Iq", "variance", ""], rows

    def __str__(self) -> str:
        return text_table(*self._cells())

    def _repr_html_(self) -> str:
        return table(*self._cells())

    def _plot(self, ax: Any) -> None:
        series = {"stable components": self.stable / self.components, "mean Iq": self.mean_quality, "worst Iq": self.worst_quality,
                  "explained variance": self.explained_variance}
        for name, values in series.items():
            ax.plot(self.components, values, marker="o", markersize=3, label=name)
        ax.axvline(self.components[self.chosen], color="grey", linestyle="--", linewidth=0.8)
        ax.set(xlabel="components", ylabel="share or Iq", ylim=(min(0.0, float(self.worst_quality.min())), 1.05))
        ax.legend(fontsize=8)


def component_choice(found: dict[str, Any]) -> ComponentChoice:
    """Of what the library found."""
    chosen = found["chosen"]
    return ComponentChoice(
        measure="stability",
        components=np.asarray(found["components"]),
        explained_variance=np.asarray(found["explained_variance"]),
        mean_quality=np.asarray(found["mean_quality"]),
        worst_quality=np.asarray(found["worst_quality"]),
        stable=np.asarray(found["stable"]),
        runs=np.asarray(found["runs"]),
        chosen=chosen,
        params={"n_components": int(found["components"][chosen])},
    )


# The bases of scikit-learn have no types, so that mypy takes one model for the other.
@overload
def cross_validate(  # type: ignore[misc]
    model: ICA, X: Any, Y: Any = ..., *, ridges: None = ..., folds: int = ..., n_restarts: int = ..., sample_weight: Any = ...
) -> ComponentChoice: ...
@overload
def cross_validate(
    model: CCA | LDA, X: Any, Y: Any, *, ridges: Sequence[float] | None = ..., folds: int = ..., n_restarts: int = ..., sample_weight: Any = ...
) -> CrossValidation: ...
def cross_validate(
    model: Any, X: Any, Y: Any = None, *, ridges: Sequence[float] | None = None, folds: int = 5, n_restarts: int = 10, sample_weight: Any = None
) -> CrossValidation | ComponentChoice:
    """Chooses the ridge and the number of components of a :class:`CCA` or :class:`LDA` by cross-validation, and the number of components of an
    :class:`ICA` by stability. The model may be fitted or not.

    CCA reads the rows once; ``n_components`` is the most pairs to look at, None for all, 10 at most. A pair counts while its correlation on rows that
    were not fitted is two standard errors above 0. LDA takes Y as the classes, and reads the rows four times, or fits once for each ridge and fold where covariances
    do not fit in memory. ``ridges`` are multiples of the variance of each column. The choice is the smallest ridge within one standard
    error of the best, and for LDA the fewest directions within one standard error of its best.

    ICA has ``n_restarts`` runs beside the first for each of a few numbers of components up to ``n_components``, None for the rank, 50 at most. Each run
    starts at random and has half of the rows. Returns a :class:`ComponentChoice`.

    ``sample_weight`` has a weight for each row, as in fit, with which the row counts on either side of a fold.
    """
    if getattr(model, "_cross_validate", None) is None:
        raise ValueError(f"{type(model).__name__} cannot be cross-validated, expected CCA, ICA or LDA")
    if getattr(model, "comm", None) is not None:
        raise ValueError("cross_validate runs in one process, expected a model without comm")
    weights = model._weights(sample_weight)
    if model._KIND == "ica":
        if ridges is not None:
            raise ValueError("ICA has no ridge to choose, expected ridges=None")
        with python_errors():
            return component_choice(model._cross_validate(X, int(n_restarts), weights))
    if Y is None:
        raise ValueError(f"Y is None, expected {'the classes of the rows' if model._KIND == 'lda' else 'the second view'}")
    with python_errors():
        found = model._cross_validate(X, Y, [] if ridges is None else [float(ridge) for ridge in ridges], int(folds), weights)
    pairs = found.get("components_by_ridge")
    ridge_numbers = np.asarray(found["ridges"])
    number = found["directions"] if pairs is None else pairs[found["chosen"]]
    return CrossValidation(
        measure="accuracy" if pairs is None else "total correlation",
        folds=found["folds"],
        ridges=ridge_numbers,
        components=np.asarray(found.get("components", range(1, len(found["values"]) + 1))),
        values=found["values"],
        errors=found["errors"],
        best=found["best"],
        chosen=found["chosen"],
        params={"n_components": int(number), "relative_ridge": float(ridge_numbers[found["chosen"]]), "ridge": "auto"},
        n_components=pairs,
        any_real=found.get("any_real", True),
    )
