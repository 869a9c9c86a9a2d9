"""Independent component analysis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._base import Estimator
from ._inputs import as_input
from ._types import Array


def amari_distance(unmixing: Any, mixing: Any) -> float:
    """How far ``unmixing @ mixing`` is from a permutation with scales: 0 where the sources are found."""
    return _core.amari_distance(np.asarray(unmixing), np.asarray(mixing))


class ICA(Estimator):
    """Independent component analysis: directions whose projections are as far from Gaussian as they can be.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of sources. None: the rank of the columns.
    fun : {"logcosh", "exp", "cube"}, default="logcosh"
        The contrast.
    whiten : {"unit-variance", "arbitrary-variance"}, default="unit-variance"
        The scale of the sources: variance 1, or 1/n_samples as in older versions of scikit-learn.
    reduction : {"pca", "none"}, default="pca"
        How fewer components than columns are found: among the leading principal components, or the most non-Gaussian directions of all.
    method, passes, batch_size, memory, ridge, scale, missing, precision, random_state, callback, verbose, checkpoint, resume, comm, rows
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
    ridge_, n_iter_, n_passes_, converged_, warnings_, method_, reason_, history_, seconds_
        How the fit was done and what it cost.
    """

    _KIND = "ica"
    _RENAMED = Estimator._RENAMED | {"fun": "contrast"}

    def __init__(
        self,
        n_components: int | None = None,
        *,
        fun: str = "logcosh",
        whiten: str = "unit-variance",
        reduction: str = "pca",
        method: str = "auto",
        passes: float | None = None,
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
        self.method = method
        self.passes = passes
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
        self._forget()
        self._learn(self._run(_core.fit_ica, self._input(X, reset=True, min_samples=2), **self._weights(sample_weight)))
        return self

    def partial_fit(self, X: Any, y: Any = None) -> ICA:
        """Goes on with more rows: one step of landing for each batch. The result does not depend on how rows were cut into calls."""
        first = "_online" not in vars(self)
        self._push([self._input(X, reset=first)])
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
        self._record(result, quiet)

    _MEASURES = ("negentropy",)

    def _measures(self) -> dict[str, float]:
        return {"negentropy": float(self.negentropy_.sum())}

    def _numbers(self) -> dict[str, Any]:
        kinds = ["super-Gaussian" if sign > 0 else "sub-Gaussian" for sign in self.signs_]
        return {"contrast": self.fun, "reduction": self.reduction, "negentropy": self.negentropy_, "kinds": kinds, "kurtosis": self.kurtosis_}

    def _files(self) -> dict[str, Array]:
        view = self._result["views"][0]
        return {"mixing.npy": self._result["mixing"]} | ({"loadings.npy": view["structure"]} if "structure" in view else {})

    def _read_files(self, folder: Any, summary: dict[str, Any]) -> dict[str, Any]:
        self.set_params(fun=summary["contrast"])
        signs = [1.0 if kind == "super-Gaussian" else -1.0 for kind in summary["kinds"]]
        return {"mixing": np.load(folder / "mixing.npy"), "signs": np.asarray(signs), "negentropy": np.asarray(summary["negentropy"]),
                "kurtosis": np.asarray(summary.get("kurtosis", []), dtype=float)}

    def _plan(self, X: Any, Y: Any) -> dict[str, Any]:
        return _core.plan_ica(as_input(X, "X"), self._options(), self.precision)

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
