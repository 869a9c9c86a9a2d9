#!/usr/bin/python3
"""bench/ica.py BUILD [ROUNDS]: landfall's ICA against scikit-learn's FastICA with its defaults on the paper's mixture
(100 000 x 10), seeds 0 to 4, in turn in one run. Both read the same .npy file within the clock."""
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
from sklearn.decomposition import FastICA


def amari(unmixing, mixing):
    r = (unmixing @ mixing) ** 2
    rows = (r.sum(1) / r.max(1) - 1).sum()
    cols = (r.sum(0) / r.max(0) - 1).sum()
    return (rows + cols) / (2 * len(r))


def ours(build, folder, seed, precision):
    line = subprocess.run([os.path.join(build, "bench", "bench_ica"), folder, str(seed), precision],
                          check=True, capture_output=True, text=True).stdout
    return tuple(map(float, line.split()))


def fast_ica(folder, seed, precision):
    begin = time.perf_counter()
    data = np.load(f"{folder}/{seed}/data.npy").astype(np.dtype(precision), copy=False)
    model = FastICA(whiten="unit-variance", random_state=seed).fit(data)
    seconds = time.perf_counter() - begin
    return seconds, amari(model.components_, np.load(f"{folder}/{seed}/mixing.npy"))


def main():
    build, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 9
    with tempfile.TemporaryDirectory() as folder:
        for precision in "float", "double":
            times, distances = [], []
            for turn in range(rounds):
                seed = turn % 5
                if turn < 5:
                    ours(build, folder, seed, precision)  # makes the data
                sides = [lambda: ours(build, folder, seed, precision), lambda: fast_ica(folder, seed, precision)]
                if turn % 2:
                    theirs, mine = sides[1](), sides[0]()
                else:
                    mine, theirs = sides[0](), sides[1]()
                times.append((mine[0], theirs[0]))
                distances.append((mine[1], theirs[1]))
                print(f"{precision} seed {seed}: landfall {1e3 * mine[0]:.0f} ms, Amari {mine[1]:.3e}; FastICA "
                      f"{1e3 * theirs[0]:.0f} ms, Amari {theirs[1]:.3e}")
            print(f"measured fastica_over_ica.{precision} {statistics.median(b / a for a, b in times):.4g}")
            print(f"measured ica_amari_over_fastica.{precision} {max(a / b for a, b in distances):.4g}")


main()
