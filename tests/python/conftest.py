"""Data that the tests share, and the program to compare with."""

import json
import os
import pathlib
import subprocess

import landfall  # noqa: F401  (before numpy: it chooses the kernels of BLAS, for the program too)
import numpy as np
import pytest


@pytest.fixture(scope="session")
def program():
    """Runs the program; returns the JSON it prints."""
    path = os.environ["LANDFALL_PROGRAM"]

    def run(*arguments):
        done = subprocess.run([path, *map(str, arguments), "--json"], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    return run


@pytest.fixture(scope="session")
def source():
    return pathlib.Path(os.environ["LANDFALL_SOURCE"])


def planted_views(rows=3000, left=12, right=9, seed=0):
    """Two views that share three directions."""
    rng = np.random.default_rng(seed)
    shared = rng.standard_normal((rows, 3)) * [1.5, 1.0, 0.6]
    x = rng.standard_normal((rows, left))
    y = rng.standard_normal((rows, right))
    x[:, :3] += shared
    y[:, :3] += shared
    return x @ rng.standard_normal((left, left)), y @ rng.standard_normal((right, right))


@pytest.fixture(scope="session")
def views():
    return planted_views()


@pytest.fixture(scope="session")
def mixtures():
    """Rows, and the matrix that mixed their independent sources."""
    rng = np.random.default_rng(1)
    sources = np.c_[rng.laplace(size=20000), rng.uniform(-1, 1, 20000), rng.standard_normal(20000) ** 3]
    mixing = rng.standard_normal((3, 3))
    return sources @ mixing.T, mixing


@pytest.fixture(scope="session")
def iris():
    from sklearn.datasets import load_iris

    data = load_iris()
    return data.data, data.target
