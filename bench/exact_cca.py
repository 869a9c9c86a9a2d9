#!/usr/bin/python3
"""bench/exact_cca.py BUILD FOLDER [--quick]: exact CCA of split MNIST by `landfall cca --method exact` beside numpy + scipy
(numpy_cca.py) on the same files with as many threads, and beside scikit-learn's CCA on the first 20000 rows. Whole
processes from start to end, in turn; numpy's time without its imports is shown too. Ours leaves out the cross-validation that
it makes by default (--folds 0), which numpy's side does not make either; what it costs is shown. FOLDER holds the data."""
import json
import os
import statistics
import subprocess
import sys
import time

from peers import Goals, limit_threads, split_images

P = 5


def timed(command):
    begin = time.perf_counter()
    out = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return time.perf_counter() - begin, out


def landfall(build, folder, precision, *more):
    return timed([os.path.join(build, "landfall"), "cca", f"{folder}/left.npy", f"{folder}/right.npy", "-p", str(P),
                  "--method", "exact", "--precision", precision, "--ridge", "1e-3", "--json", "--quiet", *more])


def with_numpy(build, folder, precision, threads, rounds, goals):
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "numpy_cca.py")
    dtype = {"single": "float32", "double": "float64"}[precision]
    ours, folds, theirs, inside, parts = [], [], [], [], []
    for turn in range(rounds + 1):  # the first round warms the page cache
        sides = [lambda: landfall(build, folder, precision, "--threads", str(threads), "--folds", "0"),
                 lambda: timed([sys.executable, script, folder, dtype, str(P)]),
                 lambda: landfall(build, folder, precision, "--threads", str(threads))]
        results = [None, None, None]
        for side in (0, 1, 2) if turn % 2 else (2, 1, 0):
            results[side] = sides[side]()
        (mine, summary), (other, printed), (with_folds, _) = results
        summary = json.loads(summary)
        seconds, total = map(float, printed.split())
        assert abs(summary["total_correlation"] - total) < 1e-3, (summary["total_correlation"], total)
        if turn:
            ours.append(mine)
            folds.append(with_folds)
            theirs.append(other)
            inside.append(seconds)
            parts.append(summary["seconds"])
    middle = lambda key: statistics.median(part[key] for part in parts)
    print(f"{precision}, {threads} thread(s): landfall {statistics.median(ours):.2f} s (first reading {middle('read'):.2f}, "
          f"covariances and LAPACK {middle('solve'):.2f}, evaluation {middle('evaluate'):.2f}), {statistics.median(folds):.2f} s with five "
          f"folds; numpy + scipy "
          f"{statistics.median(theirs):.2f} s, {statistics.median(inside):.2f} without imports", flush=True)
    whole = statistics.median(b / a for a, b in zip(ours, theirs))
    bare = statistics.median(b / a for a, b in zip(ours, inside))
    goals.add(f"numpy + scipy / landfall, {precision}, {threads} thread(s): processes", whole, least=1)
    goals.add("the same, numpy without its imports", bare, least=1.25)


def with_sklearn(build, folder, goals):
    import numpy as np
    from sklearn.cross_decomposition import CCA

    few = os.path.join(folder, "first")
    os.makedirs(few, exist_ok=True)
    views = [np.load(f"{folder}/{side}.npy")[:20000] for side in ("left", "right")]
    for side, rows in zip(("left", "right"), views):
        np.save(f"{few}/{side}.npy", rows)
    ours = {precision: statistics.median(landfall(build, few, precision)[0] for _ in range(3))
            for precision in ("single", "double")}
    begin = time.perf_counter()
    model = CCA(n_components=P).fit(*views)
    theirs = time.perf_counter() - begin
    print(f"the first 20000 rows: landfall, whole processes, {ours['single']:.2f} s in single and {ours['double']:.2f} s in double "
          f"precision, sklearn.cross_decomposition.CCA, fit alone, {theirs:.1f} s ({max(model.n_iter_)} iterations at most)")
    for precision, seconds in ours.items():
        goals.add(f"scikit-learn / landfall, 20000 rows, {precision}", theirs / seconds, least=100)


def main():
    quick = "--quick" in sys.argv
    build, folder = [a for a in sys.argv[1:] if not a.startswith("-")]
    data = split_images(build, folder, "mnist")
    if data is None:
        return
    goals = Goals()
    for threads in (1,) if quick else (1, 2):
        limit_threads(threads)
        for precision in "single", "double":
            with_numpy(build, data, precision, threads, 3 if quick else 7, goals)
    if not quick:
        with_sklearn(build, data, goals)
    goals.show()


main()
