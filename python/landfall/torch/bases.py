"""How the displacement follows from the tangent terms Ψ of this and earlier steps.

The memory holds tangent terms, not gradients. The gradient of a constrained problem does not vanish at the optimum: its
normal part stays, and an average of it over earlier points X, projected at the current one, would act as a brake.

    sgd        M ← μM + Ψ                                  V = lr · M
    adam       M ← μM + (1−μ)Ψ, v ← βv + (1−β)‖Ψ‖²/p       V = lr · M̂ / (√v̂ + 1e-8), one v for each matrix
    spectral   M ← μM + Ψ                                  V = lr · the orthogonal polar factor of M

A scalar v keeps the step equivariant under rotations of X. With adam and spectral lr is an angle in radians: the columns
of X turn by about lr in a step.
"""
import torch

from .field import gram, plus_product, tangent
from .safe_step import norm

BASES = ("sgd", "adam", "spectral")
USUAL_MOMENTUM = {"sgd": 0.0, "adam": 0.9, "spectral": 0.95}
FLOOR = 1e-8  # added to √v, which is 0 for a gradient of 0


def needs_momentum(base, momentum):
    return base == "adam" or momentum > 0


def displacement(psi, x, group, memory):
    """V, which the step subtracts from X. Reads and replaces the entries of `memory` that the base uses."""
    base, lr, mu = group["base"], group["lr"], group["momentum"]
    if base == "adam":
        return _adam(psi, lr, mu, group["second"], memory)
    if mu > 0:
        memory["momentum"] = psi = memory["momentum"].mul(mu).add_(psi)
    if base == "spectral":
        psi = tangent(x, polar_factor(psi))
    return psi.mul(lr)


def _adam(psi, lr, mu, beta, memory):
    count = memory["step"] + 1
    memory["momentum"] = memory["momentum"].mul(mu).add_(psi, alpha=1 - mu)
    memory["second"] = beta * memory["second"] + (1 - beta) * norm(psi) ** 2 / psi.shape[-1]
    root = (memory["second"] / (1 - beta ** count)).sqrt() + FLOOR
    return memory["momentum"] * (lr / (1 - mu ** count) / root)[..., None, None]


def polar_factor(m, iterations=6):
    """Roughly U Vᵀ of M = U S Vᵀ: singular values above 1/300 of the largest become 0.7 to 1.2 by a quintic iteration.

    x ← x (3.4445 − 4.7750 x² + 2.0315 x⁴) is the polynomial of Muon (Jordan et al., 2024).
    """
    scale = norm(gram(m)).sqrt().clamp(min=torch.finfo(m.dtype).tiny ** 0.5)  # Schatten 4-norm, at least the spectral one
    m = m / scale[..., None, None]
    for _ in range(iterations):
        square = gram(m)
        m = plus_product(3.4445 * m, m, plus_product(-4.7750 * square, square, square, 2.0315), 1)
    return m
