#!/usr/bin/python3
"""bench/cca.py BUILD FOLDER [--quick] [PART...]: stochastic CCA on split MNIST and Fashion-MNIST, ours beside CCA-EY and the
paper's online landing, all on the same batches and by the same measure (bench_cca).

Ours runs with its defaults. The baselines' settings are chosen in hindsight: the best of a grid on seed 0, by kind and
number of passes, runs on all seeds. CCA-EY gets the cosine that ours has, since a constant rate (its authors', tried for
p = 5 too) serves it less well. FOLDER holds the data, made where missing. PART is mnist:5, mnist:10, fashion:5, fashion:10
(the data and p) or limits (other p, batches and scales on MNIST); all of them by default, without p = 10 when quick.
"""
import itertools
import json
import math
import os
import statistics
import subprocess
import sys
import time

from peers import Goals, limit_threads, split_images

limit_threads(1)

import numpy as np

PASSES = (1, 2, 4, 8, 10)
LEAST = {"mnist": {1: .996, 2: .998, 4: .9993, 10: .9999}, "fashion": {1: .995, 2: .998, 4: .999, 10: .9997}}
RATES = {"sgd": (.001, .002, .005, .01, .015, .02, .03, .05), "momentum": (.001, .003, .005, .01, .02, .03, .05, .1),
         "adam": (.002, .005, .01, .015, .02, .03, .05, .1)}
ONLINE_STEPS = (.002, .005, .01, .02, .03, .05, .07, .1)
KINDS = ("CCA-EY, SGD", "CCA-EY, Adam")


class Contest:
    """A bench_cca that answers questions."""

    def __init__(self, build, folder, precision):
        self.process = subprocess.Popen([os.path.join(build, "bench", "bench_cca"), folder, precision], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, *words):
        print(*words, file=self.process.stdin, flush=True)
        answers = []
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError(f"bench_cca ended at: {words}")
            if not line.strip():
                return answers
            parts = line.split()
            answers.append({key: value if key == "learner" else float(value) for key, value in zip(parts[::2], parts[1::2])})

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def ours(contest, p, passes, seeds, best):
    """Fractions by passes and seed, the worst infeasibility and the median seconds of the longest runs."""
    fraction, far, seconds = {}, [], []
    for count, seed in itertools.product(passes, seeds):
        answer, = contest.ask("landing", p, count, 0, seed)
        assert abs(answer["own"] - answer["sum"]) < 1e-4 * best, "what the fit says differs from what was measured"
        fraction.setdefault(count, []).append(answer["sum"] / best)
        if count == passes[-1]:
            far.append(answer["infeasibility"])
            seconds.append(answer["seconds"])
    return fraction, max(far), statistics.median(seconds)


class Baseline:
    """What a baseline reached under many settings."""

    def __init__(self):
        self.fraction = {}  # setting, seed -> {passes: fraction}; a setting is a tuple

    def add(self, setting, seed, passes, value):
        self.fraction.setdefault((setting, seed), {})[passes] = value if math.isfinite(value) else 0

    def ranked(self, passes, seeds, kind=None):
        """Settings (of one kind) by their mean over the seeds, the best first."""
        means = {}
        for setting in {s for s, _ in self.fraction}:
            values = [self.fraction.get((setting, seed), {}).get(passes) for seed in seeds]
            if (kind is None or kind_of(setting) == kind) and None not in values:
                means[setting] = statistics.mean(values)
        return sorted(means, key=means.get, reverse=True)


def run_ey(baseline, contest, p, best, seed, settings):
    """Settings: (batch, schedule, passes, learner); of a constant rate all numbers of passes at once."""
    groups = {}
    for batch, schedule, passes, learner in settings:
        groups.setdefault((batch, schedule, passes), []).append(learner)
    for (batch, schedule, passes), learners in sorted(groups.items()):
        missing = [name for name in learners if ((batch, schedule, passes, name), seed) not in baseline.fraction]
        if missing:
            for answer in contest.ask("ey", p, passes, batch, seed, schedule, *missing):
                baseline.add((batch, schedule, passes, answer["learner"]), seed, int(answer["passes"]), answer["sum"] / best)


def kind_of(setting):
    return "CCA-EY, Adam" if setting[3].startswith("adam") else "CCA-EY, SGD"


def best_ey(contest, p, passes, seeds, best, quick):
    """Kind and passes -> (fractions by seed, setting)."""
    names = [f"{kind}:whole:{rate}" for kind, rates in RATES.items() for rate in (rates[1:-1] if quick else rates)]
    halves = [name.replace("whole", "halves") for name in names if name.startswith("adam")]
    baseline, first = Baseline(), seeds[0]
    wide = p == 5 and not quick
    if wide:
        run_ey(baseline, contest, p, best, first, [(128, "constant", 10, name) for name in names])
    run_ey(baseline, contest, p, best, first, [(128, "cosine", count, name) for count in passes if count < 10
                                            for name in names + halves])

    def leaders(number=1):
        return {(count, setting) for kind, count in itertools.product(KINDS, passes)
                for setting in baseline.ranked(count, [first], kind)[:number]}

    # The rates that are best for 8 passes for 10, and those that are best with batches of 128 with others.
    run_ey(baseline, contest, p, best, first, [(128, "cosine", 10, setting[3]) for count, setting in leaders(3) if count == 8])
    if wide:
        run_ey(baseline, contest, p, best, first, {(batch, "cosine", count, setting[3]) for batch in (64, 256)
                                                for count, setting in leaders() if setting[1] == "cosine"})
    shortlist = {setting for _, setting in leaders()}
    for seed in seeds[1:]:
        run_ey(baseline, contest, p, best, seed, shortlist)
    found = {}
    for kind, count in itertools.product(KINDS, passes):
        setting = baseline.ranked(count, seeds, kind)[0]
        found[kind, count] = [baseline.fraction[setting, seed][count] for seed in seeds], setting
    return found


def best_online(contest, p, passes, seeds, best, quick):
    """Passes -> (fractions by seed, setting, infeasibility)."""
    baseline, far = Baseline(), {}

    def run(setting, seed):
        for answer in contest.ask("online", p, passes[-1], setting[0], seed, setting[1]):
            baseline.add(setting, seed, int(answer["passes"]), answer["sum"] / best)
            far[setting, seed, int(answer["passes"])] = answer["infeasibility"]

    batches = (128, 512) if p == 5 and not quick else (128,)  # 512 is the paper's
    for setting in itertools.product(batches, ONLINE_STEPS[::2] if quick else ONLINE_STEPS):
        run(setting, seeds[0])
    first = {count: baseline.ranked(count, seeds[:1])[0] for count in passes}
    for setting, seed in itertools.product(set(first.values()), seeds[1:]):
        run(setting, seed)
    return {count: ([baseline.fraction.get((setting, seed), {}).get(count, 0) for seed in seeds], setting,
                    far[setting, seeds[0], count]) for count, setting in first.items()}


def describe(setting):
    batch, schedule, _, learner = setting
    optimizer, part, rate = learner.split(":")
    return f"{optimizer} {rate} {part} {schedule} r={batch}"


def compare(name, p, contests, quick, goals):
    passes = (1, 2, 4) if quick else PASSES
    seeds = range(2) if quick else range(5)
    few = seeds[:1] if quick else seeds[:2]  # in double
    passes_double = [count for count in passes if count != 8]
    single, double = contests["float"], contests["double"]
    exact, exact_double = (contest.ask("exact", p)[0] for contest in (single, double))
    best = exact_double["sum"]
    fraction, far, seconds = ours(single, p, passes, seeds, best)
    fraction_double, far_double, seconds_double = ours(double, p, passes_double, few, best)
    ey = best_ey(single, p, passes, seeds, best, quick)
    online = best_online(single, p, passes, seeds, best, quick)
    chosen = {count: max((ey[kind, count] for kind in KINDS), key=lambda found: statistics.mean(found[0]))
              for count in passes}
    ey_double = Baseline()
    for seed in few:
        run_ey(ey_double, double, p, best, seed, {chosen[count][1] for count in passes_double})

    mean = statistics.mean
    print(f"\n{name}, p = {p}: exact sum {best:.6f}; fractions of it, {len(seeds)} seeds")
    print(f"{'passes':>6} | {'ours: worst, mean':>19} | {'in double':>19} | {'CCA-EY: mean, best':>19} | {'in double':>9} | "
          f"{'online: mean, best':>19} | error, ours / CCA-EY: means, worst / best, double")
    for count in passes:
        mine, mine_double = fraction[count], fraction_double.get(count, [])
        theirs, setting = chosen[count]
        theirs_double = [ey_double.fraction[setting, seed][count] for seed in few] if mine_double else []
        error = lambda a, b: (1 - a) / (1 - b)
        ratio, hardest = error(mean(mine), mean(theirs)), error(min(mine), max(theirs))
        ratio_double = error(mean(mine_double), mean(theirs_double)) if mine_double else math.nan
        in_double = f"{min(mine_double):.7f} {mean(mine_double):.7f}" if mine_double else "-"
        theirs_in_double = f"{mean(theirs_double):.7f}" if mine_double else "-"
        paper = online[count][0]
        print(f"{count:6} | {min(mine):.7f} {mean(mine):.7f} | {in_double:>19} | {mean(theirs):.7f} {max(theirs):.7f} | "
              f"{theirs_in_double:>9} | {mean(paper):.7f} {max(paper):.7f} | {ratio:.2g}, {hardest:.2g}, {ratio_double:.2g}")
        if count in LEAST[name]:
            goals.add(f"{name} p={p} after {count}: ours, worst of seeds and precisions", min(mine + mine_double),
                      least=LEAST[name][count])
        if count < 10:
            goals.add(f"{name} p={p} after {count}: error / best CCA-EY's, means", ratio, most=.5)
    for (kind, count), (values, setting) in ey.items():
        print(f"  {kind:12} after {count:2}: mean {mean(values):.6f} best {max(values):.6f}  ({describe(setting)})")
    for count, (values, setting, distance) in online.items():
        print(f"  online       after {count:2}: mean {mean(values):.6f} best {max(values):.6f}  "
              f"(step {setting[1]} r={setting[0]}, ||X'BX - I|| {distance:.2g})")
    last = passes[-1]
    setting = chosen[last][1]
    alone = single.ask("ey", p, last, setting[0], 0, setting[1], setting[3])[-1]["seconds"]
    alone_online = single.ask("online", p, last, online[last][1][0], 0, online[last][1][1])[-1]["seconds"]
    print(f"  ||X'BX - I|| of ours after {last} passes, worst: {far:.2e}, {far_double:.2e} in double")
    print(f"  seconds of {last} passes: ours {seconds:.2f} ({seconds_double:.2f} in double), CCA-EY {alone:.2f}, "
          f"online {alone_online:.2f}; exact {exact['seconds']:.2f} ({exact_double['seconds']:.2f} in double); "
          f"the mean, which all take first, {exact['read']:.2f}", flush=True)
    goals.add(f"{name} p={p} after {last}: infeasibility, worst", max(far, far_double), most=1e-3)


def extremes(contest, seeds, goals):
    """Other p and batches on MNIST."""
    for p, passes, least in ((20, 4, .995), (50, 10, .98), (1, 4, .99)):
        best = contest.ask("exact", p)[0]["sum"]
        worst = min(contest.ask("landing", p, passes, 0, seed)[0]["sum"] for seed in seeds) / best
        goals.add(f"mnist p={p} after {passes}: worst", worst, least=least)
    for p in 5, 10:
        best = contest.ask("exact", p)[0]["sum"]
        for batch, least in ((16, .998), (64, .998), (256, .998), (2048, .995)):
            worst = min(contest.ask("landing", p, 4, batch, seed)[0]["sum"] for seed in seeds) / best
            goals.add(f"mnist p={p} batch {batch} after 4: worst", worst, least=least)


def rescaled(build, folder, seeds, goals):
    """Columns times random factors between 1e-4 and 1e4: nothing may change with unit variance."""
    out = os.path.join(os.path.dirname(folder), "rescaled")
    os.makedirs(out, exist_ok=True)
    draws = np.random.default_rng(0)
    for side in "left.npy", "right.npy":
        rows = np.load(os.path.join(folder, side))
        np.save(os.path.join(out, side), rows * (10 ** draws.uniform(-4, 4, rows.shape[1])).astype(rows.dtype))
    totals = []
    for data in folder, out:
        contest = Contest(build, data, "float")
        totals.append([contest.ask("scaled", 5, 4, 0, seed)[0]["own"] for seed in seeds])
        contest.close()
    exact = subprocess.run([os.path.join(build, "landfall"), "cca", f"{folder}/left.npy", f"{folder}/right.npy", "-p", "5",
                            "--method", "exact", "--scale", "--json", "--quiet"], check=True, stdout=subprocess.PIPE).stdout
    best = json.loads(exact)["total_correlation"]
    fractions = [" ".join(f"{total / best:.4f}" for total in each) for each in totals]
    print(f"mnist with columns of unit variance, p = 5, after 4: fractions of the exact sum {fractions[0]}, rescaled first "
          f"{fractions[1]}", flush=True)
    changes = [abs(b / a - 1) for a, b in zip(*totals)]
    goals.add("mnist p=5 rescaled: change of the total correlation, worst", max(changes), most=.01)


def main():
    quick = "--quick" in sys.argv
    build, folder, *parts = [a for a in sys.argv[1:] if not a.startswith("-")]
    parts = parts or ["mnist:5", "fashion:5", "limits"] + ([] if quick else ["mnist:10", "fashion:10"])
    begin = time.perf_counter()
    goals = Goals()
    os.makedirs(folder, exist_ok=True)
    for part in parts:
        name, _, p = part.partition(":")
        data = split_images(build, folder, "mnist" if name == "limits" else name)
        if data is None:
            continue
        contests = {precision: Contest(build, data, precision) for precision in ("float", "double")}
        if name == "limits":
            extremes(contests["float"], range(1 if quick else 2), goals)
            rescaled(build, data, range(1 if quick else 2), goals)
        else:
            compare(name, int(p), contests, quick, goals)
        for contest in contests.values():
            contest.close()
    goals.show()
    print(f"({time.perf_counter() - begin:.0f} s)")


main()
