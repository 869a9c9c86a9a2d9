#!/usr/bin/env python3
"""bench/gap_estimates.py PROGRAM FOLDER [--sets a,b]: the table "true gap / estimate" of docs/method.md, on standard output.

For each data set of datasets.py, landing after 1, 2, 4, 8 and 16 passes and by default: 1 - (total / exact total) over all rows, beside
the estimated gap of its summary. Totals are regularized ones, which both methods maximise. FOLDER keeps the data.
"""
import argparse
import pathlib

import datasets
from results import run

PASSES = 1, 2, 4, 8, 16
SETS = ["mnist", "fashion", "log-400", "two-level-800", "log-1000", "power-2000", "sparse-2000",
        *(kind + suffix for suffix in datasets.SIZES for kind in datasets.HEAVY)]
ROUNDING = 3e-7  # of totals in single precision


def in_sample(options):
    """Without held-out rows."""
    options = list(options)
    if "--held-out" in options:
        at = options.index("--held-out")
        del options[at:at + 2]
    return options


def cell(gap, estimate):
    text = f"{max(gap, 0):.1e} / {estimate:.1e}"
    return f"**{text}**" if not gap / 4 <= estimate <= gap * 4 else text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--sets", default=",".join(SETS))
    given = parser.parse_args()
    print("| true gap / estimate after | " + " | ".join(f"{t} pass{'es' if t > 1 else ''}" for t in PASSES) +
          " | default: passes, true gap / estimate |")
    print("|---|" + "---|" * (len(PASSES) + 1))
    for name in given.sets.split(","):
        data = datasets.make(given.program, given.folder, name)
        words = [given.program, "cca", *datasets.files(data), "-p", "5", *in_sample(datasets.described(name)[1]), "--json", "--quiet"]
        exact = run([*words, "--method", "exact", "--folds", "0", "--memory", "12GiB"])["regularized_total"]

        def landing(*more):
            summary = run([*words, "--method", "landing", *more])
            return 1 - summary["regularized_total"] / exact, summary["estimated_gap"], summary["passes"]

        cells = []
        for passes in PASSES:
            gap, estimate, _ = landing("--passes", str(passes))
            if gap < ROUNDING:
                break
            cells.append(cell(gap, estimate))
        gap, estimate, passes = landing()
        shown = cell(gap, estimate) if gap > ROUNDING else f"0 / {estimate:.1e}"
        print(f"| {name} | " + " | ".join(cells + [""] * (len(PASSES) - len(cells))) + f" | {passes:.0f}: {shown} |", flush=True)


if __name__ == "__main__":
    main()
