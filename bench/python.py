"""The Python package side by side with what it stands on and what it replaces.

    bench/python.py BUILD [--rows 20000] [--images FOLDER]

1. overhead: processor time of Python against that of the C++ fit inside it; and Python against the program
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


def best(work, times=5, clock=time.perf_counter):
    """The least of several runs, in seconds, and the last result."""
    least, result = float("inf"), None
    for _ in range(times):
        began = clock()
        result = work()
        least = min(least, clock() - began)
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
    """Processor time of the process outside the C++ fit, which checks and converts arguments and results, over that of the C++ fit. Both are the
    least of several runs: other processes can only add to them. The caller wakes every 50 ms during the fit to look at signals; these
    microseconds count as the fit's."""
    own, work = float("inf"), float("inf")
    for _ in range(11):
        began = time.process_time()
        inside = fit()._result["processor_seconds"]
        own, work = min(own, time.process_time() - began - inside), min(work, inside)
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

# Without cross-validation, which scikit-learn's side does not make either; what it costs is shown.
ours, model = best(lambda: landfall.CCA(5, ridge=1e-3, folds=0).fit(left, right), clock=time.process_time)
tested, _ = best(lambda: landfall.CCA(5, ridge=1e-3).fit(left, right), clock=time.process_time)
theirs, other = best(lambda: CCA(n_components=5, scale=False, max_iter=500).fit(left, right), 1, clock=time.process_time)
scores = other.transform(left, right)
found = sum(np.corrcoef(a, b)[0, 1] for a, b in zip(scores[0].T, scores[1].T))
print(f"CCA, p = 5, processor time: {ours:.3f} s ({model.method_}), scikit-learn {theirs:.1f} s, ratio {theirs / ours:.0f} "
      f"({theirs / tested:.0f} with cross-validation); "
      f"total correlation {model.correlations_.sum():.4f}, scikit-learn {found:.4f}")

measured("sklearn_over_cca", theirs / ours)

rng = np.random.default_rng(0)
sources = rng.laplace(size=(100_000, 10))
mixtures = sources @ rng.standard_normal((10, 10))
mine, ica = best(lambda: landfall.ICA().fit(mixtures), clock=time.process_time)
fast, fastica = best(lambda: FastICA(whiten="unit-variance", random_state=0).fit(mixtures), clock=time.process_time)
print(f"ICA, 100000 x 10, processor time: {mine:.3f} s, FastICA {fast:.3f} s, ratio {fast / mine:.1f}")
measured("fastica_over_python_ica", fast / mine)

SCRIPT = """
import os, signal, threading, time
import landfall, numpy as np
def interrupt():
    global sent
    sent = time.perf_counter()
    os.kill(os.getpid(), signal.SIGINT)
landfall.CCA(1).fit(np.eye(9)[:, :4], np.eye(9)[:, 2:6])  # everything is imported now
x = np.random.default_rng(0).standard_normal(SHAPE, dtype=np.float32)
threading.Timer(AFTER, interrupt).start()
try:
    while True:
        FIT
except KeyboardInterrupt:
    print(time.perf_counter() - sent)
"""
environment = os.environ | {"PYTHONPATH": str(arguments.build / "python")}
# With 2000 columns a call of LAPACK takes about a second: the interrupts come at several moments of it.
CASES = {
    "exact": ((60000, 300), [0.3] * 5, "landfall.CCA(2, method='exact').fit(x, x[:, ::-1])"),
    "landing": ((60000, 300), [0.3] * 5, "landfall.CCA(2, method='landing', passes=500).fit(x, x[:, ::-1])"),
    "exact_2000": ((4000, 4000), [1.0, 2.0, 3.0, 4.0], "landfall.CCA(2, method='exact', folds=0).fit(x[:, :2000], x[:, 2000:])"),
    "lda_2000": ((4000, 2000), [0.5, 1.0, 1.5, 2.0], "landfall.LDA(2, method='exact').fit(x, np.arange(len(x)) % 5)"),
    "landing_2000": ((8000, 4000), [1.0, 2.0, 3.0, 4.0], "landfall.CCA(2, method='landing').fit(x[:, :2000], x[:, 2000:])"),
    "gevp_2000": ((2000, 2000), [0.5, 1.0, 1.5, 2.0], "landfall.gevp(x + x.T, np.eye(2000), 3, method='direct')"),
}
for case, (shape, moments, fit) in CASES.items():
    waits = []
    for after in moments:
        script = SCRIPT.replace("SHAPE", repr(shape)).replace("AFTER", repr(after)).replace("FIT", fit)
        waits.append(float(subprocess.run([sys.executable, "-W", "ignore", "-c", script], env=environment, text=True, capture_output=True,
                                          check=True).stdout))
    print(f"Ctrl-C during {case}: {1000 * max(waits):.0f} ms at most of {len(waits)}")
    measured(f"interrupt_ms.{case}", 1000 * max(waits))
start = "import time; t = time.perf_counter(); import landfall; landfall.version = landfall.__version__; print(time.perf_counter() - t)"
imports = [float(subprocess.run([sys.executable, "-c", start], env=environment, text=True, capture_output=True, check=True).stdout) for _ in range(5)]
print(f"import landfall: {1000 * min(imports):.0f} ms")
measured("import_ms", 1000 * min(imports))
