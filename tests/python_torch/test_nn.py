"""The CCA loss, the heads and the layers."""
import pytest
import torch
from conftest import feasibility, orthonormal, symmetric

from landfall.torch import Identity, Matrix, Rows
from landfall.torch.field import gram, preconditioned_tangent
from landfall.torch.nn.cca import standardised
from landfall.torch.nn import (CCAHead, OrthogonalConv2d, OrthogonalLinear, canonical_correlations, cca_loss, landing,
                               other_parameters)


def views(rows=40, left=5, right=4):
    return (torch.randn(rows, left, dtype=torch.float64, requires_grad=True),
            torch.randn(rows, right, dtype=torch.float64, requires_grad=True))


def constant_multiplier(x, y, u, v, ridge):
    """The loss with its multiplier as a constant, in another way of writing: the derivative that autograd must give."""
    a, b = (x - x.mean(0)) @ u, (y - y.mean(0)) @ v
    cross = a.T @ b / (len(a) - 1)
    constant = ((cross + cross.T) / 2).detach()

    def loss(x, y, u, v):
        sf, sg = torch.cov(x.T) + ridge * torch.eye(x.shape[1]), torch.cov(y.T) + ridge * torch.eye(y.shape[1])
        sfg = (x - x.mean(0)).T @ (y - y.mean(0)) / (len(x) - 1)
        return -torch.trace(u.T @ sfg @ v) + torch.trace(constant @ (u.T @ sf @ u + v.T @ sg @ v)) / 2

    return loss


def test_cca_loss_has_the_gradient_of_the_lagrangian():
    x, y = views()
    u = torch.randn(5, 2, dtype=torch.float64, requires_grad=True)
    v = torch.randn(4, 2, dtype=torch.float64, requires_grad=True)
    reference = constant_multiplier(x, y, u, v, 0.1)
    torch.testing.assert_close(cca_loss(x, y, u, v, 0.1), reference(x, y, u, v))
    assert torch.autograd.gradcheck(reference, (x, y, u, v))
    found = torch.autograd.grad(cca_loss(x, y, u, v, 0.1), (x, y, u, v))
    expected = torch.autograd.grad(reference(x, y, u, v), (x, y, u, v))
    for one, other in zip(found, expected):
        torch.testing.assert_close(one, other)


def test_the_multiplier_does_not_change_the_tangent_term():
    x, y = (features.detach() for features in views())
    s = torch.cov(x.T)
    u = torch.linalg.solve(torch.linalg.cholesky(s).T, orthonormal(5, 2))
    multiplied = s @ u @ symmetric(2)  # the gradient of ½⟨Λ, UᵀSU⟩ in U
    psi = preconditioned_tangent(multiplied, s @ u, torch.linalg.solve(s, multiplied), u)
    assert float(psi.norm()) < 1e-12
    assert float(gram(u, multiplied).norm()) > 0.1


def test_canonical_correlations_are_those_of_the_population():
    z = torch.randn(50000, 2, dtype=torch.float64)
    rho = torch.tensor([0.9, 0.4], dtype=torch.float64)
    other = rho * z + (1 - rho ** 2).sqrt() * torch.randn(50000, 2, dtype=torch.float64)
    found = canonical_correlations(z @ torch.randn(2, 2, dtype=torch.float64), other @ torch.randn(2, 2, dtype=torch.float64))
    torch.testing.assert_close(found, rho, rtol=0, atol=0.02)


def test_scores_are_standardised_as_far_as_the_rows_of_the_batch_tell():
    """Many rows: white scores, whatever the weights were; few: the weights as they are; the root carries no gradient."""
    weights = torch.randn(5, 3, dtype=torch.float64, requires_grad=True)
    features = 2 + torch.randn(6001, 5, dtype=torch.float64) @ torch.randn(5, 5, dtype=torch.float64)
    changed = standardised(features, weights, 0.1)
    covariance = torch.cov((features @ changed).detach().T) + 0.1 * (changed.T @ changed).detach()
    torch.testing.assert_close(covariance, torch.eye(3, dtype=torch.float64), rtol=0, atol=0.02)
    root = torch.linalg.lstsq(weights.detach(), changed.detach()).solution
    torch.testing.assert_close(root, root.T)
    torch.testing.assert_close(torch.autograd.grad(changed.sum(), weights)[0], (torch.ones(5, 3, dtype=torch.float64) @ root.T))
    assert standardised(features[:7], weights, 0.1) is weights


def test_head_finds_planted_correlations():
    rho = torch.tensor([0.9, 0.6])
    z = torch.randn(4000, 2)
    x, y = torch.randn(4000, 8), torch.randn(4000, 6)
    x[:, :2], y[:, :2] = z, rho * z + (1 - rho ** 2).sqrt() * y[:, :2]
    x, y = 3 + x @ torch.randn(8, 8), y @ torch.randn(6, 6) - 5
    exact = canonical_correlations(x, y)[:2].sum()
    head = CCAHead(8, 6, 2, ridge=1e-4)
    optimizer = landing(head, 0.1, base="adam")
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / 320)
    for _ in range(10):
        for rows in torch.randperm(4000).split(125):
            optimizer.zero_grad()
            head.loss(x[rows], y[rows]).backward()
            optimizer.step()
            scheduler.step()
    scores = head(x, y)
    assert float(canonical_correlations(*scores).sum()) == pytest.approx(float(exact), rel=0.01)
    assert float((torch.cov(scores[0].detach().T) - torch.eye(2)).norm()) < 0.1
    assert float(scores[0].mean(0).norm()) < 0.2


def test_layers_register_their_parameters():
    model = torch.nn.Sequential(OrthogonalConv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.Flatten(), OrthogonalLinear(32, 6),
                                torch.nn.Linear(6, 2))
    optimizer = landing(model, 0.05, base="adam")
    weights = [model[0].weight, model[3].weight]
    assert [id(p) for p in optimizer.param_groups[0]["params"]] == [id(p) for p in weights]
    assert len(other_parameters(model)) == 4
    others = torch.optim.Adam(other_parameters(model), 1e-3)
    x, y = torch.randn(64, 3, 4, 4), torch.randint(2, (64,))
    losses = []
    for _ in range(40):
        loss = torch.nn.functional.cross_entropy(model(x), y)
        model.zero_grad()
        loss.backward()
        optimizer.step()
        others.step()
        losses.append(float(loss))
    assert losses[-1] < 0.8 * losses[0]
    optimizer.finish()
    for weight in weights:
        assert feasibility(weight.detach().reshape(weight.shape[0], -1).T) < 1e-5


def test_layers_start_orthonormal_and_work_as_their_parents():
    layer = OrthogonalLinear(7, 3)
    assert feasibility(layer.weight.T) < 1e-5
    tall = OrthogonalLinear(3, 7)
    assert feasibility(tall.weight) < 1e-5
    x = torch.randn(2, 5, 7)
    torch.testing.assert_close(layer(x), torch.nn.functional.linear(x, layer.weight, layer.bias))
    assert isinstance(layer.metric, Identity)


def test_a_layer_with_a_metric_of_rows_whitens_its_outputs():
    mix = torch.randn(6, 6) + 2 * torch.eye(6)
    layer = OrthogonalLinear(6, 3, metric=Rows(ridge=0.0))
    optimizer = landing(layer, 0.02)
    for _ in range(100):
        x = torch.randn(256, 6) @ mix
        optimizer.zero_grad()
        torch.nn.functional.smooth_l1_loss(layer(x), x[:, :3]).backward()
        optimizer.step()
    layer.eval()
    outputs = layer(torch.randn(20000, 6) @ mix).detach()
    assert float((torch.cov(outputs.T) - torch.eye(3)).norm()) < 0.15


@pytest.mark.parametrize("use, sentence", [
    (lambda: cca_loss(torch.randn(5, 2), torch.randn(4, 2), torch.randn(2, 1), torch.randn(2, 1)), "same number of rows"),
    (lambda: cca_loss(torch.randn(1, 2), torch.randn(1, 2), torch.randn(2, 1), torch.randn(2, 1)), "a batch of 1 row"),
    (lambda: CCAHead(4, 3, 5), "components=5, expected 1 to 3"),
    (lambda: landing(torch.nn.Linear(2, 2), 0.1), "no constrained parameter"),
    (lambda: landing(OrthogonalLinear(2, 5, metric=Matrix(torch.eye(2))), 0.1), "5 vectors in 2 dimensions"),
])
def test_wrong_use_is_one_sentence(use, sentence):
    with pytest.raises(ValueError, match=sentence):
        use()
