"""Linear discriminant analysis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from . import _core
from ._base import Estimator
from ._inputs import is_path
from ._types import Array


def encode(y: Any) -> tuple[Array, Array]:
    """The sorted classes, and the number of the class of each row."""
    if is_path(y):
        names, codes = _core.read_labels(str(y))
        return np.asarray(names, dtype=object), codes
    check_classification_targets(y)
    classes, codes = np.unique(column_or_1d(y, warn=True), return_inverse=True)
    return classes, codes.astype(np.uint32)


class LDA(ClassifierMixin, Estimator):
    """Linear discriminant analysis: directions in which the means of classes differ most, against how rows differ within a class.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of directions. None: one less than there are classes, or the number of columns if that is less.
    ridge : "auto" or float, default="auto"
        Added to the diagonal of the covariance within classes. "auto": none, but one of 30 rows where there are fewer than 1.5
        rows to a column.
    relative_ridge, method, passes, batch_size, memory, scale, missing, held_out, precision, random_state, callback, verbose
        As in :class:`CCA`.

    Attributes
    ----------
    classes_, priors_ : arrays of shape (n_classes,)
    scalings_ : array of shape (n_features, n_components)
        Scores are ``(X - xbar_) @ scalings_``.
    xbar_ : array of shape (n_features,)
    centres_ : array of shape (n_classes, n_components)
        Scores of the means of the classes.
    eigenvalues_, explained_variance_ratio_ : arrays of shape (n_components,)
    ridge_, n_iter_, n_passes_, converged_, warnings_, method_, reason_, history_, seconds_
        How the fit was done and what it cost.
    """

    _requires_y = True

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
        scale: bool = False,
        missing: str = "error",
        held_out: float = 0.0,
        precision: str = "auto",
        random_state: Any = None,
        callback: Callable[[dict[str, Any]], bool | None] | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.ridge = ridge
        self.relative_ridge = relative_ridge
        self.method = method
        self.passes = passes
        self.batch_size = batch_size
        self.memory = memory
        self.scale = scale
        self.missing = missing
        self.held_out = held_out
        self.precision = precision
        self.random_state = random_state
        self.callback = callback
        self.verbose = verbose

    def fit(self, X: Any, y: Any) -> LDA:
        """Finds the directions. y has the class of each row, or is the path of a file of labels."""
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        data = self._input(X, reset=True, min_samples=2)
        classes, codes = encode(y)
        if len(classes) < 2:
            raise ValueError(f"y has {len(classes)} class, expected at least 2 classes")
        rows = _core.describe(data)["rows"]
        if rows is not None and rows != len(codes):
            raise ValueError(f"Found input variables with inconsistent numbers of samples: [{rows}, {len(codes)}]")
        names = [str(name) for name in classes]
        self.classes_ = classes
        self._learn(self._run(_fit, data, names, codes))
        return self

    def _learn(self, result: dict[str, Any]) -> None:
        view = result["views"][0]
        self.scalings_ = view["weights"]
        self.xbar_ = view["mean"]
        self.centres_ = result["centres"].T
        self.priors_ = result["priors"]
        self.eigenvalues_ = result["eigenvalues"]
        self.explained_variance_ratio_ = result["explained_ratio"]
        self.training_accuracy_ = result["training_accuracy"]
        self.held_out_accuracy_ = result["held_out_accuracy"]
        self._record(result)

    def transform(self, X: Any) -> Array:
        """Scores of new rows in the discriminant directions."""
        check_is_fitted(self)
        return self._scores(self._input(X, reset=False), self.scalings_, self.xbar_)

    def _class_scores(self, X: Any, log_posterior: bool) -> Array:
        check_is_fitted(self)
        scores = self._scores(self._input(X, reset=False), self.scalings_, self.xbar_)
        return _core.class_scores(scores, self.centres_.T, self.priors_, log_posterior)

    def decision_function(self, X: Any) -> Array:
        """Log likelihood of each class with its prior, up to a constant; for two classes the difference."""
        scores = self._class_scores(X, False)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_log_proba(self, X: Any) -> Array:
        return self._class_scores(X, True)

    def predict_proba(self, X: Any) -> Array:
        """The probability of each class."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> Array:
        """The most likely class of each row."""
        best = np.argmax(self._class_scores(X, False), axis=1)
        return self.classes_[best]


def _fit(data: Any, names: Any, codes: Any, options: Any, **watch: Any) -> dict[str, Any]:
    return _core.fit_lda(data, names, codes, options, **watch)
