"""Which parameters of a model are constrained: each layer registers its own, `landing` collects them.

    optimizer = landfall.torch.nn.landing(model, lr=0.1, base="adam")
    others = torch.optim.Adam(landfall.torch.nn.other_parameters(model), lr=1e-3)
"""
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ..landing import Landing
from ..metrics import Metric


def register(module: torch.nn.Module, name: str, metric: Metric, transposed: bool | None = None) -> None:
    """Marks the parameter `name` of a module as constrained by a metric."""
    kept: dict[str, tuple[Metric, bool | None]] = vars(module).setdefault("landing_constraints", {})
    kept[name] = (metric, transposed)


def constraints(model: torch.nn.Module) -> list[tuple[Tensor, Metric, bool | None]]:
    """(parameter, metric, transposed) of every constrained parameter, shared ones once."""
    found: dict[int, tuple[Tensor, Metric, bool | None]] = {}
    for module in model.modules():
        for name, (metric, transposed) in getattr(module, "landing_constraints", {}).items():
            param = getattr(module, name)
            found.setdefault(id(param), (param, metric, transposed))
    return list(found.values())


def landing(model: torch.nn.Module, lr: float, **options: Any) -> Landing:
    """A Landing optimizer for the constrained parameters of a model, with their metrics."""
    found = constraints(model)
    if not found:
        raise ValueError("the model has no constrained parameter: use the layers of landfall.torch.nn, or Landing itself")
    optimizer = Landing([param for param, _, _ in found], lr, **options)
    for param, metric, transposed in found:
        optimizer.constrain(param, metric, transposed)
    return optimizer


def other_parameters(model: torch.nn.Module) -> list[torch.nn.Parameter]:
    """The parameters that are not constrained, for another optimizer."""
    taken = {id(param) for param, _, _ in constraints(model)}
    return [param for param in model.parameters() if id(param) not in taken]
