"""The B of the constraint XᵀBX = I, for `Landing.constrain(param, metric)`.

    Identity()               B = I: orthonormal columns, the default
    Matrix(B)                a symmetric positive definite matrix
    Product(multiply)        B known through products BX, optionally through products B⁻¹X as well
    Rows(ridge)              the covariance of features that arrive in batches (rows.py)

Every metric chooses the K of the tangent term Ψ_K (field.py): B⁻¹ where it is known, which makes the convergence
independent of the condition of B, and otherwise I/c with c = ‖BX‖²/p, the scale of B on the span of X.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .field import preconditioned_tangent
from .generalized_step import generalized_step
from .rank import require_full_rank
from .safe_step import inner
from .stiefel_step import stiefel_step


class Metric:
    """What the optimizer asks of a metric. `size` is n, or None if any n is right."""

    size: int | None = None

    def start(self, x: Tensor) -> None:
        """Raises ValueError if landing cannot start from X."""
        require_full_rank(x, self.product(x))

    def step(self, x: Tensor, g: Tensor, group: dict[str, Any], memory: dict[str, Any]) -> Tensor:
        """X₊ (see generalized_step.py)."""
        return generalized_step(self, x, g, group, memory)

    def product(self, x: Tensor) -> Tensor:
        """B X."""
        raise NotImplementedError

    def finest(self, x: Tensor) -> torch.dtype:
        """The dtype in which products with B are most accurate on the device of X."""
        return torch.float32 if x.device.type == "mps" else torch.float64

    def tangent(self, x: Tensor, y: Tensor, g: Tensor) -> Tensor:
        """Ψ_K with Y = BX."""
        scale = inner(y, y) / y.shape[-1]  # tr(YᵀY)/p
        return preconditioned_tangent(g, y, g / scale, y / scale)

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        pass


class Identity(Metric):
    def start(self, x: Tensor) -> None:
        require_full_rank(x)

    def step(self, x: Tensor, g: Tensor, group: dict[str, Any], memory: dict[str, Any]) -> Tensor:
        return stiefel_step(x, g, group, memory)

    def product(self, x: Tensor) -> Tensor:
        return x


class Matrix(Metric):
    """A symmetric positive definite n×n matrix, stored with its Cholesky factor."""

    def __init__(self, matrix: Any) -> None:
        matrix = torch.as_tensor(matrix).detach()
        if matrix.dim() != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"a metric of shape {tuple(matrix.shape)}, expected a square matrix")
        if not torch.allclose(matrix, matrix.T, rtol=1e-4, atol=1e-6 * float(matrix.abs().max())):
            raise ValueError("the matrix of a metric is not symmetric: pass (B + B.T) / 2")
        self.size = matrix.shape[0]
        self.matrix = self.given = matrix
        self.factor = factorize(matrix)

    def product(self, x: Tensor) -> Tensor:
        if (self.matrix.dtype, self.matrix.device) != (x.dtype, x.device):
            self.matrix = follow(x, self.given)
        return self.matrix @ x

    def tangent(self, x: Tensor, y: Tensor, g: Tensor) -> Tensor:
        self.factor = follow(x, self.factor)
        return preconditioned_tangent(g, y, torch.cholesky_solve(g, self.factor), x)  # K Y = B⁻¹B X


class Product(Metric):
    """B through a function that returns BX, and optionally one that returns B⁻¹X (or an approximation K X)."""

    def __init__(self, multiply: Callable[[Tensor], Tensor], solve: Callable[[Tensor], Tensor] | None = None) -> None:
        self.multiply, self.solve = multiply, solve

    def product(self, x: Tensor) -> Tensor:
        y = self.multiply(x)
        if y.shape != x.shape:
            raise ValueError(f"the product of a metric has shape {tuple(y.shape)}, expected {tuple(x.shape)} as that of X")
        return y

    def finest(self, x: Tensor) -> torch.dtype:
        return torch.promote_types(x.dtype, torch.float32)  # that of the steps: the function may take no other

    def tangent(self, x: Tensor, y: Tensor, g: Tensor) -> Tensor:
        if self.solve is None:
            return super().tangent(x, y, g)
        return preconditioned_tangent(g, y, self.solve(g), self.solve(y))


def follow(x: Tensor, tensor: Tensor) -> Tensor:
    """The tensor with the dtype and on the device of X."""
    return tensor.to(dtype=x.dtype, device=x.device)


def factorize(matrix: Tensor) -> Tensor:
    factor, info = torch.linalg.cholesky_ex(matrix)
    if int(info) != 0:
        raise ValueError(f"the {matrix.shape[0]}×{matrix.shape[0]} matrix of a metric is not positive definite (its leading "
                         f"minor of order {int(info)} is not): add a ridge, B + c·I")
    return factor
