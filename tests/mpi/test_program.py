"""The program under mpirun.

    test_program.py PROGRAM MODULE MPIEXEC [unittest arguments]

MODULE is landfall_mpi.so, built with the MPI that MPIEXEC belongs to.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

BUILT, MODULE, MPIEXEC = (os.path.abspath(path) for path in sys.argv[1:4]) if len(sys.argv) > 3 else ("", "", "")
TOGETHER = tempfile.TemporaryDirectory()  # the program looks for the module beside itself
PROGRAM = os.path.join(TOGETHER.name, "landfall")
# More ranks than processors, as root where tests run as root, and nothing but the loopback interface.
ENVIRONMENT = os.environ | {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_btl_tcp_if_include": "lo", "OMPI_MCA_oob_tcp_if_include": "lo",
    "HYDRA_IFACE": "lo", "OPENBLAS_NUM_THREADS": "1", "NO_COLOR": "1",
}
LONGEST = 300  # seconds that nothing here should take


def start(ranks, *arguments, **more):
    launcher = [MPIEXEC, "-n", str(ranks)] if ranks > 0 else []
    return subprocess.Popen([*launcher, PROGRAM, *map(str, arguments)], env=ENVIRONMENT, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, **more)


def run(ranks, *arguments, **more):
    """0 ranks: without mpirun."""
    process = start(ranks, *arguments, **more)
    out, err = process.communicate(timeout=LONGEST)
    return process.returncode, out, err


def fit(ranks, *arguments):
    code, out, err = run(ranks, *arguments, "--json", "--quiet")
    assert code == 0, err
    return json.loads(out)


def sentences(err):
    """What the program says, without what mpirun adds."""
    return [line for line in err.splitlines() if line.startswith("landfall: ")]


def processes_below(pid):
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            found += [int(child), *processes_below(child)]
    return found


def ranks_of(process):
    return [pid for pid in processes_below(process.pid)
            if pathlib.Path(f"/proc/{pid}/exe").resolve() == pathlib.Path(PROGRAM).resolve()]


class Mpi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        random = np.random.default_rng(1)
        shared = random.normal(size=(6000, 3)) * [2, 1.4, 0.9]
        cls.views = [shared @ random.normal(size=(3, n)) + random.normal(size=(6000, n)) + 4 for n in (24, 19)]
        for name, view in zip(("left", "right"), cls.views):
            np.save(cls.folder / f"{name}.npy", view.astype(np.float32))
            np.save(cls.folder / f"{name}64.npy", view)
        cls.labels = random.integers(0, 3, size=6000)
        cls.classes = cls.views[0] + np.eye(24)[cls.labels] * 3
        np.save(cls.folder / "classes.npy", cls.classes.astype(np.float32))
        np.save(cls.folder / "labels.npy", cls.labels)
        np.save(cls.folder / "mixtures.npy", random.laplace(size=(6000, 8)) @ random.normal(size=(8, 8)))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def path(self, name):
        return str(self.folder / name)

    def fresh(self, name):
        path = self.folder / name
        if path.is_dir():
            shutil.rmtree(path)
        return str(path)

    def files(self, double=False):
        return [self.path(f"{name}{'64' if double else ''}.npy") for name in ("left", "right")]

    def near(self, found, expected, tolerance):
        np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)

    def test_any_number_of_ranks_gives_the_answer_of_one_process(self):
        for double in (False, True):
            for method in ("exact", "landing"):
                arguments = ["cca", *self.files(double), "-p", 3, "--method", method, "--held-out", 0.1]
                one = fit(0, *arguments)
                self.assertNotIn("ranks", one)
                for ranks in (2, 3, 4):
                    with self.subTest(double=double, method=method, ranks=ranks):
                        found = fit(ranks, *arguments)
                        for key in ("correlations", "regularized_correlations", "held_out_correlations"):
                            self.near(found[key], one[key], 1e-10 if double else 1e-6)
                        for key in ("samples", "held_out_samples", "passes", "batch", "ridge"):
                            self.assertEqual(found[key], one[key])
                        self.assertEqual(found["ranks"], ranks)
                        self.assertGreater(found["seconds"]["communicate"], 0)
                        self.assertIn(found["slowest_rank"], range(ranks))

    def test_lda_and_ica(self):
        lda = ["lda", self.path("classes.npy"), "--labels", self.path("labels.npy"), "--held-out", 0.2]
        for method in ("exact", "landing"):
            one, found = (fit(ranks, *lda, "--method", method) for ranks in (0, 3))
            self.near(found["eigenvalues"], one["eigenvalues"], 1e-4)
            self.near(found["held_out_accuracy"], one["held_out_accuracy"], 2e-3)
        one, found = (fit(ranks, "ica", self.path("mixtures.npy")) for ranks in (0, 3))
        self.near(found["negentropy"], one["negentropy"], 1e-8)

    def test_same_ranks_same_bits(self):
        weights = []
        for name in ("a", "b"):
            fit(3, "cca", *self.files(), "-p", 3, "--method", "landing", "--out", self.fresh(name))
            weights.append(np.load(self.folder / name / "weights_left.npy"))
        np.testing.assert_array_equal(*weights)

    def test_scores(self):
        run_folder = self.fresh("scored")
        fit(2, "cca", *self.files(), "-p", 3, "--out", run_folder)
        self.assertTrue((self.folder / "scored" / "report.html").exists())
        scores = {}
        for ranks in (0, 3):
            out = self.path(f"scores{ranks}.npy")
            code, _, err = run(ranks, "transform", run_folder, *self.files(), "-o", out)
            self.assertEqual(code, 0, err)
            self.assertIn("6000x6", err)
            scores[ranks] = np.load(out)
        np.testing.assert_array_equal(scores[0], scores[3])
        for rank, rows in enumerate((slice(0, 2500), slice(2500, 6000))):
            np.save(self.folder / f"new{rank}.npy", self.views[0][rows].astype(np.float32))
        code, _, err = run(2, "transform", run_folder, self.path("new{rank}.npy"), "--view", "left", "-o", self.path("own{rank}.npy"))
        self.assertEqual(code, 0, err)
        own = np.concatenate([np.load(self.folder / f"own{rank}.npy") for rank in (0, 1)])
        np.testing.assert_allclose(own, scores[0][:, :3], atol=1e-5)
        code, _, err = run(2, "transform", run_folder, self.path("new{rank}.npy"), "--view", "left", "-o", self.path("x.npy"))
        self.assertEqual((code, len(sentences(err))), (2, 1))

    def test_rows_of_their_own(self):
        one = fit(0, "cca", *self.files(True), "-p", 3, "--held-out", 0.1, "--method", "exact")
        cuts = [0, 300, 4000, 6000]
        parts = self.folder / "parts"
        for name, view in zip(("left", "right"), self.views):
            (parts / name).mkdir(parents=True, exist_ok=True)
            for rank in range(3):
                rows = view[cuts[rank]:cuts[rank + 1]]
                np.save(self.folder / f"{name}-{rank}.npy", rows)
                np.savetxt(parts / name / f"{rank}.csv", rows, delimiter=",", header=",".join(f"c{j}" for j in range(rows.shape[1])),
                           comments="", fmt="%.17g")
        for files in ([self.path("left-{rank}.npy"), self.path("right-{rank}.npy")], [parts / "left", parts / "right"]):
            found = fit(3, "cca", *files, "-p", 3, "--held-out", 0.1, "--method", "exact", "--rows", "own")
            for key in ("correlations", "held_out_correlations"):
                self.near(found[key], one[key], 1e-10)
            self.assertEqual(found["held_out_samples"], one["held_out_samples"])
            landing = fit(3, "cca", *files, "-p", 3, "--method", "landing", "--rows", "own", "--tolerance", 1e-4)
            self.near(landing["correlations"], one["correlations"], 2e-2)
            self.assertEqual(landing["samples"], 6000)
        for ranks, files in ((4, [parts / "left", parts / "right"]), (2, self.files())):
            code, _, err = run(ranks, "cca", *files, "-p", 3, "--rows", "own")
            self.assertEqual((code, len(sentences(err))), (2, 1), err)
        code, _, err = run(2, "cca", self.path("left-{rank}.npy"), self.path("right-{rank}.npy"), "-p", 3)
        self.assertEqual((code, len(sentences(err))), (2, 1), err)

    def test_errors_are_one_sentence(self):
        rows = self.views[0].copy()
        rows[5990, 3] = np.nan
        np.save(self.folder / "bad.npy", rows)
        code, out, err = run(3, "cca", self.path("bad.npy"), self.path("right64.npy"), "-p", 3)
        self.assertEqual((code, out), (3, ""))
        self.assertEqual(len(sentences(err)), 1, err)
        self.assertRegex(sentences(err)[0], r"landfall: rank 2: .*bad.npy: row 5991, column 4 is NaN")
        code, _, err = run(3, "cca", self.path("none.npy"), self.path("right.npy"), "-p", 3)  # on every rank
        self.assertEqual(code, 3)
        self.assertEqual(len(sentences(err)), 1, err)
        self.assertRegex(sentences(err)[0], r"landfall: [^ ]*none.npy")
        code, _, err = run(3, "cca", *self.files(), "-p", 30)
        self.assertEqual(code, 4)
        self.assertEqual(len(sentences(err)), 1, err)
        code, _, err = run(2, "cca", *self.files(), "-p", 3, "--no-such-option")
        self.assertEqual((code, len(sentences(err))), (2, 1), err)

    def test_what_needs_one_process(self):
        pencil = [self.path("left64.npy"), self.path("right64.npy")]
        for arguments in (["gevp", *pencil, "-p", 2], ["compare", "cca", *self.files(), "-p", 2], ["plan", "cca", *self.files(), "-p", 2],
                          ["cca", *self.files(), "-p", 2, "--method", "sgha"], ["cca", "-", self.path("right.npy"), "-p", 2],
                          ["reproduce", "all"], ["data", "info", self.path("left.npy")]):
            with self.subTest(arguments=arguments):
                code, out, err = run(2, *arguments, stdin=subprocess.DEVNULL)
                self.assertEqual((code, out), (2, ""), err)
                self.assertEqual(len(sentences(err)), 1, err)
        code, out, _ = run(2, "--version")
        self.assertEqual((code, out.count("landfall")), (0, 1))

    def long_run(self, out, *more):
        return ["cca", *self.files(), "-p", 3, "--method", "landing", "--passes", 400, "--batch", 512, "--out", out, "--json", *more]

    def wait_for_checkpoint(self, process, out):
        until = time.monotonic() + LONGEST
        while not (pathlib.Path(out) / "checkpoint").exists():
            self.assertIsNone(process.poll(), "the run ended before its first checkpoint")
            self.assertLess(time.monotonic(), until)
            time.sleep(0.02)

    def test_a_killed_rank(self):
        whole = fit(0, "cca", *self.files(), "-p", 3, "--method", "exact")
        out = self.fresh("killed")
        process = start(3, *self.long_run(out, "--checkpoint-every", 0))
        self.wait_for_checkpoint(process, out)
        os.kill(ranks_of(process)[-1], signal.SIGKILL)
        process.communicate(timeout=LONGEST)
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(ranks_of(process), [])
        code, text, err = run(2, *self.long_run(out, "--resume"))
        self.assertEqual(code, 0, err)
        self.near(json.loads(text)["correlations"], whole["correlations"], 1e-3)

    def test_control_c(self):
        out = self.fresh("stopped")
        process = start(2, *self.long_run(out, "--checkpoint-every", 0), start_new_session=True)
        self.wait_for_checkpoint(process, out)
        os.kill(process.pid, signal.SIGINT)
        process.communicate(timeout=LONGEST)  # what mpirun of MPICH returns then is 130, or 0
        self.assertFalse((pathlib.Path(out) / "summary.json").exists())
        self.assertTrue((pathlib.Path(out) / "checkpoint").exists())
        code, text, err = run(2, *self.long_run(out, "--resume"))
        self.assertEqual(code, 0, err)
        unbroken = json.loads(run(2, *self.long_run(self.fresh("unbroken")))[1])
        self.assertEqual(json.loads(text)["correlations"], unbroken["correlations"])  # the same bits

    def test_without_the_module(self):
        alone = self.folder / "alone"
        alone.mkdir()
        shutil.copy(PROGRAM, alone / "landfall")
        done = subprocess.run([alone / "landfall", "--version"], env=ENVIRONMENT | {"OMPI_COMM_WORLD_SIZE": "2"}, capture_output=True,
                              text=True)
        self.assertEqual((done.returncode, len(sentences(done.stderr))), (2, 1))
        done = subprocess.run([alone / "landfall", "--version"], env=ENVIRONMENT, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0)

    def test_the_plain_program_does_not_load_mpi(self):
        libraries = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("libmpi", libraries)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    shutil.copy(BUILT, PROGRAM)
    shutil.copy(MODULE, TOGETHER.name)
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
