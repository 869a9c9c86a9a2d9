"""What scikit-learn's examples of CCA, FastICA and LDA do, with the import changed and nothing else."""

import numpy as np
import pytest
import sklearn.cross_decomposition
import sklearn.decomposition
import sklearn.discriminant_analysis
from landfall import CCA
from landfall import ICA as FastICA
from landfall import LDA as LinearDiscriminantAnalysis
from sklearn.datasets import load_iris


def test_compare_cross_decomposition_methods():
    """Two latent variables behind four columns of each of two data sets."""
    n = 500
    np.random.seed(0)
    l1, l2 = np.random.normal(size=n), np.random.normal(size=n)
    latents = np.array([l1, l1, l2, l2]).T
    X = latents + np.random.normal(size=4 * n).reshape((n, 4))
    Y = latents + np.random.normal(size=4 * n).reshape((n, 4))
    X_train, Y_train, X_test, Y_test = X[: n // 2], Y[: n // 2], X[n // 2 :], Y[n // 2 :]
    found = []
    for model in (CCA, sklearn.cross_decomposition.CCA):
        cca = model(n_components=2)
        cca.fit(X_train, Y_train)
        X_train_r, Y_train_r = cca.transform(X_train, Y_train)
        X_test_r, Y_test_r = cca.transform(X_test, Y_test)
        found.append([abs(np.corrcoef(a[:, j], b[:, j])[0, 1]) for a, b in ((X_train_r, Y_train_r), (X_test_r, Y_test_r)) for j in range(2)])
    np.testing.assert_allclose(found[0], found[1], atol=2e-3)


def test_blind_source_separation():
    np.random.seed(0)
    time = np.linspace(0, 8, 2000)
    from scipy import signal

    S = np.c_[np.sin(2 * time), np.sign(np.sin(3 * time)), signal.sawtooth(2 * np.pi * time)]
    S += 0.2 * np.random.normal(size=S.shape)
    S /= S.std(axis=0)
    A = np.array([[1, 1, 1], [0.5, 2, 1.0], [1.5, 1.0, 2.0]])
    X = np.dot(S, A.T)
    recovered = []
    for model in (FastICA, sklearn.decomposition.FastICA):
        ica = model(n_components=3, whiten="arbitrary-variance")
        S_ = ica.fit_transform(X)
        A_ = ica.mixing_
        assert np.allclose(X, np.dot(S_, A_.T) + ica.mean_)
        recovered.append(np.abs(np.corrcoef(S_.T, S.T)[:3, 3:]).max(axis=0))
    assert recovered[0].min() > recovered[1].min() - 0.01


@pytest.mark.parametrize("n_components", [1, 2])
def test_projections_of_iris(n_components):
    X, y = load_iris(return_X_y=True)
    projected = []
    for model in (LinearDiscriminantAnalysis, sklearn.discriminant_analysis.LinearDiscriminantAnalysis):
        lda = model(n_components=n_components)
        X_r2 = lda.fit(X, y).transform(X)
        assert X_r2.shape == (150, n_components)
        projected.append(X_r2)
    for ours, theirs in zip(projected[0].T, projected[1].T):
        assert abs(np.corrcoef(ours, theirs)[0, 1]) > 1 - 1e-9
