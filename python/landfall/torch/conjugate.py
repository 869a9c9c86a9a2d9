"""Conjugate directions with one gradient for each step, for functions whose gradients have no noise.

A step is a trial: from the point Z it moves by S, and the tangent term found there tells where the minimum along S would have
been. With R = Ψ(Z) and W = R − Ψ(Z − S), which is the second derivative along S if f is quadratic,

    t  = ⟨S, R⟩ / ⟨S, W⟩              the minimum along S is at Z − tS
    R₊ = R − tW                       Ψ there, by extrapolation: it is never evaluated
    S₊ = α₊(MR₊ + βS), α₊ = tα        β = −⟨MR₊, W⟩ / ⟨S, W⟩ makes S₊ conjugate to S (Hestenes and Stiefel)
    V  = S₊ − (1 − t)S                from the trial point Z − S to the next one, Z₊ − S₊ with Z₊ = Z − tS

M is the preconditioner of multiplier.py; this β allows one that changes. With M = 1, on a quadratic function, these are the iterates
Z of the method of conjugate gradients, whatever the lengths α of the trials. Where f is not convex along S, or the minimum is far
away, S₊ is along MΨ (t = 1, β = 0) and longer. Products are those of the metric B.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .multiplier import due, preconditioned, renewed
from .safe_step import TINY, entrywise, inner

FARTHEST = 4.0  # t above which the extrapolation is not trusted, and the most by which α changes in a step


def conjugate_step(psi: Tensor, x: Tensor, y: Tensor, g: Tensor, product: Callable[[Tensor], Tensor], lr: float,
                   memory: dict[str, Any]) -> Tensor:
    """V. The memory holds S ("momentum"), R ("reference"), α ("rate") and M. S is at most lr·√p long, V somewhat longer."""
    s, r, rate = memory["momentum"], memory["reference"], memory["rate"]
    w = r - psi
    bs, bw = product(s), product(w)
    along, curvature = inner(r, bs), inner(w, bs)
    if due(memory["step"]):
        memory["preconditioner"] = renewed(x, g, s, bs, curvature)
    trusted = (along > 0) & (FARTHEST * curvature > along)
    one = torch.ones_like(curvature)
    curvature = torch.where(trusted, curvature, one)
    t = torch.where(trusted, along / curvature, one)
    r = torch.addcmul(r, w, entrywise(t), value=-1)
    z = preconditioned(r, x, y, memory["preconditioner"]) if memory["step"] else r
    beta = torch.where(trusted, -inner(z, bw) / curvature, torch.zeros_like(t))
    direction = torch.addcmul(z, s, entrywise(beta))
    length = inner(direction, product(direction)).clamp(min=0).sqrt()
    rate = torch.minimum(torch.where(trusted, t.clamp(1 / FARTHEST, FARTHEST), FARTHEST * one) * rate, lr * psi.shape[-1] ** 0.5 / length.clamp(min=TINY))
    trial = direction.mul_(entrywise(rate))
    memory.update(momentum=trial, reference=r, rate=rate)
    return torch.addcmul(trial, s, entrywise(1 - t), value=-1)


def shortened(memory: dict[str, Any], v: Tensor, taken: Tensor) -> None:
    """S and α where the safe step was only a part fV of V. The point is then Z₊ − (S₊ − (1 − f)V)."""
    part = inner(taken, v) / inner(v, v).clamp(min=TINY)
    part = torch.where(part > 0, part.clamp(max=1), torch.ones_like(part))
    memory["momentum"] = torch.addcmul(memory["momentum"], v, entrywise(1 - part), value=-1)
    memory["rate"] = memory["rate"] * part


def transport(memory: dict[str, Any], v: Tensor, t: Tensor, after: Tensor, attraction: float, product: Callable[[Tensor], Tensor]) -> None:
    """Moves S from the tangent space at X to that at X₊, to second order and without a matrix product. V = X − T.

    The projection there adds X₊ sym(VᵀBS) to it. The part of S along V, κV, gets κ X₊VᵀBV, and VᵀBV is E = TᵀBT − I up to
    higher orders: the normal term of the step, X₊ = T − 2aTE, has computed TE already.
    """
    s = memory["momentum"]
    bv = product(v)
    share = inner(s, bv) / inner(v, bv).clamp(min=TINY)
    s.addcmul_(t - after, entrywise(share / (2 * attraction)))
