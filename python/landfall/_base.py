"""What the estimators share: options, inputs, the record of a fit."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._compat import Tags, count_features, validate, validate_second
from ._inputs import as_input, column_names, is_path, is_streamed, plain
from ._messages import in_python, python_errors, warn
from ._options import bytes_of, seed_of
from ._progress import ProgressLine
from ._types import Array


class Estimator(Tags, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The base of CCA, ICA and LDA."""

    # Options of the library that have another name here; the others are the same.
    _RENAMED = {"n_components": "components", "batch_size": "batch", "random_state": "seed"}
    # Arguments that are not options of the library.
    _OWN = {"precision", "callback", "verbose", "checkpoint", "checkpoint_every", "resume", "whiten", "n_restarts"}
    _ONLINE = {"components", "contrast", "ridge", "relative_ridge", "batch", "memory", "seed"}

    @classmethod
    @lru_cache(maxsize=None)
    def _names(cls) -> tuple[str, ...]:
        """Of the arguments; scikit-learn inspects the signature each time it is asked."""
        return tuple(cls._get_param_names())

    def _options(self) -> dict[str, Any]:
        """The arguments as options of the library; None leaves its default."""
        options = {}
        for name in self._names():
            value = getattr(self, name)
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
                value = None if self._chooses() else self._whole_components(value)
            options[self._RENAMED.get(name, name)] = value
        return options

    def _chooses(self) -> bool:
        """Whether the number of components is left to the data."""
        value: Any = getattr(self, "n_components", None)
        return isinstance(value, str) and value == "auto"

    @staticmethod
    def _whole_components(value: Any) -> int:
        if isinstance(value, (bool, float, str)) or int(value) < 1:
            raise ValueError(f"n_components={value!r}, expected a positive integer, 'auto' or None")
        return int(value)

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

    def _weights(self, sample_weight: Any) -> dict[str, Any]:
        """The option for sample_weight: one number per row, or the path of a file."""
        if sample_weight is None:
            return {}
        if is_path(sample_weight):
            return {"weights": os.fspath(sample_weight)}
        weights = np.asarray(plain(sample_weight, "sample_weight"), dtype=np.float64)
        if weights.ndim != 1:
            raise ValueError(f"sample_weight: an array of {weights.ndim} dimensions, expected 1D with a number per row")
        return {"weights": weights}

    def _row_weights(self, sample_weight: Any, data: _core.Input) -> list[float]:
        """The same as numbers, one for each of these rows; none: all 1."""
        if sample_weight is None:
            return []
        weights = self._weights(sample_weight)["weights"]
        if isinstance(weights, str):
            weights = _core.read_weights(weights)
        rows = _core.describe(data)["rows"]
        if rows is not None and rows != len(weights):
            raise ValueError(f"sample_weight has {len(weights)} weights and X has {rows} rows; expected the same number")
        return list(weights)

    def _checkpoint(self, options: dict[str, Any]) -> dict[str, Any]:
        """Where a run saves itself, with the options that must be the same when it is resumed."""
        if self.checkpoint is None:
            if self.resume:
                raise ValueError("resume=True needs checkpoint, the folder of the run to continue")
            return {}
        same = [(name, repr(value)) for name, value in sorted(options.items())] + [("landfall", _core.version), ("precision", self.precision)]
        folder = os.fspath(self.checkpoint)
        return {"checkpoint": {"folder": folder, "options": same, "every": float(self.checkpoint_every), "resume": bool(self.resume)}}

    def _run(self, fit: Any, *inputs: Any, **changed: Any) -> dict[str, Any]:
        """Calls a fit of the library, with what watches it. Changed options replace those of the arguments."""
        line = ProgressLine(type(self).__name__, self.passes) if self.verbose else None
        options = self._options() | changed
        # The checkpoint knows the rows and their weights by a fingerprint.
        apart = {name: options.pop(name) for name in ("comm", "weights") if name in options}
        options |= self._checkpoint(options) | {name: value for name, value in apart.items() if value is not None}
        with python_errors():
            result: dict[str, Any] = fit(
                *inputs, options, precision=self.precision, callback=self.callback, tick=line
            )
        if line is not None:
            line.end(f"{result['method']} ({in_python(result['reason'])}), {result['seconds']['total']:.2f} s")
        return result

    _KIND = ""  # of the online model

    def _push(self, views: list[_core.Input], labels: list[str] | None = None, sample_weight: Any = None) -> None:
        """Gives rows to the online model. Learned attributes are computed when they are next asked for."""
        weights = self._row_weights(sample_weight, views[0])
        if self.__dict__.get("_online") is None:
            if self._chooses():
                raise ValueError("partial_fit does not take n_components='auto', expected a number or None")
            given = self._options()
            refused = [name for name, usual in (("method", ("auto", "landing")), ("missing", ("error",)), ("scale", (False,)), ("center", (True,)))
                       if given.get(name, usual[0]) not in usual]
            if refused:
                raise ValueError(f"partial_fit does not take {', '.join(refused)} other than the default")
            self._online = _core.OnlineModel(self._KIND, {name: given[name] for name in self._ONLINE if name in given}, self.precision)
        with python_errors():
            self._online.partial_fit(views, labels or [], weights)
        for name in [name for name in vars(self) if name.endswith("_") and name not in ("n_features_in_", "feature_names_in_")]:
            delattr(self, name)
        self._stale = True

    def _forget(self) -> None:
        """What partial_fit has learned, and the weights of an earlier fit: fit starts anew."""
        for name in ("_online", "sum_of_weights_"):
            self.__dict__.pop(name, None)
        self._stale = False

    def __getattr__(self, name: str) -> Any:
        learned = name.endswith("_") and not name.startswith("_") and not name.endswith("_in_")
        if learned and self.__dict__.get("_stale"):
            self._stale = False
            try:
                with python_errors():
                    self._learn(self._online.result())
            except BaseException:
                self._stale = True
                raise
            if name in vars(self):
                return vars(self)[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __sklearn_is_fitted__(self) -> bool:
        return "_online" in vars(self) or "_result" in vars(self)

    def _record(self, result: dict[str, Any], quiet: bool = False) -> None:
        """Attributes of every model, and its warnings unless it was loaded."""
        views = result["views"]
        ridges = [view["ridge"] for view in views]
        self.ridge_ = ridges[0] if len(set(ridges)) == 1 else np.asarray(ridges)
        self.ridge_kind_ = result["ridge_kind"]
        self.n_components_ = int(views[0]["weights"].shape[1])
        self.n_iter_ = max(1, int(result["iterations"]))
        self.n_passes_ = result["passes"]
        self.n_samples_ = result["samples"]
        if "sum_of_weights" in result:
            self.sum_of_weights_ = result["sum_of_weights"]
        self.converged_ = result["converged"]
        self.method_ = result["method"]
        self.reason_ = in_python(result["reason"])
        self.history_ = result["history"]
        self.seconds_ = result["seconds"]
        self.infeasibility_ = max(view["infeasibility"] for view in views)
        self.stationarity_ = result["stationarity"]
        self.estimated_gap_ = result.get("estimated_gap")
        self.precision_ = result["precision"]
        self.warnings_ = [in_python(text) for text in result["warnings"]]
        self._result = result
        if not quiet:
            warn(self.warnings_, self.converged_)

    _HAS_EXACT = True  # a method that finds the optimum

    def _measures(self) -> dict[str, float]:
        """Numbers for the summary in notebooks."""
        return {}

    def report(self, path: Any, *data: Any, labels: Any = None, image_shape: tuple[int, int] | None = None) -> Any:
        """Writes the HTML report of the fit, one file that needs nothing else. With the data it shows scores; see landfall.save_run."""
        from ._runs import write_report

        return write_report(self, path, *data, labels=labels, image_shape=image_shape)

    def _repr_html_(self) -> str:
        """In notebooks: what scikit-learn shows, and the numbers of a fitted model."""
        from ._html import table

        head: str = super()._repr_html_inner() if hasattr(super(), "_repr_html_inner") else ""
        if not self.__sklearn_is_fitted__():
            return head
        facts = [("method", f"{self.method_} ({self.reason_})"), ("rows", str(self.n_samples_)), ("passes", f"{self.n_passes_:.3g}"),
                 ("converged", "yes" if self.converged_ else "no"), *((name, f"{value:.6g}") for name, value in self._measures().items())]
        return head + table(["", type(self).__name__], facts)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

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
        return int(self.n_components_)
