"""The Python package side by side with what it stands on and what it replaces.

    bench/python.py BUILD [--rows 20000] [--images FOLDER]

1. overhead: a fit from Python against the seconds that the library itself counts in the same call
2. CCA against scikit-learn's, on halves of images (Fashion-MNIST, or a folder with left.npy and right.npy)
3. ICA against scikit-learn's FastICA, on mixtures of Laplace sources
4. how long Ctrl-C takes, and import landfall
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

parser = argparse.ArgumentParser()
parser.add_argument("build", type=pathlib.Path)
parser.add_argument("--rows", type=int, default=20000)
parser.add_argument("--images", type=pathlib.Path, help="folder with left.npy and right.npy")
arguments = parser.parse_args()
sys.path.insert(0, str(arguments.build / "python"))

import landfall  # noqa: E402
import numpy as np  # noqa: E402
from sklearn.cross_decomposition import CCA  # noqa: E402
from sklearn.decomposition import FastICA  # noqa: E402

warnings.simplefilter("ignore")


def best(work, times=5):
    """The least of several runs, in seconds, and the last result."""
    least, result = float("inf"), None
    for _ in range(times):
        began = time.perf_counter()
        result = work()
        least = min(least, time.perf_counter() - began)
    return least, result


def halves():
    folder = arguments.images
    with tempfile.TemporaryDirectory() as scratch:
        if folder is None:
            folder = pathlib.Path(scratch) / "images"
            subprocess.run([arguments.build / "landfall", "data", "split-fashion", folder], check=True, capture_output=True)
        return [np.load(folder / name)[: arguments.rows] for name in ("left.npy", "right.npy")]


left, right = halves()
print(f"images: {left.shape[0]} rows, {left.shape[1]} + {right.shape[1]} columns, {left.dtype}")


def measured(key, value):
    print(f"measured {key} {value:.4f}")


def overhead(key, name, fit):
    """Around the call of the library: what a fit takes beyond the seconds that the library counted."""
    ratios = []
    for _ in range(5):
        began = time.perf_counter()
        model = fit()
        ratios.append((time.perf_counter() - began) / sum(model.seconds_.values()) - 1)
    print(f"overhead, {name}: {100 * sorted(ratios)[2]:.2f} % of the time of C++, the median of 5")
    measured(f"python_overhead.{key}", 100 * sorted(ratios)[2])


overhead("ica", "ICA", lambda: landfall.ICA(20).fit(left))
overhead("lda", "LDA", lambda: landfall.LDA(9, ridge=1.0).fit(left, np.arange(len(left)) % 10))
overhead("cca", "CCA, with the reading for the loadings", lambda: landfall.CCA(5, ridge=1e-3, method="landing").fit(left, right))

ours, model = best(lambda: landfall.CCA(5, ridge=1e-3).fit(left, right))
theirs, other = best(lambda: CCA(n_components=5, scale=False, max_iter=500).fit(left, right), 1)
scores = other.transform(left, right)
found = sum(np.corrcoef(a, b)[0, 1] for a, b in zip(scores[0].T, scores[1].T))
print(f"CCA, p = 5: {ours:.3f} s ({model.method_}), scikit-learn {theirs:.1f} s, ratio {theirs / ours:.0f}; "
      f"total correlation {model.correlations_.sum():.4f}, scikit-learn {found:.4f}")

measured("sklearn_over_cca", theirs / ours)

rng = np.random.default_rng(0)
sources = rng.laplace(size=(100_000, 10))
mixtures = sources @ rng.standard_normal((10, 10))
mine, ica = best(lambda: landfall.ICA().fit(mixtures), 3)
fast, fastica = best(lambda: FastICA(whiten="unit-variance", random_state=0).fit(mixtures), 3)
print(f"ICA, 100000 x 10: {mine:.3f} s, FastICA {fast:.3f} s, ratio {fast / mine:.1f}")
measured("fastica_over_python_ica", fast / mine)

SCRIPT = """
import os, signal, threading, time
import landfall, numpy as np
x = np.random.default_rng(0).standard_normal((60000, 300), dtype=np.float32)
def interrupt():
    global sent
    sent = time.perf_counter()
    os.kill(os.getpid(), signal.SIGINT)
landfall.CCA(1).fit(x[:100, :3], x[:100, 3:6])  # everything is imported now
threading.Timer(0.3, interrupt).start()
try:
    while True:
        landfall.CCA(2, method=METHOD, passes=500).fit(x, x[:, ::-1])
except KeyboardInterrupt:
    print(time.perf_counter() - sent)
"""
environment = os.environ | {"PYTHONPATH": str(arguments.build / "python")}
for method in ("exact", "landing"):
    waits = [float(subprocess.run([sys.executable, "-W", "ignore", "-c", SCRIPT.replace("METHOD", repr(method))], env=environment, text=True,
                                  capture_output=True, check=True).stdout) for _ in range(5)]
    print(f"Ctrl-C during {method}: {1000 * max(waits):.0f} ms at most of 5")
    measured(f"interrupt_ms.{method}", 1000 * max(waits))
start = "import time; t = time.perf_counter(); import landfall; landfall.version = landfall.__version__; print(time.perf_counter() - t)"
imports = [float(subprocess.run([sys.executable, "-c", start], env=environment, text=True, capture_output=True, check=True).stdout) for _ in range(5)]
print(f"import landfall: {1000 * min(imports):.0f} ms")
measured("import_ms", 1000 * min(imports))
