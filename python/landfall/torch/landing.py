"""The optimizer. The steps themselves are in stiefel_step.py, generalized_step.py and rows.py."""
from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

from . import matrices
from .bases import BASES, USUAL_MOMENTUM, kept_matrices, kept_numbers, kept_squares
from .field import gram, minus_identity
from .safe_step import norm
from .metrics import Identity, Metric
from .rows import Rows
from .stiefel_step import attract, land

STACKED = 1 << 16  # parameters of at most this many entries are stacked by default, so that one call moves many


class Landing(Optimizer):
    """Minimises a function of matrices X subject to XᵀBX = I, without retractions and from any start of full rank.

    Parameters
    ----------
    params : parameters or groups of them, each with at least two dimensions. A kernel of shape (a, b, c, d) is the matrix
        a×bcd; a wide matrix has orthonormal rows, a tall one orthonormal columns.
    lr : learning rate. That of SGD with base "sgd"; with "adam" and "spectral" an angle in radians per step; with "conjugate"
        the largest such angle.
    base : "sgd", "adam" (one second moment for each matrix), "spectral" (orthogonalised momentum, as in Muon) or "conjugate"
        (conjugate directions with lengths from secants, for gradients without noise).
    momentum : by default 0 for "sgd", 0.9 for "adam" and 0.95 for "spectral".
    second : decay of the second moment of "adam".
    attraction : a in (0, 1/2), the strength of the pull to the manifold. The default 1/4 squares the error in each step.
    trust : the longest step, relative to the length of X.
    radius : the steps stay where ‖XᵀBX − I‖ ≤ radius, in (0, 1), or come closer to it.
    batch_dims : the number of leading dimensions of the parameters that index separate matrices.
    foreach : whether parameters of one shape are stacked and moved together; by default the small ones are.

    >>> head = torch.nn.Parameter(torch.nn.init.orthogonal_(torch.empty(100, 10)))
    >>> optimizer = Landing([head], lr=0.1, base="adam")
    >>> optimizer.constrain(head, Matrix(covariance))   # optional: XᵀBX = I instead of XᵀX = I
    """

    def __init__(self, params: Iterable[Any], lr: float, *, base: str = "sgd", momentum: float | None = None, second: float = 0.999,
                 attraction: float = 0.25, trust: float = 0.3, radius: float = 0.5, batch_dims: int = 0, foreach: bool | None = None,
                 weight_decay: float = 0) -> None:
        self._metrics: dict[Tensor, Metric] = {}
        self._transposed: dict[Tensor, bool] = {}
        self._versions: dict[Tensor, int] = {}
        super().__init__(params, dict(lr=lr, base=base, momentum=momentum, second=second, attraction=attraction, trust=trust,
                                      radius=radius, batch_dims=batch_dims, foreach=foreach, weight_decay=weight_decay))

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        super().add_param_group(param_group)
        group = self.param_groups[-1]
        try:
            validate(group)
            for param in group["params"]:
                matrices.check(param, group["batch_dims"])
        except (TypeError, ValueError):
            self.param_groups.pop()
            raise
        if group["momentum"] is None:
            group["momentum"] = USUAL_MOMENTUM[group["base"]]

    def constrain(self, param: Tensor, metric: Metric, transposed: bool | None = None) -> Metric:
        """Gives a parameter the constraint XᵀBX = I. The metric stays outside of param_groups and is saved by state_dict.

        B acts on the side of the parameter that has its size; if both have, on the first one unless `transposed`.
        """
        group = next((group for group in self.param_groups if any(param is other for other in group["params"])), None)
        if group is None:
            raise ValueError(f"a parameter of shape {tuple(param.shape)} is not in this optimizer: add it before constrain")
        if not isinstance(metric, Metric):
            raise TypeError(f"a metric of type {type(metric).__name__}, expected Identity, Matrix, Product or Rows")
        if group["batch_dims"] and not isinstance(metric, Identity):
            raise ValueError("a parameter with batch_dims > 0 takes the metric Identity only")
        if group["base"] == "conjugate" and isinstance(metric, Rows):
            raise ValueError("the metric Rows with base='conjugate', which needs gradients and a B without noise: use base='adam'")
        rows, columns = matrices.sides(param, group["batch_dims"])
        if transposed is None:
            transposed = rows != metric.size if metric.size else rows < columns
        n, p = (columns, rows) if transposed else (rows, columns)
        if metric.size not in (None, n):
            raise ValueError(f"a metric of size {metric.size} for a parameter of shape {tuple(param.shape)}, expected {n}")
        if n < p:
            raise ValueError(f"a parameter with {p} vectors in {n} dimensions, which cannot be independent")
        self._metrics[param], self._transposed[param] = metric, transposed
        return metric

    def metric(self, param: Tensor) -> Metric:
        """The metric of a parameter."""
        if param not in self._metrics:
            self.constrain(param, Identity())
        return self._metrics[param]

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for params in self._stacks(group):
                self._move(params, group)
        return loss

    @torch.no_grad()
    def finish(self) -> None:
        """Moves every parameter to the manifold by normal steps alone, in double precision, and rounds it once: for the end of
        training. Of a float32 parameter the rounding leaves ‖XᵀX − I‖ of about 3.6e-8 p/√n."""
        for group in self.param_groups:
            for param in group["params"]:
                metric, state = self._prepared(param, group)
                x = matrices.read(param, state.get("residual"), group["batch_dims"], self._transposed[param])
                x = x.to(metric.finest(x))
                x = land(x, metric.product, torch.finfo(x.dtype).eps ** 0.5)  # the next step squares the error
                e = minus_identity(gram(x, metric.product(x)))
                x = attract(x, e, norm(e), 0.25, group["radius"])
                self._store(x, param, state)

    @torch.no_grad()
    def infeasibility(self, param: Tensor) -> float:
        """‖XᵀBX − I‖ of a parameter, the largest of a batch, in double precision."""
        group = next(group for group in self.param_groups if any(param is other for other in group["params"]))
        metric = self.metric(param)
        x = matrices.as_matrix(param, group["batch_dims"], self._transposed[param])
        x = x.to(metric.finest(x))
        error = minus_identity(gram(x, metric.product(x)))
        return float(norm(error).max())

    def _stacks(self, group: dict[str, Any]) -> Iterable[list[Tensor]]:
        """The parameters with a gradient, in lists of those that are moved together."""
        stacks: dict[Any, list[Tensor]] = {}
        for param in group["params"]:
            if param.grad is None:
                continue
            if param.grad.is_sparse:
                raise ValueError(f"a parameter of shape {tuple(param.shape)} has a sparse gradient, expected a dense one")
            metric, state = self._prepared(param, group)
            if self._landed(param, metric, state, group):
                continue
            stackable = group["foreach"] or (group["foreach"] is None and param.numel() <= STACKED)
            alone = None if stackable and isinstance(metric, Identity) and not group["batch_dims"] else id(param)
            shape = tuple(matrices.sides(param, group["batch_dims"]))
            key = (shape, param.dtype, param.device, self._transposed[param], state["step"], alone)
            stacks.setdefault(key, []).append(param)
        return stacks.values()

    def _prepared(self, param: Tensor, group: dict[str, Any]) -> tuple[Metric, dict[str, Any]]:
        """The metric and the state of a parameter, which its first step creates."""
        metric, state = self.metric(param), self.state[param]
        if not state:
            dtype = matrices.working_dtype(param.dtype)
            x = matrices.as_matrix(param, group["batch_dims"], self._transposed[param]).to(dtype)
            metric.start(x)
            state["step"] = 0
            for name in kept_matrices(group["base"], group["momentum"]):
                state[name] = torch.zeros_like(param, dtype=dtype)
            for name, value in {"defect": float("inf"), **kept_numbers(group["base"])}.items():
                state[name] = torch.full(x.shape[:-2], value, dtype=dtype, device=param.device)
            for name in kept_squares(group["base"]):
                state[name] = torch.zeros(x.shape[:-2] + x.shape[-1:] * 2, dtype=dtype, device=param.device)
            if param.dtype in matrices.LOW_PRECISION:
                state["residual"] = torch.zeros_like(param)
        elif self._versions.get(param, param._version) != param._version:  # someone else has changed the parameter
            state["defect"] = torch.full_like(state["defect"], float("inf"))
        return metric, state

    def _landed(self, param: Tensor, metric: Metric, state: dict[str, Any], group: dict[str, Any]) -> bool:
        """Whether a parameter new to the optimizer, or changed by others, was outside of the safe region. It is then moved
        into it, and that was its step: the gradient there says little, and would spoil the memory of the base."""
        if self._versions.get(param) == param._version or state["step"] > 0 and param not in self._versions:
            return False
        x = matrices.read(param, state.get("residual"), group["batch_dims"], self._transposed[param])
        if bool((norm(minus_identity(gram(x, metric.product(x)))) <= group["radius"]).all()):
            return False
        self._store(land(x, metric.product, group["radius"]), param, state)
        return True

    def _move(self, params: list[Tensor], group: dict[str, Any]) -> None:
        """Moves parameters of one shape by one step."""
        first, together = params[0], len(params) > 1
        batch_dims, transposed = group["batch_dims"], self._transposed[first]
        states = [self.state[param] for param in params]

        def collect(tensors: list[Tensor]) -> Tensor:
            return torch.stack(tensors) if together else tensors[0]

        def matrix(tensor: Tensor) -> Tensor:
            return matrices.as_matrix(tensor, batch_dims, transposed)

        x = collect([matrices.read(param, state.get("residual"), batch_dims, transposed)
                     for param, state in zip(params, states)])
        g = collect([matrix(param.grad) for param in params if param.grad is not None]).to(x.dtype)
        shaped = kept_matrices(group["base"], group["momentum"])
        plain = ("defect", *kept_numbers(group["base"]), *kept_squares(group["base"]))
        memory: dict[str, Any] = {"step": states[0]["step"]}
        for name in shaped:
            memory[name] = collect([matrix(state[name]) for state in states])
        for name in plain:
            memory[name] = collect([state[name] for state in states])

        x = self._metrics[first].step(x, g, group, memory)
        for index, (param, state) in enumerate(zip(params, states)):
            def own(tensor: Tensor) -> Tensor:
                return tensor[index] if together else tensor
            self._store(own(x), param, state)
            state["step"] += 1
            for name in shaped:
                state[name] = matrices.as_parameter(own(memory[name]), param.shape, transposed)
            for name in plain:
                state[name] = own(memory[name])

    def _store(self, x: Tensor, param: Tensor, state: dict[str, Any]) -> None:
        matrices.write(x, param, state.get("residual"), self._transposed[param])
        self._versions[param] = param._version

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()  # type: ignore[misc]  # the stubs of PyTorch lack it
        return {**state, "_metrics": self._metrics, "_transposed": self._transposed, "_versions": {}}

    def state_dict(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        saved = super().state_dict(*args, **kwargs)
        params = [param for group in self.param_groups for param in group["params"]]
        saved["metrics"] = {index: self._metrics[param].state_dict() for index, param in enumerate(params)
                            if param in self._metrics}
        return saved

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        state_dict = dict(state_dict)
        metrics = state_dict.pop("metrics", {})
        super().load_state_dict(state_dict)
        params = [param for group in self.param_groups for param in group["params"]]
        indices = [index for group in state_dict["param_groups"] for index in group["params"]]
        for index, param in zip(indices, params):  # as saved: torch casts the state to the dtype of the parameter
            if index in state_dict["state"]:
                self.state[param] = {name: value.to(param.device, copy=True) if isinstance(value, Tensor)
                                     else copy.deepcopy(value) for name, value in state_dict["state"][index].items()}
        self._versions.clear()
        for position, state in metrics.items():
            self.metric(params[position]).load_state_dict(state)


def validate(group: dict[str, Any]) -> None:
    """Raises ValueError with one sentence that names the option."""
    def require(holds: bool, name: str, expected: str) -> None:
        if not holds:
            raise ValueError(f"{name}={group[name]!r}, expected {expected}")

    require(group["base"] in BASES, "base", "one of " + ", ".join(map(repr, BASES)))
    require(group["lr"] >= 0, "lr", "a number of at least 0")
    require(group["momentum"] is None or 0 <= group["momentum"] < 1, "momentum", "a number in [0, 1)")
    require(group["base"] != "conjugate" or not group["momentum"], "momentum", "none with base='conjugate', which finds it from secants")
    require(0 <= group["second"] < 1, "second", "a number in [0, 1)")
    require(0 < group["attraction"] < 0.5, "attraction", "a number in (0, 0.5)")
    require(group["trust"] > 0, "trust", "a positive number")
    require(0 < group["radius"] < 1, "radius", "a number in (0, 1)")
    require(group["batch_dims"] in range(16), "batch_dims", "a count of leading dimensions")
    require(group["weight_decay"] == 0, "weight_decay", "0: decay pulls X to 0, which XᵀBX = I forbids; decay the other "
            "parameters in their own optimizer")
