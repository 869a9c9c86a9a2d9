"""Canonical correlation of the outputs of two networks.

CCA maximises tr C, C = UᵀS_fg V, subject to UᵀS_f U = VᵀS_g V = I. With the multiplier Λ = sym C (a constant of the loss),

    loss = −tr C + ½⟨Λ, UᵀS_f U + VᵀS_g V⟩

has the same tangent term for U and V as −tr C, and gives the networks below the derivative of the constrained optimum. With
−tr C alone the features grow without bound, because only U and V are constrained, relative to the features.
"""
from __future__ import annotations

import torch
from torch import Tensor

from ..rows import Rows
from .registry import register


def cca_loss(left: Tensor, right: Tensor, u: Tensor, v: Tensor, ridge: float = 1e-3) -> Tensor:
    """The loss above for batches of features (rows are samples) and weights u, v (features × components).

    ridge : of S_f and S_g; the same as that of the metrics of u and v.
    """
    if left.dim() != 2 or right.dim() != 2 or left.shape[0] != right.shape[0]:
        raise ValueError(f"features of shapes {tuple(left.shape)} and {tuple(right.shape)}, expected two matrices with the "
                         "same number of rows")
    if left.shape[0] < 2:
        raise ValueError("a batch of 1 row, expected at least 2")
    left, right = left - left.mean(0), right - right.mean(0)
    a, b = left @ u, right @ v
    freedom = left.shape[0] - 1
    cross = a.T @ b / freedom
    multiplier = ((cross + cross.T) / 2).detach()
    constrained = (a.T @ a + b.T @ b) / freedom + ridge * (u.T @ u + v.T @ v)
    return (multiplier * constrained).sum() / 2 - cross.diagonal().sum()


def standardised(features: Tensor, weights: Tensor, ridge: float) -> Tensor:
    """W ((1 − θ)I + θP)^(−½), P = WᵀSW with the covariance S of the batch, the root held constant.

    The running covariance, in which W is feasible, is that of earlier features: networks that learn fast leave it behind. P
    is that of the present ones, but its r rows put an error of about √(p/r) on its eigenvalues, so it counts θ = 1 − 2p/(r − 1).
    """
    with torch.no_grad():
        freedom, components = features.shape[0] - 1, weights.shape[1]
        share = 1 - 2 * components / max(freedom, 1)
        if share <= 0:
            return weights
        scores = (features - features.mean(0)) @ weights
        seen = share * (scores.T @ scores / freedom + ridge * (weights.T @ weights))
        seen.diagonal().add_(1 - share)
        values, vectors = torch.linalg.eigh(seen)
        root = (vectors / values.sqrt()) @ vectors.T
    return weights @ root


@torch.no_grad()
def canonical_correlations(left: Tensor, right: Tensor, ridge: float = 0.0) -> Tensor:
    """The canonical correlations of two batches of scores, largest first, in double precision."""
    left, right = left.double(), right.double()
    if not bool(torch.isfinite(left).all() and torch.isfinite(right).all()):
        raise ValueError("scores that are not finite: the training has diverged, or the input has missing values")
    left, right = left - left.mean(0), right - right.mean(0)
    freedom = left.shape[0] - 1

    def whitened(x: Tensor) -> Tensor:
        covariance = x.T @ x / freedom + ridge * torch.eye(x.shape[1], dtype=x.dtype, device=x.device)
        values, vectors = torch.linalg.eigh(covariance)
        kept = values > values[-1] * 1e-10
        return x @ (vectors[:, kept] / values[kept].sqrt())

    return torch.linalg.svdvals(whitened(left).T @ whitened(right) / freedom)


class CCAHead(torch.nn.Module):
    """The last layer of deep CCA: weights u and v with metrics from the running covariances of the features.

    head = CCAHead(50, 50, 10)
    heads = landfall.torch.nn.landing(head, lr=0.1, base="adam")
    networks = torch.optim.Adam([*f.parameters(), *g.parameters()], lr=1e-3)
    ...
    loss = head.loss(f(x), g(y)); loss.backward(); heads.step(); networks.step()
    """

    def __init__(self, left_features: int, right_features: int, components: int, ridge: float = 1e-3,
                 average: float | None = 0.1) -> None:
        super().__init__()
        if not 1 <= components <= min(left_features, right_features):
            raise ValueError(f"components={components}, expected 1 to {min(left_features, right_features)}, the smaller number "
                             "of features")
        self.ridge = ridge
        self.u = torch.nn.Parameter(torch.nn.init.orthogonal_(torch.empty(left_features, components)))
        self.v = torch.nn.Parameter(torch.nn.init.orthogonal_(torch.empty(right_features, components)))
        self.left_mean: Tensor
        self.right_mean: Tensor
        self.register_buffer("left_mean", torch.zeros(left_features))
        self.register_buffer("right_mean", torch.zeros(right_features))
        self.metrics = Rows(ridge, average), Rows(ridge, average)
        register(self, "u", self.metrics[0], False)
        register(self, "v", self.metrics[1], False)

    def loss(self, left: Tensor, right: Tensor) -> Tensor:
        """cca_loss of a batch, with u and v standardised to it; in training it also updates the metrics and the means."""
        if self.training:
            for features, metric, mean in zip((left, right), self.metrics, (self.left_mean, self.right_mean)):
                metric.update(features)
                if metric.mean is not None:
                    mean.copy_(metric.mean)
        return cca_loss(left, right, standardised(left, self.u, self.ridge), standardised(right, self.v, self.ridge), self.ridge)

    def forward(self, left: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
        """The scores of both views."""
        return (left - self.left_mean) @ self.u, (right - self.right_mean) @ self.v
