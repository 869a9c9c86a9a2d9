"""What the campaigns share: the program, its data, and what a run folder may hold."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import time


def arguments(text):
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--faulty", type=pathlib.Path, help="the library for LD_PRELOAD")
    parser.add_argument("--slice", action="store_true", help="a small part, for `make test`")
    parser.add_argument("--seconds", type=float, default=240, help="of the campaign")
    parser.add_argument("--json", type=pathlib.Path, help="where the figures go")
    return parser.parse_args()


class Figures(dict):
    """Counts that several threads add to."""

    lock = threading.Lock()

    def count(self, name, number=1):
        with self.lock:
            self[name] = self.get(name, 0) + number


def scratch():
    """A file system in memory, where there is one: what a run leaves there is the same, and fsync, half the time of a small run on a disk,
    takes none."""
    memory = "/dev/shm"
    if not os.access(memory, os.W_OK):
        return None
    free = os.statvfs(memory)
    return memory if free.f_bavail * free.f_frsize > 2**28 else None


class Runs:
    """Runs in a temporary folder that is gone afterwards."""

    def __init__(self, program):
        self.program = program.resolve()
        self.temporary = tempfile.TemporaryDirectory(prefix="landfall-torture-", dir=scratch())
        self.folder = pathlib.Path(self.temporary.name)
        self("data", "planted-cca", "d", "-N", "3000", "--left", "20", "--right", "15", "--correlations", "0.9,0.7,0.5", check=True)
        self("data", "laplace-ica", "i", "-N", "6000", "-n", "6", check=True)
        self("data", "pencil", "g", "-n", "30", check=True)
        rows = [f"{i % 3 + i % 7 * 0.5},{i % 5 - (i % 3) * 0.25},{i * 37 % 11},c{i % 3}" for i in range(600)]
        (self.folder / "c.csv").write_text("x,y,z,c\n" + "\n".join(rows) + "\n")

    def __call__(self, *words, environment=None, check=False, seconds=60):
        result = subprocess.run([self.program, *words], cwd=self.folder, env={**os.environ, **(environment or {})},
                                stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                                timeout=seconds)
        if check and result.returncode != 0:
            raise SystemExit(f"{words}: {result.returncode}: {result.stderr}")
        return result

    def numbers(self, run):
        """All files of a run but for times: the bytes of the numbers, the summary without what the clock and the machine say."""
        files = {}
        for path in sorted((self.folder / run).rglob("*")):
            name = str(path.relative_to(self.folder / run))
            if name in ("history.csv", "report.html", "report.json") or path.is_dir():
                files[name] = None
            elif name == "summary.json":
                summary = json.loads(path.read_text())
                for key in ("seconds", "peak_memory_bytes", "threads", "command"):
                    summary.pop(key, None)
                files[name] = summary
            else:
                files[name] = path.read_bytes()
        return files


COMMANDS = {
    "cca": ("cca", "d/left.npy", "d/right.npy", "-p", "2", "--method", "landing", "--passes", "6"),
    "ica": ("ica", "i/data.npy", "--passes", "2"),
    "lda": ("lda", "c.csv", "--label-column", "c", "--method", "landing", "--passes", "40"),
}


WORKERS = os.cpu_count()


def in_parallel(attempt, cases, seconds):
    """attempt(worker, case) for the cases in order, by as many workers as there are processors, for so long; an exception ends all.
    Returns how many there was no time for."""
    end, cases, lock, left_out = time.monotonic() + seconds, iter(cases), threading.Lock(), 0

    def work(worker):
        nonlocal left_out
        while True:
            with lock:
                case = next(cases, cases)
            if case is cases:
                return
            if time.monotonic() > end:
                left_out += 1
            else:
                attempt(worker, case)

    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for one in [pool.submit(work, worker) for worker in range(WORKERS)]:
            one.result()
    return left_out


def finish(failures, figures, path):
    """Prints failures, writes the figures, and ends the program."""
    for line in failures[:50]:
        print("FAILED", line)
    print(json.dumps(figures))
    if path:
        path.write_text(json.dumps({**figures, "failures": failures}) + "\n")
    raise SystemExit(1 if failures else 0)
