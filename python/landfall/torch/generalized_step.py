"""One step on the generalized Stiefel manifold XᵀBX = I.

    T  = X − V              V from Ψ_K(X)
    E  = TᵀBT − I
    X₊ = T (I − 2a E)       contracts at a rate that does not depend on the condition of B

Three products with B. The length of V is measured in B, where that of X is √p.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from .bases import displacement
from .conjugate import shortened, transport
from .field import gram, minus_identity
from .safe_step import inner, norm
from .stiefel_step import attract, shorten, trusted

if TYPE_CHECKING:
    from .metrics import Metric


def step_vector(metric: Metric, x: Tensor, direction: Tensor, factor: Tensor | float, trust: float) -> Tensor:
    """V = cD, at most trust·√p long in B. D is made as long as X first, which keeps its square finite."""
    relative = norm(x) / norm(direction)
    direction = direction * torch.nan_to_num(relative, posinf=0.0)[..., None, None]
    length = inner(direction, metric.product(direction)).clamp(min=0).sqrt()
    return direction * trusted(factor / relative, length, trust, x.shape[-1])[..., None, None]


def generalized_step(metric: Metric, x: Tensor, g: Tensor, group: dict[str, Any], memory: dict[str, Any]) -> Tensor:
    y = metric.product(x)
    h = minus_identity(gram(x, y))
    direction, factor = displacement(metric.tangent(x, y, g), x, y, g, metric.product, group, memory)
    t = x - step_vector(metric, x, direction, factor, group["trust"])
    bt = metric.product(t)
    e = minus_identity(gram(t, bt))
    size = norm(e)
    if not bool((size <= group["radius"]).all()):
        t, e = shorten(x, t, h, e, gram(x, bt), group["radius"])
        size = norm(e)
    after = attract(t, e, size, group["attraction"], group["radius"])
    if group["base"] == "conjugate":
        shortened(memory, direction, x - t)
        transport(memory, x - t, t, after, group["attraction"], metric.product)
    return after
