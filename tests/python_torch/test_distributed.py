"""DistributedDataParallel on two processes: the same iterate on both, which is that of one process with all rows."""
import contextlib
import datetime
import faulthandler
import os
import pathlib
import time

import pytest
import torch
from conftest import orthonormal

from landfall.torch import nn as lnn


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.hidden = lnn.OrthogonalLinear(8, 5)
        self.white = lnn.OrthogonalLinear(5, 2, metric=lnn.layers.Rows(ridge=0.1))

    def forward(self, x):
        return self.white(torch.tanh(self.hidden(x)))


def train(model, optimizer, inputs, targets):
    for x, y in zip(inputs, targets):
        optimizer.zero_grad()
        ((model(x) - y) ** 2).mean().backward()
        optimizer.step()


def data():
    generator = torch.Generator().manual_seed(5)
    return torch.randn(12, 32, 8, generator=generator), torch.randn(12, 32, 2, generator=generator)


def worker(rank, folder):
    faulthandler.dump_traceback_later(90)  # says where it hangs, if it does
    torch.set_num_threads(1)
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    # They meet at a file: a port chosen beforehand may be taken by another program before they listen there.
    torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=2,
                                         timeout=datetime.timedelta(seconds=100))
    torch.distributed.barrier()
    pathlib.Path(folder, f"{rank} met").touch()
    model = Model()
    parallel = torch.nn.parallel.DistributedDataParallel(model)
    inputs, targets = data()
    mine = slice(rank * 16, rank * 16 + 16)
    train(parallel, lnn.landing(model, 0.05, base="adam"), inputs[:, mine], targets[:, mine])
    torch.save(model.state_dict(), f"{folder}/{rank}.pt")
    with contextlib.suppress(RuntimeError):  # the other one may have left by now
        torch.distributed.barrier()
    os._exit(0)  # without the end of gloo's threads, which have no time limit: the result is written


def test_two_processes_agree_with_each_other_and_with_one(tmp_path):
    processes = torch.multiprocessing.spawn(worker, (str(tmp_path),), nprocs=2, join=False)
    end = time.monotonic() + 120
    error = None
    try:
        while not processes.join(1) and time.monotonic() < end:
            pass
    except (torch.multiprocessing.ProcessRaisedException, torch.multiprocessing.ProcessExitedException) as failed:
        error = failed
    for process in processes.processes:
        process.kill()
    if not all((tmp_path / f"{rank} met").exists() for rank in range(2)):
        pytest.skip(f"the processes of torch.distributed did not find each other, before landfall.torch was called: {error}")
    if error is not None:
        raise error
    first, second = (torch.load(tmp_path / f"{rank}.pt") for rank in range(2))
    for name in "hidden.weight", "white.weight":
        assert torch.equal(first[name], second[name])
    model = Model()
    train(model, lnn.landing(model, 0.05, base="adam"), *data())
    for name in "hidden.weight", "white.weight":
        torch.testing.assert_close(model.state_dict()[name], first[name], rtol=0, atol=1e-4)
