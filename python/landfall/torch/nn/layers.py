"""Linear and convolution layers with orthonormal weights."""
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ..metrics import Identity, Metric
from ..rows import Rows
from .registry import register


class OrthogonalLinear(torch.nn.Linear):
    """torch.nn.Linear whose weight W (out × in) has orthonormal rows if out ≤ in, else orthonormal columns.

    With a metric of the inputs the constraint is W B Wᵀ = I, which needs out ≤ in. With `Rows` B is the covariance of the
    inputs seen in training, so that the outputs are white: uncorrelated, of variance 1.
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True, metric: Metric | None = None, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__(in_features, out_features, bias, device=device, dtype=dtype)
        self.metric: Metric = Identity() if metric is None else metric
        register(self, "weight", self.metric, None if isinstance(self.metric, Identity) else True)

    def reset_parameters(self) -> None:
        super().reset_parameters()
        torch.nn.init.orthogonal_(self.weight)

    def forward(self, features: Tensor) -> Tensor:
        if self.training and isinstance(self.metric, Rows):
            self.metric.update(features.flatten(0, -2))
        return super().forward(features)


class OrthogonalConv2d(torch.nn.Conv2d):
    """torch.nn.Conv2d whose kernel, as the matrix out × (in/groups · height · width), has orthonormal rows, or orthonormal
    columns if it is tall. Takes all arguments of Conv2d."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        register(self, "weight", Identity())

    def reset_parameters(self) -> None:
        super().reset_parameters()
        torch.nn.init.orthogonal_(self.weight)
