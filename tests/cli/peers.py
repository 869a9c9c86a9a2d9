"""peers.py LANDFALL: the baselines against independent implementations: scikit-learn's CCA and FastICA, scipy's lobpcg."""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import scipy.linalg
from scipy.sparse.linalg import lobpcg
from sklearn.cross_decomposition import CCA
from sklearn.decomposition import FastICA

PROGRAM = os.path.abspath(sys.argv[1])


def landfall(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def fit(*arguments):
    return json.loads(landfall(*arguments, "--json", "--precision", "double"))


def cca():
    landfall("data", "planted-cca", "cca", "-N", 3000, "--left", 12, "--right", 10, "--condition", 10,
             "--correlations", "0.9,0.7,0.5")
    left, right = np.load("cca/left.npy").astype(float), np.load("cca/right.npy").astype(float)
    x, y = CCA(3, scale=False, max_iter=20000, tol=1e-12).fit(left, right).transform(left, right)
    theirs = [np.corrcoef(x[:, j], y[:, j])[0, 1] for j in range(3)]
    for method in ("als", "genelink", "lobpcg"):
        ours = fit("cca", "cca/left.npy", "cca/right.npy", "-p", 3, "--ridge", 0, "--method", method)
        np.testing.assert_allclose(ours["correlations"], theirs, atol=1e-6, err_msg=method)


def gevp():
    landfall("data", "pencil", "pencil", "-n", 60, "--condition", 10)
    a, b = np.load("pencil/A.npy"), np.load("pencil/B.npy")
    start = np.random.default_rng(0).standard_normal((60, 4))
    theirs = lobpcg(a, start, B=b, M=scipy.linalg.inv(b), tol=1e-9, maxiter=500)[0]
    for method in ("genelink", "pcal", "rgd"):
        ours = fit("gevp", "pencil/A.npy", "pencil/B.npy", "-p", 4, "--method", method)
        np.testing.assert_allclose(ours["eigenvalues"], np.sort(theirs)[::-1], rtol=1e-6, err_msg=method)


def ica():
    landfall("data", "laplace-ica", "ica", "-N", 20000, "-n", 5)
    rows = np.load("ica/data.npy").astype(float)
    theirs = FastICA(whiten="unit-variance", tol=1e-9, max_iter=1000, random_state=0).fit(rows).transform(rows)
    landfall("ica", "ica/data.npy", "--method", "fastica", "--precision", "double", "--out", "run")
    ours = (rows - np.load("run/mean.npy")) @ np.load("run/unmixing.npy").T
    same = np.abs(np.corrcoef(ours.T, theirs.T)[:5, 5:])
    assert (same.max(axis=1) > 1 - 1e-5).all(), same


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for check in (cca, gevp, ica):
        check()
        print(check.__name__, "agrees")
    os.chdir("/")
