#!/usr/bin/env python3
"""Makes the k-th read, write, fsync, rename, mmap, open and large allocation of a run fail, for every k: the run says so with exit
code 3 and one sentence, or its answer is right; nothing half-written stays, and a result that was there before is still there."""

import errno
import shutil
import time

from runs import COMMANDS, Runs, arguments, finish

ERRORS = {"read": errno.EIO, "write": errno.ENOSPC, "fsync": errno.EIO, "rename": errno.ENOSPC, "mmap": errno.ENOMEM,
          "malloc": errno.ENOMEM, "open": errno.EMFILE}


def main():
    options = arguments(__doc__)
    runs = Runs(options.program)
    preload = {"LD_PRELOAD": str(options.faulty.resolve()), "OPENBLAS_NUM_THREADS": "1"}
    failures, figures = [], {"injected": {}, "refused": 0, "right": 0, "warned": 0}
    commands = {"cca": COMMANDS["cca"], "gevp": ("gevp", "g/A.npy", "g/B.npy", "-p", "2"), "lda": COMMANDS["lda"],
                "ica": COMMANDS["ica"]}
    end = time.monotonic() + (20 if options.slice else options.seconds)
    for name, command in commands.items():
        words = (*command, "--out", "run", "--quiet")
        shutil.rmtree(runs.folder / "run", ignore_errors=True)
        counted = runs(*words, environment={**preload, "FAULT_COUNTS": str(runs.folder / "counts")}, check=True)
        whole = runs.numbers("run")
        counts = {kind: int(number) for kind, number in (line.split() for line in (runs.folder / "counts").read_text().split("\n") if line)}
        # Equal distances where there is no time for every k.
        cases = [(kind, k) for kind, count in counts.items() for k in range(1, count + 1)]
        if options.slice:
            cases = cases[::max(1, len(cases) // 30)]
        for kind, k in cases:
            if time.monotonic() > end:
                figures["left_out"] = figures.get("left_out", 0) + 1
                continue
            for before in (False, True):
                shutil.rmtree(runs.folder / "run", ignore_errors=True)
                if before:  # a result of an older run, to be replaced
                    runs(*command, "--seed", "1", "--out", "run", "--quiet", check=True)
                    old = runs.numbers("run")
                more = ("--force",) if before else ()
                where = f"{name}, {kind} {k}{' over an old result' if before else ''}"
                result = runs(*words, *more, environment={**preload, "FAULT": f"{kind}:{k}:{ERRORS[kind]}"})
                figures["injected"][kind] = figures["injected"].get(kind, 0) + 1
                found = runs.numbers("run") if (runs.folder / "run").exists() else {}
                if kind == "malloc":  # where a destructor has no memory the program ends at once; the next run removes this
                    found = {name: content for name, content in found.items() if not name.startswith("new.tmp")}
                if result.returncode == 3:
                    figures["refused"] += 1
                    if len(result.stderr.strip().split("\n")) != 1 or not result.stderr.startswith("landfall: "):
                        failures.append(f"{where}: says {result.stderr!r}")
                    if found == whole:  # it failed after its result was there
                        continue
                    if before and "summary.json" in found and found != old:
                        failures.append(f"{where}: the old result has changed")
                    if before and "summary.json" not in found:
                        failures.append(f"{where}: the old result is lost: {sorted(found)}")
                    if not before and found:
                        failures.append(f"{where}: leaves {sorted(found)}")
                elif result.returncode == 0:
                    warned = "no report" in result.stderr
                    figures["warned" if warned else "right"] += 1
                    expected = {k: v for k, v in whole.items()}
                    if warned:
                        for part in ("report.html", "history.csv", "report.json", ".landfall"):
                            expected.pop(part, None)
                            found.pop(part, None)
                    if found != expected:
                        failures.append(f"{where}: another result: {sorted(set(found) ^ set(expected))}")
                else:
                    failures.append(f"{where}: exit code {result.returncode}: {result.stderr!r}")
                if options.slice:
                    break
    finish(failures, figures, options.json)


main()
