"""Linear and convolution layers with orthonormal weights."""
import torch

from ..metrics import Identity
from ..rows import Rows
from .registry import register


class OrthogonalLinear(torch.nn.Linear):
    """torch.nn.Linear whose weight W (out × in) has orthonormal rows if out ≤ in, else orthonormal columns.

    With a metric of the inputs the constraint is W B Wᵀ = I, which needs out ≤ in. With `Rows` B is the covariance of the
    inputs seen in training, so that the outputs are white: uncorrelated, of variance 1.
    """

    def __init__(self, in_features, out_features, bias=True, metric=None, device=None, dtype=None):
        super().__init__(in_features, out_features, bias, device=device, dtype=dtype)
        self.metric = Identity() if metric is None else metric
        register(self, "weight", self.metric, None if isinstance(self.metric, Identity) else True)

    def reset_parameters(self):
        super().reset_parameters()
        torch.nn.init.orthogonal_(self.weight)

    def forward(self, features):
        if self.training and isinstance(self.metric, Rows):
            self.metric.update(features.flatten(0, -2))
        return super().forward(features)


class OrthogonalConv2d(torch.nn.Conv2d):
    """torch.nn.Conv2d whose kernel, as the matrix out × (in/groups · height · width), has orthonormal rows, or orthonormal
    columns if it is tall. Takes all arguments of Conv2d."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        register(self, "weight", Identity())

    def reset_parameters(self):
        super().reset_parameters()
        torch.nn.init.orthogonal_(self.weight)
