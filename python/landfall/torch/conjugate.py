"""Conjugate directions with one gradient for each step, for functions whose gradients have no noise.

A step is a trial: from the point Z it moves by S, and the tangent term found there tells where the minimum along S would have
been. With R = Ψ(Z) and W = R − Ψ(Z − S), which is the second derivative along S if f is quadratic,

    t  = ⟨S, R⟩ / ⟨S, W⟩              the minimum along S is at Z − tS
    R₊ = R − tW                       Ψ there, by extrapolation: it is never evaluated
    S₊ = α₊(R₊ + βS), α₊ = tα         β = −⟨R₊, W⟩ / ⟨S, W⟩ makes S₊ conjugate to S (Hestenes and Stiefel)
    V  = S₊ − (1 − t)S                from the trial point Z − S to the next one, Z₊ − S₊ with Z₊ = Z − tS

On a quadratic function these are the iterates Z of the method of conjugate gradients, whatever the lengths α of the trials. Where
f is not convex along S, or the minimum is far away, S₊ is along Ψ (t = 1, β = 0) and longer. Products are those of the metric B.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .safe_step import inner

FARTHEST = 4.0  # t above which the extrapolation is not trusted
TINY = 1e-30    # keeps quotients finite where all gradients are 0


def conjugate_step(psi: Tensor, product: Callable[[Tensor], Tensor], lr: float, memory: dict[str, Any]) -> Tensor:
    """V. The memory holds S ("momentum"), R ("reference") and α ("rate"). S is at most lr·√p long, V somewhat longer."""
    s, r, rate = memory["momentum"], memory["reference"], memory["rate"]
    w = r - psi
    bs, bw = product(s), product(w)
    along, curvature = inner(r, bs), inner(w, bs)
    trusted = (along > 0) & (FARTHEST * curvature > along)
    one = torch.ones_like(curvature)
    curvature = torch.where(trusted, curvature, one)
    t = torch.where(trusted, along / curvature, one)
    r = torch.addcmul(r, w, entrywise(t), value=-1)
    beta = torch.where(trusted, -inner(r, bw) / curvature, torch.zeros_like(t))
    direction = torch.addcmul(r, s, entrywise(beta))
    length = inner(direction, product(direction)).clamp(min=0).sqrt()
    rate = torch.minimum(torch.where(trusted, t.clamp(0.25, 2), 2 * one) * rate, lr * psi.shape[-1] ** 0.5 / length.clamp(min=TINY))
    trial = direction.mul_(entrywise(rate))
    memory.update(momentum=trial, reference=r, rate=rate)
    return torch.addcmul(trial, s, entrywise(1 - t), value=-1)


def transport(memory: dict[str, Any], x: Tensor, t: Tensor, after: Tensor, attraction: float, product: Callable[[Tensor], Tensor]) -> None:
    """Moves S from the tangent space at X to that at X₊, to second order and without a matrix product.

    The projection there adds X₊ sym(VᵀBS) to it. The part of S along V, κV, gets κ X₊VᵀBV, and VᵀBV is E = TᵀBT − I up to
    higher orders: the normal term of the step, X₊ = T − 2aTE, has computed TE already.
    """
    s, v = memory["momentum"], x - t
    bv = product(v)
    share = inner(s, bv) / inner(v, bv).clamp(min=TINY)
    s.addcmul_(t - after, entrywise(share / (2 * attraction)))


def entrywise(scalar: Tensor) -> Tensor:
    """A number for each matrix, shaped to multiply its entries."""
    return scalar[..., None, None]
