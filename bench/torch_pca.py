#!/usr/bin/python3
"""bench/torch_pca.py [pca|procrustes] N P [SECONDS [METHOD[@LR...]...]]: time to a relative gap of 1e-6, one thread, single
precision. Seconds are of the processor, which other programs disturb least.

pca         max ½ tr(XᵀAX), A of size N with condition 1000 and exponentially decaying eigenvalues
procrustes  min ½‖AX − B‖², A with condition 1000 (singular values from 1 down to 1/1000), B = A X* for an orthonormal X*. P < N:
            the square orthogonal matrices have two components, and no method here leaves that of its start

Landing runs once, with the base conjugate (these gradients have no noise) and lr 0.2, the learning rate of every benchmark here. The
others (torch_baselines.py, and Landing with the base adam and lr 0.2) run for at most SECONDS (0 or nothing: four times as long as
Landing took) with 8 learning rates, and the best one counts. Above 10^6 entries they get as long as Landing took, and the rates are
thinned out by successive halving: all of them get 1/16 of the time, the best three 1/4, the best one all of it; a method that takes
half of the time for one step runs at one rate. The gap is that of the Q factor of the iterate, so that infeasible iterates neither
gain nor lose; it is not timed.
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
LARGE = 10 ** 6  # entries of X above which the learning rates are thinned out


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
    def __init__(self, x, base):
        self.param = torch.nn.Parameter(x.clone())
        self.optimizer = Landing([self.param], LR, base=base)

    def step(self, x, g):
        self.param.grad = g
        self.optimizer.step()
        return self.param.data


class Parametrization:
    """torch.nn.utils.parametrizations.orthogonal with SGD and momentum 0.9; map: None (torch's choice) or "cayley"."""

    def __init__(self, lr, x, map=None):
        self.layer = torch.nn.Linear(x.shape[1], x.shape[0], bias=False)
        torch.nn.utils.parametrizations.orthogonal(self.layer, orthogonal_map=map)
        self.layer.weight = x
        self.optimizer = torch.optim.SGD(self.layer.parameters(), lr, momentum=0.9)

    def step(self, x, g):
        self.optimizer.zero_grad()
        self.layer.weight.backward(g)
        self.optimizer.step()
        return self.layer.weight.detach()


class Run:
    """A method on a problem, which can be continued."""

    def __init__(self, name, problem, method, start):
        self.name, self.problem, self.method, self.x = name, problem, method, start
        self.seconds, self.steps, self.gap = 0.0, 0, float("inf")

    def until(self, seconds):
        """Continues until the gap is reached, the numbers fail or the seconds are over."""
        while self.gap > GAP and self.seconds < seconds:
            try:
                self._steps(seconds)
            except torch.linalg.LinAlgError:
                self.gap = float("nan")
        return self

    def _steps(self, seconds):
        begin = time.process_time()
        for _ in range(EVERY):
            self.x = self.method.step(self.x, self.problem.gradient(self.x))
            self.steps += 1
            if self.seconds + time.process_time() - begin > seconds:
                break
        self.seconds += time.process_time() - begin
        if bool(torch.isfinite(self.x).all()):
            q, r = torch.linalg.qr(self.x.double())
            self.gap = self.problem.gap(q * r.diagonal().sign())
        else:
            self.gap = float("nan")  # ends the run

    def rank(self):
        """The smaller, the better."""
        return (self.seconds, self.gap) if self.gap <= GAP else (float("inf"), self.gap if self.gap == self.gap else float("inf"))

    def show(self):
        x = self.x.double()
        error = float((x.T @ x - torch.eye(x.shape[1])).norm())
        print(f"{self.name:34} {f'{self.seconds:8.2f} s' if self.gap <= GAP else '       no '} {self.steps:6} steps, "
              f"{self.seconds / self.steps:.4f} s each, gap {self.gap:8.1e}, ‖XᵀX − I‖ {error:.1e}", flush=True)


PARAMETRIZATIONS = {"torch parametrization": None, "torch parametrization by cayley": "cayley"}


def make(name, rate, start):
    return Parametrization(rate, start, PARAMETRIZATIONS[name]) if name in PARAMETRIZATIONS else METHODS[name](rate)


def best_of(runs, seconds, large):
    """The best run; of a large problem only the promising ones are continued."""
    for share, kept in ((1 / 16, 3), (1 / 4, 1), (1, 1)) if large else ((1, 1),):
        done = []
        for run in runs:
            done.append(run.until(share * seconds))
            if large and run.seconds / run.steps > seconds / 2:
                break
        if large:
            print(f"    after {share * seconds:.0f} s: " + ", ".join(f"{run.name} {run.gap:.1e}" for run in done), flush=True)
        runs = sorted(done, key=Run.rank)[:kept]
    return runs[0]


def main():
    torch.set_num_threads(1)
    kind, n, p = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    limit = float(sys.argv[4]) if len(sys.argv) > 4 else 0
    chosen = [word.split("@") for word in sys.argv[5:]] or [[name] for name in ("Landing adam", *METHODS, *PARAMETRIZATIONS)]
    torch.manual_seed(0)
    problem = {"pca": Pca, "procrustes": Procrustes}[kind](n, p)
    start = torch.linalg.qr(torch.randn(n, p))[0].contiguous()
    ours = Run(f"Landing, lr {LR}", problem, Ours(start, "conjugate"), start).until(limit or 3600)
    ours.show()
    large = n * p > LARGE
    limit = limit or ours.seconds * (1 if large else 4)
    others = []
    for name, *rates in chosen:
        if name == "Landing adam":
            Run(f"Landing, adam, lr {LR}", problem, Ours(start, "adam"), start).until(limit).show()
            continue
        runs = [Run(f"{name}, lr {rate:g}", problem, make(name, rate, start), start) for rate in map(float, rates or RATES)]
        others.append(best_of(runs, limit, large))
        others[-1].show()
    best = min(others, key=Run.rank)
    print(f"best of the others within {limit:.1f} s: {best.name}")
    if best.gap <= GAP or ours.gap <= GAP:
        print(f"measured torch_{kind}.{n}x{p} {best.rank()[0] / ours.rank()[0]:.3f}")
    print(f"measured torch_{kind}_gap.{n}x{p} {best.gap / ours.gap:.3g}")


if __name__ == "__main__":
    main()
