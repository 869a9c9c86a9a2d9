#!/usr/bin/env python3
"""Run folders from strangers and random command lines. A run folder is changed in random places (values of other types, huge
counts, paths that point outside, links, cut files): `transform` and `report` score, write or refuse it with one sentence. A
command line of random words ends with one of the documented exit codes. Nothing outside the folder is written or removed."""

import json
import os
import random
import shutil
import time

from runs import Runs, arguments, finish

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


def main():
    options = arguments(__doc__)
    runs = Runs(options.program)
    draw = random.Random(17)
    failures, figures = [], {"folders": 0, "command_lines": 0, "refused": 0}
    (runs.folder / "outside").write_text("mine")
    fits = {"cca": ("cca", "d/left.npy", "d/right.npy", "-p", "2"), "lda": ("lda", "c.csv", "--label-column", "c"),
            "ica": ("ica", "i/data.npy", "-p", "2", "--restarts", "3"),
            "comparison": ("compare", "cca", "d/left.npy", "d/right.npy", "-p", "2", "--methods", "exact,landing")}
    data = {"cca": ("d/left.npy", "d/right.npy"), "lda": ("c.csv",), "ica": ("i/data.npy",), "comparison": ("d/left.npy",)}
    for name, words in fits.items():
        runs(*words, "--out", name, *(() if name == "comparison" else ("--quiet",)), check=True)
    names = ["cca", "lda", "ica", "gevp", "transform", "report", "plan", "compare", "data", "methods", "help", "-p", "--out", "--force",
             "--resume", "--json", "d/left.npy", "c.csv", "missing", "-1", "1e999", "", "--", "--method", "landing", "--columns", "*",
             "--memory", "1B", "--threads", "1", "--label-column", "c", "-o", "s.npy", "info", "\udcff", "=", "--seed=x", "-"]
    end = time.monotonic() + (15 if options.slice else options.seconds)
    while time.monotonic() < end and figures["folders"] < (60 if options.slice else 3000):
        name = draw.choice(list(fits))
        run = runs.folder / "run"
        shutil.rmtree(run, ignore_errors=True)
        shutil.copytree(runs.folder / name, run)
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
        figures["folders"] += 1
        for words in (("transform", "run", *data[name], "-o", "run/s.npy"), ("report", "run")):
            result = runs(*words)
            figures["refused"] += result.returncode != 0
            lines = result.stderr.strip().split("\n")
            if result.returncode not in (0, 2, 3) or (result.returncode != 0 and len(lines) != 1):
                failures.append(f"{words[0]} of a {name}: {result.returncode}: {result.stderr[:300]!r}, folder {figures['folders']}")
        words = [draw.choice(names) for _ in range(draw.randint(0, 7))]
        if "reproduce" not in words:
            result = runs(*(word.encode(errors="surrogateescape") for word in words))
            figures["command_lines"] += 1
            if result.returncode not in (0, 2, 3, 4):
                failures.append(f"{words}: {result.returncode}: {result.stderr[:300]!r}")
        if (runs.folder / "outside").read_text() != "mine":
            failures.append("a file outside the folder was changed")
            break
    finish(failures, figures, options.json)


main()
