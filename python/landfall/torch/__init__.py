"""Landing for PyTorch: training with orthogonal and B-orthogonal parameters. Needs torch only."""
from .landing import Landing
from .metrics import Identity, Matrix, Metric, Product

__all__ = ["Landing", "Identity", "Matrix", "Metric", "Product"]
