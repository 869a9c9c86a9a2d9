"""Ctrl-C in every phase, callbacks, threads, forked workers, memory."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading

import joblib
import landfall
import numpy as np
import pytest

from conftest import planted_views

# A process that is interrupted when it says so, and prints how long it took until KeyboardInterrupt came out.
INTERRUPTED = """
import os, signal, sys, threading, time
import landfall
import numpy as np
sent = None
def interrupt():
    global sent
    sent = time.perf_counter()
    os.kill(os.getpid(), signal.SIGINT)
def interrupt_soon():
    threading.Timer(0.15, interrupt).start()
landfall.CCA(1).fit(np.eye(9)[:, :4], np.eye(9)[:, 2:6])
landfall.cross_validate, landfall.gevp, landfall.ICA, landfall.LDA  # everything is imported now
{setup}
try:
    {work}
    print("not interrupted")
except KeyboardInterrupt:
    print(time.perf_counter() - sent)
{after}
"""

BIG = """
rng = np.random.default_rng(0)
x = rng.standard_normal((60_000, 300), dtype=np.float32)
y = rng.standard_normal((60_000, 300), dtype=np.float32)
def blocks():
    # The interrupt comes in the middle of the first reading.
    for first in range(0, len(x), 2000):
        if first == 20_000 and sent is None:
            interrupt()
        yield x[first : first + 2000]
"""

PHASES = {
    "means": (BIG, "landfall.CCA(2, method='exact', precision='single').fit(blocks, y)"),
    "covariances": (BIG + "x = np.asfortranarray(x)", "interrupt_soon() or [landfall.CCA(2, method='exact').fit(x, y) for _ in range(50)]"),
    "landing": (BIG, "landfall.CCA(2, method='landing', passes=500, callback=lambda p: p['iteration'] == 50 and interrupt()).fit(x, y)"),
    "landing without a callback": (BIG, "interrupt_soon() or landfall.CCA(2, method='landing', passes=500).fit(x, y)"),
    "ica": (BIG, "interrupt_soon() or landfall.ICA(20, passes=100).fit(np.tile(x, (2, 1)))"),
    "lda": (BIG, "interrupt_soon() or [landfall.LDA(5).fit(x, np.arange(len(x)) % 7) for _ in range(50)]"),
    "partial_fit": (BIG, "interrupt_soon() or [landfall.CCA(2).partial_fit(x, y) for _ in range(50)]"),
    "permutations": (BIG, "interrupt_soon() or landfall.CCA(2, permutations=10**6).fit(x[:3000, :30], y[:3000, :30])"),
    "bootstrap": (BIG, "interrupt_soon() or landfall.CCA(2, bootstrap=10**6).fit(x[:3000, :30], y[:3000, :30])"),
    "restarts": (BIG, "interrupt_soon() or [landfall.ICA(5, n_restarts=100).fit(x[:20_000, :30]) for _ in range(50)]"),
    "cross_validate": (BIG, "interrupt_soon() or [landfall.cross_validate(landfall.CCA(), x, y) for _ in range(50)]"),
    "scores": (BIG + "m = landfall.ICA(2).fit(x[:3000])", "m.transform(blocks)"),
    "gevp": ("a = np.diag(np.arange(1.0, 301))\nb = np.eye(300) + 0.1",
             "interrupt_soon() or landfall.gevp(a, b, 5, method='landing', direction='riemannian', tol=1e-300, max_iter=10**9)"),
}


@pytest.mark.parametrize("phase", PHASES)
def test_interrupt(phase):
    setup, work = PHASES[phase]
    script = INTERRUPTED.format(setup=setup, work=work, after="print(landfall.CCA(1).fit(np.eye(9)[:, :4], np.eye(9)[:, 2:6]).method_)")
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    seconds, method = done.stdout.split()  # and a fit works afterwards
    assert float(seconds) > 0 and method == "exact"  # how long it takes is measured by bench/python.py


# The interrupt comes once the thread of the fit is there and has given the GIL back.
INTERRUPT_INSIDE = """
from landfall import _core
def interrupt_inside():
    while _core.detached() == 0:
        time.sleep(0.01)
    threading.Timer(0.1, interrupt).start()
threading.Thread(target=interrupt_inside).start()
"""

# A problem that is one call of LAPACK after another for a second or more.
LAPACK = """
rng = np.random.default_rng(0)
a = rng.standard_normal((1500, 1500))
a += a.T.copy()
b = np.eye(1500)
small = np.diag(np.arange(1.0, 31)), np.eye(30)
expected = landfall.gevp(*small, 3, method='direct').values
""" + INTERRUPT_INSIDE


@pytest.mark.parametrize(("after", "printed"), [
    # Fits beside the call that still runs, and after it, are right; Python waits for it when it ends.
    ("""
print(_core.detached())
np.testing.assert_allclose(landfall.gevp(*small, 3, method='direct').values, expected)
x = rng.standard_normal((500, 8))
np.testing.assert_allclose(landfall.CCA(2, ridge=0).fit(x[:, :4], x[:, 2:6]).correlations_, [1, 1])
""", "1"),
    # A forked child does not wait for a thread that it does not have.
    ("""
child = os.fork()
if child == 0:
    sys.exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""", "7"),
])
def test_interrupt_in_lapack(after, printed):
    """The exception comes while the call still runs."""
    script = INTERRUPTED.format(setup=LAPACK, work="landfall.gevp(a, b, 5, method='direct')", after=after)
    one_thread = os.environ | {"OPENBLAS_NUM_THREADS": "1"}  # two would wait for each other where others use the processors
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, timeout=120, check=False, env=one_thread)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[1] == printed


def test_partial_fit_interrupted_in_lapack():
    """The model that the call still works on can be used at once: what is asked of it comes after that call."""
    setup = """
rng = np.random.default_rng(0)
z = rng.standard_normal((4000, 2))
x, y = (np.concatenate((z, rng.standard_normal((4000, 1200))), axis=1) for _ in range(2))
model = landfall.CCA(2)
""" + INTERRUPT_INSIDE
    after = """
import pickle
copy = pickle.loads(pickle.dumps(model))
print(np.round(copy.partial_fit(x, y).correlations_, 2).tolist() == np.round(model.partial_fit(x, y).correlations_, 2).tolist() == [1, 1])
"""
    script = INTERRUPTED.format(setup=setup, work="model.partial_fit(x, y)", after=after)
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[1:] == ["True"]


def test_callback_sees_progress_and_ends_the_run(views):
    seen = []
    cca = landfall.CCA(2, method="landing", passes=40, callback=lambda progress: seen.append(progress) or len(seen) == 7)
    cca.fit(*views)
    assert len(seen) == 7 and [step["iteration"] for step in seen] == list(range(1, 8))
    assert cca._result["termination"] == "stopped"
    assert set(seen[0]) == {"iteration", "passes", "seconds", "objective", "infeasibility", "stationarity", "step"}


def test_callback_runs_in_the_calling_thread(views):
    threads = set()
    landfall.CCA(2, method="landing", passes=1, callback=lambda progress: threads.add(threading.get_ident())).fit(*views)
    assert threads == {threading.get_ident()}


def test_exception_of_a_callback(views):
    def fail(progress):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        landfall.CCA(2, method="landing", callback=fail).fit(*views)


def test_verbose(views, capfd):
    landfall.CCA(2, method="landing", verbose=1).fit(*views)
    assert "CCA · landing (requested)" in capfd.readouterr().err
    landfall.CCA(2, method="landing").fit(*views)
    assert capfd.readouterr().err == ""


def test_two_fits_at_once():
    """Of either method, in two threads: the same bits as one after the other."""
    data = [planted_views(rows=6000, left=40, right=30, seed=seed) for seed in range(2)]
    jobs = [(method, seed) for method in ("landing", "exact") for seed in range(2)] * 2

    def run(job):
        x, y = data[job[1]]
        return landfall.CCA(3, method=job[0]).fit(x, y)

    alone = [run(job) for job in jobs]
    together = joblib.Parallel(n_jobs=2, backend="threading")(joblib.delayed(run)(job) for job in jobs)
    for job, one, two in zip(jobs, alone, together):
        if job[0] == "landing":
            np.testing.assert_array_equal(one.x_weights_, two.x_weights_)
        else:  # BLAS may have one thread or two
            np.testing.assert_allclose(one.x_weights_, two.x_weights_, atol=1e-10)
    assert landfall.threads() >= 1


def test_the_gil_is_released(views):
    """Another thread goes on while a fit runs."""
    counted = []
    stop = threading.Event()

    def count():
        while not stop.is_set():
            counted.append(1)
            stop.wait(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    before = len(counted)
    landfall.CCA(2, method="landing", passes=300).fit(*views)
    during = len(counted) - before
    stop.set()
    thread.join()
    assert during > 3


def _fit_in_child(seed):
    x, y = planted_views(seed=seed)
    return landfall.CCA(2, method="landing").fit(x, y).correlations_


def test_forked_workers():
    here = [_fit_in_child(seed) for seed in range(3)]  # BLAS has its threads by now
    with multiprocessing.get_context("fork").Pool(2) as pool:
        forked = pool.map(_fit_in_child, range(3))
    loky = joblib.Parallel(n_jobs=2)(joblib.delayed(_fit_in_child)(seed) for seed in range(3))
    for a, b, c in zip(here, forked, loky):  # workers may have fewer threads of BLAS, which sum in another order
        np.testing.assert_allclose(a, b, rtol=1e-12)
        np.testing.assert_allclose(a, c, rtol=1e-12)


MAPPED = """
import pathlib, sys
import landfall
import numpy as np
def anon():
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) // 1024
landfall.CCA(1).fit(np.eye(9)[:, :4], np.eye(9)[:, 2:6])
x = np.memmap(sys.argv[1], dtype=np.float32, mode="r", shape=(2_500_000, 200))
before, most = anon(), [0]
def watch(progress):
    if progress["iteration"] % 64 == 0:
        most[0] = max(most[0], anon())
cca = landfall.CCA(2, method='landing', passes=0.2, callback=watch, ridge=0).fit(x[:, :100], x[:, 100:])
print(cca.n_samples_, max(most[0], anon()) - before)
"""


def test_memory_of_a_mapped_file(tmp_path):
    """2 GB of which the file system stores next to nothing."""
    path = tmp_path / "mapped"
    rng = np.random.default_rng(0)
    with open(path, "wb") as file:
        file.write(rng.standard_normal((2000, 200), dtype=np.float32).tobytes())
        file.truncate(2_500_000 * 200 * 4)
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", MAPPED, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    samples, megabytes = map(int, done.stdout.split())
    assert samples == 2_500_000 and megabytes < 300


def test_signals_of_others_still_arrive(views):
    """A handler of the user runs during a fit, on the main thread."""
    seen = []
    old = signal.signal(signal.SIGUSR1, lambda number, frame: seen.append(threading.current_thread()))
    try:
        fired = []

        def fire(progress):
            if not fired:
                fired.append(1)
                os.kill(os.getpid(), signal.SIGUSR1)

        landfall.CCA(2, method="landing", callback=fire).fit(*views)
    finally:
        signal.signal(signal.SIGUSR1, old)
    assert seen == [threading.main_thread()]
