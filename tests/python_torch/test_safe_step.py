"""The quartic along a step, its safe fraction, and that no learning rate leaves the safe region."""
import pytest
import torch
from conftest import feasibility, orthonormal, spd, symmetric

from landfall.torch import Landing, Matrix
from landfall.torch.safe_step import evaluate, quartic, safe_fraction


def pieces(n=10, p=3, scale=1.0):
    b, x = spd(n), torch.randn(n, p, dtype=torch.float64)
    x = x @ torch.linalg.inv(torch.linalg.cholesky(x.T @ b @ x)).T
    x, v = x + 0.05 * torch.randn_like(x), scale * torch.randn(n, p, dtype=torch.float64)
    cross = x.T @ b @ v
    return b, x, v, x.T @ b @ x - torch.eye(p), cross + cross.T, v.T @ b @ v


def test_quartic_is_the_squared_error_along_the_step():
    b, x, v, h, s1, s2 = pieces()
    t = torch.tensor([0.0, 0.3, 1.0, 2.5], dtype=torch.float64)
    expected = torch.tensor([feasibility(x - s * v, b) ** 2 for s in t], dtype=torch.float64)
    torch.testing.assert_close(evaluate(quartic(h, s1, s2), t), expected)


@pytest.mark.parametrize("scale", [0.01, 1.0, 1e4])
def test_safe_fraction_is_the_smallest_root(scale):
    b, x, v, h, s1, s2 = pieces(scale=scale)
    fraction = float(safe_fraction(quartic(h, s1, s2), 0.5))
    assert feasibility(x - fraction * v, b) <= 0.5 + 1e-6
    if scale == 0.01:
        assert fraction == 1
    else:
        assert feasibility(x - fraction * v, b) == pytest.approx(0.5, abs=1e-2) or fraction < 1e-5
    along = torch.linspace(0, fraction, 100, dtype=torch.float64)
    assert float(evaluate(quartic(h, s1, s2), along).max()) <= 0.25 + 1e-6


def test_safe_fraction_outside_of_the_region_is_zero_for_a_step_further_out():
    x = 2 * orthonormal(8, 2)
    h = x.T @ x - torch.eye(2)
    s1 = -2 * x.T @ x  # V = −X
    assert float(safe_fraction(quartic(h, s1, x.T @ x), 0.5)) < 1e-6


@pytest.mark.parametrize("lr", [1e-3, 1.0, 1e4, 1e12])
@pytest.mark.parametrize("base", ["sgd", "adam", "spectral", "conjugate"])
@pytest.mark.parametrize("metric", [False, True])
def test_no_learning_rate_diverges(lr, base, metric):
    n, p = 20, 5
    a, b = symmetric(n, torch.float32), spd(n, dtype=torch.float32)
    x = torch.nn.Parameter(orthonormal(n, p, torch.float32))
    optimizer = Landing([x], lr, base=base, momentum=None if base == "conjugate" else 0.9)
    if metric:
        optimizer.constrain(x, Matrix(b))
    for step in range(60):
        x.grad = 1e3 * (a @ x.detach())
        optimizer.step()
        if step > 0:
            assert feasibility(x, b if metric else None) <= 0.51
