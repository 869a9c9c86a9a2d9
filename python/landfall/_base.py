"""What the estimators share: options, inputs, the record of a fit."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._compat import Tags, count_features, validate, validate_second
from ._inputs import as_input, column_names, is_streamed, plain
from ._messages import in_python, python_errors, warn
from ._options import bytes_of, seed_of
from ._progress import ProgressLine
from ._types import Array


class Estimator(Tags, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The base of CCA, ICA and LDA."""

    # Options of the library that have another name here; the others are the same.
    _RENAMED = {"n_components": "components", "batch_size": "batch", "random_state": "seed"}
    # Arguments that are not options of the library.
    _OWN = {"precision", "callback", "verbose", "checkpoint", "checkpoint_every", "whiten"}
    _ONLINE = {"components", "contrast", "ridge", "relative_ridge", "batch", "memory", "seed"}

    def _options(self) -> dict[str, Any]:
        """The arguments as options of the library; None leaves its default."""
        options = {}
        for name, value in self.get_params(deep=False).items():
            if name in self._OWN:
                continue
            if name == "random_state":
                value = seed_of(value)
            elif name == "memory":
                value = bytes_of(value)
            elif name == "ridge" and isinstance(value, str):
                if value != "auto":
                    raise ValueError(f"ridge={value!r}, expected 'auto' or a number")
                value = None
            elif name == "n_components" and value is not None:
                if isinstance(value, (bool, float)) or int(value) < 1:
                    raise ValueError(f"n_components={value!r}, expected a positive integer or None")
                value = int(value)
            options[self._RENAMED.get(name, name)] = value
        return options

    def _input(self, X: Any, *, reset: bool, min_samples: int = 1) -> _core.Input:
        """The data of the first view, whose columns the estimator counts."""
        if not is_streamed(X):
            names = column_names(X)
            checked = validate(self, plain(X, "X"), reset=reset, min_samples=min_samples)
            if not hasattr(checked, "tocsr"):
                return _core.array_input(checked, "X", names)
            return as_input(checked, "X")
        data = as_input(X, "X")
        told = _core.describe(data)
        count_features(self, told["cols"], told["column_names"], reset=reset)
        return data

    def _second_input(self, Y: Any, min_samples: int = 1) -> _core.Input:
        return as_input(Y if is_streamed(Y) else validate_second(plain(Y, "Y"), min_samples), "Y")

    def _run(self, fit: Any, *inputs: Any, **changed: Any) -> dict[str, Any]:
        """Calls a fit of the library, with what watches it. Changed options replace those of the arguments."""
        line = ProgressLine(type(self).__name__, self.passes) if self.verbose else None
        with python_errors():
            result: dict[str, Any] = fit(
                *inputs, self._options() | changed, precision=self.precision, callback=self.callback, tick=line
            )
        if line is not None:
            line.end(f"{result['method']} ({in_python(result['reason'])}), {sum(result['seconds'].values()):.2f} s")
        return result

    def _record(self, result: dict[str, Any]) -> None:
        """Attributes of every model."""
        views = result["views"]
        ridges = [view["ridge"] for view in views]
        self.ridge_ = ridges[0] if len(set(ridges)) == 1 else np.asarray(ridges)
        self.ridge_kind_ = result["ridge_kind"]
        self.n_iter_ = max(1, int(result["iterations"]))
        self.n_passes_ = result["passes"]
        self.n_samples_ = result["samples"]
        self.converged_ = result["converged"]
        self.method_ = result["method"]
        self.reason_ = in_python(result["reason"])
        self.history_ = result["history"]
        self.seconds_ = result["seconds"]
        self.infeasibility_ = max(view["infeasibility"] for view in views)
        self.stationarity_ = result["stationarity"]
        self.precision_ = result["precision"]
        self.warnings_ = [in_python(text) for text in result["warnings"]]
        self._result = result
        warn(self.warnings_, self.converged_)

    def _scores(self, data: _core.Input, weights: Array, mean: Array) -> Array:
        missing = getattr(self, "missing", "error")
        with python_errors():
            # A row that fit would drop has no scores: the number of rows must not change.
            rule = {"missing": "mean" if missing == "mean" else "error", "center": self._centred()}
            return _core.scores(data, weights, mean, rule)

    def _centred(self) -> bool:
        return bool(getattr(self, "center", True))

    @property
    def _n_features_out(self) -> int:
        check_is_fitted(self)
        return int(self._result["views"][0]["weights"].shape[1])
