#!/usr/bin/python3
"""bench/plan.py PROGRAM [WORDS]: what `landfall plan` says of time and memory over what the run then takes, on data of
several shapes and formats. With WORDS (separated by commas), the cases whose names have one of them."""
import json
import os
import statistics
import subprocess
import sys
import tempfile

import numpy as np
from sklearn.datasets import dump_svmlight_file
import scipy.sparse


def dense(folder, name, rows, cols, kind):
    path = f"{folder}/{name}.{'csv' if kind == 'csv' else 'npy'}"
    if os.path.exists(path):
        return path
    random = np.random.default_rng(cols)
    factors = random.laplace(size=(rows, 16)).astype(np.float32)
    data = factors @ random.normal(size=(16, cols)).astype(np.float32)
    data += 2 * random.standard_normal(size=(rows, cols), dtype=np.float32)
    if kind == "csv":
        np.savetxt(path, data, "%.6g", ",")
    else:
        np.save(path, np.clip(8 * data + 128, 0, 255).astype(np.uint8) if kind == "uint8" else data)
    return path


def sparse(folder, name, rows, cols):
    path = f"{folder}/{name}.svm"
    if not os.path.exists(path):
        columns = np.minimum(cols * np.random.default_rng(1).random((rows, 50)) ** 3, cols - 1).astype(int)
        matrix = scipy.sparse.csr_matrix((np.ones(columns.size), columns.ravel(), np.arange(0, columns.size + 1, 50)),
                                         (rows, cols))
        matrix.sum_duplicates()
        dump_svmlight_file(matrix, np.arange(rows) % 10, path, zero_based=False)
    return path


def cases(folder):
    """Name, arguments, methods."""
    both = ["exact", "landing"]
    for n, rows, p, kind in ((50, 5000, 2, "float"), (50, 200000, 10, "float"), (400, 5000, 10, "float"),
                             (400, 60000, 2, "float"), (400, 60000, 10, "uint8"), (400, 20000, 10, "csv"),
                             (2000, 10000, 10, "float"), (50, 100000, 2, "csv")):
        name = f"{n}-{rows}-{kind}"
        yield f"cca {name} p={p}", lambda: ["cca", dense(folder, "l" + name, rows, n, kind),
                                            dense(folder, "r" + name, rows, n, kind), "-p", str(p)], both
    for n, rows, kind in (50, 100000, "float"), (400, 60000, "uint8"), (2000, 10000, "float"), (400, 20000, "csv"):
        name = f"{n}-{rows}-{kind}"

        def lda():
            path = dense(folder, "l" + name, rows, n, kind)
            np.save(f"{folder}/labels{rows}.npy", np.arange(rows) % 10)
            return ["lda", path, "--labels", f"{folder}/labels{rows}.npy"]
        yield f"lda {name}", lda, both
    for n, rows, p, kind in ((10, 100000, 10, "float"), (10, 5000, 10, "float"), (50, 100000, 50, "float"),
                             (50, 100000, 10, "csv"), (400, 20000, 2, "csv")):
        name = f"{n}-{rows}-{kind}"
        yield f"ica {name} p={p}", lambda: ["ica", dense(folder, "l" + name, rows, n, kind), "-p", str(p)], ["landing"]
    yield "cca svm 5000 p=5", lambda: ["cca", sparse(folder, "l", 50000, 5000), sparse(folder, "r", 50000, 5000),
                                       "-p", "5"], ["landing"]
    yield "lda svm 5000", lambda: ["lda", sparse(folder, "l", 50000, 5000), "-p", "5"], ["landing"]


def main():
    program, words = sys.argv[1], sys.argv[2].split(",") if len(sys.argv) > 2 else [""]

    def run(arguments):
        return json.loads(subprocess.run([program, *arguments, "--json", "--quiet"], check=True, capture_output=True,
                                         text=True).stdout)
    times, sizes = [], []
    print(f"{'case':28} {'method':8} {'plan s':>8} {'run s':>8} {'ratio':>6} {'plan MiB':>9} {'run MiB':>8} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as made:
        for name, arguments, methods in cases(os.environ.get("PLAN_DATA", made)):
            if not any(word in name for word in words):
                continue
            arguments = arguments()
            plans = {entry["method"]: entry for entry in run(["plan", *arguments])["alternatives"]}
            for method in methods:
                runs = []
                while len(runs) < 3 and sum(one["seconds"]["total"] for one in runs) < 3:
                    runs.append(run([*arguments, "--method", method]))
                seconds = statistics.median(one["seconds"]["total"] for one in runs)
                size = runs[0]["peak_memory_bytes"]
                plan = plans[method]
                times.append(plan["seconds"] / seconds)
                sizes.append(plan["memory_bytes"] / size)
                print(f"{name:28} {method:8} {plan['seconds']:8.3f} {seconds:8.3f} {times[-1]:6.2f} "
                      f"{plan['memory_bytes'] / 2**20:9.0f} {size / 2**20:8.0f} {sizes[-1]:6.2f}", flush=True)
    for what, ratios in ("time", times), ("memory", sizes):
        print(f"measured plan_{what}_worst {max(max(r, 1 / r) for r in ratios):.3g}")


main()
