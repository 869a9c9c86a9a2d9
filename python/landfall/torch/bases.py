"""How the displacement follows from the tangent terms Ψ of this and earlier steps.

The memory holds tangent terms, not gradients. The gradient of a constrained problem does not vanish at the optimum: its
normal part stays, and an average of it over earlier points X, projected at the current one, would act as a brake.

    sgd        M ← μM + Ψ                                  V = lr · M
    adam       M ← μM + (1−μ)Ψ, v ← βv + (1−β)‖Ψ‖²/p       V = lr · M̂ / (√v̂ + 1e-8), one v for each matrix
    spectral   M ← μM + Ψ                                  V = lr · the polar factor of M, projected to the tangent space
    conjugate  conjugate directions, their lengths from secants (conjugate.py), preconditioned by the multiplier of the constraint
               (multiplier.py): for gradients without noise

Lengths and the polar factor are those of the metric B. A scalar v keeps the step equivariant under rotations of X. With adam
and spectral lr is an angle in radians: the columns of X turn by about lr in a step. With conjugate it is the largest such angle.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .conjugate import conjugate_step
from .field import gram, plus_product
from .safe_step import inner

BASES = ("sgd", "adam", "spectral", "conjugate")
USUAL_MOMENTUM = {"sgd": 0.0, "adam": 0.9, "spectral": 0.95, "conjugate": 0.0}
FLOOR = 1e-8  # added to √v, which is 0 for a gradient of 0


def kept_matrices(base: str, momentum: float) -> tuple[str, ...]:
    """The names of what a base keeps in the shape of the parameter, 0 at the start."""
    if base == "conjugate":
        return "momentum", "reference"
    return ("momentum",) if base == "adam" or momentum > 0 else ()


def kept_numbers(base: str) -> dict[str, float]:
    """The names of what a base keeps for each matrix, and the values at the start."""
    return {"adam": {"second": 0.0}, "conjugate": {"rate": float("inf")}}.get(base, {})


def kept_squares(base: str) -> tuple[str, ...]:
    """The names of the symmetric p×p matrices that a base keeps, 0 at the start."""
    return ("preconditioner",) if base == "conjugate" else ()


def displacement(psi: Tensor, x: Tensor, y: Tensor, g: Tensor, product: Callable[[Tensor], Tensor], group: dict[str, Any],
                 memory: dict[str, Any]) -> tuple[Tensor, Tensor | float]:
    """D and a factor c: the step subtracts V = cD from X. Y = BX, G is the gradient, product(Z) = BZ. Updates what the base keeps in `memory`."""
    base, lr, mu = group["base"], group["lr"], group["momentum"]
    if base == "adam":
        return _adam(psi, product, lr, mu, group["second"], memory)
    if base == "conjugate":
        return conjugate_step(psi, x, y, g, product, lr, memory), 1.0
    if mu > 0:
        psi = memory["momentum"].mul_(mu).add_(psi)
    if base == "spectral":
        psi = polar_factor(psi, product(psi))
        normal = gram(y, psi)
        psi = plus_product(psi, x, normal + normal.transpose(-1, -2), -0.5)
    return psi, lr


def _adam(psi: Tensor, product: Callable[[Tensor], Tensor], lr: float, mu: float, beta: float,
          memory: dict[str, Any]) -> tuple[Tensor, Tensor]:
    count = memory["step"] + 1
    direction = memory["momentum"].mul_(mu).add_(psi, alpha=1 - mu)
    memory["second"] = beta * memory["second"] + (1 - beta) * inner(psi, product(psi)).clamp(min=0) / psi.shape[-1]
    root = (memory["second"] / (1 - beta ** count)).sqrt() + FLOOR
    return direction, lr / (1 - mu ** count) / root


def polar_factor(m: Tensor, bm: Tensor, iterations: int = 6) -> Tensor:
    """Roughly M (MᵀBM)^(−½), BM given: singular values above 1/300 of the largest become 0.7 to 1.2 by a quintic iteration.

    x ← x (3.4445 − 4.7750 x² + 2.0315 x⁴) is the polynomial of Muon (Jordan et al., 2024).
    """
    same = bm is m
    scale = inner(gram(m, bm), gram(m, bm)) ** -0.25  # the Schatten 4-norm, which is at least the spectral one
    scale = torch.where(torch.isfinite(scale), scale, torch.zeros_like(scale))[..., None, None]
    m = m * scale
    bm = m if same else bm * scale
    for _ in range(iterations):
        square = gram(m, bm)
        polynomial = plus_product(-4.7750 * square, square, square, 2.0315)
        m = plus_product(3.4445 * m, m, polynomial, 1)
        bm = m if same else plus_product(3.4445 * bm, bm, polynomial, 1)
    return m
