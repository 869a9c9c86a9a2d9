#!/usr/bin/env python3
"""Makes the k-th read, write, fsync, rename, mmap, open and allocation of at least 4096 bytes of a run fail, for every k, and some of
the smaller allocations: the run says so with exit code 3 and one sentence, or its answer is right; nothing half-written stays, and a
result that was there before is still there."""

import errno
import random
import shutil

from runs import COMMANDS, Figures, Runs, arguments, finish, in_parallel

ERRORS = {"read": errno.EIO, "write": errno.ENOSPC, "fsync": errno.EIO, "rename": errno.ENOSPC, "mmap": errno.ENOMEM,
          "malloc": errno.ENOMEM, "small": errno.ENOMEM, "open": errno.EMFILE}
# Of the small allocations, which are tens of thousands: so many at random, and of the last ones of each command, which put the result in place.
SOME, LAST = {True: 20, False: 3000}, {True: 10, False: 500}
# As small as runs get that read, step, write checkpoints, results and reports.
FEW_PASSES = {"cca": (*COMMANDS["cca"][:-1], "3"), "gevp": ("gevp", "g/A.npy", "g/B.npy", "-p", "2"), "lda": (*COMMANDS["lda"][:-1], "3"),
              "ica": (*COMMANDS["ica"][:-1], "1")}


class Command:
    """A command, what it leaves when nothing fails, and a result of another seed that it may have to replace."""

    def __init__(self, runs, name, preload):
        self.runs, self.name, self.preload = runs, name, preload
        self.words = FEW_PASSES[name]
        runs(*self.words, "--seed", "1", "--out", f"{name}-old", "--quiet", check=True)
        self.old = runs.numbers(f"{name}-old")
        counts = runs.folder / "counts"
        runs(*self.words, "--out", name, "--quiet", environment={**preload, "FAULT_COUNTS": str(counts)}, check=True)
        self.whole = runs.numbers(name)
        self.counts = {kind: int(number) for kind, number in (line.split() for line in counts.read_text().split("\n") if line)}

    def judge(self, run, kind, k, before):
        """Runs with one fault; says whether it was "refused", "right" or "warned", and what is wrong with that."""
        where = self.runs.folder / run
        shutil.rmtree(where, ignore_errors=True)
        if before:
            shutil.copytree(self.runs.folder / f"{self.name}-old", where)
        result = self.runs(*self.words, "--out", run, "--quiet", *(("--force",) if before else ()),
                           environment={**self.preload, "FAULT": f"{kind}:{k}:{ERRORS[kind]}"})
        found = self.runs.numbers(run) if where.exists() else {}
        if kind in ("malloc", "small"):  # where a destructor has no memory the program ends at once; the next run removes this
            found = {name: content for name, content in found.items() if not name.startswith("new.tmp")}
        if result.returncode == 3:
            wrong = []
            if len(result.stderr.strip().split("\n")) != 1 or not result.stderr.startswith("landfall: "):
                wrong.append(f"says {result.stderr!r}")
            if found == self.whole:  # it failed after its result was there
                return "refused", wrong
            if before and "summary.json" in found and found != self.old:
                wrong.append("the old result has changed")
            if before and "summary.json" not in found:
                wrong.append(f"the old result is lost: {sorted(found)}")
            if not before and found:
                wrong.append(f"leaves {sorted(found)}")
            return "refused", wrong
        if result.returncode != 0:
            return "other", [f"exit code {result.returncode}: {result.stderr!r}"]
        warned = "no report" in result.stderr
        expected = dict(self.whole)
        if warned:
            for part in ("report.html", "history.csv", "report.json", ".landfall"):
                expected.pop(part, None)
                found.pop(part, None)
        wrong = [f"another result: {sorted(set(found) ^ set(expected))}"] if found != expected else []
        return "warned" if warned else "right", wrong


def main():
    options = arguments(__doc__)
    runs = Runs(options.program)
    preload = {"LD_PRELOAD": str(options.faulty.resolve()), "OPENBLAS_NUM_THREADS": "1"}
    failures, injected, figures = [], Figures(), Figures(refused=0, right=0, warned=0)
    cases, small, last, draw = [], [], [], random.Random(17)
    for name in FEW_PASSES:
        command = Command(runs, name, preload)
        count = command.counts.pop("small")
        small += [(command, "small", k) for k in range(1, count + 1)]
        last += draw.sample(small[-500:], LAST[options.slice])
        own = [(command, kind, k, before) for kind, count in command.counts.items() for k in range(1, count + 1)
               for before in ((False,) if options.slice else (False, True))]
        cases += own[::max(1, len(own) // 30)] if options.slice else own
    cases += [(*case, draw.random() < 0.5) for case in last + draw.sample(small, SOME[options.slice])]

    def attempt(worker, case):
        command, kind, k, before = case
        verdict, wrong = command.judge(f"run{worker}", kind, k, before)
        injected.count(kind)
        figures.count(verdict)
        failures.extend(f"{command.name}, {kind} {k}{' over an old result' if before else ''}: {one}" for one in wrong)

    figures |= {"injected": injected, "calls": len(cases), "small": len(small)}
    figures["left_out"] = in_parallel(attempt, cases, 20 if options.slice else options.seconds)
    finish(failures, figures, options.json)


main()
