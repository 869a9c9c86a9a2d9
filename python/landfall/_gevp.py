"""Generalized eigenproblems."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _core
from ._inputs import is_sparse
from ._messages import in_python, python_errors
from ._options import seed_of
from ._types import Array


@dataclass
class GevpResult:
    """Eigenvalues and B-orthonormal eigenvectors, and how they were found. Unpacks as ``values, vectors``."""

    values: Array
    vectors: Array
    residuals: Array
    infeasibility: float
    stationarity: float
    method: str
    reason: str
    iterations: int
    termination: str
    warnings: list[str] = field(default_factory=list)

    @property
    def converged(self) -> bool:
        return self.termination == "converged"

    def __iter__(self) -> Any:
        return iter((self.values, self.vectors))


def as_operator(matrix: Any, name: str) -> tuple[Any, ...]:
    """A symmetric matrix as the library takes it: dense, sparse, or by products."""
    if is_sparse(matrix):
        columns = matrix.tocsc()
        if columns.shape[0] != columns.shape[1]:
            raise ValueError(f"{name} is {columns.shape[0]}x{columns.shape[1]}, expected a square matrix")
        columns.sum_duplicates()
        return ("sparse", columns.data, columns.indices, columns.indptr, columns.shape[0])
    if hasattr(matrix, "matmat") and hasattr(matrix, "shape"):
        return ("product", int(matrix.shape[0]), matrix.matmat)
    array = np.asarray(matrix)
    if array.dtype.kind == "c":
        raise ValueError(f"{name}: Complex data not supported, expected real numbers")
    if array.dtype.kind not in "fiub":
        array = array.astype(np.float64)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise ValueError(f"{name} has the shape {array.shape}, expected a square matrix")
    return ("dense", array)


def _is_single(*matrices: Any) -> bool:
    return all(getattr(matrix, "dtype", None) == np.float32 for matrix in matrices if matrix is not None)


def gevp(
    A: Any,
    B: Any = None,
    p: int = 1,
    *,
    smallest: bool = False,
    method: str = "auto",
    direction: str | None = None,
    step: float = 0.0,
    tol: float = 0.0,
    max_iter: int = 0,
    random_state: Any = None,
    precision: str = "auto",
    callback: Callable[[dict[str, Any]], bool | None] | None = None,
) -> GevpResult:
    """The p largest (or smallest) eigenvalues of A x = λ B x and their vectors X, with X'BX = I.

    A and B are symmetric, B positive definite: arrays, sparse matrices or ``scipy.sparse.linalg.LinearOperator``; B=None is the
    identity. ``method`` is "auto", "direct", "lobpcg", "landing" or a baseline of ``landfall methods``. ``tol`` and ``max_iter`` are 0 for
    the defaults of the method. The callback gets a dict (iteration, residual, infeasibility); returning True ends the run.
    """
    if precision not in ("auto", "single", "double"):
        raise ValueError(f"precision={precision!r}, expected 'auto', 'single' or 'double'")
    a = as_operator(A, "A")
    b = identity(np.shape(A)[0]) if B is None else as_operator(B, "B")
    single = precision == "single" or (precision == "auto" and _is_single(A, B))
    options = {
        "components": int(p),
        "smallest": bool(smallest),
        "method": method,
        "direction": direction,
        "step": float(step),
        "tolerance": float(tol),
        "max_iterations": int(max_iter),
        "seed": seed_of(random_state),
    }
    with python_errors():
        result = _core.solve_gevp(a, b, options, single, callback)
    result["reason"] = in_python(result["reason"])
    result["warnings"] = [in_python(text) for text in result["warnings"]]
    for text in result["warnings"]:
        warnings.warn(text, RuntimeWarning, stacklevel=2)
    return GevpResult(**result)


def identity(n: int) -> tuple[Any, ...]:
    steps = np.arange(n + 1, dtype=np.int32)
    return ("sparse", np.ones(n), steps[:-1], steps, n)
