#!/usr/bin/env python3
"""Run folders from strangers and random command lines. A run folder is changed in random places (values of other types, huge
counts, paths that point outside, links, cut files): `transform` and `report` score, write or refuse it with one sentence. A
command line of random words ends with one of the documented exit codes. Nothing outside the folder is written or removed."""

import json
import os
import random
import shutil

from runs import WORKERS, Figures, Runs, arguments, finish, in_parallel

VALUES = [None, True, -1, 0, 1e308, 2**62, "", "../../outside", "/etc/passwd", "</script><script>alert(1)</script>", [], [1] * 5, {},
          {"a": []}, "x" * 100000, [[["deep"]]], -0.5, "exact", "cca", "lda", "double"]


def change(draw, value):
    """A copy with one thing changed somewhere inside."""
    if isinstance(value, dict) and value and draw.random() < 0.8:
        key = draw.choice(list(value))
        if draw.random() < 0.2:
            return {k: v for k, v in value.items() if k != key}
        return {**value, key: change(draw, value[key])}
    if isinstance(value, list) and value and draw.random() < 0.6:
        place = draw.randrange(len(value))
        return value[:place] + [change(draw, value[place])] + value[place + 1:]
    return draw.choice(VALUES)


def damage(draw, run):
    """Changes JSON of a run folder, and one file: other bytes, cut, or a link to somewhere else."""
    for file in run.glob("*.json"):
        content = json.loads(file.read_text())
        for _ in range(draw.randint(0, 2)):
            content = change(draw, content)
        file.write_text(json.dumps(content))
    file = draw.choice(sorted(path for path in run.iterdir() if path.is_file()))
    kind = draw.randrange(5)
    if kind == 0:
        content = bytearray(file.read_bytes())
        for _ in range(draw.randint(1, 20)):
            content[draw.randrange(len(content))] = draw.randrange(256)
        file.write_bytes(content)
    elif kind == 1:
        os.truncate(file, draw.randrange(file.stat().st_size + 1))
    elif kind == 2:
        file.unlink()
        file.symlink_to(draw.choice(["../outside", "/dev/zero", "/proc/self/mem", "."]))


FITS = {"cca": ("cca", "d/left.npy", "d/right.npy", "-p", "2"), "lda": ("lda", "c.csv", "--label-column", "c"),
        "ica": ("ica", "i/data.npy", "-p", "2", "--restarts", "3"),
        "comparison": ("compare", "cca", "d/left.npy", "d/right.npy", "-p", "2", "--methods", "exact,landing")}
DATA = {"cca": ("d/left.npy", "d/right.npy"), "lda": ("c.csv",), "ica": ("i/data.npy",), "comparison": ("d/left.npy",)}
WORDS = ["cca", "lda", "ica", "gevp", "transform", "report", "plan", "compare", "data", "methods", "help", "-p", "--out", "--force",
         "--resume", "--json", "d/left.npy", "c.csv", "missing", "-1", "1e999", "", "--", "--method", "landing", "--columns", "*",
         "--memory", "1B", "--threads", "1", "--label-column", "c", "-o", "s.npy", "info", "\udcff", "=", "--seed=x", "-"]


def prepared(program):
    """Good runs, where random words do not reach them, and a file that nothing may change. Each worker has its own, since command lines may write
    anywhere there."""
    runs = Runs(program)
    (runs.folder / "outside").write_text("mine")
    (runs.folder / "good").mkdir()
    for name, words in FITS.items():
        runs(*words, "--out", f"good/{name}", *(() if name == "comparison" else ("--quiet",)), check=True)
    return runs


def main():
    options = arguments(__doc__)
    places = [prepared(options.program) for _ in range(WORKERS)]
    failures, figures = [], Figures(folders=0, command_lines=0, refused=0)

    def attempt(worker, seed):
        draw, runs = random.Random(seed), places[worker]
        name = draw.choice(list(FITS))
        run = runs.folder / "run"
        shutil.rmtree(run, ignore_errors=True)
        shutil.copytree(runs.folder / "good" / name, run)
        damage(draw, run)
        figures.count("folders")
        for words in (("transform", "run", *DATA[name], "-o", "run/s.npy"), ("report", "run")):
            result = runs(*words)
            figures.count("refused", result.returncode != 0)
            lines = result.stderr.strip().split("\n")
            if result.returncode not in (0, 2, 3) or (result.returncode != 0 and len(lines) != 1):
                failures.append(f"{words[0]} of a {name}, seed {seed}: {result.returncode}: {result.stderr[:300]!r}")
        words = [draw.choice(WORDS) for _ in range(draw.randint(0, 7))]
        result = runs(*(word.encode(errors="surrogateescape") for word in words))
        figures.count("command_lines")
        if result.returncode not in (0, 2, 3, 4):
            failures.append(f"{words}: {result.returncode}: {result.stderr[:300]!r}")
        if (runs.folder / "outside").read_text() != "mine":
            raise SystemExit(f"seed {seed}: a file outside the folder was changed")

    in_parallel(attempt, range(60 if options.slice else 3000), 15 if options.slice else options.seconds)
    finish(failures, figures, options.json)


main()
