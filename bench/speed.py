#!/usr/bin/python3
"""bench/speed.py BUILD FOLDER [--quick] [--cpu] [--old PROGRAM]: how long landing takes beside its own matrix products, beside
one thread, beside the exact method for more and more columns, beside reading a sparse file, and beside an older program.
Sides alternate; a figure is a ratio of the best of five rounds. FOLDER holds the data and the chart, crossing.png.
--quick: at most 1536 columns. --cpu: seconds of the processor, with one thread on all sides, for a machine with other work."""
import argparse
import json
import os
import resource
import subprocess
import sys
import time

from peers import Goals, split_images

P, GUARD, PROBES, BATCH = 5, 15, 16, 512  # of `landfall cca -p 5` by default (models/fit/defaults.cpp)
ROUNDS = 5
WIDTHS = 250, 500, 1000, 1536, 2000, 4000, 8000
CPU = False


def clock():
    """Seconds: of the wall, or of the processor that the programs we started have used."""
    if not CPU:
        return time.perf_counter()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def planted(program, folder, n, rows):
    """Two views with n columns whose variances fall like those of images."""
    out = f"{folder}/power-{n}-{rows}"
    if not os.path.exists(f"{out}/correlations.npy"):
        subprocess.run([program, "data", "planted-cca", out, "-N", str(rows), "--left", str(n), "--right", str(n),
                        "--spectrum", "power", "-p", "10"], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    return out


def sparse(program, folder, rows):
    out = f"{folder}/sparse-{rows}"
    if not os.path.exists(f"{out}/correlations.npy"):
        subprocess.run([program, "data", "planted-cca", out, "-N", str(rows), "--left", "20000", "--right", "20000",
                        "--nonzeros", "50"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return out


def cca(program, data, *more):
    """The summary of a run, with the seconds of the whole process."""
    end = "npy" if os.path.exists(f"{data}/left.npy") else "svm"
    begin = clock()
    command = [program, "cca", f"{data}/left.{end}", f"{data}/right.{end}", "-p", str(P), "--json", "--quiet", "--memory", "12GiB",
               *(["--threads", "1"] if CPU else []), *more]
    run = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    summary = json.loads(run.stdout)
    summary["process"] = clock() - begin
    return summary


def landing(program, data, passes, *more):
    return cca(program, data, "--method", "landing", "--passes", str(passes), *more)


def interleaved(sides, rounds=ROUNDS):
    """The least of what each side returns over the rounds."""
    best = [float("inf")] * len(sides)
    for turn in range(rounds):
        order = range(len(sides)) if turn % 2 else reversed(range(len(sides)))
        for side in order:
            best[side] = min(best[side], sides[side]())
    return best


def pass_seconds(program, data, threads, few, many):
    """Of one pass: the difference of two runs. The first pass and a part of one after it make steps, whole ones after it measure
    (docs/method.md)."""
    options = ("--ridge", "1e-3") if CPU else ("--threads", str(threads), "--ridge", "1e-3")
    return lambda: (landing(program, data, many, *options)["process"] -
                    landing(program, data, few, *options)["process"]) / (many - few)


PRODUCTS = """
import sys, time
import numpy as np
rows, n, batch, c, probes, steps, cpu = map(int, sys.argv[1:])
clock = time.process_time if cpu else time.perf_counter
random = np.random.default_rng(0)
a = random.standard_normal((8 * batch, n), dtype=np.float32)  # several batches, as a pass does not find one in the cache
x = random.standard_normal((n, 2 * c + probes if steps else c), dtype=np.float32)
w = random.standard_normal((batch, 4 * c if steps else 2 * c), dtype=np.float32)
k, r = random.standard_normal((n, n), dtype=np.float32), random.standard_normal((n, c), dtype=np.float32)
seconds = []
for turn in range(6):
    begin = clock()
    for i in range(8):
        rows_of_batch = a[i * batch:(i + 1) * batch]
        rows_of_batch @ x
        rows_of_batch.T @ w
        if steps:
            k @ r
    seconds.append(clock() - begin)
print(2 * min(seconds) / 8 * rows / batch)
"""


def product_seconds(n, rows, threads, kernels, steps):
    """Of the products of a pass with or without steps, for both views, by numpy with the same kernels and as many threads."""
    names = "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"
    environment = os.environ | {name: str(threads) for name in names} | {"OPENBLAS_CORETYPE": kernels}
    command = [sys.executable, "-c", PRODUCTS, *(str(int(word)) for word in (rows, n, BATCH, P + GUARD, PROBES, steps, CPU))]
    return lambda: float(subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, env=environment).stdout)


def kernels_of(program):
    told = subprocess.run([program, "--version"], check=True, text=True, stdout=subprocess.PIPE).stdout
    return told.split(" with ")[1].split()[0]


def varying_columns(data):
    """Of each view on average: constant columns are left out before anything is multiplied."""
    import numpy as np

    views = [np.load(f"{data}/{side}.npy", mmap_mode="r") for side in ("left", "right")]
    return sum(int((view.max(axis=0) > view.min(axis=0)).sum()) for view in views) // 2


def passes_and_threads(program, sets, cores, goals):
    for data, n, rows in sets:
        wide = varying_columns(data)
        for kind, steps, few, many in (("with steps", True, 1, 1.5), ("that measures", False, 4, 8)):
            sides = [pass_seconds(program, data, cores, few, many), product_seconds(wide, rows, cores, kernels_of(program), steps)]
            if cores > 1:
                sides.append(pass_seconds(program, data, 1, few, many))
            all_threads, bare, one = (*interleaved(sides), None)[:3]
            print(f"n = {n}, {rows} rows: a pass {kind} takes {all_threads:.3f} s with {cores} threads, its products {bare:.3f} s" +
                  (f"; with one thread {one:.3f} s" if one else ""), flush=True)
            goals.add(f"a pass {kind} / its products, time, n = {n}", all_threads / bare, most=2)
            if cores > 1:
                goals.add(f"one thread / {cores}, time of a pass {kind}, n = {n}", one / all_threads, least=1.7)


def crossing(program, folder, widths, goals):
    """Whole runs until landing has 0.999 of the exact total, and of exact."""
    points = []
    for n in widths:
        rows = min(50000, 200_000_000 // n)
        data = planted(program, folder, n, rows)
        best = cca(program, data, "--method", "exact")["regularized_total"]
        passes = next((t for t in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
                       if landing(program, data, t)["regularized_total"] >= 0.999 * best), None)
        if passes is None:
            print(f"n = {n}: landing has less than 0.999 of the exact total after 32 passes")
            continue
        rounds = ROUNDS if n <= 2000 else 2
        exact, landed = interleaved([lambda: cca(program, data, "--method", "exact")["process"],
                                     lambda: landing(program, data, passes)["process"]], rounds)
        print(f"n = {n}, {rows} rows: exact {exact:.2f} s, landing {landed:.2f} s ({passes} passes)", flush=True)
        points.append((n, exact, landed))
        if n >= 1000:
            goals.add(f"exact / landing to 0.999 of it, time, n = {n}", exact / landed, least=10 if n == 8000 else 1)
    return points


def draw(points, path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4))
    widths = [n for n, _, _ in points]
    axes.loglog(widths, [exact for _, exact, _ in points], "o-", label="exact")
    axes.loglog(widths, [landed for _, _, landed in points], "s-", label="landing, to 0.999 of exact")
    axes.set(xlabel="columns of each view", ylabel="seconds")
    axes.set_xticks(widths, [str(n) for n in widths])
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, dpi=150)


def against_old(program, old, sets, goals):
    for data, passes, name in sets:
        fractions = {}

        def side(which):
            def run():
                summary = landing(which, data, passes, "--ridge", "1e-3")
                fractions[which] = summary["regularized_total"]
                return summary["process"]
            return run
        ours, theirs = interleaved([side(program), side(old)])
        print(f"{name}: {ours:.2f} s, total {fractions[program]:.6f}; the old program {theirs:.2f} s, {fractions[old]:.6f}")
        goals.add(f"old program / this one, time, {name}", theirs / ours, least=4)


def sparse_pass(program, folder, goals):
    data = sparse(program, folder, 400000)

    def info():
        begin = clock()
        for side in "left", "right":
            subprocess.run([program, "data", "info", f"{data}/{side}.svm"], check=True, stdout=subprocess.DEVNULL)
        return clock() - begin
    reading, one, three = interleaved([info, lambda: landing(program, data, 1, "--ridge", "1e-3")["process"],
                                       lambda: landing(program, data, 3, "--ridge", "1e-3")["process"]], 3)
    print(f"sparse: reading the files {reading:.2f} s, a pass {(three - one) / 2:.2f} s")
    goals.add("sparse, 20000 + 20000 columns: a pass / reading the files, time", (three - one) / 2 / reading, most=2)


def main():
    global CPU
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("folder")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--old", metavar="PROGRAM")
    given = parser.parse_args()
    CPU = given.cpu
    program = os.path.join(given.build, "landfall")
    os.makedirs(given.folder, exist_ok=True)
    goals = Goals()
    cores = 1 if CPU else len(os.sched_getaffinity(0))
    print(subprocess.run([program, "--version"], check=True, text=True, stdout=subprocess.PIPE).stdout.strip())
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {cores} cores")
    mnist = split_images(given.build, given.folder, "mnist")
    wide = planted(program, given.folder, 1536, 50000)
    sets = [(wide, 1536, 50000)]
    if mnist:
        sets.insert(0, (mnist, 392, 60000))
    if not given.quick:
        sets.append((planted(program, given.folder, 4096, 20000), 4096, 20000))
    passes_and_threads(program, sets, cores, goals)
    points = crossing(program, given.folder, [n for n in WIDTHS if not given.quick or n <= 1536], goals)
    if points:
        draw(points, f"{given.folder}/crossing.png")
    if given.old:
        against_old(program, given.old, ([(mnist, 4, "MNIST, 4 passes")] if mnist else []) + [(wide, 1, "1536 columns, 1 pass")],
                    goals)
    if not given.quick:
        sparse_pass(program, given.folder, goals)
    goals.show()
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
