"""bench/streams.py PROGRAM FOLDER: bench_streams beside numpy, pandas and scikit-learn on the same files.

Both sides read a file in turn, each round starting with another one, and take the time themselves, inside: no side pays
for starting a process. One thread each. FOLDER holds the files, which are made where missing.
"""
import os
import statistics
import subprocess
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
import pandas as pd
from sklearn.datasets import load_svmlight_file

SCALAR = {"single": np.float32, "double": np.float64}


def loadtxt(path, scalar):
    return np.loadtxt(path, delimiter=",", dtype=SCALAR[scalar])


def read_csv(path, scalar):
    return pd.read_csv(path, header=None, dtype=SCALAR[scalar], engine="c").to_numpy()


def load_svmlight(path, scalar):
    return load_svmlight_file(path, dtype=SCALAR[scalar])[0]


class Ours:
    def __init__(self, program):
        self.process = subprocess.Popen([program, "text"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, form, path, scalar, threads=1):
        print(form, scalar, path, threads, file=self.process.stdin, flush=True)
        seconds, busy, rows, _ = self.process.stdout.readline().split()
        return float(seconds), float(busy), int(rows)


def timed(reader, path, scalar):
    begin, busy = time.perf_counter(), time.thread_time()
    data = reader(path, scalar)
    return time.perf_counter() - begin, time.thread_time() - busy, data.shape[0]


def compare(ours, form, path, scalar, peers, rounds, most_seconds):
    readers = {"landfall": lambda: ours(form, path, scalar)}
    for key, reader in peers.items():
        readers[key] = lambda reader=reader: timed(reader, path, scalar)
    names = list(readers)
    seen = {name: [] for name in names}
    start = time.perf_counter()
    for turn in range(rounds):
        if turn >= 3 and time.perf_counter() - start > most_seconds:
            break
        for i in range(len(names)):
            name = names[(i + turn) % len(names)]
            seen[name].append(readers[name]())
    assert len({rows for results in seen.values() for _, _, rows in results}) == 1, "different numbers of rows"
    size = os.path.getsize(path) / 1e6
    mine = seen["landfall"]
    print(f"{os.path.basename(path)} ({size:.0f} MB, {scalar}): {size / min(m[0] for m in mine):.0f} MB/s (best)")
    for key in peers:
        pairs = list(zip(seen[key], mine))
        paired = statistics.median(theirs[0] / our[0] for theirs, our in pairs)
        best = min(theirs[0] for theirs, _ in pairs) / min(our[0] for _, our in pairs)
        busy = statistics.median(theirs[1] / our[1] for theirs, our in pairs)
        label = f"{form}_over_{key}.{scalar}"
        print(f"  {key} takes {paired:.2f} times as long ({best:.2f} by the best, {busy:.2f} by the processor's time)")
        print(f"measured {label} {paired:.4g}\nmeasured {label}.best {best:.4g}\nmeasured {label}.busy {busy:.4g}")


def two_threads(ours, path, scalar, rounds=7):
    """How many times as long one thread takes as two, and how many times as much of the calling thread."""
    pairs = [(ours("csv", path, scalar), ours("csv", path, scalar, 2)) for _ in range(rounds)]
    elapsed = statistics.median(one[0] / two[0] for one, two in pairs)
    busy = statistics.median(one[1] / two[1] for one, two in pairs)
    print(f"{os.path.basename(path)}: one thread takes {elapsed:.2f} times as long as two ({busy:.2f} by the time of the calling thread)")
    print(f"measured csv_threads.{scalar} {elapsed:.4g}\nmeasured csv_threads.{scalar}.busy {busy:.4g}")


def main(program, folder):
    os.makedirs(folder, exist_ok=True)
    path = lambda name: os.path.join(folder, name)
    if not os.path.exists(path("rows.svm")):  # the last one made
        subprocess.run([program, "make", folder], check=True)
    for question in ("npy", "wait"):
        print(subprocess.run([program, question, folder], check=True, text=True, stdout=subprocess.PIPE).stdout, end="")
    ours = Ours(program)
    tables = {"loadtxt": loadtxt, "pandas": read_csv}
    compare(ours, "csv", path("single.csv"), "single", tables, 5, 20)
    compare(ours, "csv", path("double.csv"), "double", tables, 5, 20)
    for scalar in SCALAR:
        two_threads(ours, path(f"{scalar}.csv"), scalar)
    compare(ours, "svmlight", path("rows.svm"), "double", {"sklearn": load_svmlight}, 7, 20)


main(*sys.argv[1:])
