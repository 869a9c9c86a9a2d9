#!/usr/bin/env python3
"""Kills runs of cca, ica and lda with SIGKILL at random moments, with one, two and three threads and a checkpoint every 50 ms or after
every step, and resumes them, killing again now and then: each ends with the same bits as a run that was left alone, and leaves
the same files."""

import random
import shutil
import subprocess
import time

from runs import COMMANDS, Runs, arguments, finish


def main():
    options = arguments(__doc__)
    runs = Runs(options.program)
    draw = random.Random(17)
    failures, figures = [], {"kills": 0, "runs": 0, "resumed_from_checkpoint": 0}
    wanted = 15 if options.slice else 1000
    commands = dict(COMMANDS)
    commands["cca"] = (*commands["cca"][:-1], "60")  # some tenths of a second
    expected, lengths = {}, {}
    for name, command in commands.items():
        begin = time.monotonic()
        runs(*command, "--out", name, "--quiet", check=True)
        lengths[name] = time.monotonic() - begin
        expected[name] = runs.numbers(name)
    end = time.monotonic() + (30 if options.slice else options.seconds)
    while figures["kills"] < wanted and time.monotonic() < end:
        name = draw.choice(list(commands))
        shutil.rmtree(runs.folder / "run", ignore_errors=True)
        figures["runs"] += 1
        resume = ()
        for attempt in range(20):
            words = [runs.program, *commands[name], "--out", "run", "--quiet", "--threads", str(draw.randint(1, 3)),
                     "--checkpoint-every", draw.choice(["0", "0.05"]), *resume]
            process = subprocess.Popen(words, cwd=runs.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            last = attempt == 3
            try:
                process.wait(None if last else draw.uniform(0, 1.5 * lengths[name]))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                figures["kills"] += 1
                if (runs.folder / "run" / "summary.json").exists():
                    break
                figures["resumed_from_checkpoint"] += (runs.folder / "run" / "checkpoint").exists()
                resume = ("--resume",)
                continue
            message = process.stderr.read().decode()
            if process.returncode != 0:
                failures.append(f"{name}: exit code {process.returncode}: {message!r}")
            break
        found = runs.numbers("run")
        differ = [part for part in set(found) | set(expected[name])
                  if part not in found or part not in expected[name] or found[part] != expected[name][part]]
        # A kill after the last rename, before what is left over is removed.
        differ = [part for part in differ if not part.startswith(("new.tmp", "old.tmp"))]
        if differ:
            failures.append(f"{name}: differs in {sorted(differ)}")
    finish(failures, figures, options.json)


main()
