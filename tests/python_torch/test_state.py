"""Saving, loading and resuming."""
import copy
import io
import itertools
import pickle

import pytest
import torch
from conftest import orthonormal, symmetric

from landfall.torch import Landing, Matrix, Product, Rows


def saved(state):
    buffer = io.BytesIO()
    torch.save(state, buffer)
    buffer.seek(0)
    return torch.load(buffer)


def leaves(tree):
    if type(tree) in (dict, list, tuple):
        return [leaf for branch in (tree.values() if isinstance(tree, dict) else tree) for leaf in leaves(branch)]
    return [tree]


def run(x, optimizer, metric, steps, seed):
    generator = torch.Generator().manual_seed(seed)
    target = symmetric_for(x)
    for _ in range(steps):
        if metric is not None:
            metric.update(torch.randn(32, x.shape[0], generator=generator))
        x.grad = (target @ x.detach().float()).to(x.dtype)
        optimizer.step()


def symmetric_for(x):
    torch.manual_seed(7)
    return symmetric(x.shape[0], torch.float32)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("base, rows", [*itertools.product(["sgd", "adam", "spectral"], [None, 0.05, "halves"]), ("conjugate", None)])
def test_resumes_to_the_same_bits(base, rows, dtype):
    """20 steps, saved by torch.save, 20 more in a new optimizer: the same bits as 40 steps."""
    def make(start):
        x = torch.nn.Parameter(start.clone())
        optimizer = Landing([x], 0.05, base=base, momentum=None if base == "conjugate" else 0.9)
        metric = None if rows is None else optimizer.constrain(x, Rows(1e-2, None if rows == "halves" else rows))
        return x, optimizer, metric

    x, optimizer, metric = make(orthonormal(12, 3, torch.float32).to(dtype))
    run(x, optimizer, metric, 20, seed=1)
    state, middle = saved(optimizer.state_dict()), x.detach().clone()
    # torch.load takes these alone by default from PyTorch 2.6 on (weights_only; that of 1.13 refuses any float)
    assert {type(leaf) for leaf in leaves(state)} <= {torch.Tensor, int, float, bool, str, type(None)}
    run(x, optimizer, metric, 20, seed=2)
    again, other, other_metric = make(middle)
    other.load_state_dict(state)
    run(again, other, other_metric, 20, seed=2)
    assert torch.equal(again, x)


def test_a_metric_is_no_part_of_the_groups():
    x = torch.nn.Parameter(orthonormal(5, 2))
    optimizer = Landing([x], 0.1)
    optimizer.constrain(x, Product(lambda z: 2 * z))
    x.grad = torch.randn(5, 2, dtype=torch.float64)
    optimizer.step()
    saved(optimizer.state_dict())  # a function in a group could not be saved
    other = Landing([x], 0.3)
    metric = other.constrain(x, Matrix(torch.eye(5, dtype=torch.float64)))
    other.load_state_dict(optimizer.state_dict())
    assert other.metric(x) is metric and other.param_groups[0]["lr"] == 0.1


def test_loading_does_not_share_memory():
    x = torch.nn.Parameter(orthonormal(6, 2))
    optimizer = Landing([x], 0.1, momentum=0.9)
    x.grad = torch.randn(6, 2, dtype=torch.float64)
    optimizer.step()
    state = optimizer.state_dict()
    before = copy.deepcopy(state["state"][0]["momentum"])
    other = Landing([x], 0.1, momentum=0.9)
    other.load_state_dict(state)
    for _ in range(3):
        other.step()
    assert torch.equal(state["state"][0]["momentum"], before)


def test_an_optimizer_without_functions_can_be_pickled():
    x = torch.nn.Parameter(orthonormal(6, 2))
    optimizer = Landing([x], 0.1)
    optimizer.metric(x)
    x.grad = torch.randn(6, 2, dtype=torch.float64)
    optimizer.step()
    copied = pickle.loads(pickle.dumps(optimizer))
    param = copied.param_groups[0]["params"][0]
    param.grad = x.grad.clone()
    copied.step()
    optimizer.step()
    torch.testing.assert_close(param.detach(), x.detach())
