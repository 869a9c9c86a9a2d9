"""The Python package side by side with what it stands on and what it replaces.

    bench/python.py BUILD [--rows 20000] [--images FOLDER]

1. overhead: processor time of the thread that calls fit against that of the threads that work; and Python against the program
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
    """Processor time of the thread that calls fit, which checks and converts and then waits, over that of the threads that work. Both
    are the least of several runs: other processes can only add to them."""
    own, work = float("inf"), float("inf")
    for _ in range(7):
        calling, all_threads = time.thread_time(), time.process_time()
        fit()
        calling, all_threads = time.thread_time() - calling, time.process_time() - all_threads
        own, work = min(own, calling), min(work, all_threads - calling)
    print(f"overhead, {name}: {1000 * own:.2f} ms of {1000 * work:.0f} ms of processor time, {100 * own / work:.2f} %")
    measured(f"python_overhead.{key}", 100 * own / work)


overhead("ica", "ICA", lambda: landfall.ICA(20).fit(left))
overhead("lda", "LDA", lambda: landfall.LDA(9, ridge=1.0).fit(left, np.arange(len(left)) % 10))
overhead("cca", "CCA, landing", lambda: landfall.CCA(5, ridge=1e-3, method="landing").fit(left, right))
overhead("cca_exact", "CCA, exact", lambda: landfall.CCA(5, ridge=1e-3, method="exact").fit(left, right))


def against_the_program():
    """The same fit by the program, from files, in turn with that of Python: processor time of both, the least of several runs. That of the
    program has its start and the reading of files in it."""
    import resource

    def children():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    python, program = float("inf"), float("inf")
    with tempfile.TemporaryDirectory() as scratch:
        files = [pathlib.Path(scratch) / name for name in ("left.npy", "right.npy")]
        for file, view in zip(files, (left, right)):
            np.save(file, view)
        command = [arguments.build / "landfall", "cca", *files, "-p", "5", "--ridge", "1e-3", "--method", "landing", "--json"]
        for _ in range(7):
            began = time.process_time()
            landfall.CCA(5, ridge=1e-3, method="landing").fit(left, right)
            python = min(python, time.process_time() - began)
            began = children()
            subprocess.run(command, check=True, capture_output=True)
            program = min(program, children() - began)
    print(f"CCA by landing: {python:.2f} s of processor time, the program {program:.2f} s, ratio {python / program:.3f}")
    measured("python_over_program.cca", python / program)


against_the_program()

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
