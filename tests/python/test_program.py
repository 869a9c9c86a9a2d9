"""The same seed gives the same bits as the program."""

import landfall
import numpy as np
import pytest


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("method", ["exact", "landing"])
def test_cca(program, views, tmp_path, dtype, method):
    x, y = (view.astype(dtype) for view in views)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", y)
    told = program("cca", tmp_path / "x.npy", tmp_path / "y.npy", "-p", 3, "--method", method, "--seed", 5,
                   "--held-out", 0.2, "--out", tmp_path / "run")
    cca = landfall.CCA(3, method=method, random_state=5, held_out=0.2).fit(x, y)
    assert cca.correlations_.tolist() == told["correlations"]
    assert cca.held_out_correlations_.tolist() == told["held_out_correlations"]
    assert cca.x_weights_.dtype == dtype
    np.testing.assert_array_equal(cca.x_weights_, np.load(tmp_path / "run/weights_left.npy"))
    np.testing.assert_array_equal(cca.y_mean_, np.load(tmp_path / "run/mean_right.npy"))
    assert cca.method_ == told["method"] and cca.n_passes_ == told["passes"]


def test_ica(program, mixtures, tmp_path):
    rows = mixtures[0]
    np.save(tmp_path / "rows.npy", rows)
    told = program("ica", tmp_path / "rows.npy", "--out", tmp_path / "run")
    ica = landfall.ICA().fit(rows)
    np.testing.assert_array_equal(ica.components_, np.load(tmp_path / "run/unmixing.npy"))
    np.testing.assert_array_equal(ica.mixing_, np.load(tmp_path / "run/mixing.npy"))
    assert ica.negentropy_.tolist() == told["negentropy"]


@pytest.mark.parametrize("method", ["exact", "landing"])
def test_lda(program, iris, tmp_path, method):
    rows, labels = iris
    np.save(tmp_path / "rows.npy", rows)
    np.save(tmp_path / "labels.npy", labels)
    told = program("lda", tmp_path / "rows.npy", "--labels", tmp_path / "labels.npy", "--method", method,
                   "--out", tmp_path / "run")
    lda = landfall.LDA(method=method).fit(rows, labels)
    np.testing.assert_array_equal(lda.scalings_, np.load(tmp_path / "run/weights.npy"))
    assert lda.eigenvalues_.tolist() == told["eigenvalues"]
    assert lda.score(rows, labels) == told["training_accuracy"]


@pytest.mark.parametrize("method", ["direct", "lobpcg", "landing"])
def test_gevp(program, tmp_path, method):
    rng = np.random.default_rng(0)
    a = rng.standard_normal((60, 60))
    a = a + a.T
    b = np.eye(60) + a @ a.T / 100
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "b.npy", b)
    told = program("gevp", tmp_path / "a.npy", tmp_path / "b.npy", "-p", 3, "--method", method)
    assert landfall.gevp(a, b, 3, method=method).values.tolist() == told["eigenvalues"]


def test_files_and_arrays_are_the_same(views, tmp_path):
    x, y = views
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", y)
    of_files = landfall.CCA(2, method="landing").fit(tmp_path / "x.npy", str(tmp_path / "y.npy"))
    of_arrays = landfall.CCA(2, method="landing").fit(x, y)
    np.testing.assert_array_equal(of_files.x_weights_, of_arrays.x_weights_)
