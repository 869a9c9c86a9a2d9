"""Parameters as matrices X of n rows and p columns, n >= p, or batches of them.

A parameter of shape (a, b, c, ...) is one matrix with a rows and b·c·... columns, as for convolution kernels. Leading
dimensions counted by ``batch_dims`` index separate matrices. The longer side is n: a wide matrix is seen transposed.
"""
from __future__ import annotations

import torch
from torch import Tensor

LOW_PRECISION = (torch.bfloat16, torch.float16)


def check(param: Tensor, batch_dims: int) -> None:
    """Raises ValueError or TypeError with one sentence if the parameter cannot be a matrix of the optimizer."""
    if param.is_complex():
        raise TypeError(f"a parameter of shape {tuple(param.shape)} is complex ({param.dtype}); Landing constrains real "
                        "parameters: store the real and the imaginary part separately")
    if not param.is_floating_point():
        raise TypeError(f"a parameter of shape {tuple(param.shape)} has dtype {param.dtype}, expected a floating-point dtype")
    if param.dim() < 2 + batch_dims:
        raise ValueError(f"a parameter of shape {tuple(param.shape)} has {param.dim()} dimensions, expected at least "
                         f"{2 + batch_dims} with batch_dims={batch_dims}; give biases and scales to another optimizer")
    if param.numel() == 0:
        raise ValueError(f"a parameter of shape {tuple(param.shape)} is empty")


def sides(param: Tensor, batch_dims: int) -> tuple[int, int]:
    """Rows and columns of the flattened parameter, before the choice of the longer side."""
    shape = param.shape[batch_dims:]
    return shape[0], shape[1:].numel()


def as_matrix(tensor: Tensor, batch_dims: int, transposed: bool) -> Tensor:
    """X (n×p, or batch×n×p): a view where the memory layout allows one."""
    rows, columns = sides(tensor, batch_dims)
    if batch_dims:
        tensor = tensor.reshape(-1, rows, columns)
    else:
        tensor = tensor.reshape(rows, columns)
    return tensor.transpose(-1, -2) if transposed else tensor


def as_parameter(x: Tensor, shape: torch.Size, transposed: bool) -> Tensor:
    """The inverse of as_matrix."""
    return (x.transpose(-1, -2) if transposed else x).reshape(shape)


def working_dtype(dtype: torch.dtype) -> torch.dtype:
    """The dtype of the arithmetic: products in half precision would not hold the constraint."""
    return torch.float32 if dtype in LOW_PRECISION else dtype


def read(param: Tensor, residual: Tensor | None, batch_dims: int, transposed: bool) -> Tensor:
    """X in the working precision. The residual of a half-precision parameter is what rounding removed from it."""
    x = as_matrix(param, batch_dims, transposed)
    if param.dtype not in LOW_PRECISION:
        return x
    assert residual is not None  # such a parameter has one
    return x.float() + as_matrix(residual, batch_dims, transposed).float()


def write(x: Tensor, param: Tensor, residual: Tensor | None, transposed: bool) -> None:
    """Stores X in the parameter and, in half precision, the rest in the residual."""
    value = as_parameter(x, param.shape, transposed)
    param.copy_(value)
    if param.dtype in LOW_PRECISION:
        assert residual is not None
        residual.copy_(value - param)
