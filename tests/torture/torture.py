#!/usr/bin/env python3
"""The campaign behind docs/testing.md: random problems, kills, faults, strangers and fuzzing, within MINUTES; figures go to BUILD/torture/*.json.
The first four end when they are done, or when their share of the time is over; fuzzing has the rest."""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import time

from runs import in_parallel

here = pathlib.Path(__file__).parent
sys.path.append(str(here.parent / "fuzz"))
import fuzz  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("build", type=pathlib.Path)
parser.add_argument("--minutes", type=float, default=20)
parser.add_argument("--problems", type=int, default=10000, help="how many random problems")
parser.add_argument("--first", type=int, default=0, help="seed of the first random problem")
options = parser.parse_args()
out = options.build / "torture"
out.mkdir(exist_ok=True)
for name in ("campaign", "random_problems", "faults", "kills", "strangers", "fuzz"):  # no figures of an older campaign
    (out / f"{name}.json").unlink(missing_ok=True)
program, faulty = options.build / "landfall", options.build / "tests/torture/faulty_system.so"
seconds = 60 * options.minutes
begin = time.monotonic()
failed = []
ALONE = {"OPENBLAS_NUM_THREADS": "1"}  # where there are as many programs at a time as processors


def run(name, words, limit, environment=None):
    try:
        result = subprocess.run([str(word) for word in words], timeout=limit, capture_output=True, text=True, errors="replace",
                                env={**os.environ, **(environment or {})})
        code, text = result.returncode, result.stdout + result.stderr
    except subprocess.TimeoutExpired as late:
        code, text = 124, (late.stdout or b"").decode(errors="replace")
    (out / f"{name}.log").write_text(text)
    if code != 0:
        failed.append(name)
        print(f"{name} failed ({code}), see {out / (name + '.log')}", flush=True)
    return code


def random_problems(limit, part=200):
    """In parts, so that those there was time for count."""
    parts, wrong = [], []

    def solve(_, first):
        name = f"random_problems_{first}"
        file, log = out / f"{name}.json", out / f"{name}.log"
        if run(name, [options.build / "tests/torture/random_problems", first, part, file], seconds, ALONE) == 0:
            log.unlink()
        else:
            wrong.extend(re.findall(r"^ +(seed .*)", log.read_text(), re.M) or [f"seeds from {first} on: ended early"])
        if file.exists():
            parts.append(json.loads(file.read_text()))
            file.unlink()

    left_out = in_parallel(solve, range(options.first, options.first + options.problems, part), limit)
    kinds = collections.defaultdict(collections.Counter)
    for one in parts:
        for kind, verdicts in one["kinds"].items():
            kinds[kind].update(verdicts)
    figures = {"first": options.first, "problems": sum(one["problems"] for one in parts), "left_out": part * left_out, "kinds": kinds,
               "failures": wrong}
    (out / "random_problems.json").write_text(json.dumps(figures) + "\n")


def fuzzing():
    targets = fuzz.targets(options.build)
    rest = begin + seconds - time.monotonic()
    each = max(5, int(rest * os.cpu_count() / max(1, len(targets))) - 2)  # two seconds to start and to end
    found = fuzz.fuzz_all(fuzz.fuzz, options.build, targets, each)
    (out / "fuzz.json").write_text(json.dumps(found) + "\n")
    failed.extend(f"fuzz_{name}" for name, one in found.items() if one["failed"])


took = {}
for part, share in (("random problems", 0.28), ("faults", 0.25), ("kills", 0.2), ("strangers", 0.1), ("fuzzing", None)):
    print(f"{part} ...", flush=True)
    began = time.monotonic()
    if part == "random problems":
        random_problems(share * seconds)
    elif part == "fuzzing":
        fuzzing()
    else:
        run(part, [sys.executable, here / f"{part}.py", "--program", program, "--faulty", faulty, "--seconds", share * seconds,
                   "--json", out / f"{part}.json"], share * seconds + 60)
    took[part] = round(time.monotonic() - began)
source = subprocess.run(["git", "rev-parse", "HEAD:src"], cwd=here, capture_output=True, text=True).stdout.strip()
campaign = {"source": source, "date": time.strftime("%Y-%m-%d"), "minutes": round((time.monotonic() - begin) / 60, 1), "seconds": took, "failed": failed,
            "processor": next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown")}
(out / "campaign.json").write_text(json.dumps(campaign) + "\n")
print("failed: " + ", ".join(failed) if failed else "all parts passed")
sys.exit(1 if failed else 0)
