"""Layers with constrained parameters, and canonical correlation as a loss."""
from .cca import CCAHead, canonical_correlations, cca_loss
from .layers import OrthogonalConv2d, OrthogonalLinear
from .registry import landing, other_parameters

__all__ = ["CCAHead", "OrthogonalConv2d", "OrthogonalLinear", "canonical_correlations", "cca_loss", "landing",
           "other_parameters"]
