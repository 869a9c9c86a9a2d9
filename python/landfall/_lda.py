"""Linear discriminant analysis."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from . import _core
from ._base import Estimator
from ._inputs import as_input, is_path
from ._types import Array


def encode(y: Any) -> tuple[Array, Array]:
    """The sorted classes, and the number of the class of each row."""
    if is_path(y):
        names, codes = _core.read_labels(str(y))
        return np.asarray(names, dtype=object), codes
    labels = column_or_1d(y, warn=True)
    if labels.dtype.kind not in "iubU":  # which are classes whatever they contain
        check_classification_targets(y)
    if labels.dtype.kind in "iu" and 0 < labels.size:
        first, last = int(labels.min()), int(labels.max())
        if last - first < 2 * labels.size and max(-first, last) < 1 << 62:  # counting is quicker than sorting
            offsets = labels.astype(np.intp) - first
            present = np.bincount(offsets) > 0
            numbers = np.cumsum(present, dtype=np.uint32) - np.uint32(1)
            return (np.flatnonzero(present) + first).astype(labels.dtype), numbers[offsets]
    classes, codes = np.unique(labels, return_inverse=True)
    return classes, codes.astype(np.uint32)


class LDA(ClassifierMixin, Estimator):
    """Linear discriminant analysis: directions in which the means of classes differ most, against how rows differ within a class.

    Parameters
    ----------
    n_components : int, "auto" or None, default=None
        Number of directions. None: one less than there are classes, or the number of columns if that is less. "auto": the fewest whose accuracy in
        cross-validation is within one standard error of the best, with ``relative_ridge`` or else a ridge that cross-validation chooses.
    ridge : "auto" or float, default="auto"
        Added to the diagonal of the covariance within classes. "auto": none, but one of 30 rows where there are fewer than 1.5
        rows to a column.
    relative_ridge, method, passes, tolerance, max_passes, batch_size, memory, scale, missing, held_out, precision, random_state, callback, verbose, checkpoint,
    resume, comm, rows
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
    structure_, within_structure_ : arrays of shape (n_features, n_components)
        Correlations of the columns with the scores, over all rows and within classes.
    confusion_, held_out_confusion_ : arrays of shape (n_classes, n_classes)
        Numbers of rows, or sums of their weights, by true class and predicted one; that of held-out rows is empty where there are none.
    ridge_, n_iter_, n_passes_, converged_, warnings_, method_, reason_, history_, seconds_
        How the fit was done and what it cost.
    """

    _KIND = "lda"
    _requires_y = True

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
        self.tolerance = tolerance
        self.max_passes = max_passes
        self.batch_size = batch_size
        self.memory = memory
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LDA:
        """Finds the directions. y has the class of each row, or is the path of a file of labels; ``sample_weight`` a weight for each row, or the
        path of a file of weights."""
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        self._forget()
        data = self._input(X, reset=True, min_samples=2)
        classes, codes = encode(y)
        if self.comm is not None and self.rows == "own":  # the classes of all ranks
            every = np.unique(np.concatenate(self.comm.allgather(classes)))
            classes, codes = every, np.searchsorted(every, classes)[codes].astype(codes.dtype)
        if len(classes) < 2:
            raise ValueError(f"y has {len(classes)} class, expected at least 2 classes")
        rows = _core.describe(data)["rows"]
        if rows is not None and rows != len(codes):
            raise ValueError(f"Found input variables with inconsistent numbers of samples: [{rows}, {len(codes)}]")
        names = [str(name) for name in classes]
        self.classes_ = classes
        if self._chooses() and self.comm is not None:
            raise ValueError("n_components='auto' is chosen in one process, expected a number")
        self._learn(self._run(partial(_fit, choose=self._chooses()), data, names, codes, **self._weights(sample_weight)))
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> LDA:
        """Goes on with more rows: one step of landing for each batch. Classes may appear at any time; ``classes`` is not needed. Rows have weights as in
        fit, or a weight of 1."""
        first = "_online" not in vars(self)
        known, codes = encode(y)
        labels = [str(name) for name in known]
        data = self._input(X, reset=first)
        if first:
            self._labels: dict[str, Any] = {}
        self._labels.update(zip(labels, known))
        self._push([data], [labels[code] for code in codes], sample_weight)
        return self

    def _learn(self, result: dict[str, Any], quiet: bool = False) -> None:
        if "_online" in vars(self):
            # The online model numbers classes as they come.
            seen = np.asarray([self._labels[name] for name in result["classes"]])
            order = np.argsort(seen)
            self.classes_ = seen[order]
            result["classes"] = [result["classes"][i] for i in order]
            result["centres"], result["priors"] = result["centres"][:, order], result["priors"][order]
            for name in ("confusion", "held_out_confusion"):
                if np.size(result[name]):
                    result[name] = np.asarray(result[name])[order][:, order]
        view = result["views"][0]
        self.scalings_ = view["weights"]
        self.xbar_ = view["mean"]
        self.centres_ = result["centres"].T
        self.priors_ = result["priors"]
        self.eigenvalues_ = result["eigenvalues"]
        self.explained_variance_ratio_ = result["explained_ratio"]
        if "structure" in view:
            self.structure_, self.variance_explained_ = view["structure"], view["explained"]
        if result.get("within_structure") is not None:
            self.within_structure_ = result["within_structure"]
        self.training_accuracy_ = result["training_accuracy"]
        self.held_out_accuracy_ = result["held_out_accuracy"]
        kind = np.float64 if "sum_of_weights" in result else np.int64
        self.confusion_ = _counts(result.get("confusion"), kind)
        self.held_out_confusion_ = _counts(result.get("held_out_confusion"), kind)
        self._record(result, quiet)

    def _measures(self) -> dict[str, float]:
        held_out = {} if self.held_out_accuracy_ is None else {"held_out_accuracy": float(self.held_out_accuracy_)}
        return {"eigenvalue_sum": float(self.eigenvalues_.sum()), "accuracy": float(self.training_accuracy_)} | held_out

    def _read_files(self, folder: Any, summary: dict[str, Any]) -> dict[str, Any]:
        names = summary["classes"]
        numbers = all(name.lstrip("-").isdigit() for name in names)
        self.classes_ = np.asarray([int(name) for name in names] if numbers else names)
        return {
            "centres": np.load(folder / "centres.npy"),
            "priors": np.asarray(summary["priors"]),
            "eigenvalues": np.asarray(summary["eigenvalues"]),
            "explained_ratio": np.asarray(summary["explained_ratio"] or []),
            "training_accuracy": summary["training_accuracy"],
            "held_out_accuracy": summary.get("held_out_accuracy"),
            "within_structure": None if summary.get("within_loadings") is None else np.asarray(summary["within_loadings"]),
            "confusion": summary.get("confusion"),
            "held_out_confusion": summary.get("held_out_confusion"),
            "classes": names,
        }

    def _plan(self, X: Any, Y: Any, weights: dict[str, Any]) -> dict[str, Any]:
        classes, codes = encode(Y)
        return _core.plan_lda(as_input(X, "X"), [str(name) for name in classes], codes, self._options() | weights, self.precision)

    def _cross_validate(self, X: Any, Y: Any, ridges: list[float], folds: int, weights: dict[str, Any]) -> dict[str, Any]:
        classes, codes = encode(Y)
        options = self._options() | weights | {"folds": folds, "ridge": None, "relative_ridge": None}
        return _core.cross_validate_lda(as_input(X, "X"), [str(name) for name in classes], codes, options, ridges, self.precision)

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


def _counts(confusion: Any, kind: type) -> Array:
    """Empty where there is none."""
    counts: Array = np.zeros((0, 0), dtype=kind) if confusion is None else np.asarray(confusion).astype(kind)
    return counts if counts.size else counts.reshape(0, 0)


def _fit(data: Any, names: Any, codes: Any, options: Any, **watch: Any) -> dict[str, Any]:
    return _core.fit_lda(data, names, codes, options, **watch)
