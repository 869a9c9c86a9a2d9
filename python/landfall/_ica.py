"""Independent component analysis."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._base import Estimator
from ._choice import component_choice
from ._inputs import as_input
from ._stability import stability_of
from ._types import Array


def amari_distance(unmixing: Any, mixing: Any) -> float:
    """How far ``unmixing @ mixing`` is from a permutation with scales: 0 where the sources are found."""
    return _core.amari_distance(np.asarray(unmixing), np.asarray(mixing))


class ICA(Estimator):
    """Independent component analysis: directions whose projections are as far from Gaussian as they can be.

    Parameters
    ----------
    n_components : int, "auto" or None, default=None
        Number of sources. None: the rank of the columns. "auto": the number with the most sources that come back from other starts and halves of the
        rows, of several the smallest; see :func:`cross_validate`.
    fun : {"logcosh", "exp", "cube"}, default="logcosh"
        The contrast.
    whiten : {"unit-variance", "arbitrary-variance"}, default="unit-variance"
        The scale of the sources: variance 1, or 1/n_samples as in older versions of scikit-learn.
    reduction : {"pca", "none"}, default="pca"
        How fewer components than columns are found: among the leading principal components, or the most non-Gaussian directions of all.
    n_restarts : int, optional
        Runs from other random starts, each on half of the rows, whose sources are clustered with those of the fit (``stability_``). None: 0, or 10 where
        ``n_components`` is "auto".
    method, passes, tolerance, max_passes, batch_size, memory, ridge, scale, missing, precision, random_state, callback, verbose, checkpoint, resume, comm,
    rows
        As in :class:`CCA`.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        The unmixing matrix: sources are ``(X - mean_) @ components_.T``, ordered by negentropy.
    mixing_ : array of shape (n_features, n_components)
        ``X`` is near ``S @ mixing_.T + mean_``.
    mean_ : array of shape (n_features,)
    negentropy_, signs_ : arrays of shape (n_components,)
        How far each source is from Gaussian, and 1 for super-Gaussian, -1 for sub-Gaussian.
    stability_ : Stability or None
        How often each source came back, and the quality of its cluster; None without restarts.
    component_choice_ : ComponentChoice
        What each number of components gives; only with ``n_components="auto"``.
    ridge_, n_iter_, n_passes_, converged_, warnings_, method_, reason_, history_, seconds_
        How the fit was done and what it cost.
    """

    _KIND = "ica"
    _RENAMED = Estimator._RENAMED | {"fun": "contrast"}

    def __init__(
        self,
        n_components: int | str | None = None,
        *,
        fun: str = "logcosh",
        whiten: str = "unit-variance",
        reduction: str = "pca",
        n_restarts: int | None = None,
        method: str = "auto",
        passes: float | None = None,
        tolerance: float = 1e-3,
        max_passes: float = 32,
        batch_size: int | None = None,
        memory: int | str = "2GiB",
        ridge: float | str = "auto",
        scale: bool = False,
        missing: str = "error",
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
        self.fun = fun
        self.whiten = whiten
        self.reduction = reduction
        self.n_restarts = n_restarts
        self.method = method
        self.passes = passes
        self.tolerance = tolerance
        self.max_passes = max_passes
        self.batch_size = batch_size
        self.memory = memory
        self.ridge = ridge
        self.scale = scale
        self.missing = missing
        self.precision = precision
        self.random_state = random_state
        self.callback = callback
        self.verbose = verbose
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume
        self.comm = comm
        self.rows = rows

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> ICA:
        """Finds the sources; y is ignored. ``sample_weight`` has a weight for each row, or is the path of a file of weights."""
        if self.whiten not in ("unit-variance", "arbitrary-variance"):
            raise ValueError(f"whiten={self.whiten!r}, expected 'unit-variance' or 'arbitrary-variance'")
        restarts = (10 if self._chooses() else 0) if self.n_restarts is None else int(self.n_restarts)
        if restarts < 0:
            raise ValueError(f"n_restarts={restarts}, expected 0 or more")
        self._forget()
        fit = partial(_core.fit_ica, restarts=restarts, choose=self._chooses())
        self._learn(self._run(fit, self._input(X, reset=True, min_samples=2), **self._weights(sample_weight)))
        return self

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> ICA:
        """Goes on with more rows: one step of landing for each batch. The result does not depend on how rows were cut into calls. Rows have weights as
        in fit, or a weight of 1."""
        first = "_online" not in vars(self)
        self._push([self._input(X, reset=first)], sample_weight=sample_weight)
        return self

    def _learn(self, result: dict[str, Any], quiet: bool = False) -> None:
        view = result["views"][0]
        scale = 1.0 if self.whiten == "unit-variance" else 1.0 / np.sqrt(result["samples"])
        weights = view["weights"]
        self.components_ = (weights if scale == 1.0 else (weights * scale).astype(weights.dtype)).T
        self.mixing_ = result["mixing"] if scale == 1.0 else (result["mixing"] / scale).astype(result["mixing"].dtype)
        self.mean_ = view["mean"]
        self.negentropy_ = result["negentropy"]
        self.signs_ = result["signs"]
        self.kurtosis_ = result.get("kurtosis", np.zeros(0))
        if "structure" in view:
            self.structure_, self.variance_explained_ = view["structure"], view["explained"]
        self.stability_ = stability_of(result.get("stability"))
        self.__dict__.pop("component_choice_", None)
        if "component_choice" in result:
            self.component_choice_ = component_choice(result["component_choice"])
        self._record(result, quiet)

    _HAS_EXACT = False

    def _measures(self) -> dict[str, float]:
        return {"negentropy": float(self.negentropy_.sum())}

    def _read_files(self, folder: Any, summary: dict[str, Any]) -> dict[str, Any]:
        self.set_params(fun=summary["contrast"])
        signs = [1.0 if kind == "super-Gaussian" else -1.0 for kind in summary["kinds"]]
        stability = summary.get("stability")
        if stability is not None:
            stability = stability | {"centrotypes": np.load(folder / "centrotypes.npy")}
        found = {"mixing": np.load(folder / "mixing.npy"), "stability": stability, "signs": np.asarray(signs), "negentropy": np.asarray(summary["negentropy"]),
                 "kurtosis": np.asarray(summary.get("kurtosis", []), dtype=float), "contrast": summary["contrast"], "reduction": summary["reduction"],
                 "explained_variance": summary.get("explained_variance", 1.0)}
        if "component_choice" in summary:
            choice = summary["component_choice"]
            found["component_choice"] = choice | {"chosen": choice["chosen_number"]}
        return found

    def _plan(self, X: Any, Y: Any, weights: dict[str, Any]) -> dict[str, Any]:
        return _core.plan_ica(as_input(X, "X"), self._options() | weights, self.precision)

    def _cross_validate(self, X: Any, restarts: int, weights: dict[str, Any]) -> dict[str, Any]:
        return _core.cross_validate_ica(as_input(X, "X"), self._options() | weights, restarts, self.precision)

    def transform(self, X: Any) -> Array:
        """The sources of new rows."""
        check_is_fitted(self)
        return self._scores(self._input(X, reset=False), self.components_.T, self.mean_)

    def inverse_transform(self, X: Any) -> Array:
        """Rows from sources."""
        check_is_fitted(self)
        return np.asarray(X) @ self.mixing_.T + self.mean_.astype(self.mixing_.dtype)

    def score(self, X: Any, y: Any = None) -> float:
        """The mean negentropy of the training rows is ``negentropy_.mean()``; this is minus the mean squared error of rows rebuilt from
        their sources, which tells how much of these rows the components hold."""
        check_is_fitted(self)
        rows = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
        return -float(np.mean((self.inverse_transform(self.transform(X)) - rows) ** 2))
