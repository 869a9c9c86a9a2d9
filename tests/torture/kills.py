#!/usr/bin/env python3
"""Kills runs of cca, ica and lda with SIGKILL at random moments, with one, two and three threads and a checkpoint every 50 ms or after
every step, and resumes them, killing again now and then: each ends with the same bits as a run that was left alone, and leaves
the same files."""

import random
import shutil
import subprocess
import time

from runs import COMMANDS, Figures, Runs, arguments, finish, in_parallel


def main():
    options = arguments(__doc__)
    runs = Runs(options.program)
    failures, figures = [], Figures(kills=0, runs=0, resumed_from_checkpoint=0)
    wanted = 15 if options.slice else 1000
    commands = dict(COMMANDS)
    commands["cca"] = (*commands["cca"][:-1], "60")  # some tenths of a second
    expected, lengths = {}, {}
    for name, command in commands.items():
        begin = time.monotonic()
        runs(*command, "--out", name, "--quiet", check=True)
        lengths[name] = time.monotonic() - begin
        expected[name] = runs.numbers(name)

    def attempt(worker, seed):
        if figures["kills"] >= wanted:
            return
        draw = random.Random(seed)
        name = draw.choice(list(commands))
        folder = runs.folder / f"run{worker}"
        shutil.rmtree(folder, ignore_errors=True)
        figures.count("runs")
        resume = ()
        for last in (False, False, False, True):
            words = [runs.program, *commands[name], "--out", folder.name, "--quiet", "--threads", str(draw.randint(1, 3)),
                     "--checkpoint-every", draw.choice(["0", "0.05"]), *resume]
            process = subprocess.Popen(words, cwd=runs.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            try:
                process.wait(None if last else draw.uniform(0, 1.5 * lengths[name]))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                figures.count("kills")
                if (folder / "summary.json").exists():
                    break
                figures.count("resumed_from_checkpoint", (folder / "checkpoint").exists())
                resume = ("--resume",)
                continue
            message = process.stderr.read().decode()
            if process.returncode != 0:
                failures.append(f"{name}, seed {seed}: exit code {process.returncode}: {message!r}")
            break
        found = runs.numbers(folder.name)
        differ = [part for part in set(found) | set(expected[name])
                  if part not in found or part not in expected[name] or found[part] != expected[name][part]]
        # A kill after the last rename, before what is left over is removed.
        differ = [part for part in differ if not part.startswith(("new.tmp", "old.tmp"))]
        if differ:
            failures.append(f"{name}, seed {seed}: differs in {sorted(differ)}")

    in_parallel(attempt, range(wanted), 30 if options.slice else options.seconds)
    finish(failures, figures, options.json)


main()
