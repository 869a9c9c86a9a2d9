"""Which parameters of a model are constrained: each layer registers its own, `landing` collects them.

    optimizer = landfall.torch.nn.landing(model, lr=0.1, base="adam")
    others = torch.optim.Adam(landfall.torch.nn.other_parameters(model), lr=1e-3)
"""
from ..landing import Landing


def register(module, name, metric, transposed=None):
    """Marks the parameter `name` of a module as constrained by a metric."""
    if not hasattr(module, "landing_constraints"):
        module.landing_constraints = {}
    module.landing_constraints[name] = (metric, transposed)


def constraints(model):
    """(parameter, metric, transposed) of every constrained parameter, shared ones once."""
    found = {}
    for module in model.modules():
        for name, (metric, transposed) in getattr(module, "landing_constraints", {}).items():
            param = getattr(module, name)
            found.setdefault(id(param), (param, metric, transposed))
    return list(found.values())


def landing(model, lr, **options):
    """A Landing optimizer for the constrained parameters of a model, with their metrics."""
    found = constraints(model)
    if not found:
        raise ValueError("the model has no constrained parameter: use the layers of landfall.torch.nn, or Landing itself")
    optimizer = Landing([param for param, _, _ in found], lr, **options)
    for param, metric, transposed in found:
        optimizer.constrain(param, metric, transposed)
    return optimizer


def other_parameters(model):
    """The parameters that are not constrained, for another optimizer."""
    taken = {id(param) for param, _, _ in constraints(model)}
    return [param for param in model.parameters() if id(param) not in taken]
