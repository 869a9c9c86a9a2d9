"""partial_fit, and pickles in the middle of it."""

import pickle

import landfall
import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone

from conftest import planted_views


def cca_batches(rows=9000):
    x, y = planted_views(rows=rows)
    return [(x[i : i + 700], y[i : i + 700]) for i in range(0, rows, 700)]


def ica_batches():
    rng = np.random.default_rng(1)
    rows = np.c_[rng.laplace(size=(20000, 2)), rng.uniform(-1, 1, (20000, 1))] @ rng.standard_normal((3, 3))
    return [(rows[i : i + 1500],) for i in range(0, 20000, 1500)]


def lda_batches():
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 4, 12000)
    rows = rng.standard_normal((12000, 8)) + 2 * rng.standard_normal((4, 8))[labels]
    names = np.array(["b", "d", "a", "c"])[labels]
    return [(rows[i : i + 900], names[i : i + 900]) for i in range(0, 12000, 900)]


MODELS = [(landfall.CCA(3), cca_batches, "x_weights_"), (landfall.ICA(), ica_batches, "components_"), (landfall.LDA(), lda_batches, "scalings_")]
IDS = ["cca", "ica", "lda"]


@pytest.mark.parametrize("model, batches, weights", MODELS, ids=IDS)
@pytest.mark.parametrize("after", [0, 2, 8])
def test_pickled_in_the_middle(model, batches, weights, after):
    """While the first rows are kept, and after: the same bits as without a pickle."""
    given = batches()
    through, stopped = clone(model), clone(model)
    for k, batch in enumerate(given):
        through.partial_fit(*batch)
        stopped.partial_fit(*batch)
        if k == after:
            stopped = pickle.loads(pickle.dumps(stopped))
    np.testing.assert_array_equal(getattr(through, weights), getattr(stopped, weights))
    np.testing.assert_array_equal(through.transform(given[0][0]), pickle.loads(pickle.dumps(stopped)).transform(given[0][0]))


@pytest.mark.parametrize("model, batches, weights", MODELS, ids=IDS)
def test_how_rows_are_cut_makes_no_difference(model, batches, weights):
    given = batches()
    by_batch, at_once = clone(model), clone(model)
    for batch in given:
        by_batch.partial_fit(*batch)
    at_once.partial_fit(*(np.concatenate(part) for part in zip(*given)))
    np.testing.assert_array_equal(getattr(by_batch, weights), getattr(at_once, weights))


def test_results_are_near_those_of_fit():
    x, y = planted_views(rows=30000)
    online, offline = landfall.CCA(3, relative_ridge=1e-6), landfall.CCA(3).fit(x, y)
    for first in range(0, 30000, 1000):
        online.partial_fit(x[first : first + 1000], y[first : first + 1000])
    assert online.score(x, y) > 0.97 * offline.score(x, y)
    rows = np.concatenate([batch for batch, _ in lda_batches()])
    names = np.concatenate([labels for _, labels in lda_batches()])
    lda = landfall.LDA()
    for batch in lda_batches():
        lda.partial_fit(*batch)
    assert list(lda.classes_) == ["a", "b", "c", "d"]
    assert abs(lda.score(rows, names) - landfall.LDA().fit(rows, names).score(rows, names)) < 0.01


def test_a_result_at_any_time(views):
    x, y = views
    cca = landfall.CCA(2).partial_fit(x[:50], y[:50])
    early = cca.correlations_
    cca.partial_fit(x[50:], y[50:])
    assert not np.array_equal(cca.correlations_, early) and cca.n_samples_ == 3000
    assert cca.transform(x).shape == (3000, 2) and list(cca.get_feature_names_out()) == ["cca0", "cca1"]


def test_fit_forgets(views):
    x, y = views
    cca = landfall.CCA(2).partial_fit(x[:500], y[:500]).fit(x, y)
    np.testing.assert_array_equal(cca.x_weights_, landfall.CCA(2).fit(x, y).x_weights_)
    again = cca.partial_fit(x[:500], y[:500])
    np.testing.assert_array_equal(again.x_weights_, landfall.CCA(2).partial_fit(x[:500], y[:500]).x_weights_)


def test_sparse_rows(views):
    x = np.where(views[0] > 1, views[0], 0)
    dense = landfall.CCA(2, batch_size=128).partial_fit(x, views[1])
    sparse = landfall.CCA(2, batch_size=128, precision="double").partial_fit(scipy.sparse.csr_matrix(x), views[1])
    np.testing.assert_allclose(sparse.correlations_, dense.correlations_, rtol=1e-6)


def test_wrong_use(views):
    x, y = views
    with pytest.raises(ValueError, match="partial_fit does not take method"):
        landfall.CCA(method="exact").partial_fit(x, y)
    cca = landfall.CCA(2).partial_fit(x, y)
    with pytest.raises(ValueError, match="features"):
        cca.partial_fit(x[:, 1:], y)
    with pytest.raises(ValueError, match="expected the same number"):
        cca.partial_fit(x[:10], y)
    with pytest.raises(ValueError, match="is NaN"):
        cca.partial_fit(np.full((2, 12), np.nan), y[:2])
    assert cca.n_samples_ == 3000  # nothing of these was taken


def test_fitted_models_are_pickled(views, mixtures, iris):
    for model, data in [(landfall.CCA(2), views), (landfall.ICA(), mixtures[:1]), (landfall.LDA(), iris)]:
        fitted = model.fit(*data)
        copy = pickle.loads(pickle.dumps(fitted))
        np.testing.assert_array_equal(copy.transform(data[0]), fitted.transform(data[0]))
        assert copy.history_.shape == fitted.history_.shape
