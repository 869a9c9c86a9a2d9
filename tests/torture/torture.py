#!/usr/bin/env python3
"""The campaign behind docs/testing.md: random problems, kills, faults, strangers and fuzzing, within MINUTES; figures go to FOLDER/*.json."""

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
parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("build", type=pathlib.Path)
parser.add_argument("--minutes", type=float, default=20)
parser.add_argument("--first", type=int, default=0, help="seed of the first random problem")
options = parser.parse_args()
out = options.build / "torture"
out.mkdir(exist_ok=True)
for name in ("campaign", "random_problems", "faults", "kills", "strangers", "fuzz"):  # no figures of an older campaign
    (out / f"{name}.json").unlink(missing_ok=True)
program, faulty = options.build / "landfall", options.build / "tests/torture/faulty_system.so"
seconds = 60 * options.minutes
failed = []
ALONE = {"OPENBLAS_NUM_THREADS": "1"}  # where there are as many programs at a time as processors


def run(name, words, limit, environment=None):
    began = time.monotonic()
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
    return code, text, time.monotonic() - began


def random_problems(count=10000, part=200):
    """In parts, so that those there was time for count."""
    parts = []

    def solve(_, first):
        file = out / f"random_problems_{first}.json"
        if run(f"random_problems_{first}", [options.build / "tests/torture/random_problems", first, part, file], seconds, ALONE)[0] == 0:
            (out / f"random_problems_{first}.log").unlink()
        if file.exists():
            parts.append(json.loads(file.read_text()))
            file.unlink()

    in_parallel(solve, range(options.first, options.first + count, part), 0.25 * seconds)
    kinds = collections.defaultdict(collections.Counter)
    for one in parts:
        for kind, verdicts in one["kinds"].items():
            kinds[kind].update(verdicts)
    figures = {"first": options.first, "problems": sum(one["problems"] for one in parts), "kinds": kinds}
    (out / "random_problems.json").write_text(json.dumps(figures) + "\n")


def fuzzing():
    targets = sorted(path for path in (options.build / "fuzz/targets").glob("fuzz_*") if path.is_file() and path.suffix == "")
    each = int(0.2 * seconds * os.cpu_count() / max(1, len(targets)))
    fuzz = {}

    def look(_, target):
        name = target.name.removeprefix("fuzz_")
        corpus = out / "corpus" / name
        corpus.mkdir(parents=True, exist_ok=True)
        code, text, took = run(target.name, [target, f"-max_total_time={each}", "-max_len=4096", "-timeout=60", "-malloc_limit_mb=64",
                                             "-rss_limit_mb=1024", "-print_final_stats=1", f"-artifact_prefix={out}/found-{name}-",
                                             corpus, options.build / "fuzz/seeds" / name], each + 60, ALONE)
        units = re.search(r"number_of_executed_units: (\d+)", text)
        fuzz[name] = {"seconds": round(took), "inputs": int(units.group(1)) if units else 0, "failed": code != 0}

    in_parallel(look, targets, seconds)
    (out / "fuzz.json").write_text(json.dumps(fuzz) + "\n")


print("random problems ...", flush=True)
random_problems()
for part, share in (("faults", 0.22), ("kills", 0.22), ("strangers", 0.08)):
    print(f"{part} ...", flush=True)
    run(part, [sys.executable, here / f"{part}.py", "--program", program, "--faulty", faulty, "--seconds", share * seconds,
               "--json", out / f"{part}.json"], share * seconds + 60)
print("fuzzing ...", flush=True)
fuzzing()
source = subprocess.run(["git", "rev-parse", "HEAD:src"], cwd=here, capture_output=True, text=True).stdout.strip()
machine = {"source": source, "date": time.strftime("%Y-%m-%d"), "minutes": options.minutes,
           "processor": next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown")}
(out / "campaign.json").write_text(json.dumps(machine) + "\n")
print("failed: " + ", ".join(failed) if failed else "all parts passed")
sys.exit(1 if failed else 0)
