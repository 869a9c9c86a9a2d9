import pathlib
import sys

import pytest
import torch

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "python"))


@pytest.fixture(autouse=True)
def fixed_seed():
    torch.set_num_threads(1)
    torch.manual_seed(0)


def orthonormal(n, p, dtype=torch.float64):
    return torch.linalg.qr(torch.randn(n, p, dtype=dtype))[0].contiguous()


def spd(n, condition=100.0, dtype=torch.float64):
    q = torch.linalg.qr(torch.randn(n, n, dtype=torch.float64))[0]
    return ((q * torch.logspace(0, -torch.log10(torch.tensor(condition)).item(), n, dtype=torch.float64)) @ q.T).to(dtype)


def symmetric(n, dtype=torch.float64):
    a = torch.randn(n, n, dtype=dtype)
    return (a + a.T) / 2


def feasibility(x, b=None):
    """‖XᵀBX − I‖ in double precision."""
    x = x.detach().double()
    y = x if b is None else b.double() @ x
    return float((x.T @ y - torch.eye(x.shape[1], dtype=torch.float64)).norm())
