"""Canonical correlation analysis."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._base import Estimator
from ._inputs import as_input
from ._messages import python_errors
from ._types import Array


class CCA(Estimator):
    """Canonical correlation analysis: directions of two views whose scores correlate most.

    Parameters
    ----------
    n_components : int, "auto" or None, default=None
        Number of canonical pairs. None: 2, or 1 where a view has a single column. "auto": the pairs that stand out from chance in cross-validation, at most 10.
    ridge : "auto" or float, default="auto"
        Added to the diagonal of both covariances. "auto": none where the problem is well posed, else chosen by
        cross-validation, with a warning.
    relative_ridge : float, optional
        A ridge in multiples of the variance of each column, instead of ``ridge``.
    method : str, default="auto"
        "auto", "exact", "landing", or a baseline of ``landfall methods``.
    passes : float, optional
        Passes of landing over the data. None: until ``tolerance`` holds.
    tolerance : float, default=0.001
        Landing ends once its estimated relative gap to the optimum is at most this.
    max_passes : float, default=32
        Or after so many passes.
    batch_size : int, optional
        Rows per step of landing.
    memory : int or str, default="2GiB"
        Memory the method may use.
    center : bool, default=True
        Whether columns are centred.
    scale : bool, default=False
        Whether columns are divided by their standard deviation. Without a ridge this changes nothing but rounding.
    missing : {"error", "drop", "mean"}, default="error"
        What to do about missing values: refuse them, drop the row, or take the mean of the column.
    held_out : float, default=0
        Fraction of the rows to test on.
    folds : int, optional
        Folds of cross-validation; 0 for none. None: 5 where the method is exact and the folds fit in memory. Landing fits once more
        for each fold.
    permutations : int, default=0
        Random pairings of the rows, such as 999, for p-values of the pairs.
    bootstrap : int, default=0
        Resamples of the rows, such as 500, for 95 % intervals of correlations and loadings.
    precision : {"auto", "single", "double"}, default="auto"
        "auto" is single where both views are of single precision or narrower, or are sparse.
    random_state : int, RandomState or None, default=None
        Seed of the order of the rows. None is 0.
    callback : callable, optional
        Called after every step with a dict (iteration, passes, seconds, objective, infeasibility, stationarity, step). Returning True
        ends the run.
    verbose : int, default=0
        1 shows progress.
    checkpoint : path, optional
        A folder in which landing saves its state every ``checkpoint_every`` seconds and on Ctrl-C.
    resume : bool, default=False
        Whether fit continues from the checkpoint in that folder, if there is one, to the same bits as an uninterrupted run.
    comm : mpi4py communicator, optional
        Processes that fit the model together (docs/mpi.md): each calls fit and gets the same result.
    rows : {"shared", "own"}, default="shared"
        With ``comm``: whether every process is given all rows, or each its own.

    Attributes
    ----------
    correlations_ : array of shape (n_components,)
        Pearson's, of the scores of the training rows.
    regularized_correlations_ : array of shape (n_components,)
        What is maximised: the same in the metric with the ridge.
    held_out_correlations_ : array
        Of the held-out rows; empty where there are none.
    x_weights_, y_weights_ : arrays of shape (n_features, n_components)
        Scores are ``(X - x_mean_) @ x_weights_``. ``x_rotations_`` and ``y_rotations_`` are the same.
    x_loadings_, y_loadings_ : arrays of shape (n_features, n_components)
        Regression of the columns on the scores.
    x_structure_, y_structure_ : arrays of shape (n_features, n_components)
        Canonical loadings: correlations of the columns with the scores of their own view. ``x_cross_structure_`` and ``y_cross_structure_``
        are those with the scores of the other view.
    x_variance_explained_, y_variance_explained_, x_redundancy_, y_redundancy_ : arrays of shape (n_components,)
        Means of the squared loadings and cross loadings: shares of the variance of the columns.
    cross_validated_correlations_, cross_validated_errors_ : arrays
        Of pairs found without a fold of the rows and tested on it, with standard errors; empty where there was no cross-validation.
    x_prediction_r2_, y_prediction_r2_ : arrays of shape (n_features,)
        R² of each column on the held-out rows, predicted from the other view; only with ``held_out``.
    wilks_ : list of dict
        Wilks' test of each pair and those after it, with Bartlett's and Rao's approximations; empty where the method is not exact, there is
        a ridge, there are not more rows than columns, or the weights of rows differ.
    permutation_p_values_ : array
        Of each pair and those after it; empty without ``permutations``.
    correlation_intervals_ : array of shape (n_components, 2)
        95 % intervals, by the bootstrap; empty without it. ``x_structure_intervals_`` and ``y_structure_intervals_`` have shape (2, n_features,
        n_components).
    x_mean_, y_mean_ : arrays of shape (n_features,)
    sum_of_weights_ : float
        Of the training rows; only with ``sample_weight``.
    ridge_, n_iter_, n_passes_, converged_, warnings_, method_, reason_, history_, seconds_
        How the fit was done and what it cost.
    """

    _KIND = "cca"
    _requires_y = True
    _preserves = (np.float64,)  # the precision is that of both views

    def __init__(
        self,
        n_components: int | str | None = None,
        *,
        ridge: float | str = "auto",
        relative_ridge: float | None = None,
        method: str = "auto",
        passes: float | None = None,
        tolerance: float = 1e-3,
        max_passes: float = 32,
        batch_size: int | None = None,
        memory: int | str = "2GiB",
        center: bool = True,
        scale: bool = False,
        missing: str = "error",
        held_out: float = 0.0,
        folds: int | None = None,
        permutations: int = 0,
        bootstrap: int = 0,
        precision: str = "auto",
        random_state: Any = None,
        callback: Callable[[dict[str, Any]], bool | None] | None = None,
        verbose: int = 0,
        checkpoint: str | None = None,
        checkpoint_every: float = 60.0,
        resume: bool = False,
        comm: Any = None,
        rows: str = "shared",
    ) -> None:
        self.n_components = n_components
        self.ridge = ridge
        self.relative_ridge = relative_ridge
        self.method = method
        self.passes = passes
        self.tolerance = tolerance
        self.max_passes = max_passes
        self.batch_size = batch_size
        self.memory = memory
        self.center = center
        self.scale = scale
        self.missing = missing
        self.held_out = held_out
        self.folds = folds
        self.permutations = permutations
        self.bootstrap = bootstrap
        self.precision = precision
        self.random_state = random_state
        self.callback = callback
        self.verbose = verbose
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume
        self.comm = comm
        self.rows = rows

    def fit(self, X: Any, Y: Any = None, sample_weight: Any = None, *, y: Any = None) -> CCA:
        """Finds the directions. X and Y have corresponding rows; each is anything that docs/python.md lists. ``sample_weight`` has a weight
        for each row, or is the path of a file of weights: a weight of 2 counts as the row twice, a weight of 0 leaves it out. ``y`` is another
        name of Y, as in later versions of scikit-learn."""
        Y = y if Y is None else Y
        if Y is None:
            raise ValueError("requires y to be passed, but the target y is None: expected the second view, Y")
        self._forget()
        left = self._input(X, reset=True, min_samples=2)
        right = self._second_input(Y, min_samples=2)
        self._single_y = (np.ndim(Y) if isinstance(Y, (list, tuple)) else getattr(Y, "ndim", 2)) == 1
        fit = partial(_core.fit_cca, choose=self._chooses(), curve=self.__dict__.pop("_curve_every", 0.0))
        self._learn(self._run(fit, left, right, components=self._components(left, right), **self._weights(sample_weight)))
        return self

    def partial_fit(self, X: Any, Y: Any, sample_weight: Any = None) -> CCA:
        """Goes on with more rows: one step of landing for each batch. The result does not depend on how rows were cut into calls. Rows have weights as
        in fit, or a weight of 1."""
        first = "_online" not in vars(self)
        self._push([self._input(X, reset=first), self._second_input(Y)], sample_weight=sample_weight)
        return self

    def _components(self, left: _core.Input, right: _core.Input) -> int:
        """As scikit-learn's CCA, but no more than there are columns."""
        if self._chooses():
            return 0
        if self.n_components is not None:
            return self._whole_components(self.n_components)
        return min(2, _core.describe(left)["cols"], _core.describe(right)["cols"])

    def _learn(self, result: dict[str, Any], quiet: bool = False) -> None:
        x, y = result["views"]
        self.correlations_ = result["correlations"]
        self.regularized_correlations_ = result["regularized_correlations"]
        self.held_out_correlations_ = result["held_out_correlations"]
        self.x_weights_ = self.x_rotations_ = x["weights"]
        self.y_weights_ = self.y_rotations_ = y["weights"]
        self.x_mean_, self.y_mean_ = x["mean"], y["mean"]
        if "loadings" in x:
            self.x_loadings_, self.y_loadings_ = x["loadings"], y["loadings"]
        if "structure" in x:
            self.x_structure_, self.y_structure_ = x["structure"], y["structure"]
            self.x_variance_explained_, self.y_variance_explained_ = x["explained"], y["explained"]
        if "cross_structure" in x:
            self.x_cross_structure_, self.y_cross_structure_ = x["cross_structure"], y["cross_structure"]
            self.x_redundancy_, self.y_redundancy_ = x["redundancy"], y["redundancy"]
        if "prediction_r2" in y:
            self.x_prediction_r2_, self.y_prediction_r2_ = x["prediction_r2"], y["prediction_r2"]
        self.cross_validated_correlations_ = result.get("cross_validated_correlations", np.zeros(0))
        self.cross_validated_errors_ = result.get("cross_validated_errors", np.zeros(0))
        self.wilks_ = result.get("wilks", [])
        self.permutation_p_values_ = result.get("permutation_p", np.zeros(0))
        intervals = result.get("bootstrap")
        self.correlation_intervals_ = np.zeros((0, 2)) if intervals is None else np.column_stack([intervals["lower"], intervals["upper"]])
        if intervals is not None and "loadings" in intervals:
            self.x_structure_intervals_, self.y_structure_intervals_ = (np.stack([one["lower"], one["upper"]]) for one in intervals["loadings"])
        self._record(result, quiet)

    def _measures(self) -> dict[str, float]:
        measures = {"total": float(self.regularized_correlations_.sum())}
        return measures | ({"held_out_total": float(self.held_out_correlations_.sum())} if len(self.held_out_correlations_) else {})

    def _read_files(self, folder: Any, summary: dict[str, Any]) -> dict[str, Any]:
        read: dict[str, Any] = {"correlations": summary["correlations"], "regularized_correlations": summary["regularized_correlations"],
                                "held_out_correlations": summary.get("held_out_correlations", []),
                                "cross_validated_correlations": summary.get("cross_validated_correlations", []),
                                "cross_validated_errors": summary.get("cross_validated_errors", []),
                                "permutation_p": summary.get("permutation_p", [])}
        found: dict[str, Any] = {name: np.asarray(values, dtype=float) for name, values in read.items()}
        found |= {"wilks": summary.get("wilks", []), "folds": summary.get("folds", 0), "permutations": summary.get("permutations", 0)}
        if "bootstrap" in summary:
            kept = summary["bootstrap"]
            found["bootstrap"] = {"resamples": kept["resamples"], "level": kept["level"],
                                  **{name: np.asarray(kept[f"correlations_{name}"]) for name in ("lower", "upper", "errors")},
                                  "loadings": [_intervals(folder / f"loadings_{side}.csv", summary["components"]) for side in ("left", "right")]}
        return found

    def _plan(self, X: Any, Y: Any, weights: dict[str, Any]) -> dict[str, Any]:
        left, right = as_input(X, "X"), as_input(Y, "Y")
        return _core.plan_cca(left, right, self._options() | weights | {"components": self._components(left, right)}, self.precision)

    def _cross_validate(self, X: Any, Y: Any, ridges: list[float], folds: int, weights: dict[str, Any]) -> dict[str, Any]:
        options = self._options() | weights
        options |= {"components": options["components"] or 0, "folds": folds, "ridge": None, "relative_ridge": None}
        return _core.cross_validate_cca(as_input(X, "X"), as_input(Y, "Y"), options, ridges, self.precision)

    def transform(self, X: Any, Y: Any = None) -> Any:
        """Scores of new rows of X, or a pair of scores with Y."""
        check_is_fitted(self)
        scores = self._scores(self._input(X, reset=False), self.x_weights_, self.x_mean_)
        if Y is None:
            return scores
        return scores, self._scores(self._second_input(Y), self.y_weights_, self.y_mean_)

    def predict(self, X: Any) -> Array:
        """The columns of Y, or its one column where it was given as a vector, by regression on the scores of X. ``y_prediction_r2_`` tells how well that works on held-out rows."""
        check_is_fitted(self)
        prediction: Array | None = self._result["views"][1].get("prediction")
        if prediction is None:
            raise ValueError("this model has no regression of Y on the scores of X: expected one that fit, not partial_fit, has learned")
        predicted = np.asarray(self.transform(X)) @ prediction.T + self.y_mean_
        return predicted[:, 0] if getattr(self, "_single_y", False) else predicted

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fits, and returns the scores of both views."""
        return self.fit(X, y, sample_weight).transform(X, y)

    def inverse_transform(self, X: Any, Y: Any = None) -> Any:
        """Columns of X (and of Y) from scores, by regression."""
        check_is_fitted(self)
        x = np.asarray(X) @ self.x_loadings_.T + self.x_mean_
        return x if Y is None else (x, np.asarray(Y) @ self.y_loadings_.T + self.y_mean_)

    def score(self, X: Any, Y: Any) -> float:
        """The mean of the canonical correlations on these rows."""
        return float(np.mean(self.score_pairs(X, Y)))

    def score_pairs(self, X: Any, Y: Any) -> Array:
        """The correlation of each canonical pair on these rows."""
        check_is_fitted(self)
        left, right = self._input(X, reset=False), self._second_input(Y)
        with python_errors():
            return _core.paired_correlations(left, right, self.x_weights_, self.y_weights_, {"missing": self.missing})


def _intervals(file: Any, components: int) -> dict[str, Array]:
    """Bounds of the loadings, in a table beside these."""
    from ._read import read

    return {bound: np.asarray(read(file, columns=[f"{bound}_{k + 1}" for k in range(components)])) for bound in ("lower", "upper")}
