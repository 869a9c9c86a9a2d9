#!/usr/bin/python3
"""bench/torch_steps.py [ROUNDS]: what one step costs, in turn in one run, one thread, single precision, seconds of the processor.

Landing with momentum 0.9, against the QR retraction, Cayley, POGO, the landing of 2022 (torch_baselines.py) and
torch.nn.utils.parametrizations.orthogonal, all with momentum. A ratio is the best time of the other over the best of Landing:
above 1 Landing is faster. The last lines are many small matrices, stacked and one by one.
"""
import sys
import time

from peers import limit_threads

limit_threads(1)  # before torch loads BLAS

import torch

from torch_baselines import METHODS
from torch_pca import Parametrization
from landfall.torch import Landing

SHAPES = [(512, 512), (1024, 256), (2000, 50), (30000, 50), (128, 64), (32, 32)]
LONGEST = 2000  # rows for torch's parametrization, which makes n×n matrices: 10 s a step for 4000×50, out of reach for 30000×50
LR = 1e-4


def landing(x):
    param = torch.nn.Parameter(x.clone())
    optimizer = Landing([param], LR, momentum=0.9)

    def step(g):
        param.grad = g
        optimizer.step()

    return step


def baseline(name, x):
    method, state = METHODS[name](LR), {"x": x}

    def step(g):
        state["x"] = method.step(state["x"], g)

    return step


def parametrization(x):
    method = Parametrization(LR, x)
    return lambda g: method.step(None, g)


def best_times(steps, g, rounds, repeats):
    """The best time of each, in turn."""
    best = dict.fromkeys(steps, float("inf"))
    for turn in range(rounds + 1):  # the first one warms up
        for name in steps:
            begin = time.process_time()
            for _ in range(repeats):
                steps[name](g)
            spent = (time.process_time() - begin) / repeats
            if turn:
                best[name] = min(best[name], spent)
    return best


def main():
    torch.set_num_threads(1)
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    torch.manual_seed(0)
    for n, p in SHAPES:
        x = torch.linalg.qr(torch.randn(n, p))[0].contiguous()
        g = torch.randn(n, p)
        steps = {"Landing": landing(x)}
        steps.update({name: baseline(name, x) for name in ("QR", "Cayley", "POGO", "landing 2022")})
        small = n * p <= 128 * 64
        best = best_times(steps, g, rounds, 50 if small else 1)
        if n <= LONGEST:
            best.update(best_times({"torch parametrization": parametrization(x)}, g, 5 if small else 1, 1))
        ours = best.pop("Landing")
        print(f"{n}×{p}: Landing {1e3 * ours:.3f} ms; " + ", ".join(f"{name} {1e3 * t:.3f}" for name, t in best.items()))
        for name, seconds in best.items():
            print(f"measured torch_step.{name.replace(' ', '_')}.{n}x{p} {seconds / ours:.3f}", flush=True)
    many_small(rounds)


def many_small(rounds, count=200, n=32, p=16):
    g = torch.randn(n, p)
    steps = {}
    for name, foreach in ("stacked", True), ("one by one", False):
        params = [torch.nn.Parameter(torch.linalg.qr(torch.randn(n, p))[0].contiguous()) for _ in range(count)]
        optimizer = Landing(params, LR, momentum=0.9, foreach=foreach)

        def step(g, params=params, optimizer=optimizer):
            for param in params:
                param.grad = g
            optimizer.step()

        steps[name] = step
    best = best_times(steps, g, rounds, 1)
    print(f"{count} matrices of {n}×{p}: " + ", ".join(f"{name} {1e3 * t:.2f} ms" for name, t in best.items()))
    print(f"measured torch_small_one_by_one_over_stacked {best['one by one'] / best['stacked']:.3f}")


if __name__ == "__main__":
    main()
