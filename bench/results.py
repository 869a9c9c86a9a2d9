#!/usr/bin/env python3
"""bench/results.py PROGRAM FOLDER [OUT]: writes docs/results.md, a table of methods for each data set, with `landfall compare`.

FOLDER contains split-mnist/ and split-fashion/ as written by `landfall data`; the other data sets are created in FOLDER. Every
entry is a separate process, seconds exclude the evaluation, and `seconds` and `memory` are those of the largest number of
passes. Methods that do not iterate over passes (marked *) stop by their own criterion.
"""
import json
import pathlib
import subprocess
import sys

PASSES = [1, 2, 4, 8]
STREAMED = ["landing", "landing-online", "landing-averaged", "landing-released", "ey-sgd", "ey-adam", "gen-oja-block", "sgha", "eigengame",
            "appgrad-stochastic", "rgd-rolling"]
WHOLE = ["exact", "als", "genelink", "rgccalin", "lobpcg", "rgd", "plam"]
SPARSE = ["landing", "landing-online", "ey-sgd", "ey-adam", "gen-oja-block", "sgha", "eigengame", "appgrad-stochastic", "exact"]
ICA = ["landing", "landing-online", "landing-averaged", "landing-released", "rgd-rolling", "fastica", "picard-o", "infomax", "mm-ica"]
GEVP = ["direct", "lobpcg", "lanczos", "landing", "rgd", "rgd-euclidean", "plam", "pcal", "penalty", "augmented", "fletcher", "cdopt", "cdfcp",
        "pogo", "genelink", "rgccalin"]


def compare(program, arguments, methods, passes=None):
    """One process per method, so that a method that fails does not end the others."""
    runs, optimum = {}, None
    for method in methods:
        words = [program, "compare", *arguments, "--methods", method, "--json", "--quiet"]
        if passes:
            words += ["--passes", ",".join(map(str, passes))]
        print(" ".join(words[1:]), file=sys.stderr)
        try:
            run = subprocess.run(words, capture_output=True, text=True, timeout=900)
        except subprocess.TimeoutExpired:
            runs[method] = "over 15 minutes"
            continue
        if run.returncode != 0:
            runs[method] = run.stderr.strip().removeprefix("landfall: ") or f"exit code {run.returncode}"
            continue
        answer = json.loads(run.stdout)
        optimum = (answer["exact"] or {}).get("value", optimum)
        runs[method] = answer["runs"]
    return runs, optimum


def number(value, digits=4):
    return "" if value is None else f"{value:.{digits}f}"


def memory(runs):
    return f"{max(run['peak_memory_bytes'] for run in runs) / 2**20:.0f}"


def cca_table(program, folder, methods, p, options):
    files = [str(folder / "left.npy"), str(folder / "right.npy")]
    if not pathlib.Path(files[0]).exists():
        files = [name.replace(".npy", ".svm") for name in files]
    problem = ["cca", *files, "-p", str(p), *options]
    runs, optimum = compare(program, problem, [name for name in methods if name not in WHOLE], PASSES)
    whole, exact = compare(program, problem, [name for name in methods if name in WHOLE])
    runs |= whole
    optimum = exact or optimum
    lines = ["| method | " + " | ".join(f"{t} pass{'es' if t > 1 else ''}" for t in PASSES) + " | infeasibility | seconds | MiB |",
             "|---|" + "---|" * (len(PASSES) + 3)]
    for method, entries in runs.items():
        if isinstance(entries, str):
            lines.append(f"| {method} | " + entries + " |" * (len(PASSES) + 3))
            continue
        good = [run for run in entries if not run["failed"]]
        cells = [number(run["fraction"] if run.get("fraction") is not None else run.get("value")) if not run["failed"] else "failed"
                 for run in entries]
        if len(entries) == 1:
            cells += [""] * (len(PASSES) - 1)
            method += "*"
        last = good[-1] if good else None
        lines.append(f"| {method} | " + " | ".join(cells) + " | " +
                     (f"{last['infeasibility']:.1e} | {last['seconds']:.2f} | {memory(good)} |" if last else " | | |"))
    return lines, optimum


def ahead(lines):
    """Which methods did better than landing, from the rows of a table of passes."""
    rows = {cells[0]: cells[1:] for cells in ([cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:])}
    def value(text):
        try:
            return float(text)
        except ValueError:
            return -1
    texts = []
    for i, passes in enumerate(PASSES):
        better = [f"{name} ({cells[i]})" for name, cells in rows.items()
                  if not name.endswith("*") and value(cells[i]) > value(rows["landing"][i])]
        if better:
            texts.append(f"after {passes} pass{'es' if passes > 1 else ''} {', '.join(better)}")
    quicker = [name.rstrip("*") for name, cells in rows.items() if 0 < value(cells[-2]) < value(rows["landing"][-2])]
    return (f"Ahead of landing: {'; '.join(texts) or 'no method by passes'}. Faster than its {PASSES[-1]} passes: "
            f"{', '.join(quicker) or 'no method'}.")


def plain_table(program, arguments, methods, title):
    runs, _ = compare(program, arguments, methods)
    lines = [f"| method | {title} | infeasibility | iterations | seconds | MiB |", "|---|---|---|---|---|---|"]
    for method, entries in runs.items():
        if isinstance(entries, str) or entries[0]["failed"]:
            lines.append(f"| {method} | {entries if isinstance(entries, str) else 'failed'} | | | | |")
            continue
        run = entries[0]
        value = run["value"] if run.get("fraction") is None else run["fraction"]
        lines.append(f"| {method} | {value:.3e} | " .replace("e+00", "") if value < 1e-2 else f"| {method} | {value:.8f} | ")
        lines[-1] += f"{run['infeasibility']:.1e} | {run['iterations']} | {run['seconds']:.2f} | {memory(entries)} |"
    return lines


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    out = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else pathlib.Path("docs/results.md")

    def make(name, *words):
        if not (folder / name).exists():
            subprocess.run([program, "data", words[0], str(folder / name), *words[1:]], check=True, capture_output=True)
        return folder / name

    text = ["# Every method on five problems", "",
            "This page is written by `bench/results.py`, which runs `landfall compare` for each method: the same rows in the same order, a separate",
            "process for each method, evaluation excluded from the time, single precision, two cores, nothing tuned by hand. Fractions are",
            "relative to the exact total correlation. A star marks methods that work on all of the data and stop by their own criterion; *failed* means",
            "that the computation failed numerically. [bench/README.md](../bench/README.md) has baselines with hand-tuned learning rates.",
            "Infeasibility is that of X and Y separately; methods for pencils make X and Y orthonormal jointly, or not at all, before the",
            "evaluation normalises them. Seconds are from a single run on a machine with other work, so they are coarse.", ""]
    for name, title in (("split-mnist", "Split MNIST"), ("split-fashion", "Split Fashion-MNIST")):
        lines, optimum = cca_table(program, folder / name, STREAMED + WHOLE, 5, ["--ridge", "1e-3"])
        text += [f"## {title}: 60 000 rows, 392 + 392 columns, p = 5, ridge 1e-3", "", f"Exact total correlation: {number(optimum)}.", "",
                 *lines, "", ahead(lines), ""]
    sparse = make("sparse", "planted-cca", "-N", "60000", "--left", "2000", "--right", "2000", "--nonzeros", "20", "--correlations",
                  "0.9,0.8,0.7,0.6,0.5")
    lines, optimum = cca_table(program, sparse, SPARSE, 5, [])
    text += ["## Planted and sparse: 60 000 rows, 2000 + 2000 columns, about 20 nonzeros per row, p = 5, default ridge", "",
             f"Exact total correlation: {number(optimum)}.", "", *lines, "", ahead(lines), ""]
    ica = make("ica", "laplace-ica")
    text += ["## ICA: the paper's mixture, N = 100 000, n = 10, Amari distance to the true mixing", "",
             *plain_table(program, ["ica", str(ica / "data.npy"), "--truth", str(ica / "mixing.npy")], ICA, "Amari distance"), ""]
    pencil = make("pencil", "pencil", "-n", "500", "--kind", "planted", "--condition", "100")
    text += ["## A pencil of 500 x 500, condition 100, p = 10: fraction of the sum of the largest eigenvalues", "",
             *plain_table(program, ["gevp", str(pencil / "A.npy"), str(pencil / "B.npy"), "-p", "10"], GEVP, "of exact"), ""]
    out.write_text("\n".join(text))


if __name__ == "__main__":
    main()
