#!/usr/bin/env python3
"""Kills runs of cca, ica and lda with SIGKILL at random moments, with one, two and three threads and a checkpoint every 50 ms or after
every step, and resumes them, killing again now and then: each ends with the same bits as a run that was left alone, and leaves
the same files."""

import random
import shutil
import subprocess
import time

from runs import COMMANDS, Figures, Runs, arguments, finish, in_parallel

# Some tenths of a second: several of the checkpoints that are written every 50 ms.
LONG = {"cca": (*COMMANDS["cca"][:-1], "60"), "ica": (*COMMANDS["ica"][:-1], "200"), "lda": (*COMMANDS["lda"][:-1], "500")}
EVERY = ("0", "0.05")
MOST_KILLS = 6  # of one run


class Campaign:
    def __init__(self, runs):
        self.runs, self.failures, self.figures = runs, [], Figures(kills=0, runs=0, resumed_from_checkpoint=0)
        self.expected, self.lengths = {}, {}
        for name, command in LONG.items():
            for every in EVERY:
                begin = time.monotonic()
                runs(*command, "--out", name, "--quiet", "--checkpoint-every", every, "--force", check=True)
                self.lengths[name, every] = time.monotonic() - begin
            self.expected[name] = runs.numbers(name)
        self.files = {path.name for path in runs.folder.iterdir()}

    def start(self, draw, name, folder, every, *resume):
        words = [self.runs.program, *LONG[name], "--out", folder.name, "--quiet", "--threads", str(draw.randint(1, 3)),
                 "--checkpoint-every", every, *resume]
        return subprocess.Popen(words, cwd=self.runs.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def kill_and_resume(self, draw, name, folder):
        """Returns what was wrong, and whether the run was killed when its result was there already."""
        resume = ()
        for kills in range(MOST_KILLS + 1):
            every = draw.choice(EVERY)
            process = self.start(draw, name, folder, every, *resume)
            try:
                message = process.communicate(timeout=None if kills == MOST_KILLS else draw.uniform(0, 1.2 * self.lengths[name, every]))[1]
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                self.figures.count("kills")
                if (folder / "summary.json").exists():
                    return [], True
                self.figures.count("resumed_from_checkpoint", (folder / "checkpoint").exists())
                resume = ("--resume",)
            else:
                return [] if process.returncode == 0 else [f"exit code {process.returncode}: {message.decode()!r}"], False

    def attempt(self, worker, seed):
        draw = random.Random(seed)
        name = draw.choice(list(LONG))
        folder = self.runs.folder / f"run{worker}"
        shutil.rmtree(folder, ignore_errors=True)
        self.figures.count("runs")
        wrong, late = self.kill_and_resume(draw, name, folder)
        found, expected = self.runs.numbers(folder.name), self.expected[name]
        if late:  # between the last rename and the removal of what is left over, which the next run removes
            found = {part: content for part, content in found.items() if not part.startswith(("new.tmp", "old.tmp"))}
        differ = sorted(part for part in set(found) | set(expected)
                        if part not in found or part not in expected or found[part] != expected[part])
        wrong += [f"differs in {differ}"] if differ else []
        stray = {path.name for path in self.runs.folder.iterdir() if not path.name.startswith("run")} - self.files
        wrong += [f"leaves {sorted(stray)}"] if stray else []
        self.failures.extend(f"{name}, seed {seed}: {one}" for one in wrong)


def main():
    options = arguments(__doc__)
    campaign = Campaign(Runs(options.program))
    wanted = 15 if options.slice else 1000

    def attempt(worker, seed):
        if campaign.figures["kills"] < wanted:
            campaign.attempt(worker, seed)

    in_parallel(attempt, range(wanted), 30 if options.slice else options.seconds)
    finish(campaign.failures, campaign.figures, options.json)


main()
