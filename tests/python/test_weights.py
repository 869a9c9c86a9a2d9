"""sample_weight: a weight of 2 is the row twice, a weight of 0 the row left out."""

import json
import pickle

import landfall
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

RNG = np.random.default_rng(3)
X = RNG.standard_normal((300, 5)) ** 3
Y = RNG.standard_normal((300, 4)) + X[:, :4] * 0.5
KINDS = np.where(X[:, 0] + RNG.standard_normal(300) > 0, "high", "low")
WEIGHTS = (np.arange(300) ** 2 + np.arange(300) // 3) % 4
TWICE = np.repeat(np.arange(300), WEIGHTS)


def test_cca_repeats_rows():
    weighted = landfall.CCA(2, ridge=0.0).fit(X, Y, sample_weight=WEIGHTS)
    repeated = landfall.CCA(2, ridge=0.0).fit(X[TWICE], Y[TWICE])
    for name in ("correlations_", "x_weights_", "y_mean_", "x_structure_", "y_cross_structure_", "x_loadings_", "y_loadings_"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name), rtol=1e-8, atol=1e-10, err_msg=name)
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-8)
    assert weighted.n_samples_ == np.count_nonzero(WEIGHTS)
    assert weighted.sum_of_weights_ == pytest.approx(WEIGHTS.sum())
    assert weighted.wilks_ == [] and repeated.wilks_ != []
    weighted.fit(X, Y)
    assert not hasattr(weighted, "sum_of_weights_")


def test_lda_repeats_rows():
    weighted = landfall.LDA().fit(X, KINDS, sample_weight=list(WEIGHTS))
    repeated = landfall.LDA().fit(X[TWICE], KINDS[TWICE])
    for name in ("scalings_", "priors_", "centres_", "structure_", "confusion_"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name), rtol=1e-8, atol=1e-10, err_msg=name)
    assert weighted.score(X, KINDS, sample_weight=WEIGHTS) == pytest.approx(weighted.training_accuracy_)


def test_ica_repeats_rows():
    weighted = landfall.ICA().fit(X, sample_weight=WEIGHTS)
    repeated = landfall.ICA().fit(X[TWICE])
    np.testing.assert_allclose(weighted.components_, repeated.components_, atol=1e-4)
    np.testing.assert_allclose(weighted.mean_, repeated.mean_, atol=1e-12)


def test_weights_of_a_file(tmp_path):
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "y.npy", Y)
    np.save(tmp_path / "w.npy", WEIGHTS.astype(float))
    from_files = landfall.CCA(2).fit(tmp_path / "x.npy", tmp_path / "y.npy", sample_weight=tmp_path / "w.npy")
    np.testing.assert_array_equal(from_files.correlations_, landfall.CCA(2).fit(X, Y, sample_weight=WEIGHTS).correlations_)


def test_weights_in_a_pipeline_and_a_run(tmp_path):
    pipeline = make_pipeline(StandardScaler(), landfall.LDA())
    pipeline.fit(X, KINDS, lda__sample_weight=WEIGHTS)
    model = landfall.LDA(held_out=0.3).fit(X, KINDS, sample_weight=WEIGHTS / 10)
    landfall.save_run(model, tmp_path / "run")
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["weights"] == "sample_weight"
    assert summary["sum_of_weights"] == pytest.approx(model.sum_of_weights_)
    assert summary["precision_by_class"] == pytest.approx(
        np.diag(model.held_out_confusion_) / model.held_out_confusion_.sum(axis=0)
    )
    assert landfall.load_run(tmp_path / "run").sum_of_weights_ == pytest.approx(model.sum_of_weights_)


@pytest.mark.parametrize(
    "weights, sentence",
    [
        (np.ones(299), "299 weights and X has 300 rows"),
        (np.r_[-1, np.ones(299)], "row 1 has the weight -1"),
        (np.r_[np.ones(299), np.nan], "row 300 has the weight nan"),
        (np.zeros(300), "all weights are 0"),
        (np.ones((300, 2)), "expected 1D"),
        (np.ones(()), "expected 1D"),
    ],
)
def test_weights_are_refused(weights, sentence):
    with pytest.raises(ValueError, match=sentence):
        landfall.CCA().fit(X, Y, sample_weight=weights)


def test_partial_fit_repeats_rows():
    """While the model keeps its first rows it is fitted to them exactly."""
    for model, data in [(landfall.CCA(2, relative_ridge=1e-6), (X, Y)), (landfall.LDA(relative_ridge=1e-6), (X, KINDS)), (landfall.ICA(), (X,))]:
        weighted, repeated = clone(model), clone(model)
        for first in range(0, 300, 70):
            part = slice(first, first + 70)
            weighted.partial_fit(*(rows[part] for rows in data), sample_weight=WEIGHTS[part])
        repeated.partial_fit(*(rows[TWICE] for rows in data))
        np.testing.assert_allclose(weighted.transform(X), repeated.transform(X), rtol=2e-2, atol=2e-2)
        assert weighted.sum_of_weights_ == WEIGHTS.sum() and weighted.n_samples_ == np.count_nonzero(WEIGHTS)
        assert not hasattr(repeated, "sum_of_weights_")
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(weighted)).transform(X), weighted.transform(X))


def test_partial_fit_leaves_rows_of_weight_0_out():
    broken = X.copy()
    broken[WEIGHTS == 0] = np.nan
    kept = WEIGHTS > 0
    left_out = landfall.CCA(2).partial_fit(broken, Y, sample_weight=kept.astype(float))
    np.testing.assert_array_equal(left_out.x_weights_, landfall.CCA(2).partial_fit(X[kept], Y[kept]).x_weights_)


def test_partial_fit_refuses_what_are_no_weights(tmp_path):
    with pytest.raises(ValueError, match="299 weights and X has 300 rows"):
        landfall.CCA().partial_fit(X, Y, sample_weight=np.ones(299))
    with pytest.raises(ValueError, match="row 1 has the weight -1"):
        landfall.ICA().partial_fit(X, sample_weight=np.r_[-1, np.ones(299)])
    np.save(tmp_path / "w.npy", WEIGHTS.astype(float))
    from_file = landfall.CCA(2).partial_fit(X, Y, sample_weight=tmp_path / "w.npy")
    np.testing.assert_array_equal(from_file.x_weights_, landfall.CCA(2).partial_fit(X, Y, sample_weight=WEIGHTS).x_weights_)


def test_weights_in_plans_comparisons_and_cross_validation(program, tmp_path):
    assert landfall.plan(landfall.CCA(2), X, Y, sample_weight=WEIGHTS).method == "exact"
    compared = landfall.compare(landfall.CCA(2), X, Y, methods=["exact", "landing"], sample_weight=WEIGHTS)
    assert compared.rows[0]["total"] == pytest.approx(landfall.CCA(2).fit(X, Y, sample_weight=WEIGHTS).regularized_correlations_.sum())
    for name, rows in {"x": X, "y": Y, "w": WEIGHTS.astype(float), "k": (KINDS == "low").astype(int)}.items():
        np.save(tmp_path / f"{name}.npy", rows)
    for model, second, words in [(landfall.CCA(), Y, ["cca", tmp_path / "x.npy", tmp_path / "y.npy"]),
                                 (landfall.LDA(), (KINDS == "low").astype(int), ["lda", tmp_path / "x.npy", "--labels", tmp_path / "k.npy"])]:
        told = program("cv", *words, "--weights", tmp_path / "w.npy")
        found = landfall.cross_validate(model, X, second, sample_weight=WEIGHTS)
        np.testing.assert_allclose(found.values, told["values"], rtol=1e-9)
        assert np.abs(found.values - landfall.cross_validate(model, X, second).values).max() > 1e-6
    told = program("cv", "ica", tmp_path / "x.npy", "--weights", tmp_path / "w.npy", "--restarts", 3)
    found = landfall.cross_validate(landfall.ICA(), X, n_restarts=3, sample_weight=WEIGHTS)
    np.testing.assert_allclose(found.mean_quality, told["mean_quality"], rtol=1e-6)


def test_weights_in_tests_and_restarts():
    cca = landfall.CCA(2, permutations=99).fit(X, Y, sample_weight=WEIGHTS)
    assert cca.permutation_p_values_[0] == 0.01
    unrelated = landfall.CCA(1, permutations=99).fit(X, RNG.standard_normal((300, 3)), sample_weight=WEIGHTS)
    assert unrelated.permutation_p_values_[0] > 0.02
    ica = landfall.ICA(n_restarts=3).fit(X, sample_weight=WEIGHTS)
    assert ica.stability_.runs == 4 and ica.stability_.found_in.shape == (5,)
    fastica = landfall.ICA(method="fastica").fit(X, sample_weight=WEIGHTS)
    repeated = landfall.ICA(method="fastica").fit(X[TWICE])
    np.testing.assert_allclose(np.sort(fastica.negentropy_), np.sort(repeated.negentropy_), rtol=1e-3)
