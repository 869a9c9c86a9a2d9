"""Conjugate directions: the iterates of conjugate gradients from one gradient a step, transport, and optima."""
import pytest
import torch
from conftest import feasibility, orthonormal, spd, symmetric

from landfall.torch import Landing, Matrix
from landfall.torch.conjugate import conjugate_step, shortened, transport
from landfall.torch.multiplier import preconditioned, renewed


def itself(x):
    return x


def textbook_residuals(h, b, steps):
    """‖b − Hz‖ of the method of conjugate gradients from 0."""
    z, r = torch.zeros_like(b), b
    d, norms = r, []
    for _ in range(steps):
        length = (r * r).sum() / (d * (h @ d)).sum()
        z, after = z + length * d, r - length * (h @ d)
        r, d = after, after + (after * after).sum() / (r * r).sum() * d
        norms.append(float(r.norm()))
    return norms


@pytest.mark.parametrize("length", [0.1, 0.3])
def test_on_a_quadratic_function_the_residuals_are_those_of_conjugate_gradients(length):
    """Whatever the length of the first trial. Step 0 throughout: without the preconditioner."""
    n, steps = 12, 8
    h, b = 10 * spd(n, 8.0), torch.randn(n, 1, dtype=torch.float64)
    x = torch.zeros(n, 1, dtype=torch.float64)
    memory = {"momentum": torch.zeros_like(x), "reference": torch.zeros_like(x), "rate": torch.tensor(float("inf"), dtype=x.dtype),
              "step": 0}
    norms = []
    for step in range(steps + 1):
        lr = length * float(b.norm()) if step == 0 else 1e9
        x = x - conjugate_step(h @ x - b, x, x, h @ x - b, itself, lr, memory)
        norms.append(float(memory["reference"].norm()))
    torch.testing.assert_close(torch.tensor(norms[1:]), torch.tensor(textbook_residuals(h, b, steps)), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("metric", [False, True])
def test_converges_far_sooner_than_adam(metric):
    n, p = 100, 75
    a, b = 100 * spd(n, 1000.0), spd(n, 20.0) if metric else torch.eye(n, dtype=torch.float64)
    factor = torch.linalg.inv(torch.linalg.cholesky(b))
    best = float(torch.linalg.eigvalsh(factor @ a @ factor.T)[-p:].sum())
    start, gaps = orthonormal(n, p), {}
    for base in "conjugate", "adam":
        x = torch.nn.Parameter(start.clone())
        optimizer = Landing([x], 0.2, base=base)
        if metric:
            optimizer.constrain(x, Matrix(b))
        for _ in range(100):
            x.grad = -(a @ x.detach())
            optimizer.step()
        optimizer.finish()
        assert feasibility(x, b) < 1e-12
        gaps[base] = 1 - float((x * (a @ x)).sum().detach()) / best
    assert gaps["conjugate"] < min(1e-4, gaps["adam"] / 10), gaps


def test_transport_leaves_the_direction_tangent_to_higher_order():
    """The normal part of S at X₊ is of the third order after it, of the second before."""
    def normal_parts(size):
        torch.manual_seed(1)
        x, v = orthonormal(15, 4), torch.randn(15, 4, dtype=torch.float64)
        v = size * (v - x @ (x.T @ v + v.T @ x) / 2)
        t = x - v
        after = t - t @ (t.T @ t - torch.eye(4)) / 2
        memory = {"momentum": v.clone()}
        transport(memory, v, t, after, 0.25, itself)
        return torch.tensor([float((after.T @ s + s.T @ after).norm()) for s in (v, memory["momentum"])])

    before, after = (normal_parts(0.02) / normal_parts(0.01)).tolist()
    assert before < 4.5 and after > 7.5


def test_a_function_that_is_not_convex_along_the_step_is_descended():
    """From close to a saddle point, where the curvature along the first steps is negative."""
    a = symmetric(20, torch.float32)
    vectors = torch.linalg.eigh(a)[1]
    x = torch.nn.Parameter(torch.linalg.qr(vectors[:, :3] + 1e-3 * torch.randn(20, 3))[0])
    optimizer = Landing([x], 0.2, base="conjugate")
    for _ in range(200):
        x.grad = -(a @ x.detach())
        optimizer.step()
    found, best = float((x * (a @ x)).sum().detach()), float(torch.linalg.eigvalsh(a)[-3:].sum())
    assert found == pytest.approx(best, rel=1e-4)


def test_a_shortened_step_leaves_the_point_of_reference():
    """Z = X₊ + S, as before the step was shortened."""
    x, v, s = (torch.randn(9, 3, dtype=torch.float64) for _ in range(3))
    memory = {"momentum": s.clone(), "rate": torch.tensor(2.0, dtype=torch.float64)}
    shortened(memory, v, 0.3 * v)
    torch.testing.assert_close(x - 0.3 * v + memory["momentum"], x - v + s)
    assert float(memory["rate"]) == pytest.approx(0.6)


def test_the_preconditioner_is_symmetric_positive_and_tangent():
    x, g, s = orthonormal(15, 4), torch.randn(15, 4, dtype=torch.float64), torch.randn(15, 4, dtype=torch.float64)
    inverse = renewed(x, g, s, s, torch.tensor(0.7, dtype=torch.float64))
    assert float(torch.trace(inverse)) == pytest.approx(4) and float(torch.linalg.eigvalsh(inverse)[0]) > 0

    def tangent_part(z):
        return z - x @ (x.T @ z + z.T @ x) / 2

    a, b = (tangent_part(torch.randn(15, 4, dtype=torch.float64)) for _ in range(2))
    ma, mb = (preconditioned(z, x, x, inverse) for z in (a, b))
    assert float((ma * b).sum()) == pytest.approx(float((a * mb).sum()))
    assert float((ma * a).sum()) > 0
    torch.testing.assert_close(tangent_part(ma), ma)


def test_the_preconditioner_inverts_the_second_derivative_up_to_a_scale():
    """f = ½ℓ‖X‖² + ⟨C, X⟩ at a point where Λ < 0: the derivative of S is ℓS − SΛ, for S orthogonal to X."""
    ell = 0.5
    x = orthonormal(15, 4)
    g = -x @ torch.diag(torch.tensor([4.0, 2.0, 1.0, 0.5], dtype=torch.float64))
    s, r = (z - x @ (x.T @ z) for z in torch.randn(2, 15, 4, dtype=torch.float64))
    multiplier = x.T @ g
    inverse = renewed(x, g, s, s, (s * (ell * s - s @ multiplier)).sum())
    solved = preconditioned(ell * r - r @ multiplier, x, x, inverse)
    torch.testing.assert_close(solved / solved.norm(), r / r.norm())


def test_needs_a_fraction_of_the_steps_without_the_preconditioner(monkeypatch):
    """PCA with condition 1000: the columns of small eigenvalues are found with those of large ones."""
    n, p = 100, 75
    a, start = spd(n, 1000.0, torch.float32), orthonormal(n, p, torch.float32)
    best = float(torch.linalg.eigvalsh(a.double())[-p:].sum())

    def steps_to(gap):
        x = torch.nn.Parameter(start.clone())
        optimizer = Landing([x], 0.2, base="conjugate")
        for step in range(300):
            q = torch.linalg.qr(x.detach().double())[0]
            if 1 - float((q * (a.double() @ q)).sum()) / best < gap:
                return step
            x.grad = -(a @ x.detach())
            optimizer.step()
        return 300

    with_it = steps_to(1e-6)
    monkeypatch.setattr("landfall.torch.conjugate.due", lambda step: False)
    monkeypatch.setattr("landfall.torch.conjugate.preconditioned", lambda r, *rest: r)
    assert with_it < 0.5 * steps_to(1e-6)
