"""The landing field for the constraint XᵀBX = I, without any n×n product.

Notation: X is n×p, G the gradient of f, Y = BX, P = XᵀY, H = P − I. All functions take one matrix or a batch of them.

    Ψ_K = K[ G (YᵀKY) − Y (GᵀKY) ]     the tangent term, for any symmetric positive definite K
    X H                                the direction of the normal term
    XᵀBΨ_K is skew-symmetric, so that ⟨Ψ_K, ∇N⟩ = 0 exactly, N = ½‖H‖², also away from the manifold.

With B = I and K = I:  Ψ = G P − X (GᵀX).  With K = B⁻¹:  Ψ = (B⁻¹G) P − X (GᵀX).
"""
from __future__ import annotations

import torch
from torch import Tensor


def gram(x: Tensor, y: Tensor | None = None) -> Tensor:
    """XᵀY, p×p; XᵀX without Y."""
    return x.transpose(-1, -2) @ (x if y is None else y)


def minus_identity(square: Tensor) -> Tensor:
    """P − I, in place."""
    square.diagonal(dim1=-2, dim2=-1).sub_(1)
    return square


def plus_product(base: Tensor, x: Tensor, square: Tensor, scale: float) -> Tensor:
    """base + scale · X M in the memory layout of base, with one call of BLAS."""
    out = torch.empty_like(base)
    if base.dim() == 2:
        return torch.addmm(base, x, square, alpha=scale, out=out)
    return torch.baddbmm(base, x, square, alpha=scale, out=out)


def tangent(x: Tensor, g: Tensor, h: Tensor | None = None) -> Tensor:
    """Ψ for B = K = I. Without H the point is taken to be on the manifold, which saves a product."""
    base = g if h is None else plus_product(g, g, h, 1)
    return plus_product(base, x, gram(g, x), -1)


def preconditioned_tangent(g: Tensor, y: Tensor, kg: Tensor, ky: Tensor) -> Tensor:
    """Ψ_K for given KG and KY."""
    return plus_product(kg @ gram(ky, y), ky, gram(g, ky), -1)


def halves_tangent(g: Tensor, first: Tensor, second: Tensor) -> Tensor:
    """Ψ from two independent draws Y₁, Y₂ of BX, symmetrised. Unbiased if G is independent of both."""
    return ((g @ gram(first, second) - first @ gram(g, second))
            + (g @ gram(second, first) - second @ gram(g, first))) / 2
