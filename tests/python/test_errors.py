"""Wrong data and wrong use end with Python's own exceptions and a sentence, never with a crash."""

import landfall
import numpy as np
import pytest
import scipy.sparse
import torch
from sklearn.exceptions import ConvergenceWarning, NotFittedError


@pytest.mark.parametrize("x, error, text", [
    (np.zeros((0, 3)), ValueError, "0 sample"),
    (np.zeros((5, 0)), ValueError, "0 feature"),
    (np.zeros(5), ValueError, "1D array"),
    (np.zeros((5, 2, 2)), ValueError, "dim 3"),
    (np.array([["a", "b"]] * 5), ValueError, "could not convert string|bytes/strings"),
    (np.array([[{}, 1]] * 5, dtype=object), TypeError, "number"),
    (np.zeros((5, 2), complex), ValueError, "Complex data not supported"),
    (np.array([["2020-01-01"] * 2] * 5, dtype="M8[D]"), (TypeError, ValueError), ""),
    (np.full((5, 2), np.nan), ValueError, "is NaN"),
    (np.full((5, 2), np.inf), ValueError, "is inf"),
    (torch.zeros((5, 2), dtype=torch.bfloat16), TypeError, ""),
    ("no/such/file.npy", FileNotFoundError, "no such file"),
    (None, ValueError, ""),
    (3.0, ValueError, "scalar"),
])
def test_bad_data(x, error, text):
    with pytest.raises(error, match=text):
        landfall.CCA(1).fit(x, np.arange(10.0).reshape(5, 2))


def test_numbers_of_rows_must_agree(views):
    x, y = views
    for right in (y[:100], scipy.sparse.csr_matrix(y[:100]), lambda: [y[:100]]):
        with pytest.raises(ValueError, match="3000.*100|expected the same number"):
            landfall.CCA(1).fit(x, right)


@pytest.mark.parametrize("options, error, text", [
    ({"n_components": 0}, ValueError, "n_components=0"),
    ({"n_components": 100}, landfall.NumericalError, "expected at least p = 100"),
    ({"ridge": -1.0}, ValueError, "must not be negative"),
    ({"ridge": "some"}, ValueError, "ridge='some'"),
    ({"method": "magic"}, ValueError, "magic"),
    ({"memory": "2 apples"}, ValueError, "2 apples"),
    ({"memory": 1, "method": "exact"}, ValueError, "memory"),
    ({"precision": "half"}, ValueError, "half"),
    ({"passes": "many"}, TypeError, "passes = 'many' has the wrong type"),
    ({"missing": "guess"}, ValueError, "error, drop or mean"),
    ({"held_out": 2.0}, ValueError, "held"),
])
def test_bad_options(views, options, error, text):
    with pytest.raises(error, match=text):
        landfall.CCA(**options).fit(*views)


def test_messages_speak_of_arguments(views):
    with pytest.warns(ConvergenceWarning, match="more passes come closer"):
        noise = np.random.default_rng(0).standard_normal((20_000, 12))  # more rows than landing starts from
        landfall.CCA(1, method="landing", callback=lambda progress: True).fit(noise[:, :6], noise[:, 6:])
    bad = views[0].copy()
    bad[3, 2] = np.nan
    with pytest.raises(landfall.DataError, match="row 4, column 3 is NaN; .*missing='drop'"):
        landfall.CCA(1).fit(bad, views[1])


def test_broken_files(tmp_path):
    (tmp_path / "broken.npy").write_bytes(b"\x93NUMPY\x01\x00nonsense")
    with pytest.raises(landfall.DataError, match="broken.npy"):
        landfall.ICA().fit(tmp_path / "broken.npy")
    with pytest.raises(ValueError, match="nosuch"):
        np.save(tmp_path / "x.npy", np.zeros((5, 2)))
        landfall.read(tmp_path / "x.npy", columns=["nosuch"])


def test_sparse_matrices_that_are_not(views):
    x = scipy.sparse.csr_matrix(np.eye(6))
    x.indices[0] = 17
    with pytest.raises(ValueError, match="column 17, expected 0 to 5"):
        landfall.ICA(2).fit(x)


def test_unfitted_and_other_columns(views):
    with pytest.raises(NotFittedError):
        landfall.CCA().transform(views[0])
    ica = landfall.ICA(2).fit(views[0])
    with pytest.raises(ValueError, match="features"):
        ica.transform(views[0][:, :5])
    with pytest.raises(ValueError, match="features"):
        ica.transform(lambda: [views[0][:, :5]])


def test_labels(iris):
    rows, labels = iris
    with pytest.raises(ValueError, match="1 class"):
        landfall.LDA().fit(rows, np.zeros(150))
    with pytest.raises(ValueError, match="Unknown label type"):
        landfall.LDA().fit(rows, rows[:, 0] + 0.5)
    with pytest.raises(ValueError, match=r"\[150, 149\]"):
        landfall.LDA().fit(rows, labels[1:])
    with pytest.raises(landfall.NumericalError, match="p = 3, expected at most 2"):
        landfall.LDA(3).fit(rows, labels)


def test_gevp():
    a = np.eye(4)
    for bad, text in [(np.zeros((3, 4)), "square"), (np.zeros((4, 4), complex), "Complex"), (np.zeros(4), "square")]:
        with pytest.raises(ValueError, match=text):
            landfall.gevp(bad, a)
    with pytest.raises(landfall.DataError, match="positive definite"):
        landfall.gevp(a, -a)
    with pytest.raises(ValueError, match="p"):
        landfall.gevp(a, a, 9)
    with pytest.raises(ZeroDivisionError):
        from scipy.sparse.linalg import LinearOperator

        landfall.gevp(LinearOperator((4, 4), matmat=lambda x: 1 / 0, matvec=lambda x: 1 / 0, dtype=float), a, method="lobpcg")
