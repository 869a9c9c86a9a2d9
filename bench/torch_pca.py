#!/usr/bin/python3
"""bench/torch_pca.py [pca|procrustes] N P [SECONDS [METHOD[@LR...]...]]: time to a relative gap of 1e-6, one thread, single
precision. Seconds are of the processor, which other programs disturb least.

pca         max ½ tr(XᵀAX), A of size N with condition 1000 and exponentially decaying eigenvalues
procrustes  min ½‖AX − B‖², A with condition 1000 (singular values from 1 down to 1/1000), B = A X* for an orthonormal X*. P < N:
            the square orthogonal matrices have two components, and no method here leaves that of its start

Landing runs once, with lr 0.2 and the base adam, as in every benchmark here. The others (torch_baselines.py) run with 8 learning
rates, each for at most SECONDS (by default 1.5 times as long as Landing took), and the best one counts. The gap is that of the Q
factor of the iterate, so that infeasible iterates neither gain nor lose; it is not timed.
"""
import sys
import time

from peers import limit_threads

limit_threads(1)  # before torch loads BLAS

import torch

from torch_baselines import METHODS
from landfall.torch import Landing

LR = 0.2
RATES = [0.01, 0.03, 0.1, 0.2, 0.5, 1, 2, 5]
GAP, EVERY = 1e-6, 10


class Pca:
    def __init__(self, n, p):
        basis = torch.linalg.qr(torch.randn(n, n, dtype=torch.float64))[0]
        values = torch.logspace(0, -3, n, dtype=torch.float64)
        self.exact = (basis * values) @ basis.T
        self.a, self.best = self.exact.float(), float(values[:p].sum())

    def gradient(self, x):
        return -(self.a @ x)

    def gap(self, q):
        return 1 - float(((self.exact @ q) * q).sum()) / self.best


class Procrustes:
    def __init__(self, n, p):
        left, right = (torch.linalg.qr(torch.randn(n, n, dtype=torch.float64))[0] for _ in range(2))
        self.exact = (left * torch.logspace(0, -3, n, dtype=torch.float64)) @ right.T
        self.target = self.exact @ torch.linalg.qr(torch.randn(n, p, dtype=torch.float64))[0]
        self.a, self.b = self.exact.float(), self.target.float()

    def gradient(self, x):
        return self.a.T @ torch.addmm(self.b, self.a, x, beta=-1)

    def gap(self, q):
        return float((self.exact @ q - self.target).norm() ** 2 / self.target.norm() ** 2)


class Ours:
    def __init__(self, x):
        self.param = torch.nn.Parameter(x.clone())
        self.optimizer = Landing([self.param], LR, base="adam")

    def step(self, x, g):
        self.param.grad = g
        self.optimizer.step()
        return self.param.data


class Parametrization:
    """torch.nn.utils.parametrizations.orthogonal with SGD and momentum 0.9."""

    def __init__(self, lr, x):
        self.layer = torch.nn.Linear(x.shape[1], x.shape[0], bias=False)
        torch.nn.utils.parametrizations.orthogonal(self.layer)
        self.layer.weight = x
        self.optimizer = torch.optim.SGD(self.layer.parameters(), lr, momentum=0.9)

    def step(self, x, g):
        self.optimizer.zero_grad()
        self.layer.weight.backward(g)
        self.optimizer.step()
        return self.layer.weight.detach()


def solve(problem, method, start, seconds):
    """(seconds, steps, gap, infeasibility) when the gap is reached, the numbers fail or the seconds are over."""
    x, spent, steps = start, 0.0, 0
    while True:
        begin = time.process_time()
        for _ in range(EVERY):
            x = method.step(x, problem.gradient(x))
            steps += 1
            if time.process_time() - begin + spent > seconds:
                break
        spent += time.process_time() - begin
        if not bool(torch.isfinite(x).all()):
            return float("inf"), steps, float("nan"), float("nan")
        q, r = torch.linalg.qr(x.double())
        gap = problem.gap(q * r.diagonal().sign())
        if gap <= GAP or spent > seconds:
            break
    error = float((x.double().T @ x.double() - torch.eye(x.shape[1])).norm())
    return (spent if gap <= GAP else float("inf")), steps, gap, error


def show(name, result):
    seconds, steps, gap, error = result
    print(f"{name:34} {f'{seconds:8.2f} s' if seconds < float('inf') else '       no '} {steps:6} steps, gap {gap:8.1e}, "
          f"‖XᵀX − I‖ {error:.1e}", flush=True)


def main():
    torch.set_num_threads(1)
    kind, n, p = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    torch.manual_seed(0)
    problem = {"pca": Pca, "procrustes": Procrustes}[kind](n, p)
    start = torch.linalg.qr(torch.randn(n, p))[0].contiguous()
    ours = solve(problem, Ours(start), start, 3600)
    show(f"Landing, lr {LR}", ours)
    limit = float(sys.argv[4]) if len(sys.argv) > 4 and float(sys.argv[4]) > 0 else 1.5 * ours[0]
    chosen = [word.split("@") for word in sys.argv[5:]] or [[name] for name in (*METHODS, "torch parametrization")]
    ratios = {}
    for name, *rates in chosen:
        results = {}
        for rate in map(float, rates or RATES):
            method = Parametrization(rate, start) if name == "torch parametrization" else METHODS[name](rate)
            try:
                results[rate] = solve(problem, method, start, limit)
            except torch.linalg.LinAlgError:
                results[rate] = float("inf"), 0, float("nan"), float("nan")
        rate = min(results, key=lambda rate: (results[rate][0], results[rate][2] if results[rate][2] == results[rate][2] else 9e9))
        show(f"{name}, lr {rate:g}", results[rate])
        ratios[name] = results[rate][0] / ours[0]
    best = min(ratios, key=ratios.get)
    print(f"best of the others: {best}; inf means that none was within {limit:.1f} s")
    print(f"measured torch_{kind}.{n}x{p} {ratios[best]:.3f}")


if __name__ == "__main__":
    main()
