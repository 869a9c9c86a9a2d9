"""Landing for PyTorch: training with orthogonal and B-orthogonal parameters. Needs torch only."""
from . import nn
from .landing import Landing
from .metrics import Identity, Matrix, Metric, Product
from .rows import Rows

__all__ = ["Landing", "Identity", "Matrix", "Metric", "Product", "Rows", "nn"]
