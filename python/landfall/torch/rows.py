"""B = S + ridge·I for the covariance S of features that arrive in batches."""
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .bases import displacement
from .field import gram, halves_tangent, minus_identity, preconditioned_tangent
from .generalized_step import step_vector
from .metrics import Metric, factorize, follow
from .safe_step import inner, norm, quartic, safe_fraction

RENEW = 10  # K = B⁻¹ is renewed when B has seen a tenth more batches, and at the latest after this many

DAMPING = 1e-5  # of K = (B + DAMPING·tr(S)/n·I)⁻¹: directions in which the features hardly vary are rounding noise


class Rows(Metric):
    """The covariance of the rows passed to `update`, plus a ridge.

    average : the weight of the newest batch in a running covariance (n×n memory), which is the plain mean of all batches
        until they are more than 1/average. None: B is seen through the current batch alone (no n×n memory), whose two halves
        are independent draws of B, so that the field is unbiased for a gradient from other rows.

    Under torch.distributed the moments are summed over all processes: each must call update and step alike.
    """

    def __init__(self, ridge: float = 1e-3, average: float | None = 0.05) -> None:
        if ridge < 0:
            raise ValueError(f"ridge={ridge!r}, expected a number of at least 0")
        if average is not None and not 0 < average <= 1:
            raise ValueError(f"average={average!r}, expected a number in (0, 1] or None")
        self.ridge, self.average = ridge, average
        self.count = 0  # batches seen
        self.mean: Tensor | None = None
        self.covariance: Tensor | None = None
        self.matrix: Tensor | None = None  # B, made from the covariance when it is needed
        self.inverse: Tensor | None = None
        self.inverted_at: int | None = None
        self.halves: list[tuple[Tensor, float]] | None = None
        self.scale: Tensor | None = None

    @torch.no_grad()
    def update(self, features: Tensor) -> None:
        """Takes a batch of features, one row for each sample. Call it before the optimizer's step."""
        if features.dim() != 2:
            raise ValueError(f"features of shape {tuple(features.shape)}, expected one row for each sample")
        if self.size not in (None, features.shape[1]):
            raise ValueError(f"features with {features.shape[1]} columns, expected {self.size} as before")
        rows = features.detach().to(torch.promote_types(features.dtype, torch.float32))
        fewest = 2 if self.average is not None else 4
        if rows.shape[0] < fewest:
            raise ValueError(f"a batch of {rows.shape[0]} rows, expected at least {fewest}")
        self.size = rows.shape[1]
        self.count += 1
        if self.average is None:
            middle = rows.shape[0] // 2
            self.halves = [centred(rows[:middle]), centred(rows[middle:])]
        else:
            self.matrix = None
            self._add(*moments(rows, self.mean))

    def _add(self, mean: Tensor, covariance: Tensor) -> None:
        """The mixture of the former distribution, weight 1 − w, and that of the batch, weight w."""
        if self.mean is None or self.covariance is None or self.average is None:
            self.mean, self.covariance = mean, covariance
            return
        weight = max(self.average, 1 / self.count)
        shift = mean - self.mean
        between = torch.addmm(self.covariance, shift[:, None], shift[None], alpha=weight)
        self.covariance = torch.lerp(between, covariance, weight)
        self.mean = torch.add(self.mean, shift, alpha=weight)

    def start(self, x: Tensor) -> None:
        self._require_features()
        if self.average is not None:
            super().start(x)

    def product(self, x: Tensor) -> Tensor:
        self._require_features()
        if self.average is None:
            first, second = self.draws(x)
            return (first + second) / 2
        if self.matrix is None:
            assert self.covariance is not None
            self.matrix = self.covariance.clone()
            self.matrix.diagonal().add_(self.ridge)
        return follow(x, self.matrix) @ x

    def draws(self, x: Tensor) -> list[Tensor]:
        """Two independent draws of B X."""
        assert self.halves is not None
        return [summed(follow(x, rows).T @ (follow(x, rows) @ x)) / freedom + self.ridge * x
                for rows, freedom in self.halves]

    def tangent(self, x: Tensor, y: Tensor, g: Tensor) -> Tensor:
        if self.inverse is None or self.inverted_at is None or self.count - self.inverted_at >= min(RENEW, 1 + self.count // 10):
            assert self.covariance is not None
            b = self.covariance.clone()
            b.diagonal().add_(self.ridge + DAMPING * b.diagonal().mean())
            self.inverse, self.inverted_at = torch.cholesky_inverse(factorize(b)), self.count
        k = follow(x, self.inverse)
        return preconditioned_tangent(g, y, k @ g, k @ y)

    def step(self, x: Tensor, g: Tensor, group: dict[str, Any], memory: dict[str, Any]) -> Tensor:
        if self.average is None:
            return self._halves_step(x, g, group, memory)
        return super().step(x, g, group, memory)

    def _halves_step(self, x: Tensor, g: Tensor, group: dict[str, Any], memory: dict[str, Any]) -> Tensor:
        """X₊ = X − V − 2aXH with H and V at X, both linear in each draw; K = I/c, c from earlier batches."""
        self._require_features()
        first, second = self.draws(x)
        seen = inner(first, second).abs() / x.shape[-1]
        scale = seen if self.scale is None else follow(x, self.scale)
        weight = max(0.05, 1 / self.count)
        self.scale = seen if self.scale is None else (1 - weight) * scale + weight * seen
        y = (first + second) / 2
        psi = halves_tangent(g, first, second) / scale ** 2
        v = step_vector(self, x, *displacement(psi, x, y, g, self.product, group, memory), group["trust"])
        h = minus_identity(gram(x, y))
        v += x @ (2 * group["attraction"] / norm(h).clamp(min=1) * h)
        s1 = gram(v, y)
        s1 = s1 + s1.T
        fraction = safe_fraction(quartic(h, s1, gram(v, self.product(v))), group["radius"])
        return x - fraction * v

    def _require_features(self) -> None:
        if self.count == 0:
            raise RuntimeError("a metric Rows has seen no features: call its update with the batch before optimizer.step()")

    def state_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._saved()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.matrix = None
        for name in self._saved():
            value = state[name]
            setattr(self, name, value.clone() if isinstance(value, Tensor) else value)

    @staticmethod
    def _saved() -> tuple[str, ...]:
        return ("size", "count", "mean", "covariance", "inverse", "inverted_at", "scale")


def summed(tensor: Tensor) -> Tensor:
    """The sum over the processes of torch.distributed, or the tensor itself without them."""
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        torch.distributed.all_reduce(tensor)
    return tensor


def moments(rows: Tensor, origin: Tensor | None) -> tuple[Tensor, Tensor]:
    """Mean and covariance of the rows of all processes, taken about an origin near the mean to avoid cancellation."""
    shifted = rows if origin is None else rows - follow(rows, origin)
    padded = torch.cat([shifted, shifted.new_ones(len(rows), 1)], 1)  # one product for the moments of order 0, 1 and 2
    sums = summed(padded.T @ padded)
    total, count = sums[-1, :-1], sums[-1, -1]
    mean = total / count
    covariance = torch.addmm(sums[:-1, :-1], total[:, None], mean[None], alpha=-1) / (count - 1)
    return mean if origin is None else follow(rows, origin) + mean, covariance


def centred(rows: Tensor) -> tuple[Tensor, float]:
    """Rows minus the mean over all processes, and their degrees of freedom."""
    sums = summed(torch.cat([rows.sum(0), rows.new_full((1,), len(rows))]))
    return rows - sums[:-1] / sums[-1], float(sums[-1]) - 1
