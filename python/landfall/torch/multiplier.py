"""A preconditioner from the multiplier of the constraint, for conjugate directions.

The second derivative of f on the manifold is that of f itself and a term that the gradient alone gives:

    S ↦ LS − SΛ,   L = ∇²f,   Λ = sym(XᵀG), the multiplier of XᵀBX = I.

With L replaced by a number ℓ, that of the secant along S, it is inverted by the p×p matrix (|Λ| + |ℓ|I)⁻¹ from the right, up to signs:

    M(R) = the tangent part of R (|Λ| + |ℓ|I)⁻¹ · a scale,   ℓ = (⟨S, W⟩ + ⟨S, SΛ⟩) / ⟨S, S⟩.

Of PCA, L = −A and −Λ = XᵀAX: the steps in columns of different eigenvalues become comparable. Where Λ is small beside L, as in least
squares with a small rest, M is nearly the identity. M is symmetric and positive, and equivariant under rotations of X from both sides.
"""
from __future__ import annotations

import torch
from torch import Tensor

from .field import gram, plus_product
from .safe_step import TINY, entrywise, inner

LEAST = 1e-3  # |ℓ| is at least this part of the largest |Λ|


def due(step: int) -> bool:
    """Whether a step renews M: the first ones do, later ones of growing distance up to 8 steps."""
    return step > 0 and step % min(8, 1 << max(step.bit_length() - 3, 0)) == 0


def renewed(x: Tensor, g: Tensor, s: Tensor, bs: Tensor, curvature: Tensor) -> Tensor:
    """(|Λ| + |ℓ|I)⁻¹ with trace p, for curvature = ⟨S, W⟩ and bs = BS."""
    cross = gram(x, g)
    values, vectors = torch.linalg.eigh((cross + cross.transpose(-1, -2)) / 2)
    turned = s @ vectors
    within = (turned * (bs @ vectors)).sum(-2)
    ell = (curvature + (within * values).sum(-1)).abs() / inner(s, bs).clamp(min=TINY)
    sizes = values.abs()
    scales = 1 / (sizes + torch.maximum(ell, LEAST * sizes.amax(-1)).clamp(min=TINY)[..., None])
    scales = scales / scales.mean(-1, keepdim=True)
    return (vectors * scales[..., None, :]) @ vectors.transpose(-1, -2)


def preconditioned(r: Tensor, x: Tensor, y: Tensor, inverse: Tensor) -> Tensor:
    """M(R), projected to the tangent space at X. Y = BX."""
    z = r @ inverse
    normal = gram(y, z)
    return plus_product(z, x, normal + normal.transpose(-1, -2), -0.5)
