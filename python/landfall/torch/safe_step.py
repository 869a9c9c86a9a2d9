"""The longest safe fraction of a step, from the exact quartic of N along it.

For T = X − tV:  TᵀBT − I = H − t S₁ + t² S₂,  S₁ = XᵀBV + VᵀBX,  S₂ = VᵀBV,  so that

    φ(t) = ‖TᵀBT − I‖² = ‖H‖² − 2t⟨H, S₁⟩ + t²(‖S₁‖² + 2⟨H, S₂⟩) − 2t³⟨S₁, S₂⟩ + t⁴‖S₂‖².

A step is safe if φ stays at most ε² up to it, or, from outside of that region, at most φ(0). Inside it X has full rank
(‖H‖ ≤ ε < 1) and the normal term contracts, whatever the learning rate.
"""
from __future__ import annotations

import torch
from torch import Tensor

GRID = 64
BISECTIONS = 24
TINY = 1e-30  # keeps quotients finite where all gradients are 0


def inner(a: Tensor, b: Tensor) -> Tensor:
    """⟨A, B⟩ for each matrix of a batch."""
    return (a * b).sum((-2, -1))


def entrywise(scalar: Tensor) -> Tensor:
    """A number for each matrix, shaped to multiply its entries."""
    return scalar[..., None, None]


def norm(a: Tensor) -> Tensor:
    """Frobenius norm of each matrix of a batch."""
    return torch.linalg.vector_norm(a, dim=(-2, -1))


def quartic(h: Tensor, s1: Tensor, s2: Tensor) -> Tensor:
    """Coefficients of φ, lowest degree first, in the last dimension."""
    return torch.stack([inner(h, h), -2 * inner(h, s1), inner(s1, s1) + 2 * inner(h, s2), -2 * inner(s1, s2),
                        inner(s2, s2)], -1)


def evaluate(coefficients: Tensor, t: Tensor) -> Tensor:
    """φ(t) by Horner's rule; t has one more dimension than the batch."""
    value = torch.zeros_like(t)
    for degree in range(4, -1, -1):
        value = value * t + coefficients[..., degree, None]
    return value


def safe_fraction(coefficients: Tensor, radius: float) -> Tensor:
    """The largest t in [0, 1] such that φ ≤ max(radius², φ(0)) on [0, t], for each matrix of a batch; 1 if φ(1) is."""
    c = coefficients
    bound = c[..., :1].clamp(min=radius ** 2) * (1 + 8 * torch.finfo(c.dtype).eps)
    if bool((c.sum(-1, keepdim=True) <= bound).all()):
        return torch.ones_like(c[..., 0])
    grid = torch.linspace(0, 1, GRID + 1, dtype=c.dtype, device=c.device).expand(c.shape[:-1] + (GRID + 1,))
    unsafe = ~(evaluate(c, grid) <= bound)  # also where it is not a number
    first = unsafe.to(torch.uint8).argmax(-1, keepdim=True)
    high = first / GRID
    low = (high - 1 / GRID).clamp(min=0)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        safe = evaluate(c, middle) <= bound
        low, high = torch.where(safe, middle, low), torch.where(safe, high, middle)
    return torch.where(unsafe[..., -1], low[..., 0], torch.ones_like(low[..., 0]))
