#!/usr/bin/env python3
"""Fuzzes targets: fuzz.py BUILD [TARGET ...] --seconds 600. Inputs that it learned stay in BUILD/torture/corpus, what it found is
BUILD/torture/found-TARGET-*. The longest time of each target without a finding is kept in longest.json, for docs/testing.md."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "LSAN_OPTIONS": f"suppressions={ROOT}/tools/lsan-suppressions print_suppressions=0"}
LONGEST = pathlib.Path(__file__).parent / "longest.json"


def targets(build):
    return sorted(path.name.removeprefix("fuzz_") for path in (build / "fuzz/targets").glob("fuzz_*") if path.is_file() and path.suffix == "")


def fuzz(build, name, seconds):
    """For so many seconds, or until something is found: the inputs, the seconds that the target had a processor, and whether it failed."""
    out = build / "torture"
    corpus = out / "corpus" / name
    corpus.mkdir(parents=True, exist_ok=True)
    # without "entropic", the choice of inputs by rare branches, which takes most of the time of the larger targets
    words = [build / "fuzz/targets" / f"fuzz_{name}", f"-max_total_time={seconds}", "-max_len=4096", "-timeout=60", "-malloc_limit_mb=64",
             "-rss_limit_mb=1024", "-entropic=0", "-print_final_stats=1", f"-artifact_prefix={out}/found-{name}-", corpus, build / "fuzz/seeds" / name]
    log = out / f"fuzz_{name}.log"
    with open(log, "w") as file:
        process = subprocess.Popen([str(word) for word in words], stdout=file, stderr=file, env=ENVIRONMENT)
        _, status, usage = os.wait4(process.pid, 0)
    units = re.search(r"number_of_executed_units: (\d+)", log.read_text(errors="replace"))
    return {"seconds": round(usage.ru_utime + usage.ru_stime), "inputs": int(units.group(1)) if units else 0, "failed": status != 0}


def fuzz_whole(build, name, seconds):
    """Again, from what was learned, until the target had a processor for so long: other programs may have taken it."""
    found = fuzz(build, name, seconds)
    while not found["failed"] and found["seconds"] < seconds:
        more = fuzz(build, name, seconds - found["seconds"])
        found = {key: found[key] + more[key] for key in ("seconds", "inputs")} | {"failed": more["failed"]}
    return found


def remember(found):
    """Keeps what is longer than before."""
    longest = json.loads(LONGEST.read_text()) if LONGEST.exists() else {}
    for name, one in found.items():
        if not one["failed"] and one["seconds"] > longest.get(name, {"seconds": 0})["seconds"]:
            longest[name] = {"date": time.strftime("%Y-%m-%d"), "seconds": one["seconds"], "inputs": one["inputs"]}
    LONGEST.write_text(json.dumps(longest, indent=1, sort_keys=True) + "\n")


def fuzz_all(fuzz, build, names, seconds, workers=os.cpu_count()):
    """Each target for so many seconds, several at a time."""
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        runs = {name: pool.submit(fuzz, build, name, seconds) for name in names}
        found = {name: run.result() for name, run in runs.items()}
    remember(found)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("target", nargs="*")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    (options.build / "torture").mkdir(exist_ok=True)
    found = fuzz_all(fuzz_whole, options.build, options.target or targets(options.build), options.seconds, options.jobs)
    for name, one in found.items():
        print(f"{name}: {one['inputs']} inputs in {one['seconds']} s{', FAILED' if one['failed'] else ''}")
    raise SystemExit(1 if any(one["failed"] for one in found.values()) else 0)


if __name__ == "__main__":
    main()
