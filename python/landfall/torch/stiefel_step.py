"""One step on the Stiefel manifold, B = I, for a matrix or a batch of matrices of one shape.

    T  = X − V              V from Ψ(X), at most `trust` √p long
    E  = TᵀT − I
    X₊ = T (I − 2a E)       the normal term at T; a = ¼ squares the error: ‖H₊‖ ≤ ¾‖E‖² + ¼‖E‖³

Four products of n p² flops: GᵀX, X(·), TᵀT, T(·). Two more, XᵀX and GH, only where H is not negligible.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .bases import displacement
from .conjugate import shortened, transport
from .field import gram, minus_identity, plus_product, tangent
from .safe_step import norm, quartic, safe_fraction

REFRESH = 16       # steps after which H is computed again in any case


def stiefel_step(x: Tensor, g: Tensor, group: dict[str, Any], memory: dict[str, Any]) -> Tensor:
    """X₊. `memory` has "step", "defect" (a bound of ‖H‖, infinite if unknown) and what the base keeps."""
    known = memory["step"] % REFRESH > 0 and bool((memory["defect"] <= negligible(x.dtype)).all())
    h = None if known else minus_identity(gram(x))
    direction, factor = displacement(tangent(x, g, h), x, x, g, itself, group, memory)
    t = moved(x, direction, trusted(factor, norm(direction), group["trust"], x.shape[-1]))
    e = minus_identity(gram(t))
    size = norm(e)
    if not bool((size <= group["radius"]).all()):
        if h is None:
            h = minus_identity(gram(x))
        t, e = shorten(x, t, h, e, gram(x, t), group["radius"])
        size = norm(e)
    after = attract(t, e, size, group["attraction"], group["radius"])
    memory["defect"] = defect_bound(size, group["attraction"], group["radius"])
    if group["base"] == "conjugate":
        shortened(memory, direction, x - t)
        transport(memory, x - t, t, after, group["attraction"], itself)
    return after


def negligible(dtype: torch.dtype) -> float:
    """‖H‖ below which Ψ may take P = I: the relative error of Ψ is at most ‖H‖, here about half the digits."""
    return min(1e-4, torch.finfo(dtype).eps ** 0.5)


def itself(x: Tensor) -> Tensor:
    """B X for B = I."""
    return x


def trusted(factor: Tensor | float, length: Tensor, trust: float, p: int) -> Tensor:
    """The factor, or the smaller one that makes a direction of this length trust·√p long, √p being the length of X."""
    longest = trust * p ** 0.5 / length
    return torch.minimum(longest, factor) if isinstance(factor, Tensor) else longest.clamp(max=factor)


def moved(x: Tensor, direction: Tensor, factor: Tensor) -> Tensor:
    """X − cD."""
    return torch.addcmul(x, direction, factor[..., None, None], value=-1)


def shorten(x: Tensor, t: Tensor, h: Tensor, e: Tensor, cross: Tensor, radius: float) -> tuple[Tensor, Tensor]:
    """T and E after the longest safe fraction of the step X → T. cross = XᵀBT."""
    s1 = 2 * h - (cross + cross.transpose(-1, -2))
    s1.diagonal(dim1=-2, dim2=-1).add_(2)
    s2 = e - h + s1
    fraction = safe_fraction(quartic(h, s1, s2), radius)[..., None, None]
    return x + fraction * (t - x), h - fraction * s1 + fraction ** 2 * s2


def land(x: Tensor, product: Callable[[Tensor], Tensor], radius: float, steps: int = 40) -> Tensor:
    """X after as many normal steps as bring it into the safe region, for a start outside of it."""
    for _ in range(steps):
        e = minus_identity(gram(x, product(x)))
        size = norm(e)
        if bool((size <= radius).all()):
            break
        x = attract(x, e, size, 0.25, radius)
    return x


def attract(t: Tensor, e: Tensor, size: Tensor, attraction: float, radius: float) -> Tensor:
    """T (I − 2as E). s is 1 in the safe region, and 1/‖E‖ where that is above 1; size = ‖E‖."""
    if not bool((size <= radius).all()):
        e = e * (1 / spectral_bound(e).clamp(min=1))[..., None, None]
    return plus_product(t, t, e, -2 * attraction)


def defect_bound(size: Tensor, attraction: float, radius: float) -> Tensor:
    """A bound of ‖H‖ after `attract`, infinite from outside of the safe region."""
    theta = 2 * attraction
    bound = abs(1 - 2 * theta) * size + (2 * theta - theta ** 2) * size ** 2 + theta ** 2 * size ** 3
    return torch.where(size <= radius, bound, torch.full_like(bound, float("inf")))


def spectral_bound(e: Tensor) -> Tensor:
    """An upper bound of the largest |eigenvalue| of E: the Schatten 8-norm, at most p^⅛ too large."""
    scale = norm(e)
    fourth = e / scale[..., None, None]
    for _ in range(2):
        fourth = fourth @ fourth
    return scale * norm(fourth) ** 0.25
