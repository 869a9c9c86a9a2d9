"""The generalized Stiefel manifold: B as a matrix, as products, and from the rows of batches."""
import pytest
import torch
from conftest import feasibility, orthonormal, spd, symmetric

from landfall.torch import Identity, Landing, Matrix, Product, Rows

N, P = 15, 3


def best_value(a, b):
    factor = torch.linalg.inv(torch.linalg.cholesky(b))
    return float(torch.linalg.eigvalsh(factor @ a @ factor.T)[-P:].sum())


def metrics(b):
    return {"matrix": Matrix(b), "product": Product(lambda x: b @ x),
            "product and solve": Product(lambda x: b @ x, lambda x: torch.linalg.solve(b, x))}


@pytest.mark.parametrize("base", ["sgd", "adam", "conjugate"])
@pytest.mark.parametrize("name", ["matrix", "product", "product and solve"])
def test_solves_the_generalized_eigenproblem(base, name):
    a, b = symmetric(N), spd(N, 20.0)
    x = torch.nn.Parameter(torch.randn(N, P, dtype=torch.float64))
    optimizer = Landing([x], 0.02 if base == "sgd" else 0.1, base=base, momentum=0.9 if base == "sgd" else None)
    optimizer.constrain(x, metrics(b)[name])
    for _ in range(1500):
        x.grad = -(a @ x.detach())
        optimizer.step()
    assert float((x * (a @ x)).sum().detach()) == pytest.approx(best_value(a, b), rel=1e-4)
    assert feasibility(x, b) < 1e-4


def test_spectral_steps_in_a_metric_turn_every_direction_by_the_same_angle():
    b = spd(N, 20.0)
    x = torch.linalg.solve(torch.linalg.cholesky(b).T, orthonormal(N, P))
    moved = torch.nn.Parameter(x.clone())
    optimizer = Landing([moved], 0.01, base="spectral", momentum=0)
    optimizer.constrain(moved, Matrix(b))
    moved.grad = torch.randn(N, P, dtype=torch.float64)
    optimizer.step()
    step = moved.detach() - x
    sizes = torch.linalg.eigvalsh(step.T @ b @ step).sqrt() / 0.01
    assert float(sizes.min()) > 0.5 and float(sizes.max()) < 1.3


def test_an_orthonormal_start_in_the_metric_of_the_identity_gives_the_same_iterates():
    target = torch.randn(N, P, dtype=torch.float64)
    params = [torch.nn.Parameter(start) for start in [orthonormal(N, P)] for _ in range(2)]
    params[1] = torch.nn.Parameter(params[0].detach().clone())
    optimizer = Landing(params, 0.1, base="adam")
    optimizer.constrain(params[0], Identity())
    optimizer.constrain(params[1], Matrix(torch.eye(N, dtype=torch.float64)))
    for _ in range(30):
        for param in params:
            param.grad = param.detach() ** 3 - target
        optimizer.step()
    torch.testing.assert_close(params[0].detach(), params[1].detach(), rtol=0, atol=1e-4)


def test_running_covariance_is_that_of_all_rows_until_old_ones_fade():
    rows = 5 + torch.randn(10, 64, 4, dtype=torch.float64) @ torch.randn(4, 4, dtype=torch.float64)
    metric = Rows(ridge=0.0, average=0.05)
    for batch in rows:
        metric.update(batch)
    everything = rows.reshape(-1, 4)
    torch.testing.assert_close(metric.mean, everything.mean(0))
    torch.testing.assert_close(metric.covariance, torch.cov(everything.T), rtol=0.05, atol=0.02)
    for _ in range(200):
        metric.update(2 * rows[0])
    torch.testing.assert_close(metric.covariance, 4 * torch.cov(rows[0].T), rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("average", [0.05, None])
def test_whitens_a_stream(average):
    mix = torch.linalg.cholesky(spd(6, 10.0))
    x = torch.nn.Parameter(torch.randn(6, 2, dtype=torch.float64))
    optimizer = Landing([x], 0.0, attraction=0.25 if average else 0.02)
    metric = optimizer.constrain(x, Rows(ridge=0.0, average=average))
    x.grad = torch.zeros(6, 2, dtype=torch.float64)
    for _ in range(600):
        metric.update(1 + torch.randn(128, 6, dtype=torch.float64) @ mix.T)
        optimizer.step()
    assert feasibility(x, mix @ mix.T) < 0.1  # the running covariance has an error of √(2·p·p·0.05/128/2)


@pytest.mark.parametrize("use, sentence", [
    (lambda o, x: o.constrain(x, Matrix(torch.eye(7))), "size 7.*shape \\(5, 2\\)"),
    (lambda o, x: o.constrain(torch.nn.Parameter(torch.randn(5, 2)), Identity()), "not in this optimizer"),
    (lambda o, x: o.constrain(x, torch.eye(5)), "type Tensor, expected Identity"),
    (lambda o, x: Matrix(torch.randn(3, 4)), "expected a square matrix"),
    (lambda o, x: Matrix(torch.randn(4, 4)), "not symmetric"),
    (lambda o, x: Matrix(-torch.eye(4)), "not positive definite.*add a ridge"),
    (lambda o, x: (o.constrain(x, Rows()), o.step()), "seen no features: call its update"),
    (lambda o, x: Landing([x], 0.1, base="conjugate").constrain(x, Rows()), "without noise: use base='adam'"),
    (lambda o, x: Rows(average=2), "average=2"),
    (lambda o, x: Rows().update(torch.randn(1, 3)), "a batch of 1 rows, expected at least 2"),
    (lambda o, x: (o.constrain(x, Product(lambda z: z[:2])), o.step()), "shape \\(2, 2\\), expected \\(5, 2\\)"),
    (lambda o, x: o.constrain(x, Matrix(torch.eye(2))), "2 dimensions, which cannot be independent"),
])
def test_wrong_use_is_one_sentence(use, sentence):
    x = torch.nn.Parameter(torch.randn(5, 2))
    x.grad = torch.randn(5, 2)
    with pytest.raises((TypeError, ValueError, RuntimeError), match=sentence):
        use(Landing([x], 0.1), x)
