"""Loadings, tests and predictions: by their definition, against scikit-learn's data, and as the program has them."""

import warnings

import landfall
import numpy as np
import pytest
from sklearn.datasets import load_linnerud


def pearson(a, b):
    return np.corrcoef(a.T, b.T)[: a.shape[1], a.shape[1] :]


@pytest.mark.parametrize("method", ["exact", "landing"])
def test_structure_is_pearsons(views, method):
    x, y = views
    cca = landfall.CCA(2, method=method).fit(x, y)
    u, v = cca.transform(x, y)
    np.testing.assert_allclose(cca.x_structure_, pearson(x, u), atol=1e-8)
    np.testing.assert_allclose(cca.y_cross_structure_, pearson(y, u), atol=1e-8)
    np.testing.assert_allclose(cca.x_variance_explained_, (cca.x_structure_**2).mean(axis=0))
    np.testing.assert_allclose(cca.y_redundancy_, (cca.y_cross_structure_**2).mean(axis=0))


def test_structure_of_lda_and_ica(iris, mixtures):
    lda = landfall.LDA().fit(*iris)
    np.testing.assert_allclose(lda.structure_, pearson(iris[0], lda.transform(iris[0])), atol=1e-8)
    assert lda.within_structure_.shape == lda.structure_.shape
    ica = landfall.ICA().fit(mixtures[0])
    np.testing.assert_allclose(ica.structure_, pearson(mixtures[0], ica.transform(mixtures[0])), atol=1e-4)
    assert ica.variance_explained_.sum() == pytest.approx(1, abs=1e-4)
    assert len(ica.kurtosis_) == ica.n_components_


def test_confusion(iris, tmp_path):
    from sklearn.metrics import confusion_matrix

    lda = landfall.LDA().fit(*iris)
    np.testing.assert_array_equal(lda.confusion_, confusion_matrix(iris[1], lda.predict(iris[0])))
    assert lda.held_out_confusion_.size == 0
    landfall.save_run(lda, tmp_path / "run")
    again = landfall.load_run(tmp_path / "run")
    np.testing.assert_array_equal(again.confusion_, lda.confusion_)
    np.testing.assert_allclose(again.within_structure_, lda.within_structure_)
    assert landfall.LDA(held_out=0.3).fit(*iris).held_out_confusion_.sum() > 30
    half = landfall.LDA().partial_fit(*iris)
    assert half.n_components_ == 2 and half.confusion_.shape in ((0, 0), (3, 3))


def test_fitness_club():
    """SAS/STAT User's Guide, PROC CANCORR: 0.3504, F 2.05 with 9 and 34.223 degrees of freedom, p 0.0635."""
    club = load_linnerud()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cca = landfall.CCA(3, permutations=999, bootstrap=200).fit(club.target, club.data)
    first = cca.wilks_[0]
    assert first["lambda"] == pytest.approx(0.35039053, abs=1e-7)
    assert (first["f_df1"], first["f_df2"]) == pytest.approx((9, 34.223), abs=5e-4)
    assert first["f_p"] == pytest.approx(0.0635, abs=6e-5)
    assert cca.permutation_p_values_[0] == pytest.approx(0.0635, abs=0.03)
    assert cca.correlation_intervals_.shape == (3, 2)
    assert cca.x_structure_intervals_.shape == (2, 3, 3)
    assert len(cca.cross_validated_correlations_) == 3


def test_noise_is_warned_about():
    rng = np.random.default_rng(0)
    with pytest.warns(UserWarning, match="overfitting"):
        cca = landfall.CCA(2, ridge=0).fit(rng.standard_normal((60, 25)), rng.standard_normal((60, 25)))
    assert cca.correlations_[0] > 0.9 and cca.cross_validated_correlations_[0] < 0.5
    assert len(landfall.CCA(2, folds=0).fit(rng.standard_normal((90, 3)), rng.standard_normal((90, 3))).cross_validated_correlations_) == 0


def test_cross_validate_is_that_of_the_program(views, program, tmp_path):
    x, y = views
    for name, part in zip(("x", "y"), views):
        np.save(tmp_path / f"{name}.npy", part)
    told = program("cv", "cca", tmp_path / "x.npy", tmp_path / "y.npy", "--ridges", "0,0.1,1")
    choice = landfall.cross_validate(landfall.CCA(), x, y, ridges=[0, 0.1, 1])
    np.testing.assert_allclose(choice.values, told["values"], rtol=1e-12)
    np.testing.assert_allclose(choice.errors, told["errors"], rtol=1e-9)
    assert choice.params == {"n_components": told["choice"]["components"], "relative_ridge": told["choice"]["relative_ridge"], "ridge": "auto"}
    assert choice.n_components == told["pairs_by_ridge"]
    model = landfall.CCA().set_params(**choice.params).fit(x, y)
    assert model.n_components_ == told["choice"]["components"]
    assert "<- chosen" in str(choice) and "pairs" in choice._repr_html_()


def test_cross_validate_by_accuracy(iris):
    choice = landfall.cross_validate(landfall.LDA(), *iris, ridges=[0, 100], folds=4)
    assert choice.values.shape == (2, 2) and choice.folds == 4 and choice.measure == "accuracy"
    assert choice.values[1, 0] > 0.95 > choice.values[1, 1]
    assert choice.params == {"n_components": 1, "relative_ridge": 0.0, "ridge": "auto"}
    assert "2 directions" in str(choice)


def test_predict(views):
    x, y = views
    cca = landfall.CCA(2, held_out=0.2).fit(x, y)
    guess = cca.predict(x)
    r2 = 1 - ((y - guess) ** 2).sum(axis=0) / ((y - y.mean(axis=0)) ** 2).sum(axis=0)
    np.testing.assert_allclose(cca.y_prediction_r2_, r2, atol=0.1)


def test_folder(views, tmp_path):
    cca = landfall.CCA(2, permutations=19, bootstrap=10, held_out=0.2).fit(*views)
    landfall.save_run(cca, tmp_path / "run", *views)
    again = landfall.load_run(tmp_path / "run")
    for name in ("x_structure_", "y_cross_structure_", "x_redundancy_", "y_prediction_r2_", "cross_validated_correlations_", "permutation_p_values_", "correlation_intervals_"):
        np.testing.assert_allclose(getattr(again, name), getattr(cca, name))
    np.testing.assert_allclose(again.predict(views[0]), cca.predict(views[0]))
    assert [test["f_p"] for test in again.wilks_] == [test["f_p"] for test in cca.wilks_]
    assert "How far to trust it" in (tmp_path / "run/report.html").read_text()


def test_plots(views):
    import matplotlib.pyplot as plt

    cca = landfall.CCA(2).fit(*views)
    ax = landfall.plot_circle(cca)
    points = np.vstack([drawn.get_offsets() for drawn in ax.collections])
    np.testing.assert_allclose(points, np.vstack([cca.x_structure_, cca.y_structure_]))
    grid = landfall.plot_structure(cca, most=3)
    assert max(abs(bar.get_width()) for bar in grid[0, 0].patches) == pytest.approx(np.abs(cca.x_structure_[:, 0]).max())
    assert len(landfall.plot_correlations(cca).patches) == 4  # with those of cross-validation
    with pytest.raises(ValueError, match="two of the 2 components"):
        landfall.plot_circle(cca, components=(0, 2))
    plt.close("all")


def test_a_second_pass_over_heavy_rows_is_not_behind_the_first():
    """Rows of sizes exp(1.5 g): a few make up much of the covariances, and steps over them may lead away from the optimum."""
    random = np.random.default_rng(17)
    hidden = random.standard_normal((16_000, 8))

    def view(columns):
        spread = np.geomspace(1, 0.1, columns)
        noise = random.standard_normal((16_000, columns)) * spread
        return hidden @ random.standard_normal((8, columns)) / 4 + noise @ np.linalg.qr(random.standard_normal((columns, columns)))[0]

    x, y = view(200), view(160)
    size = np.exp(1.5 * random.standard_normal((16_000, 1)))
    x, y = (x * size).astype(np.float32), (y * size).astype(np.float32)
    total = landfall.CCA(5, ridge=0, method="exact").fit(x, y).correlations_.sum()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # after two passes it is far from sure
        gaps = [1 - landfall.CCA(5, ridge=0, method="landing", passes=passes).fit(x, y).correlations_.sum() / total for passes in (1, 2, 3)]
    assert max(gaps) < 3e-3
