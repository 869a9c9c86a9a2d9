#!/usr/bin/python3
"""bench/lda.py BUILD FOLDER: exact LDA (bench_lda) beside scikit-learn's on iris, wine and digits: the largest angle between
the subspaces; and on MNIST the accuracy of landing beside that of the exact method. FOLDER holds the data."""
import os
import subprocess
import sys

from peers import Goals, limit_threads, split_images

limit_threads(1)

import numpy as np
from scipy.linalg import subspace_angles
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis


def ours(build, folder, method, precision, ridge):
    """Seconds, accuracy, weights of FOLDER/data.npy."""
    path = lambda name: os.path.join(folder, name)
    line = subprocess.run([os.path.join(build, "bench", "bench_lda"), path("data.npy"), path("labels.npy"), method, precision,
                           ridge, path("weights.npy")], check=True, stdout=subprocess.PIPE, text=True).stdout
    return *map(float, line.split()), np.load(path("weights.npy"))


def small_sets(build, folder, goals):
    for name, load in ("iris", load_iris), ("wine", load_wine), ("digits", load_digits):
        data = load()
        here = os.path.join(folder, name)
        os.makedirs(here, exist_ok=True)
        np.save(os.path.join(here, "data.npy"), data.data)
        np.save(os.path.join(here, "labels.npy"), data.target.astype(float))
        weights = ours(build, here, "exact", "double", "0")[2]
        kept = np.ptp(data.data, axis=0) > 0  # its eigen solver fails on constant columns
        for solver in "eigen", "svd":
            model = LinearDiscriminantAnalysis(solver=solver).fit(data.data[:, kept], data.target)
            angle = subspace_angles(weights[kept], model.scalings_[:, :len(data.target_names) - 1]).max()
            goals.add(f"{name}: largest angle to scikit-learn's {solver}", angle, most=1e-6)


def mnist(build, folder, goals):
    halves = split_images(build, folder, "mnist")
    if halves is None:
        return
    here = os.path.join(folder, "images")
    os.makedirs(here, exist_ok=True)
    np.save(os.path.join(here, "data.npy"), np.hstack([np.load(f"{halves}/{side}.npy") for side in ("left", "right")]))
    np.save(os.path.join(here, "labels.npy"), np.load(f"{halves}/labels.npy"))
    for precision in "float", "double":
        seconds, accuracy, _ = ours(build, here, "exact", precision, "default")
        seconds_landing, accuracy_landing, _ = ours(build, here, "landing", precision, "default")
        print(f"mnist, {precision}: exact {accuracy:.4f} in {seconds:.2f} s, landing {accuracy_landing:.4f} in "
              f"{seconds_landing:.2f} s")
        goals.add(f"mnist, {precision}: accuracy of exact - of landing", accuracy - accuracy_landing, most=.005)


def main():
    build, folder = sys.argv[1:3]
    goals = Goals()
    small_sets(build, folder, goals)
    mnist(build, folder, goals)
    goals.show()


main()
