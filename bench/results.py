#!/usr/bin/env python3
"""bench/results.py PROGRAM FOLDER [OUT] [--sets a,b] [--minutes M]: writes docs/results.md, every method on every data set of
datasets.py after 1, 2 and 4 passes, with `landfall cca`, and tables of ICA and of a pencil.

FOLDER keeps the data and every figure (results.json), so that a run that was stopped continues. Every entry is a process of its own.
Landing runs with five seeds; a baseline too, on data where one of its runs takes less than SHORT seconds, else with one. Totals are those of
rows held out where a data set has some, else the regularized totals of all rows, divided by what `exact` reaches; where exact does
not fit, by the planted total. --minutes: no run starts after so many.
"""
import argparse
import json
import pathlib
import subprocess
import time

import datasets

PASSES = 1, 2, 4
SEEDS = range(5)
SHORT = 5
STREAMED = ["landing", "landing-online", "landing-averaged", "landing-released", "ey-sgd", "ey-adam", "gen-oja-block", "sgha", "eigengame",
            "appgrad-stochastic", "rgd-rolling"]
WIDE = ["landing", "landing-online", "ey-sgd", "ey-adam", "gen-oja-block", "sgha", "eigengame", "appgrad-stochastic"]  # no n x n memory
WHOLE = ["als", "genelink", "rgccalin", "lobpcg", "rgd", "plam"]  # iterate over all rows, by their own criterion
ICA = ["landing", "landing-online", "landing-averaged", "landing-released", "rgd-rolling", "fastica", "picard-o", "infomax", "mm-ica"]
GEVP = ["direct", "lobpcg", "lanczos", "landing", "rgd", "rgd-euclidean", "plam", "pcal", "penalty", "augmented", "fletcher", "cdopt", "cdfcp",
        "pogo", "genelink", "rgccalin"]
LIMIT = 600  # seconds of a run


class Store:
    """Figures by key, kept in a file."""

    def __init__(self, path, minutes):
        self.path = path
        self.end = time.monotonic() + 60 * minutes
        self.figures = json.loads(path.read_text()) if path.exists() else {}

    def get(self, key, measure):
        if key not in self.figures:
            if time.monotonic() > self.end:
                return None
            print(key, flush=True)
            self.figures[key] = measure()
            self.path.write_text(json.dumps(self.figures, indent=0))
        return self.figures[key]


def run(words):
    """The summary that a command prints, or {"failed": why}."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return {"failed": f"over {LIMIT // 60} minutes"}
    if done.returncode != 0:
        return {"failed": done.stderr.strip().split("\n")[-1].removeprefix("landfall: ") or f"exit code {done.returncode}"}
    return json.loads(done.stdout)


def fit(program, folder, options, *more):
    """One run of cca: total, seconds of the fit, infeasibility, memory."""
    summary = run([program, "cca", *datasets.files(folder), "-p", "5", *options, "--json", "--quiet", *more])
    if "failed" in summary:
        return summary
    held = summary.get("held_out_correlations")
    return {"total": sum(held) if held else summary["regularized_total"],
            "seconds": summary["seconds"]["solve"], "infeasibility": max(summary["method_infeasibility"]),
            "mib": summary["peak_memory_bytes"] / 2**20}


def mean(values):
    return sum(values) / len(values)


def shown(share):
    """A share of exact, with more digits near 1."""
    return f"{share:.4f}" if share < 0.9995 else f"1 − {1 - share:.1e}" if share < 1 - 1e-9 else f"{share:.4f}"


def cca_table(program, store, folder, name):
    title, options = datasets.described(name)
    data = datasets.make(program, folder, name)
    wide = name in ("sparse-10000", "sparse-20000", "sparse-200000")
    exact = None if wide else store.get(f"{name} exact", lambda: fit(program, data, options, "--method", "exact", "--folds", "0", "--memory", "12GiB"))
    if wide:
        best = 3.5
    elif not exact or "failed" in exact:
        return []
    else:
        best = exact["total"]
    lines = [f"## {title[0].upper()}{title[1:]}", "",
             f"Options: `{' '.join(['-p 5', *options])}`. " +
             ("Shares of the planted total, 3.5." if wide else f"Exact: {best:.4f}, {exact['seconds']:.2g} s."), "",
             "| method | 1 pass: mean, worst | 2 passes | 4 passes | seeds | seconds | infeasibility | MiB |", "|---|---|---|---|---|---|---|---|"]
    ahead = []
    reference = {}
    for method in (WIDE if wide or name == "log-3000" or name == "sparse-2000" else STREAMED + WHOLE):
        whole = method in WHOLE
        cells, seeds, last = [], 0, None
        for passes in (None,) if whole else PASSES:
            more = [] if whole else ["--passes", str(passes)]
            first = store.get(f"{name} {method} {passes} 0", lambda: fit(program, data, options, "--method", method, *more))
            if first is None:
                continue
            if "failed" in first:
                cells.append("failed")
                continue
            all_runs = [first]
            if not whole and (first["seconds"] < SHORT or method == "landing" and not name.endswith("00000")):
                for seed in SEEDS[1:]:
                    one = store.get(f"{name} {method} {passes} {seed}",
                                    lambda: fit(program, data, options, "--method", method, "--seed", str(seed), *more))
                    if one and "failed" not in one:
                        all_runs.append(one)
            shares = [one["total"] / best for one in all_runs]
            seeds, last = len(all_runs), all_runs
            cells.append(shown(mean(shares)) + (f", {shown(min(shares))}" if seeds > 1 else ""))
            if method == "landing":
                reference[passes] = mean(shares)
            elif not whole and mean(shares) > reference.get(passes, 2) + 1e-7:
                ahead.append(f"{method} after {passes} ({shown(mean(shares))})")
        if not cells:
            continue
        cells += [""] * (3 - len(cells))
        tail = (f"{seeds} | {mean([one['seconds'] for one in last]):.2g} | {last[0]['infeasibility']:.0e} | "
                f"{max(one['mib'] for one in last):.0f}" if last else " | | | ")
        lines.append(f"| {method}{'*' if whole else ''} | {' | '.join(cells)} | {tail} |")
    return lines + ["", f"Ahead of landing by passes: {', '.join(ahead) or 'none'}.", ""]


def plain_table(program, store, key, arguments, methods, title):
    lines = [f"| method | {title} | infeasibility | iterations | seconds | MiB |", "|---|---|---|---|---|---|"]
    for method in methods:
        found = store.get(f"{key} {method}", lambda: run([program, "compare", *arguments, "--methods", method, "--json", "--quiet"]))
        if found is None:
            continue
        one = found.get("runs", [{"failed": True}])[0]
        if one["failed"]:
            lines.append(f"| {method} | failed | | | | |")
            continue
        value = one["value"] if one.get("fraction") is None else one["fraction"]
        lines.append(f"| {method} | {f'{value:.3e}' if value < 1e-2 else f'{value:.8f}'} | {one['infeasibility']:.1e} | {one['iterations']} | "
                     f"{one['seconds']:.2f} | {one['peak_memory_bytes'] / 2**20:.0f} |")
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("out", nargs="?", type=pathlib.Path, default=pathlib.Path("docs/results.md"))
    parser.add_argument("--sets", default=",".join(datasets.names()))
    parser.add_argument("--minutes", type=float, default=1e6)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    store = Store(given.folder / "results.json", given.minutes)

    def make(name, *words):
        if not (given.folder / name).exists():
            subprocess.run([given.program, "data", words[0], str(given.folder / name), *words[1:]], check=True, capture_output=True)
        return given.folder / name

    text = ["# Every method on every data set", "",
            "`bench/results.py` writes this page. Each entry is a run of `landfall cca` (single precision, nothing tuned), a process of its own. The",
            "table shows the total correlation as a share of that of the exact method: the mean and, after a comma, the worst over five seeds; on",
            "data where a run of a baseline takes longer than 5 seconds it has one seed. Totals are those of held-out rows where the options say so, otherwise those of",
            "all rows, with the ridge. Seconds are the mean time of the fit after the largest number of passes, on two cores of a machine with other work, so they",
            "are coarse. A star marks methods that iterate over all of the rows and stop by their own criterion. Infeasibility is that of the method, before the",
            "evaluation normalises X and Y. *Failed* means that the computation failed numerically. [bench/README.md](../bench/README.md) has",
            "baselines with hand-tuned learning rates, and [method.md](method.md#leading-subspaces-cca-and-lda) says which data sets chose the constants of landing.", ""]
    for name in given.sets.split(","):
        text += cca_table(given.program, store, given.folder, name)
    ica = make("ica", "laplace-ica")
    text += ["## ICA: the paper's mixture, N = 100 000, n = 10, Amari distance to the true mixing", "",
             *plain_table(given.program, store, "ica", ["ica", str(ica / "data.npy"), "--truth", str(ica / "mixing.npy")], ICA, "Amari distance"), ""]
    pencil = make("pencil", "pencil", "-n", "500", "--kind", "planted", "--condition", "100")
    text += ["## A pencil of 500 x 500, condition 100, p = 10: fraction of the sum of the largest eigenvalues", "",
             *plain_table(given.program, store, "gevp", ["gevp", str(pencil / "A.npy"), str(pencil / "B.npy"), "-p", "10"], GEVP, "of exact"), ""]
    given.out.write_text("\n".join(text))


if __name__ == "__main__":
    main()
