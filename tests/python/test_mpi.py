"""Estimators on several ranks, with a communicator of mpi4py."""

import os
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("mpi4py")
pytestmark = pytest.mark.skipif(shutil.which("mpirun") is None, reason="no mpirun")

SCRIPT = """
import numpy as np
import landfall
from mpi4py import MPI

comm = MPI.COMM_WORLD
random = np.random.default_rng(0)
shared = random.normal(size=(3000, 3))
X, Y = (shared @ random.normal(size=(3, n)) + random.normal(size=(3000, n)) for n in (9, 7))
cuts = [0, 700, 3000] if comm.Get_size() == 2 else [0, 10, 1000, 3000]
mine = slice(cuts[comm.Get_rank()], cuts[comm.Get_rank() + 1])

landing = dict(method="landing", passes=2, batch_size=256)
one, many = landfall.CCA(3, **landing).fit(X, Y), landfall.CCA(3, comm=comm, **landing).fit(X, Y)
np.testing.assert_allclose(many.correlations_, one.correlations_, rtol=0, atol=1e-10)

exact = dict(method="exact", held_out=0.2)
one, own = landfall.CCA(3, **exact).fit(X, Y), landfall.CCA(3, comm=comm, rows="own", **exact).fit(X[mine], Y[mine])
np.testing.assert_allclose(own.correlations_, one.correlations_, rtol=0, atol=1e-10)
np.testing.assert_allclose(own.held_out_correlations_, one.held_out_correlations_, rtol=0, atol=1e-10)
np.testing.assert_allclose(own.x_loadings_, one.x_loadings_, rtol=0, atol=1e-8)

labels = np.sort((shared[:, 0] > 0) + (shared[:, 0] > 1).astype(int))   # not every rank has every class
X = X + 3 * np.eye(9)[labels]
one, own = landfall.LDA(method="exact").fit(X, labels), landfall.LDA(method="exact", comm=comm, rows="own").fit(X[mine], labels[mine])
np.testing.assert_array_equal(own.classes_, one.classes_)
np.testing.assert_allclose(own.eigenvalues_, one.eigenvalues_, rtol=1e-8)
np.testing.assert_array_equal(own.predict(X), one.predict(X))

comm.Barrier()
if comm.Get_rank() == 0:
    print("as one process")
"""


@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks_give_the_answer_of_one_process(ranks, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    environment = os.environ | {
        "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "OMPI_MCA_btl_tcp_if_include": "lo", "OMPI_MCA_oob_tcp_if_include": "lo",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    done = subprocess.run(["mpirun", "-n", str(ranks), sys.executable, "-m", "mpi4py", str(script)], env=environment,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "as one process\n"


def test_what_is_no_communicator():
    import numpy as np

    import landfall

    rows = np.random.default_rng(0).normal(size=(50, 3))
    with pytest.raises(TypeError, match="expected a communicator of mpi4py"):
        landfall.CCA(1, comm="world").fit(rows, rows[:, :2])
