"""What differs between versions of scikit-learn, from 1.2 on."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn
from sklearn.utils.validation import check_array

_VERSION = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
_FINITE = "ensure_all_finite" if _VERSION >= (1, 6) else "force_all_finite"


def validate(estimator: Any, X: Any, *, reset: bool, min_samples: int = 1) -> Any:
    """X checked by scikit-learn, which sets or compares n_features_in_ and feature_names_in_. Not copied; numbers may be
    of any type, and whether they are finite is left to the library, which reads them anyway."""
    arguments: dict[str, Any] = {
        "accept_sparse": "csr",
        "dtype": "numeric",
        "ensure_min_samples": min_samples,
        _FINITE: False,
    }
    if _VERSION >= (1, 6):
        from sklearn.utils.validation import validate_data

        return validate_data(estimator, X, reset=reset, **arguments)
    return estimator._validate_data(X, reset=reset, **arguments)


def validate_second(Y: Any, min_samples: int = 1) -> Any:
    """The same for a second view, whose columns the estimator does not count."""
    checked = check_array(
        Y, accept_sparse="csr", dtype="numeric", ensure_2d=False, ensure_min_samples=min_samples, **{_FINITE: False}
    )
    return checked.reshape(-1, 1) if checked.ndim == 1 else checked


def count_features(estimator: Any, features: int, names: list[str], *, reset: bool) -> None:
    """What validate() does, for data that only the library can look into."""
    if reset:
        estimator.n_features_in_ = features
        if names:
            estimator.feature_names_in_ = np.asarray(names, dtype=object)
        elif hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
    elif features != estimator.n_features_in_:
        raise ValueError(
            f"X has {features} features, but {type(estimator).__name__} is expecting {estimator.n_features_in_} features as input"
        )


class Tags:
    """One declaration, in the form of old and new versions."""

    _requires_y = False
    _preserves: tuple[Any, ...] = (np.float64, np.float32)

    def _more_tags(self) -> dict[str, Any]:
        return {"requires_y": self._requires_y, "preserves_dtype": list(self._preserves)}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.target_tags.required = self._requires_y
        tags.input_tags.sparse = True
        if tags.transformer_tags is not None:
            tags.transformer_tags.preserves_dtype = [np.dtype(kind).name for kind in self._preserves]
        return tags
