"""The program's answers against stored ones: what a change of the code must not change beyond rounding.

    run.py PROGRAM          runs the commands below and compares chosen keys of their JSON with expected.json
    run.py PROGRAM --write  writes expected.json anew, after a change of the answers that is meant

A tolerance is relative to the largest number of its key; 0 means equal. BLAS kernels round differently, and methods
that take many steps amplify that, so each tolerance is at least ten times the spread between the kernels Prescott,
Haswell and SkylakeX of OpenBLAS 0.3.21, and small beside what a wrong step, ridge, seed or order of rows would change.
Every command names its method and its ridge: defaults may change, and the choice of a method may depend on a clock.
"""

import csv
import gzip
import json
import os
import pathlib
import random
import shlex
import struct
import subprocess
import sys
import tempfile

STORED = pathlib.Path(__file__).resolve().parent / "expected.json"

# Largest spread seen between the kernels, with each tolerance:
EXACT = 2e-5      # eigenvalues and correlations of one factorisation in single precision; 1.1e-6
SCORES = 1e-4     # scores of a row by the vectors of such a factorisation; 5e-6
STEPS = 1e-4      # correlations and eigenvalues after many steps, and what landing learns of the rows; 7e-6
CONTRAST = 1e-3   # the same for ICA, whose negentropies are small differences; 6e-5
SMALL = 0.05      # infeasibility and stationarity, which are differences to zero; 3e-3
CONVERGED = 1e-9  # eigenvalues in double precision, direct or iterated until they no longer change; 2e-15

SHAPE = {"method": 0, "samples": 0, "features": 0, "components": 0, "termination": 0}


def cca(tolerance, **more):
    return {**SHAPE, "correlations": tolerance, "regularized_correlations": tolerance, "ridge": EXACT, **more}


def held_out(tolerance):
    return {"held_out_samples": 0, "held_out_correlations": tolerance}


def ica(tolerance, **more):
    return {**SHAPE, "negentropy": tolerance, "kinds": 0, **more}


def lda(tolerance, **more):
    return {**SHAPE, "eigenvalues": tolerance, "explained_ratio": tolerance, "classes": 0, "priors": EXACT, **more}


def gevp(tolerance, **more):
    return {"method": 0, "features": 0, "components": 0, "termination": 0, "eigenvalues": tolerance, **more}


LANDING = {"batch": 0, "iterations": 0, "passes": EXACT, "method_infeasibility": SMALL, "stationarity": SMALL,
           "landing.step": STEPS, "landing.row_noise": STEPS}
LEARNED = {key: tolerance for key, tolerance in LANDING.items() if tolerance != SMALL}  # where those are rounding


def scores(tolerance):
    return {"rows": 0, "columns": 0, "first_row": tolerance, "mean_square": tolerance}


INFO = {f"0.{key}": 0 for key in ("format", "rows", "columns", "nan", "infinite")} | {
    f"0.{key}": EXACT for key in ("density", "smallest", "largest")}

DATA = """
planted-cca dense -N 3000 --left 30 --right 20 --correlations 0.9,0.7,0.5,0.3 --seed 1
planted-cca csv -N 1000 --left 12 --right 10 --correlations 0.9,0.6 --format csv --seed 2
planted-cca hdf5 -N 1000 --left 12 --right 10 --correlations 0.9,0.6 --format h5 --seed 3
planted-cca sparse -N 4000 --left 400 --right 300 --nonzeros 12 --correlations 0.9,0.7 --seed 4
planted-cca market -N 2000 --left 60 --right 50 --nonzeros 8 --correlations 0.7,0.5 --format mtx --seed 5
laplace-ica mixture -N 8000 -n 6 --uniform 2 --condition 5 --seed 6
laplace-ica mixture_tsv -N 4000 -n 4 --format tsv --seed 7
pencil planted -n 80 --kind planted --condition 20 --seed 8
pencil paper -n 60 --condition 10 --seed 9
"""

DENSE = "cca dense/left.npy dense/right.npy -p 3 --ridge 1e-3"
LDA = "lda classes.csv --label-column class --ridge 1e-3"

# Command -> tolerance of each key.
COMMANDS = {
    "data info sparse/left.svm --json": INFO,
    "data info csv/right.csv --json": INFO,
    "data info mixture_tsv/data.tsv --json": INFO,
    # Exact solutions of every format.
    f"{DENSE} --method exact --out run_cca": cca(EXACT),
    f"{DENSE} --method exact --scale --precision double": cca(EXACT),
    f"{DENSE} --method exact --no-center --held-out 0.25 --seed 3": cca(EXACT, **held_out(EXACT)),
    "cca csv/left.csv csv/right.csv -p 2 --method exact --ridge 0": cca(EXACT),
    "cca left.csv.gz csv/right.csv -p 2 --method exact --ridge 0.01": cca(EXACT),
    "cca gaps.csv csv/right.csv -p 2 --method exact --ridge 0.01 --missing mean": cca(EXACT),
    "cca gaps.csv csv/right.csv -p 2 --method exact --ridge 0.01 --missing drop": cca(EXACT),
    "cca hdf5/left.h5 hdf5/right.h5 -p 2 --method exact --ridge 0": cca(EXACT),
    "cca market/left.mtx market/right.mtx -p 2 --method exact --ridge 0.05": cca(EXACT),
    "cca sparse/left.svm sparse/right.svm -p 2 --method exact --ridge 0.5": cca(EXACT),
    # Landing.
    f"{DENSE} --method landing --passes 4 --seed 1 --held-out 0.2": cca(STEPS, **LEARNED, **held_out(STEPS)),
    f"{DENSE} --method landing --estimator shared --passes 2 --batch 64": cca(STEPS, **LANDING),
    f"{DENSE} --method landing --estimator svrg --passes 4 --precision double": cca(STEPS, **LANDING),
    "cca sparse/left.svm sparse/right.svm -p 2 --method landing --ridge 0.5 --passes 4": cca(STEPS, **LEARNED),
    "cca market/left.mtx market/right.mtx -p 2 --method landing --ridge 0.05 --batch 128 --passes 4": cca(STEPS, **LEARNED),
    "ica mixture/data.npy --truth mixture/mixing.npy --method landing --ridge 0 --passes 4 --out run_ica":
        ica(CONTRAST, **LEARNED, stationarity=SMALL, amari=CONTRAST),
    "ica mixture_tsv/data.tsv -p 3 --method landing --ridge 0 --contrast cube --passes 2 --seed 2":
        ica(CONTRAST, **LEARNED),
    f"{LDA} --method landing --passes 3 --held-out 0.2": lda(STEPS, **LEARNED, held_out_accuracy=0.03),
    # Baselines.
    f"{DENSE} --method als": cca(EXACT),
    f"{DENSE} --method lobpcg --precision double": cca(EXACT),
    f"{DENSE} --method ey-adam --batch 100 --passes 5": cca(STEPS),
    f"{DENSE} --method landing-online --passes 3": cca(STEPS),
    "cca sparse/left.svm sparse/right.svm -p 2 --method msg --ridge 0.5 --passes 2": cca(STEPS),
    "ica mixture/data.npy --truth mixture/mixing.npy --method fastica --ridge 0": ica(CONTRAST, amari=CONTRAST),
    "ica mixture/data.npy --method picard-o --ridge 0 --precision double": ica(CONTRAST),
    "ica mixture/data.npy --method rgd-rolling --ridge 0": ica(CONTRAST),
    # Discriminants.
    f"{LDA} --method exact --out run_lda": lda(EXACT, training_accuracy=EXACT),
    f"{LDA} --method exact --held-out 0.25 --seed 5 -p 2": lda(EXACT, held_out_samples=0, held_out_accuracy=EXACT),
    "lda classes.svm --method exact --ridge 0 --precision double": lda(EXACT, training_accuracy=EXACT),
    "lda images.idx --labels labels.txt --method exact --ridge 1": lda(EXACT, training_accuracy=EXACT),
    # Pencils.
    "gevp planted/A.npy planted/B.npy -p 3 --method direct --known planted/eigenvalues.npy": gevp(CONVERGED, known=CONVERGED),
    "gevp planted/A.npy planted/B.npy -p 3 --method landing --out run_gevp": gevp(CONVERGED),
    "gevp planted/A.npy planted/B.npy -p 3 --method lobpcg --smallest": gevp(CONVERGED),
    "gevp paper/A.npy paper/B.npy -p 4 --method rgd": gevp(CONVERGED),
    "gevp paper/A.npy paper/B.npy -p 4 --method lanczos --precision single": gevp(EXACT),
    "gevp stiffness.mtx mass.mtx -p 3 --smallest --method lobpcg": gevp(CONVERGED),
    # The plan decides by memory alone where exact does not fit; its bytes are counted, its seconds measured.
    "plan cca dense/left.npy dense/right.npy -p 3 --ridge 0 --memory 100KiB":
        {"method": 0, "reason": 0, "alternatives.0.memory_bytes": 0, "alternatives.1.memory_bytes": 0},
    # Scores of new rows.
    "transform run_cca dense/left.npy dense/right.npy -o cca_scores.csv": scores(SCORES),
    "transform run_cca dense/right.npy --view right -o right_scores.tsv": scores(SCORES),
    "transform run_ica mixture/data.npy -o ica_scores.csv": scores(CONTRAST),
    "transform run_lda classes.csv --label-column class -o lda_scores.csv": scores(SCORES),
    "transform run_lda classes.csv --label-column class --predict -o predicted.csv": {"rows": 0, "counts": 0},
    # Refusals: the exit code alone.
    f"{DENSE} --method nosuch": {},
    "cca gaps.csv csv/right.csv -p 2 --method exact --ridge 0": {},
    "cca csv/left.csv dense/right.npy -p 2 --method exact --ridge 0": {},
}


def make_data(landfall):
    """The files that the commands read, in the current folder."""
    for line in DATA.strip().splitlines():
        code, _, errors = landfall(f"data {line}")
        if code != 0:
            raise SystemExit(f"data {line}: exit code {code}: {errors}")
    text = pathlib.Path("csv/left.csv").read_text()
    with gzip.open("left.csv.gz", "wt") as file:
        file.write(text)
    lines = text.splitlines()
    for number in (3, 77, 500):
        values = lines[number].split(",")
        lines[number] = ",".join(values[:2] + [""] + values[3:])
    pathlib.Path("gaps.csv").write_text("\n".join(lines) + "\n")

    draw = random.Random(5)
    rows = []
    for k in range(800):
        kind = k % 4
        rows.append((kind, [round(draw.gauss((kind == j) + 0.4 * j * (kind > 1), 1 + 0.2 * j), 3) for j in range(6)]))
    with open("classes.csv", "w") as file:
        file.write("u,v,w,x,y,z,class\n")
        file.writelines(",".join(map(str, row)) + "," + "abcd"[kind] + "\n" for kind, row in rows)
    with open("classes.svm", "w") as file:
        file.writelines(f"{kind} " + " ".join(f"{j}:{x}" for j, x in enumerate(row, 1)) + "\n" for kind, row in rows)
    pathlib.Path("labels.txt").write_text("".join(f"{kind}\n" for kind, _ in rows))
    pixels = [min(255, max(0, round(100 + 20 * x))) for _, row in rows for x in row]
    pathlib.Path("images.idx").write_bytes(struct.pack(">BBBBIII", 0, 0, 8, 3, len(rows), 2, 3) + bytes(pixels))

    # -u'' = lambda u by linear elements on a line, scaled to a spacing of 1.
    for name, diagonal, beside in (("stiffness", 2.0, -1.0), ("mass", 2 / 3, 1 / 6)):
        entries = [(i, i, diagonal) for i in range(1, 121)] + [(i + 1, i, beside) for i in range(1, 120)]
        pathlib.Path(f"{name}.mtx").write_text(
            f"%%MatrixMarket matrix coordinate real symmetric\n120 120 {len(entries)}\n"
            + "".join(f"{i} {j} {value!r}\n" for i, j, value in entries))


def table(path):
    """What is expected of a file of scores, or of classes."""
    with open(path) as file:
        rows = list(csv.reader(file, delimiter="\t" if path.endswith(".tsv") else ","))
    if rows[0][0] in ("left1", "right1", "source1", "direction1"):
        rows = rows[1:]  # the header
    try:
        numbers = [[float(value) for value in row] for row in rows]
    except ValueError:
        names = [row[0] for row in rows]
        return {"rows": len(rows), "counts": {name: names.count(name) for name in sorted(set(names))}}
    squares = [sum(row[j] ** 2 for row in numbers) / len(numbers) for j in range(len(numbers[0]))]
    return {"rows": len(rows), "columns": len(squares), "first_row": numbers[0], "mean_square": squares}


def value_at(answer, key):
    for part in key.split("."):
        answer = answer[int(part)] if isinstance(answer, list) else answer.get(part)
    return answer


def answers(program):
    """Command -> its exit code and the values of its keys."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}

    def landfall(arguments):
        done = subprocess.run([program, *shlex.split(arguments)], capture_output=True, text=True, env=environment)
        return done.returncode, done.stdout, done.stderr

    found = {}
    with tempfile.TemporaryDirectory() as folder:
        before = os.getcwd()
        os.chdir(folder)
        try:
            make_data(landfall)
            for command, keys in COMMANDS.items():
                fits = not command.startswith(("data", "transform"))
                code, output, errors = landfall(command + " --json" * fits)
                found[command] = {"exit": code}
                if not keys:
                    continue
                if code != 0:
                    found[command]["error"] = errors.strip()
                    continue
                answer = table(command.split()[-1]) if command.startswith("transform") else json.loads(output)
                found[command] |= {key: value_at(answer, key) for key in keys}
        finally:
            os.chdir(before)
    return found


def one_key_a_line(found):
    def block(items, indent):
        return "{\n" + ",\n".join(f"{indent}  {json.dumps(key)}: {text}" for key, text in items) + f"\n{indent}}}"

    return block([(command, block([(key, json.dumps(value)) for key, value in values.items()], "  "))
                  for command, values in found.items()], "") + "\n"


def numbers_in(value):
    """The numbers of a value, or None if it is something else."""
    items = value if isinstance(value, list) else [value]
    plain = items and all(isinstance(item, (int, float)) and not isinstance(item, bool) for item in items)
    return items if plain else None


def deviation(found, expected):
    """The largest difference over the largest number expected; infinite where the two are of different kinds."""
    ours, theirs = numbers_in(found), numbers_in(expected)
    if ours is None or theirs is None or len(ours) != len(theirs):
        return 0.0 if found == expected else float("inf")
    scale = max(map(abs, theirs)) or 1.0
    largest = max(abs(a - b) for a, b in zip(ours, theirs)) / scale
    return largest if largest == largest else float("inf")  # NaN


def compare(found, expected):
    """Prints each command and how much of its tolerance was used; returns what is beyond it."""
    wrong = [f"{command}: not stored; run.py PROGRAM --write" for command in found.keys() - expected.keys()]
    wrong += [f"{command}: stored, but no longer run" for command in expected.keys() - found.keys()]
    for command in (command for command in found if command in expected):
        most = 0.0
        for key in {"exit": 0, **COMMANDS[command]}:
            tolerance = COMMANDS[command].get(key, 0)
            ours, theirs = found[command].get(key), expected[command].get(key)
            apart = deviation(ours, theirs)
            if not apart <= tolerance:
                wrong.append(f"{command}: {key} is {ours}, expected {theirs} to {tolerance:g}"
                             + (f": {found[command]['error']}" if "error" in found[command] else ""))
            elif tolerance > 0:
                most = max(most, apart / tolerance)
        print(f"{most:8.2g} of the tolerance  {command}")
    return wrong


def main(arguments):
    if len(arguments) not in (1, 2) or arguments[1:] not in ([], ["--write"]):
        raise SystemExit(__doc__)
    found = answers(os.path.abspath(arguments[0]))
    if arguments[1:]:
        STORED.write_text(one_key_a_line(found))
        return
    wrong = compare(found, json.loads(STORED.read_text()))
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main(sys.argv[1:])
