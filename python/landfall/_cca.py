"""Canonical correlation analysis."""

from __future__ import annotations

from collections.abc import Callable
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
    n_components : int or None, default=None
        Number of canonical pairs. None: 2, or 1 where a view has a single column.
    ridge : "auto" or float, default="auto"
        Added to the diagonal of both covariances. "auto": none where the problem is well posed, else chosen by
        cross-validation, with a warning.
    relative_ridge : float, optional
        A ridge in multiples of the variance of each column, instead of ``ridge``.
    method : str, default="auto"
        "auto", "exact", "landing", or a baseline of ``landfall methods``.
    passes : float, optional
        Passes of landing over the data.
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
    x_mean_, y_mean_ : arrays of shape (n_features,)
    ridge_, n_iter_, n_passes_, converged_, warnings_, method_, reason_, history_, seconds_
        How the fit was done and what it cost.
    """

    _KIND = "cca"
    _requires_y = True
    _preserves = (np.float64,)  # the precision is that of both views

    def __init__(
        self,
        n_components: int | None = None,
        *,
        ridge: float | str = "auto",
        relative_ridge: float | None = None,
        method: str = "auto",
        passes: float | None = None,
        batch_size: int | None = None,
        memory: int | str = "2GiB",
        center: bool = True,
        scale: bool = False,
        missing: str = "error",
        held_out: float = 0.0,
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
        self.batch_size = batch_size
        self.memory = memory
        self.center = center
        self.scale = scale
        self.missing = missing
        self.held_out = held_out
        self.precision = precision
        self.random_state = random_state
        self.callback = callback
        self.verbose = verbose
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume
        self.comm = comm
        self.rows = rows

    def fit(self, X: Any, Y: Any) -> CCA:
        """Finds the directions. X and Y have corresponding rows; each is anything that docs/python.md lists."""
        if Y is None:
            raise ValueError("requires y to be passed, but the target y is None: expected the second view, Y")
        self._forget()
        left = self._input(X, reset=True, min_samples=2)
        right = self._second_input(Y, min_samples=2)
        self._learn(self._run(_core.fit_cca, left, right, components=self._components(left, right)))
        return self

    def partial_fit(self, X: Any, Y: Any) -> CCA:
        """Goes on with more rows: one step of landing for each batch. The result does not depend on how rows were cut into calls."""
        first = "_online" not in vars(self)
        self._push([self._input(X, reset=first), self._second_input(Y)])
        return self

    def _components(self, left: _core.Input, right: _core.Input) -> int:
        """As scikit-learn's CCA, but no more than there are columns."""
        if self.n_components is not None:
            return self.n_components
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
        self._record(result, quiet)

    _MEASURES = ("total", "held_out_total")

    def _measures(self) -> dict[str, float]:
        measures = {"total": float(self.regularized_correlations_.sum())}
        return measures | ({"held_out_total": float(self.held_out_correlations_.sum())} if len(self.held_out_correlations_) else {})

    def _numbers(self) -> dict[str, Any]:
        return {
            "correlations": self.correlations_,
            "total_correlation": self.correlations_.sum(),
            "regularized_correlations": self.regularized_correlations_,
            "regularized_total": self.regularized_correlations_.sum(),
        }

    def _more_numbers(self) -> dict[str, Any]:
        held_out = self.held_out_correlations_
        if len(held_out) == 0:
            return {}
        samples = self._result["held_out_samples"]
        return {"held_out_samples": samples, "held_out_correlations": held_out, "held_out_total_correlation": held_out.sum()}

    def _files(self) -> dict[str, Array]:
        return {"loadings_left.npy": self.x_loadings_, "loadings_right.npy": self.y_loadings_} if "loadings" in self._result["views"][0] else {}

    def _read_files(self, folder: Any, summary: dict[str, Any]) -> dict[str, Any]:
        read = {"correlations": summary["correlations"], "regularized_correlations": summary["regularized_correlations"],
                "held_out_correlations": summary.get("held_out_correlations", [])}
        return {name: np.asarray(values, dtype=float) for name, values in read.items()}

    def _plan(self, X: Any, Y: Any) -> dict[str, Any]:
        left, right = as_input(X, "X"), as_input(Y, "Y")
        return _core.plan_cca(left, right, self._options() | {"components": self._components(left, right)}, self.precision)

    def transform(self, X: Any, Y: Any = None) -> Any:
        """Scores of new rows of X, or a pair of scores with Y."""
        check_is_fitted(self)
        scores = self._scores(self._input(X, reset=False), self.x_weights_, self.x_mean_)
        if Y is None:
            return scores
        return scores, self._scores(self._second_input(Y), self.y_weights_, self.y_mean_)

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fits, and returns the scores of both views."""
        return self.fit(X, y).transform(X, y)

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
