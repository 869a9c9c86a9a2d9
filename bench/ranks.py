"""Two ranks of one thread against one process, in processor time.

    ranks.py BUILD [FOLDER] [--quick]

The processor time of a run with many passes less that of one with few is that of the loop alone, without reading statistics,
pilot and the start of MPI; of two ranks it is the sum of both, with what they spend on messages and on waiting for each other.
For exact covariances the two runs differ in the number of rows. Ratios: one process over the mean of the two ranks, from the least
time of each run over rounds in which all four take turns: other programs make processor time longer, never shorter. Two ranks share the
caches and the memory of the machine, which makes processor time longer too, with or without MPI: the process is therefore measured while
another one does the same beside it.
"""

import os
import pathlib
import resource
import subprocess
import sys

import numpy as np
import scipy.io
import scipy.sparse

ENVIRONMENT = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
                            "OPENBLAS_NUM_THREADS": "1"}


LOOPBACK = {"OMPI_MCA_btl": "self,tcp", "OMPI_MCA_btl_tcp_if_include": "lo"}  # Open MPI: messages by TCP, not shared memory


def processor_seconds(ranks, program, *arguments):
    """Of one rank, or of one of two processes that know nothing of each other."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [program, *map(str, arguments), "--threads", "1", "--json", "--quiet"]
    commands = [["mpirun", "-n", str(ranks), *command]] if ranks > 1 else [command, command]
    runs = [subprocess.Popen(words, env=ENVIRONMENT, stdout=subprocess.DEVNULL) for words in commands]
    if any([run.wait() != 0 for run in runs]):
        raise SystemExit(f"{' '.join(command)} failed")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / max(ranks, len(runs))


def ratio(program, few, many, rounds):
    """One process over a rank of two."""
    least = {}
    for _ in range(rounds):
        for ranks in (1, 2):
            for name, run in (("few", few), ("many", many)):
                seconds = processor_seconds(ranks, program, *run)
                least[ranks, name] = min(seconds, least.get((ranks, name), seconds))
    return (least[1, "many"] - least[1, "few"]) / (least[2, "many"] - least[2, "few"])


def dense(folder, rows, n):
    names = [folder / f"ranks-{rows}x{n}-{side}.npy" for side in ("left", "right")]
    if not all(name.exists() for name in names):
        random = np.random.default_rng(n)
        shared = random.normal(size=(rows, 20)).astype(np.float32)
        for name in names:
            noise = random.normal(size=(rows, n)).astype(np.float32)
            np.save(name, noise + shared @ random.normal(size=(20, n)).astype(np.float32))
    return names


def sparse(folder, rows, n, nonzeros):
    names = [folder / f"ranks-{rows}x{n}-{side}.mtx" for side in ("left", "right")]
    if not all(name.exists() for name in names):
        random = np.random.default_rng(n)
        shared = random.integers(0, n // 50, size=rows)  # both views of a row have columns about the same place
        for name in names:
            columns = (50 * shared[:, None] + random.integers(0, 200, size=(rows, nonzeros))) % n
            values = 1 + random.random(size=columns.shape)
            matrix = scipy.sparse.csr_matrix((values.ravel(), (np.repeat(np.arange(rows), nonzeros), columns.ravel())), shape=(rows, n))
            scipy.io.mmwrite(name, matrix, precision=6)
    return names


def main(arguments):
    quick = "--quick" in arguments
    arguments = [argument for argument in arguments if argument != "--quick"]
    program = os.path.join(arguments[0], "landfall")
    folder = pathlib.Path(arguments[1] if len(arguments) > 1 else "build/bench")
    folder.mkdir(parents=True, exist_ok=True)
    rounds = 1 if quick else 3
    landing = ["-p", 5, "--method", "landing", "--ridge", 1]

    def tell_ratio(name, text, few, many):
        value = ratio(program, few, many, rounds)
        print(f"{text:<60} {value:6.2f}")
        print(f"measured ranks.{name} {value:.4f}", flush=True)

    for n, rows in ((392, 16384),) if quick else ((392, 65536), (2000, 16384)):
        for batch in (128, 1024):
            run = ["cca", *dense(folder, rows, n), *landing, "--batch", batch, "--passes"]
            tell_ratio(f"landing.{n}.{batch}", f"landing, n = {n}, batches of {batch}", [*run, 1], [*run, 4])
    ENVIRONMENT.update(LOOPBACK)
    tell_ratio(f"tcp.{n}.{batch}", "the same, messages by loopback TCP", [*run, 1], [*run, 4])
    for name in LOOPBACK:
        del ENVIRONMENT[name]
    exact = ["-p", 5, "--method", "exact", "--ridge", 1]
    if not quick:
        tell_ratio("exact.1000", "exact covariances, n = 1000", ["cca", *dense(folder, 4096, 1000), *exact],
                   ["cca", *dense(folder, 32768, 1000), *exact])
    run = ["cca", *sparse(folder, 40000, 20000, 50), *landing, "--batch", 4096, "--passes"]
    tell_ratio("sparse", "landing, 20000 columns, 50 nonzeros, batches of 4096", [*run, 1], [*run, 3])


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    main(sys.argv[1:])
