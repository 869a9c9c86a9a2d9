"""One step on the generalized Stiefel manifold XᵀBX = I.

    T  = X − V              V from Ψ_K(X)
    E  = TᵀBT − I
    X₊ = T (I − 2a E)       contracts at a rate that does not depend on the condition of B

Two products with B. The length of V is measured in B, where that of X is √p.
"""
from .bases import displacement
from .field import gram, minus_identity
from .safe_step import inner, norm
from .stiefel_step import attract, shorten, trusted

LONGEST = 1e3  # of V relative to X before it is measured in B: keeps squares finite


def generalized_step(metric, x, g, group, memory):
    y = metric.product(x)
    h = minus_identity(gram(x, y))
    v = displacement(metric.tangent(x, y, g), x, y, metric.product, group, memory)
    v.mul_((LONGEST * norm(x) / norm(v)).clamp(max=1)[..., None, None])
    bv = metric.product(v)
    v_length = inner(v, bv).clamp(min=0).sqrt()
    scale = trusted(v_length, group["trust"], x.shape[-1])[..., None, None]
    t, bt = x - scale * v, y - scale * bv
    e = minus_identity(gram(t, bt))
    if not bool((norm(e) <= group["radius"]).all()):
        t, e = shorten(x, t, h, e, gram(x, bt), group["radius"])
    x, memory["defect"] = attract(t, e, group["attraction"], group["radius"])
    return x
