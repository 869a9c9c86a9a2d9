"""Any smooth function over matrices with X'BX = I, and checks of a user's own functions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from ._gevp import as_operator, identity
from ._inputs import is_sparse
from ._messages import python_errors
from ._options import seed_of
from ._types import Array

_HISTORY = ("iteration", "passes", "seconds", "objective", "infeasibility", "stationarity", "step")


@dataclass
class MinimizeResult:
    """The end of a run. ``x`` is a matrix, or a list of matrices where x0 was one."""

    x: Any
    fun: float
    infeasibility: float
    stationarity: float
    iterations: int
    passes: float
    seconds: float
    termination: str
    products: int
    gradients: int
    history: dict[str, Array]

    @property
    def converged(self) -> bool:
        return self.termination == "converged"


class _Point:
    """x0 as a list of blocks, and back to what the user gave."""

    def __init__(self, x0: Any, single: bool | None = None) -> None:
        self.several = isinstance(x0, (list, tuple)) and all(np.ndim(block) == 2 for block in x0)
        blocks = [np.asarray(block) for block in (x0 if self.several else [x0])]
        self.single = all(block.dtype == np.float32 for block in blocks) if single is None else single
        self.blocks = [np.asarray(block, dtype=np.float32 if self.single else np.float64) for block in blocks]
        for block in self.blocks:
            if block.ndim != 2:
                raise ValueError(f"x0 has {block.ndim} dimensions, expected a matrix or a list of matrices")

    def user(self, blocks: list[Any]) -> Any:
        return blocks if self.several else blocks[0]

    def blocks_of(self, returned: Any) -> list[Any]:
        return list(returned) if self.several else [returned]


def _objective(fun: Any, jac: Any, point: _Point) -> Callable[[list[Array], bool], tuple[float, Any]]:
    """fun as the library calls it: (blocks, wants_gradient) -> (value, blocks of the gradient)."""

    def with_numpy(blocks: list[Array], wanted: bool) -> tuple[float, Any]:
        x = point.user(blocks)
        if callable(jac):
            return float(fun(x)), point.blocks_of(jac(x)) if wanted else None
        value, gradient = fun(x)
        return float(value), point.blocks_of(gradient)

    def with_torch(blocks: list[Array], wanted: bool) -> tuple[float, Any]:
        import torch

        tensors = [torch.from_numpy(np.ascontiguousarray(block)).requires_grad_(wanted) for block in blocks]
        value = fun(point.user(tensors))
        if not wanted:
            return float(value.detach()), None
        return float(value.detach()), [part.numpy() for part in torch.autograd.grad(value, tensors)]

    if jac == "torch":
        return with_torch
    if jac is not None and not callable(jac):
        raise ValueError(f"jac={jac!r}, expected None, 'torch' or a function")
    return with_torch if jac is None and _is_torch_function(fun, point) else with_numpy


def _is_torch_function(fun: Any, point: _Point) -> bool:
    """Whether fun takes a tensor and returns a number with a gradient. Not asked where PyTorch is not loaded."""
    torch = sys.modules.get("torch")
    if torch is None:
        return False
    tensors = [torch.from_numpy(np.ascontiguousarray(block)).requires_grad_() for block in point.blocks]
    try:
        value = fun(point.user(tensors))
    except Exception:  # a function of numpy may fail in any way; as one of numpy it is called again
        return False
    return isinstance(value, torch.Tensor) and value.requires_grad


def _constraint(B: Any, n: int, ridge: float) -> tuple[Any, ...]:
    """B itself where it is square; else data with one row per sample: B = B'B/N + ridge I."""
    if B is None:
        return identity(n)
    shape = np.shape(B)
    if len(shape) == 2 and shape[0] != shape[1] and shape[1] == n:
        rows = B.toarray() if is_sparse(B) else np.asarray(B)
        return ("gram", rows, float(ridge))
    made = as_operator(B, "B")
    if shape != (n, n):
        raise ValueError(f"B has the shape {shape}, expected ({n}, {n}), or data with {n} columns")
    return made


def minimize(
    fun: Any = None,
    B: Any = None,
    x0: Any = None,
    *,
    jac: Any = None,
    sampler: Callable[..., Any] | None = None,
    n_samples: int | None = None,
    batch_size: int = 128,
    estimator: str = "split",
    ridge: float = 0.0,
    direction: str = "metric",
    normal: str = "gradient",
    rank: int = 64,
    rule: str | None = None,
    step: float = 0.0,
    schedule: str | None = None,
    horizon: float = 0.0,
    milestones: Sequence[float] = (),
    attraction: float = 0.25,
    omega: float | None = None,
    epsilon: float = 0.5,
    momentum: float = 0.0,
    averaging: int | None = None,
    tol: float = 1e-8,
    max_iter: int = 10000,
    passes: float | None = None,
    seconds: float | None = None,
    patience: int | None = None,
    random_state: Any = None,
    callback: Callable[[dict[str, Any]], bool | None] | None = None,
) -> MinimizeResult:
    """Minimises f(X) subject to X'BX = I, from any start, without a retraction.

    Parameters
    ----------
    fun : callable
        ``fun(X)`` returns f and its Euclidean gradient. With ``jac`` a function, ``fun(X)`` returns f alone and ``jac(X)`` the gradient. A
        function of PyTorch that returns a scalar tensor needs no gradient (``jac="torch"``, or found out where PyTorch is imported).
    B : array, sparse matrix, LinearOperator, data matrix or None
        Square: B itself. With other than n rows: samples, and B = B'B/N + ridge I, which is not formed. None: the identity.
    x0 : array of shape (n, p), or a list of them
        The start. A list is a point with several blocks; then B is a list too, and fun gets and returns lists.
    sampler : callable, instead of fun and B
        ``sampler(indices, X)`` returns f, the gradient G and the product BX, each the mean over these of ``n_samples`` samples. Which samples go into
        which part of the estimate is decided by ``estimator``: "split", "shared" (biased), "svrg" or "recursive".
    direction : {"metric", "riemannian", "euclidean", "preconditioned"}
        Riemannian inverts B; preconditioned makes a sketch of B of rank ``rank``. A sampler takes metric.
    rule : {"line_search", "barzilai_borwein", "fixed", "safeguarded"}
        Of the step. A sampler takes "fixed" or "safeguarded", with ``step`` and, by default, a cosine over ``passes``.
    tol, max_iter, passes, seconds, patience
        The run ends when stationarity and infeasibility are both below tol, or a limit is reached. A pass is one evaluation of f, or one reading
        of all samples.
    callback : callable
        Called after every step with a dict; returning True ends the run.
    """
    if x0 is None:
        raise TypeError("x0 is missing: a start of shape (n, p), or a list of them")
    if (fun is None) == (sampler is None):
        raise TypeError("expected either fun or sampler")
    point = _Point(x0)
    sampled = sampler is not None
    if sampled and passes is None:
        passes = 10.0
    if schedule is None:
        schedule = "cosine" if sampled else "constant"
        horizon = horizon or (passes or 0.0 if sampled else 0.0)
    options = {
        "direction": direction,
        "normal": normal,
        "rank": int(rank),
        "rule": rule or ("fixed" if sampled else "line_search"),
        "step": float(step),
        "schedule": schedule,
        "horizon": float(horizon),
        "milestones": [float(at) for at in milestones],
        "attraction": float(attraction),
        "omega": omega,
        "epsilon": float(epsilon),
        "momentum": float(momentum),
        "averaging": averaging,
        "tol": float(tol),
        "max_iter": int(max_iter) if not sampled or max_iter != 10000 else 2**62,
        "passes": passes,
        "seconds": seconds,
        "patience": patience,
        "seed": seed_of(random_state),
        "batch": int(batch_size),
        "estimator": estimator,
    }
    with python_errors():
        if sampler is not None:
            if n_samples is None:
                raise TypeError("a sampler needs n_samples")
            result = _core.minimize_sampled(_sampled(sampler, point), int(n_samples), point.blocks, options, point.single, callback)
        else:
            constraints = list(B) if point.several and B is not None else [B] * len(point.blocks)
            if len(constraints) != len(point.blocks):
                raise ValueError(f"{len(constraints)} matrices B for {len(point.blocks)} blocks of x0")
            bs = [_constraint(b, block.shape[0], ridge) for b, block in zip(constraints, point.blocks)]
            result = _core.minimize(_objective(fun, jac, point), bs, point.blocks, options, point.single, callback)
    progress = result["progress"]
    return MinimizeResult(
        x=point.user(result["x"]),
        fun=progress["objective"],
        infeasibility=progress["infeasibility"],
        stationarity=progress["stationarity"],
        iterations=progress["iteration"],
        passes=progress["passes"],
        seconds=progress["seconds"],
        termination=result["termination"],
        products=result["products"],
        gradients=result["gradients"],
        history=dict(zip(_HISTORY, result["history"].T)),
    )


def _sampled(sampler: Callable[..., Any], point: _Point) -> Callable[[Array, list[Array]], tuple[float, Any, Any]]:
    def call(indices: Array, blocks: list[Array]) -> tuple[float, Any, Any]:
        value, gradient, products = sampler(indices, point.user(blocks))
        return float(value), point.blocks_of(gradient), point.blocks_of(products)

    return call


def check_gradient(fun: Any, x: Any, *, jac: Any = None, random_state: Any = None) -> float:
    """The relative error of the gradient against a central difference along a random direction: about 1e-10 where it is right, about 1 where
    it is wrong."""
    point = _Point(x, single=False)
    return _core.check_gradient(_objective(fun, jac, point), point.blocks, seed_of(random_state))


def check_constraint(B: Any, x: Any, *, ridge: float = 0.0, random_state: Any = None) -> float:
    """The relative error between the derivative of X'BX and 2BX: about 1e-10 where B is symmetric, about 1 where it is not."""
    point = _Point(x, single=False)
    return _core.check_constraint(_constraint(B, point.blocks[0].shape[0], ridge), point.blocks, seed_of(random_state))


def check_unbiased(
    sampler: Callable[..., Any],
    n_samples: int,
    x: Any,
    *,
    estimator: str = "split",
    batch_size: int = 32,
    draws: int = 1000,
    random_state: Any = None,
) -> float:
    """How far the mean of many estimates of the field is from the field of all samples, in standard errors: about 1 or less where the estimate
    is unbiased, and growing with the root of ``draws`` where it is not."""
    point = _Point(x, single=False)
    return _core.check_unbiased(
        _sampled(sampler, point), int(n_samples), point.blocks, estimator, int(batch_size), int(draws), seed_of(random_state)
    )
