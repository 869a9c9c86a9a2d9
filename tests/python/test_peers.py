"""Agreement with scikit-learn and scipy, and work inside scikit-learn's tools."""

import landfall
import numpy as np
import pandas as pd
import pytest
import scipy.linalg
import scipy.sparse
import sklearn.cross_decomposition
import sklearn.decomposition
import sklearn.discriminant_analysis
from scipy.sparse.linalg import aslinearoperator
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def same_up_to_signs(a, b):
    """Correlations of corresponding columns."""
    return np.abs([np.corrcoef(p, q)[0, 1] for p, q in zip(a.T, b.T)])


@pytest.mark.parametrize("method", ["exact", "landing"])
def test_cca_finds_the_directions_of_scikit_learn(views, method):
    x, y = views
    theirs = sklearn.cross_decomposition.CCA(n_components=3, max_iter=5000, tol=1e-12).fit(x, y)
    ours = landfall.CCA(3, method=method).fit(x, y)
    assert same_up_to_signs(ours.transform(x), theirs.transform(x)).min() > 1 - 1e-5
    pairs = [np.corrcoef(a, b)[0, 1] for a, b in zip(ours.transform(x).T, ours.transform(x, y)[1].T)]
    np.testing.assert_allclose(pairs, ours.correlations_, rtol=1e-9)
    np.testing.assert_allclose(ours.score_pairs(x, y), ours.correlations_, rtol=1e-9)
    assert ours.score(x, y) == pytest.approx(ours.correlations_.mean())


def test_loadings_are_regressions_on_the_scores(views):
    x, y = views
    cca = landfall.CCA(2).fit(x, y)
    scores = cca.transform(x)
    expected = np.linalg.lstsq(scores, x - x.mean(0), rcond=None)[0].T
    np.testing.assert_allclose(cca.x_loadings_, expected, atol=1e-9)
    np.testing.assert_allclose(cca.inverse_transform(scores), scores @ expected.T + x.mean(0), atol=1e-9)


def test_loadings_leave_out_the_held_out_rows(views):
    x, y = views
    cca = landfall.CCA(2, held_out=0.5, ridge=0).fit(x, y)
    np.testing.assert_allclose(cca.x_weights_.T @ cca.x_loadings_, np.eye(2), atol=1e-8)
    all_rows = np.linalg.lstsq(cca.transform(x), x - x.mean(0), rcond=None)[0].T
    assert np.abs(cca.x_loadings_ - all_rows).max() > 1e-4


def test_ica_finds_the_sources_of_fastica(mixtures):
    rows, mixing = mixtures
    ours = landfall.ICA().fit(rows)
    theirs = sklearn.decomposition.FastICA(whiten="unit-variance", random_state=0, tol=1e-8, max_iter=1000).fit(rows)
    between = np.abs(np.corrcoef(ours.transform(rows).T, theirs.transform(rows).T)[:3, 3:])
    assert between.max(axis=0).min() > 0.999
    assert landfall.amari_distance(ours.components_, mixing) < 0.03
    np.testing.assert_allclose(ours.transform(rows).var(axis=0), 1, rtol=1e-6)
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(rows)), rows, atol=1e-8)


def test_ica_with_arbitrary_variance(mixtures):
    rows = mixtures[0]
    ica = landfall.ICA(whiten="arbitrary-variance").fit(rows)
    np.testing.assert_allclose(ica.transform(rows).var(axis=0), 1 / len(rows), rtol=1e-6)
    np.testing.assert_allclose(ica.inverse_transform(ica.transform(rows)), rows, atol=1e-8)


def test_lda_predicts_as_scikit_learn(iris):
    rows, labels = iris
    theirs = sklearn.discriminant_analysis.LinearDiscriminantAnalysis().fit(rows, labels)
    ours = landfall.LDA().fit(rows, labels)
    # Their covariance divides by N - C, ours by N, which moves probabilities a little.
    np.testing.assert_allclose(ours.predict_proba(rows), theirs.predict_proba(rows), atol=0.02)
    np.testing.assert_array_equal(ours.predict(rows), theirs.predict(rows))
    np.testing.assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(rows).sum(axis=1), 1, rtol=1e-12)
    two = labels > 0
    binary = landfall.LDA().fit(rows, two)
    assert binary.decision_function(rows).shape == (150,)
    np.testing.assert_array_equal(binary.decision_function(rows) > 0, binary.predict(rows))


def test_lda_with_a_column_that_is_the_class(iris):
    rows = np.c_[iris[0], iris[1]]
    with pytest.warns(UserWarning, match="does not vary within classes"):
        lda = landfall.LDA().fit(rows, iris[1])
    assert lda.score(rows, iris[1]) == 1


@pytest.mark.parametrize("kind", ["dense", "sparse", "operator"])
@pytest.mark.parametrize("smallest", [False, True])
def test_gevp_finds_the_values_of_scipy(kind, smallest):
    n = 80
    a = scipy.sparse.diags([np.full(n - 1, -1.0), np.linspace(2, 6, n), np.full(n - 1, -1.0)], [-1, 0, 1], format="csr")
    b = scipy.sparse.diags([np.full(n - 1, 0.2), np.linspace(1, 3, n), np.full(n - 1, 0.2)], [-1, 0, 1], format="csr")
    values, _ = scipy.linalg.eigh(a.toarray(), b.toarray())
    convert = {"dense": lambda m: m.toarray(), "sparse": lambda m: m, "operator": aslinearoperator}[kind]
    method = "auto" if kind == "dense" else "lobpcg"
    result = landfall.gevp(convert(a), convert(b), 3, smallest=smallest, method=method)
    expected = values[:3] if smallest else values[::-1][:3]
    np.testing.assert_allclose(result.values, expected, rtol=1e-8)
    x = result.vectors
    np.testing.assert_allclose(x.T @ (b @ x), np.eye(3), atol=1e-8)
    found, vectors = result
    assert found is result.values and vectors is result.vectors


def test_gevp_of_one_matrix():
    a = np.diag([3.0, 1.0, 2.0])
    np.testing.assert_allclose(landfall.gevp(a, p=2).values, [3, 2])


def test_pipeline_grid_search_and_cross_validation(views, iris):
    x, y = views
    search = GridSearchCV(landfall.CCA(), {"n_components": [1, 2], "ridge": [0.0, 0.1]}, cv=3).fit(x, y)
    assert search.best_params_["n_components"] == 1  # the mean of the largest correlation alone is the largest
    rows, labels = iris
    pipeline = make_pipeline(StandardScaler(), landfall.LDA())
    assert cross_val_score(pipeline, rows, labels, cv=5).mean() > 0.95
    sources = make_pipeline(StandardScaler(), landfall.ICA(2)).fit_transform(rows)
    assert sources.shape == (150, 2)


def test_names_of_columns(views):
    x = pd.DataFrame(views[0], columns=[f"x{j}" for j in range(12)])
    cca = landfall.CCA(2).set_output(transform="pandas").fit(x, views[1])
    assert list(cca.feature_names_in_) == list(x.columns)
    scores = cca.transform(x)
    assert list(scores.columns) == ["cca0", "cca1"] == list(cca.get_feature_names_out())
    with pytest.raises(ValueError, match="feature names"):
        cca.transform(x[x.columns[::-1]])
