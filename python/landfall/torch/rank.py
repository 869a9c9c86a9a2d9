"""Whether a start has full rank, which landing keeps and cannot create."""
from __future__ import annotations

import torch
from torch import Tensor

from .field import gram


def require_full_rank(x: Tensor, y: Tensor | None = None) -> None:
    """Raises ValueError if XᵀBX is singular (Y = BX; B = I without it). Cheap unless the answer is in doubt."""
    p = gram(x, y)
    if not bool(torch.isfinite(p).all()):
        raise ValueError(f"a parameter of {describe(x)} has entries that are not finite or whose squares overflow")
    factor, info = torch.linalg.cholesky_ex(p)
    pivots = factor.diagonal(dim1=-2, dim2=-1) ** 2
    doubtful = 100 * p.shape[-1] * torch.finfo(p.dtype).eps * pivots.amax(-1)
    if bool((info == 0).all()) and bool((pivots.amin(-1) > doubtful).all()):
        return
    if y is None:
        values = torch.linalg.svdvals(x)
        tolerance = x.shape[-2] * torch.finfo(x.dtype).eps
    else:
        values = torch.linalg.eigvalsh(p).flip(-1).clamp(min=0)
        tolerance = x.shape[-2] * torch.finfo(x.dtype).eps
    ranks = (values > tolerance * values[..., :1]).sum(-1)
    rank = int(ranks.min())
    if rank < x.shape[-1]:
        where = "" if ranks.dim() == 0 else f", matrix {int(ranks.argmin())} of the batch,"
        raise ValueError(f"a parameter of {describe(x)}{where} has rank {rank}{'' if y is None else ' in its metric B'}, "
                         f"expected {x.shape[-1]}: landing keeps the rank of the start, so start from a matrix of full "
                         "rank, for example torch.nn.init.orthogonal_")


def describe(x: Tensor) -> str:
    return f"{x.shape[-2]}×{x.shape[-1]}"
