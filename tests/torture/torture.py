#!/usr/bin/env python3
"""The campaign behind docs/testing.md: random problems, kills, faults and fuzzing, within MINUTES; figures go to FOLDER/*.json."""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import time

here = pathlib.Path(__file__).parent
parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("build", type=pathlib.Path)
parser.add_argument("--minutes", type=float, default=20)
options = parser.parse_args()
out = options.build / "torture"
out.mkdir(exist_ok=True)
program, faulty = options.build / "landfall", options.build / "tests/torture/faulty_system.so"
seconds = 60 * options.minutes
failed = []


def run(name, words, limit):
    print(f"{name} ...", flush=True)
    began = time.monotonic()
    try:
        result = subprocess.run([str(word) for word in words], timeout=limit, capture_output=True, text=True, errors="replace")
        code, text = result.returncode, result.stdout + result.stderr
    except subprocess.TimeoutExpired as late:
        code, text = 124, (late.stdout or b"").decode(errors="replace")
    (out / f"{name}.log").write_text(text)
    if code != 0:
        failed.append(name)
        print(f"{name} failed ({code}), see {out / (name + '.log')}")
    return code, text, time.monotonic() - began


run("random_problems", [options.build / "tests/torture/random_problems", 0, 10000, out / "random_problems.json"], max(300, 0.2 * seconds))
for part in ("faults", "kills", "strangers"):
    run(part, [sys.executable, here / f"{part}.py", "--program", program, "--faulty", faulty, "--seconds", 0.2 * seconds,
               "--json", out / f"{part}.json"], 0.3 * seconds)

targets = sorted((options.build / "fuzz/targets").glob("fuzz_*"))
targets = [target for target in targets if target.is_file() and target.suffix == ""]
each = int(0.25 * seconds / max(1, len(targets)))
fuzz = {}
for target in targets:
    name = target.name.removeprefix("fuzz_")
    corpus = out / "corpus" / name
    corpus.mkdir(parents=True, exist_ok=True)
    code, text, took = run(target.name, [target, f"-max_total_time={each}", "-max_len=4096", "-timeout=60", "-malloc_limit_mb=64",
                                         "-rss_limit_mb=1024", "-print_final_stats=1", f"-artifact_prefix={out}/found-{name}-",
                                         corpus, options.build / "fuzz/seeds" / name], each + 60)
    units = re.search(r"number_of_executed_units: (\d+)", text)
    fuzz[name] = {"seconds": round(took), "inputs": int(units.group(1)) if units else 0, "failed": code != 0}
(out / "fuzz.json").write_text(json.dumps(fuzz) + "\n")
machine = {"date": time.strftime("%Y-%m-%d"), "minutes": options.minutes,
           "processor": next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown")}
(out / "campaign.json").write_text(json.dumps(machine) + "\n")
print("failed: " + ", ".join(failed) if failed else "all parts passed")
sys.exit(1 if failed else 0)
