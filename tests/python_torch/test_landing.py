"""The optimizer on the Stiefel manifold: optima, starts, shapes, dtypes, groups."""
import pytest
import torch
from conftest import feasibility, orthonormal, symmetric

from landfall.torch import Landing

EVERY_BASE = [dict(lr=0.02), dict(lr=0.02, momentum=0.9), dict(lr=0.1, base="adam"), dict(lr=0.005, base="spectral"),
              dict(lr=0.2, base="conjugate")]


def train(params, optimizer, gradients, steps):
    for _ in range(steps):
        for param, gradient in zip(params, gradients):
            param.grad = gradient(param.detach())
        optimizer.step()


@pytest.mark.parametrize("options", EVERY_BASE)
def test_reaches_the_leading_eigenspace(options):
    a = symmetric(20)
    x = torch.nn.Parameter(orthonormal(20, 4))
    optimizer = Landing([x], **options)
    train([x], optimizer, [lambda x: -(a @ x)], 800)
    best = torch.linalg.eigvalsh(a)[-4:].sum()
    found = float((x * (a @ x)).sum().detach() / best)
    assert found == pytest.approx(1, abs=2e-2 if options.get("base") == "spectral" else 1e-6)
    assert feasibility(x) < 1e-3
    optimizer.finish()
    assert feasibility(x) < 1e-12


@pytest.mark.parametrize("scale", [1e-3, 3.0, 1e3])
@pytest.mark.parametrize("shape", [(30, 5), (5, 30), (12, 12)])
def test_lands_from_any_start_of_full_rank(scale, shape):
    n, p = max(shape), min(shape)
    a = symmetric(n, torch.float32)
    x = torch.nn.Parameter(scale * torch.randn(shape))
    optimizer = Landing([x], 0.1, base="adam")
    train([x], optimizer, [lambda x: -(a @ x) if shape[0] == n else -(x @ a)], 600)
    assert feasibility(x if shape[0] == n else x.T) < 1e-6 * p ** 0.5


@pytest.mark.parametrize("shape, scale", [((200, 150), 5.0), ((64, 64), 1e-3), ((32, 300), 1.0)])
def test_finish_is_exact_to_the_rounding_of_the_parameter(shape, scale):
    """In single precision: products in single precision alone would leave several times as much."""
    x = torch.nn.Parameter(scale * torch.randn(shape))
    optimizer = Landing([x], 0.1)
    optimizer.finish()
    n, p = max(shape), min(shape)
    assert x.dtype == torch.float32
    assert optimizer.infeasibility(x) == pytest.approx(feasibility(x if shape[0] == n else x.T), rel=1e-6)
    assert optimizer.infeasibility(x) < min(1e-6, 5e-8 * p / n ** 0.5)


def test_zero_gradient_only_lands():
    start = orthonormal(9, 3)
    x = torch.nn.Parameter(start.clone())
    for base in "sgd", "adam", "spectral", "conjugate":
        optimizer = Landing([x], 0.1, base=base)
        train([x], optimizer, [torch.zeros_like], 5)
        torch.testing.assert_close(x.detach(), start, rtol=0, atol=1e-14)


def test_rank_deficient_start_is_an_error_with_the_rank():
    x = torch.randn(8, 3)
    x[:, 2] = x[:, 0] - 2 * x[:, 1]
    x = torch.nn.Parameter(x)
    x.grad = torch.randn(8, 3)
    with pytest.raises(ValueError, match="has rank 2, expected 3.*start from a matrix of full rank"):
        Landing([x], 0.1).step()
    zero = torch.nn.Parameter(torch.zeros(8, 3))
    zero.grad = torch.ones(8, 3)
    with pytest.raises(ValueError, match="has rank 0"):
        Landing([zero], 0.1).step()


def test_start_that_is_not_finite_is_an_error():
    x = torch.nn.Parameter(torch.full((4, 2), float("nan")))
    x.grad = torch.ones(4, 2)
    with pytest.raises(ValueError, match="not finite"):
        Landing([x], 0.1).step()


@pytest.mark.parametrize("base", ["sgd", "adam", "spectral", "conjugate"])
def test_equivariance_under_rotations(base):
    """X → QXR moves every iterate by Q and R, for the function that is moved likewise."""
    n, p = 10, 3
    a, q, r = torch.randn(n, p, dtype=torch.float64), orthonormal(n, n), orthonormal(p, p)
    x = torch.nn.Parameter(orthonormal(n, p) + 0.05 * torch.randn(n, p, dtype=torch.float64))
    y = torch.nn.Parameter(q @ x.detach() @ r)
    optimizer = Landing([x, y], 0.05, base=base)
    train([x, y], optimizer, [lambda x: x ** 3 - a, lambda y: q @ ((q.T @ y @ r.T) ** 3 - a) @ r], 30)
    torch.testing.assert_close(y.detach(), q @ x.detach() @ r, rtol=0, atol=1e-9)


def test_a_wide_matrix_is_the_transpose_of_a_tall_one():
    tall = torch.nn.Parameter(orthonormal(10, 3))
    wide = torch.nn.Parameter(tall.detach().T.contiguous())
    target = torch.randn(10, 3, dtype=torch.float64)
    optimizer = Landing([tall, wide], 0.1, momentum=0.5)
    train([tall, wide], optimizer, [lambda x: x ** 2 - target, lambda x: x ** 2 - target.T], 20)
    torch.testing.assert_close(wide.detach(), tall.detach().T)


@pytest.mark.parametrize("base", ["sgd", "adam", "spectral", "conjugate"])
@pytest.mark.parametrize("start", ["on", "off"])
def test_stacked_equals_loop_equals_batched(base, start):
    starts = [orthonormal(8, 3) * (1 if start == "on" or k % 2 else 5) for k in range(4)]
    targets = [torch.randn(8, 3, dtype=torch.float64) for _ in starts]
    results = []
    for foreach in True, False:
        params = [torch.nn.Parameter(x.clone()) for x in starts]
        train(params, Landing(params, 0.1, base=base, foreach=foreach), [lambda x, t=t: x ** 3 - t for t in targets], 25)
        results.append(torch.stack([param.detach() for param in params]))
    torch.testing.assert_close(results[0], results[1], rtol=0, atol=1e-7)
    if start == "on":
        batch = torch.nn.Parameter(torch.stack(starts))
        train([batch], Landing([batch], 0.1, base=base, batch_dims=1), [lambda x: x ** 3 - torch.stack(targets)], 25)
        torch.testing.assert_close(batch.detach(), results[1], rtol=0, atol=1e-7)


def test_kernels_are_flattened_in_any_memory_format():
    kernel = torch.nn.Parameter(torch.randn(6, 2, 3, 3))
    other = torch.nn.Parameter(kernel.detach().clone().to(memory_format=torch.channels_last))
    target = torch.randn(6, 2, 3, 3)
    train([kernel, other], Landing([kernel, other], 0.1, momentum=0.9), [lambda x: x - target] * 2, 200)
    assert feasibility(kernel.reshape(6, -1).T) < 1e-5
    torch.testing.assert_close(other.detach(), kernel.detach(), rtol=0, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_keeps_what_rounding_removes(dtype):
    """Steps far below the spacing of the numbers add up, and the constraint holds to the rounding of the parameter."""
    target = torch.randn(16, 4)
    x = torch.nn.Parameter(orthonormal(16, 4, torch.float32).to(dtype))
    optimizer = Landing([x], 1e-4)
    before = float((x.float() * target).sum().detach())
    train([x], optimizer, [lambda x: -target.to(dtype)], 400)
    assert x.dtype == dtype
    assert float((x.float() * target).sum().detach()) > before + 0.5
    assert optimizer.infeasibility(x) < 8 * torch.finfo(dtype).eps
    full = x.detach().float() + optimizer.state[x]["residual"].float()
    assert feasibility(full) < 8 * torch.finfo(dtype).eps ** 1.5


def test_groups_schedulers_clipping_and_closure():
    a = symmetric(12, torch.float32)
    x, y = (torch.nn.Parameter(orthonormal(12, 2, torch.float32)) for _ in range(2))
    optimizer = Landing([{"params": [x], "lr": 0.5}, {"params": [y], "base": "adam"}], 0.1)
    assert [group["momentum"] for group in optimizer.param_groups] == [0.0, 0.9]
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)

    def closure():
        optimizer.zero_grad()
        loss = -(x * (a @ x)).sum() - (y * (a @ y)).sum()
        loss.backward()
        return loss

    first = optimizer.step(closure)
    scheduler.step()
    assert optimizer.param_groups[0]["lr"] == 0.25 and optimizer.param_groups[1]["lr"] == 0.05
    assert float(optimizer.step(closure)) < float(first)
    optimizer.finish()
    closure()
    assert float(torch.nn.utils.clip_grad_norm_([x, y], 1e-6)) > 1e-6
    before = x.detach().clone()
    optimizer.step()
    assert float((x.detach() - before).norm()) < 1e-4


def test_parameters_without_a_gradient_stay():
    x, y = (torch.nn.Parameter(torch.randn(6, 2)) for _ in range(2))
    before = y.detach().clone()
    x.grad = torch.randn(6, 2)
    Landing([x, y], 0.1).step()
    assert torch.equal(y.detach(), before)


def test_a_parameter_that_others_change_lands_again():
    a = symmetric(12)
    x = torch.nn.Parameter(orthonormal(12, 3))
    optimizer = Landing([x], 0.05)
    train([x], optimizer, [lambda x: -(a @ x)], 3)
    with torch.no_grad():
        x.mul_(7)
    train([x], optimizer, [lambda x: -(a @ x)], 10)
    assert feasibility(x) < 0.1


@pytest.mark.parametrize("make, sentence", [
    (lambda: Landing([torch.nn.Parameter(torch.randn(3, 2, dtype=torch.complex64))], 0.1), "is complex.*real"),
    (lambda: Landing([torch.nn.Parameter(torch.randn(3))], 0.1), "has 1 dimensions, expected at least 2.*biases"),
    (lambda: Landing([torch.nn.Parameter(torch.randn(0, 3))], 0.1), "is empty"),
    (lambda: Landing([torch.nn.Parameter(torch.randn(3, 2))], 0.1, weight_decay=0.01), "weight_decay=0.01.*decay pulls X to 0"),
    (lambda: Landing([torch.nn.Parameter(torch.randn(3, 2))], 0.1, base="lion"), "base='lion', expected one of 'sgd'"),
    (lambda: Landing([torch.nn.Parameter(torch.randn(3, 2))], -1), "lr=-1"),
    (lambda: Landing([torch.nn.Parameter(torch.randn(3, 2))], 0.1, attraction=0.5), "attraction=0.5"),
    (lambda: Landing([torch.nn.Parameter(torch.randn(3, 2))], 0.1, momentum=1), "momentum=1"),
    (lambda: Landing([torch.nn.Parameter(torch.randn(3, 2))], 0.1, momentum=0.9, base="conjugate"), "momentum=0.9, expected none"),
    (lambda: Landing([torch.nn.Parameter(torch.randn(3, 2))], 0.1, radius=1.5), "radius=1.5"),
])
def test_wrong_use_is_one_sentence(make, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        make()
