"""Laws of the field: orthogonality of its two terms, equivariance, the identity with the paper's formula, unbiasedness."""
import torch
from conftest import orthonormal, spd

from landfall.torch import Matrix, Product, Rows
from landfall.torch.field import gram, halves_tangent, preconditioned_tangent, tangent

N, P = 12, 4


def off_manifold(scale=0.3):
    return orthonormal(N, P) + scale * torch.randn(N, P, dtype=torch.float64)


def test_tangent_is_the_formula_of_the_paper():
    x, g = off_manifold(), torch.randn(N, P, dtype=torch.float64)
    expected = (g @ x.T - x @ g.T) @ x  # 2 skew(G Xᵀ) X
    h = gram(x) - torch.eye(P)
    torch.testing.assert_close(tangent(x, g, h), expected)


def test_tangent_and_normal_term_are_orthogonal_off_the_manifold():
    x, g, b = off_manifold(), torch.randn(N, P, dtype=torch.float64), spd(N)
    h = gram(x) - torch.eye(P)
    assert abs(float((tangent(x, g, h) * (x @ h)).sum())) < 1e-12 * float(g.norm())
    y = b @ x
    normal = y @ (gram(x, y) - torch.eye(P))  # ∇N/2
    k = spd(N, 1000.0)
    for metric in Matrix(b), Product(lambda z: b @ z), Product(lambda z: b @ z, lambda z: k @ z):
        psi = metric.tangent(x, metric.product(x), g)
        assert abs(float((psi * normal).sum())) < 1e-10 * float(psi.norm() * normal.norm())
        skew = gram(y, psi)
        torch.testing.assert_close(skew, -skew.T)


def test_tangent_is_a_descent_direction():
    x, g, b = off_manifold(), torch.randn(N, P, dtype=torch.float64), spd(N)
    metric = Matrix(b)
    assert float((metric.tangent(x, metric.product(x), g) * g).sum()) > 0


def test_matrix_metric_equals_whitened_coordinates():
    """X = L⁻ᵀZ turns XᵀBX = I into ZᵀZ = I, and Ψ with K = B⁻¹ into the field of Z."""
    b, z, g = spd(N), off_manifold(), torch.randn(N, P, dtype=torch.float64)
    factor = torch.linalg.cholesky(b)
    x = torch.linalg.solve_triangular(factor.T, z, upper=True)
    in_z = tangent(z, torch.linalg.solve_triangular(factor, g, upper=False), gram(z) - torch.eye(P))
    metric = Matrix(b)
    torch.testing.assert_close(metric.tangent(x, metric.product(x), g), torch.linalg.solve_triangular(factor.T, in_z, upper=True))


def test_product_without_solve_is_the_inverse_for_a_multiple_of_the_identity():
    x, g = off_manifold(), torch.randn(N, P, dtype=torch.float64)
    x = orthonormal(N, P) / 3
    metric = Product(lambda z: 9 * z)
    torch.testing.assert_close(metric.tangent(x, 9 * x, g), preconditioned_tangent(g, 9 * x, g / 9, x))


def test_halves_are_unbiased_and_one_batch_is_not():
    """The mean of the estimate over draws is Ψ_B within its standard error; with one draw for both factors it is not."""
    n, p, rows, draws = 6, 2, 8, 20000
    b = spd(n, 10.0)
    factor = torch.linalg.cholesky(b)
    x, g = torch.linalg.solve(factor.T, orthonormal(n, p)), torch.randn(n, p, dtype=torch.float64)
    samples = torch.randn(draws, 2 * rows, n, dtype=torch.float64) @ factor.T
    first, second = samples[:, :rows], samples[:, rows:]
    y1, y2 = (half.transpose(1, 2) @ (half @ x) / rows for half in (first, second))
    y = b @ x
    exact = g @ (y.T @ y) - y @ (g.T @ y)

    def deviation(estimates):
        error = estimates.mean(0) - exact
        return float((error / (estimates.std(0) / draws ** 0.5)).abs().max())

    gs = g.expand(draws, n, p)
    assert deviation(halves_tangent(gs, y1, y2)) < 4.5
    assert deviation(halves_tangent(gs, y1, y1)) > 20


def test_rows_without_average_draws_the_covariance_without_bias():
    n, rows, draws = 5, 8, 4000
    b, x = spd(n, 10.0), torch.randn(n, 2, dtype=torch.float64)
    factor = torch.linalg.cholesky(b)
    metric, estimates = Rows(ridge=0.5, average=None), []
    for _ in range(draws):
        metric.update(3 + torch.randn(2 * rows, n, dtype=torch.float64) @ factor.T)
        estimates += metric.draws(x)
    estimates = torch.stack(estimates)
    error = (estimates.mean(0) - (b @ x + 0.5 * x)) / (estimates.std(0) / len(estimates) ** 0.5)
    assert float(error.abs().max()) < 4.5


def test_the_same_batch_form_drifts_off_the_manifold_and_ours_does_not():
    """The authors' normal term Y(XᵀY − I) from one draw settles at P ≈ (1 − (p+1)/r) I; X(XᵀY − I) has no such bias."""
    n, p, rows, steps, rate = 6, 3, 16, 6000, 0.01
    same = ours = torch.eye(n, p, dtype=torch.float64)
    traces = []
    for step in range(steps):
        a = torch.randn(rows, n, dtype=torch.float64)  # B = I
        y = a.T @ (a @ same) / rows
        same = same - rate * y @ (same.T @ y - torch.eye(p))
        z = a.T @ (a @ ours) / rows
        ours = ours - rate * ours @ (ours.T @ z - torch.eye(p))
        if step >= steps // 4:
            traces.append((float((same ** 2).sum()) / p - 1, float((ours ** 2).sum()) / p - 1))
    drift = torch.tensor(traces).mean(0)
    assert drift[0] < -0.12  # −(p+1)/r = −0.25 to first order
    assert abs(drift[1]) < 0.02
