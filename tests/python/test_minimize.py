"""minimize against problems whose solution is known, and the checks of a user's functions."""

import landfall
import numpy as np
import pytest
import scipy.linalg
import scipy.sparse
import torch
from scipy.sparse.linalg import aslinearoperator

N, P = 30, 3


@pytest.fixture(scope="module")
def pencil():
    """A, B, and what tr X'AX is at least for X'BX = I."""
    rng = np.random.default_rng(0)
    a = np.diag(np.linspace(1, 8, N))
    b = scipy.linalg.toeplitz(np.r_[2.0, 0.3, np.zeros(N - 2)])
    return a, b, scipy.linalg.eigh(a, b)[0][:P].sum(), rng.standard_normal((N, P))


def trace(a):
    return lambda x: (np.sum(x * (a @ x)) / 2, a @ x)


def check(result, b, least):
    assert result.converged and 2 * result.fun == pytest.approx(least, rel=1e-10)
    np.testing.assert_allclose(result.x.T @ (b @ result.x), np.eye(P), atol=1e-7)
    assert len(result.history["objective"]) > 1


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_matrix, aslinearoperator, np.asfortranarray])
@pytest.mark.parametrize("direction", ["metric", "euclidean", "riemannian", "preconditioned"])
def test_kinds_of_b_and_directions(pencil, kind, direction):
    a, b, least, x0 = pencil
    check(landfall.minimize(trace(a), kind(b), x0, direction=direction), b, least)


@pytest.mark.parametrize("rule", ["line_search", "barzilai_borwein", "safeguarded"])
def test_step_rules(pencil, rule):
    a, b, least, x0 = pencil
    step = 0.05 if rule == "safeguarded" else 0.0
    check(landfall.minimize(trace(a), b, x0, rule=rule, step=step, max_iter=20000), b, least)


def test_data_matrix_and_identity(pencil):
    a, _, _, x0 = pencil
    rows = np.random.default_rng(1).standard_normal((200, N))
    b = rows.T @ rows / 200 + 0.1 * np.eye(N)
    check(landfall.minimize(trace(a), rows, x0, ridge=0.1), b, scipy.linalg.eigh(a, b)[0][:P].sum())
    check(landfall.minimize(trace(a), None, x0), np.eye(N), np.linspace(1, 8, N)[:P].sum())


def test_gradient_apart_and_by_torch(pencil):
    a, b, least, x0 = pencil
    check(landfall.minimize(lambda x: np.sum(x * (a @ x)) / 2, b, x0, jac=lambda x: a @ x), b, least)
    tensor = torch.from_numpy(a)
    check(landfall.minimize(lambda x: torch.sum(x * (tensor @ x)) / 2, b, x0), b, least)
    check(landfall.minimize(lambda x: torch.sum(x * (tensor @ x)) / 2, b, x0, jac="torch"), b, least)


def test_several_blocks(pencil):
    """Canonical correlations: f = -tr X'CY with one constraint for each."""
    _, b, _, x0 = pencil
    rng = np.random.default_rng(3)
    c = rng.standard_normal((N, 20))
    result = landfall.minimize(
        lambda xs: (-np.sum(xs[0] * (c @ xs[1])), [-c @ xs[1], -c.T @ xs[0]]), [b, None], [x0, rng.standard_normal((20, P))])
    values = np.linalg.svd(np.linalg.inv(scipy.linalg.sqrtm(b)).real @ c, compute_uv=False)
    assert result.converged and result.fun == pytest.approx(-values[:P].sum(), rel=1e-9)
    assert [block.shape for block in result.x] == [(N, P), (20, P)]


def test_single_precision(pencil):
    a, b, least, x0 = pencil
    result = landfall.minimize(trace(a.astype(np.float32)), b, x0.astype(np.float32), tol=1e-4)
    assert result.x.dtype == np.float32 and 2 * result.fun == pytest.approx(least, rel=1e-4)


def sampled_pca(count=4000):
    """The leading eigenvectors of (E aa', E bb') from samples."""
    rng = np.random.default_rng(5)
    scale = np.r_[3.0, 2.5, 2.0, np.ones(7)]
    left, right = rng.standard_normal((count, 10)) * scale, rng.standard_normal((count, 10)) * np.linspace(1, 1.5, 10)

    def sampler(indices, x):
        a, b = left[indices], right[indices]
        products = a.T @ (a @ x) / len(indices)
        return -np.sum(x * products) / 2, -products, b.T @ (b @ x) / len(indices)

    best = scipy.linalg.eigh(left.T @ left, right.T @ right)[0][::-1][:2].sum()
    return sampler, count, best, right.T @ right / count, left.T @ left / count


@pytest.mark.parametrize("estimator", ["split", "svrg", "recursive"])
def test_sampler(estimator):
    sampler, count, best, b, a = sampled_pca()
    x0 = np.random.default_rng(6).standard_normal((10, 2))
    result = landfall.minimize(sampler=sampler, n_samples=count, x0=x0, estimator=estimator, step=0.02, passes=30, batch_size=100)
    assert result.passes < 32  # those whose noise vanishes converge before
    x = result.x
    assert np.linalg.norm(x.T @ b @ x - np.eye(2)) < 0.2
    found = scipy.linalg.eigh(x.T @ a @ x, x.T @ b @ x)[0].sum()
    assert found > 0.98 * best


def test_callback_and_limits(pencil):
    a, b, _, x0 = pencil
    seen = []
    result = landfall.minimize(trace(a), b, x0, callback=lambda progress: seen.append(progress["iteration"]) or len(seen) == 5)
    assert result.termination == "stopped" and seen == [1, 2, 3, 4, 5]
    assert landfall.minimize(trace(a), b, x0, max_iter=3).termination == "iteration_limit"
    assert not landfall.minimize(trace(a), b, x0, max_iter=3).converged


def test_checks(pencil):
    a, b, _, x0 = pencil
    assert landfall.check_gradient(trace(a), x0) < 1e-7
    assert landfall.check_gradient(lambda x: (np.sum(x**3), x**2), x0) > 0.1
    assert landfall.check_constraint(b, x0) < 1e-7
    assert landfall.check_constraint(b + np.triu(b), x0) > 0.01
    sampler, count, *_ = sampled_pca(500)
    x = np.random.default_rng(7).standard_normal((10, 2))
    assert landfall.check_unbiased(sampler, count, x, draws=2000) < 1.5
    assert landfall.check_unbiased(sampler, count, x, estimator="shared", batch_size=8, draws=2000) > 4


def test_wrong_use(pencil):
    a, b, _, x0 = pencil
    with pytest.raises(TypeError, match="x0 is missing"):
        landfall.minimize(trace(a), b)
    with pytest.raises(TypeError, match="either fun or sampler"):
        landfall.minimize(None, b, x0)
    with pytest.raises(ValueError, match="a gradient of size 3x30, expected 30x3"):
        landfall.minimize(lambda x: (0.0, x.T), b, x0)
    with pytest.raises(ZeroDivisionError):
        landfall.minimize(lambda x: 1 / 0, b, x0)
    with pytest.raises(ValueError, match="unknown step rule"):
        landfall.minimize(trace(a), b, x0, rule="guess")
    with pytest.raises(ValueError, match=r"\(5, 5\), expected \(30, 30\)"):
        landfall.minimize(trace(a), np.eye(5), x0)
    with pytest.raises(ValueError, match="step"):
        landfall.minimize(sampler=sampled_pca(50)[0], n_samples=50, x0=np.eye(10)[:, :2])
