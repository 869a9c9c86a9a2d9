"""The number of components, and which sources come back: as the program has them, by their laws, and in plots."""

import warnings

import landfall
import numpy as np
import pytest


@pytest.fixture(scope="module")
def recording():
    """Four Laplace sources in nine columns, with a little noise."""
    rng = np.random.default_rng(5)
    return rng.laplace(size=(3000, 4)) @ rng.standard_normal((4, 9)) + 0.02 * rng.standard_normal((3000, 9))


def test_sources_come_back(recording, program, tmp_path):
    np.save(tmp_path / "x.npy", recording)
    told = program("ica", tmp_path / "x.npy", "-p", 4, "--restarts", 4)
    ica = landfall.ICA(4, n_restarts=4).fit(recording)
    stability = ica.stability_
    np.testing.assert_allclose(stability.quality, told["stability"]["quality"], rtol=1e-9)
    np.testing.assert_array_equal(stability.found_in, told["stability"]["found_in"])
    assert [cluster["size"] for cluster in stability.clusters] == [cluster["size"] for cluster in told["stability"]["clusters"]] == [5] * 4
    assert stability.stable.all() and stability.quality.min() > 0.95 and stability.runs == 5
    assert stability.centrotypes.shape == (4, 9)
    # A centrotype is the source of some run: nearly that of the fit.
    ours, theirs = ica.transform(recording), (recording - ica.mean_) @ stability.centrotypes[stability.cluster].T
    for j in range(4):
        assert abs(np.corrcoef(ours[:, j], theirs[:, j])[0, 1]) > 0.99
    assert "5 of 5" in str(stability) and "<table>" in stability._repr_html_()
    assert landfall.ICA(4).fit(recording).stability_ is None


def test_noise_is_warned_of():
    noise = np.random.default_rng(6).standard_normal((3000, 4))
    with pytest.warns(UserWarning, match="come back from other starts"):
        ica = landfall.ICA(n_restarts=8).fit(noise)
    assert ica.stability_.quality.mean() < 0.7 and not ica.stability_.stable.all()


def test_folder(recording, tmp_path):
    ica = landfall.ICA(4, n_restarts=3).fit(recording)
    landfall.save_run(ica, tmp_path / "run", recording)
    again = landfall.load_run(tmp_path / "run").stability_
    np.testing.assert_allclose(again.quality, ica.stability_.quality)
    np.testing.assert_array_equal(again.stable, ica.stability_.stable)
    np.testing.assert_allclose(again.centrotypes, ica.stability_.centrotypes)
    assert "Iq" in (tmp_path / "run/report.html").read_text()


def test_number_of_sources(recording, program, tmp_path):
    np.save(tmp_path / "x.npy", recording)
    told = program("cv", "ica", tmp_path / "x.npy", "--restarts", 4)
    choice = landfall.cross_validate(landfall.ICA(), recording, n_restarts=4)
    assert isinstance(choice, landfall.ComponentChoice)
    for name in ("components", "stable", "mean_quality", "worst_quality", "explained_variance", "runs"):
        np.testing.assert_allclose(getattr(choice, name), told[name], rtol=1e-9)
    assert choice.params == {"n_components": told["choice"]["components"]} == {"n_components": 4}
    spread = np.linalg.svd(recording - recording.mean(axis=0), compute_uv=False) ** 2
    np.testing.assert_allclose(choice.explained_variance, (spread.cumsum() / spread.sum())[choice.components - 1])
    assert "<- chosen" in str(choice) and "worst Iq" in choice._repr_html_()
    assert list(landfall.cross_validate(landfall.ICA(3), recording, n_restarts=2).components) == [2, 3]
    with pytest.raises(ValueError, match="no ridge"):
        landfall.cross_validate(landfall.ICA(), recording, ridges=[1])
    with pytest.raises(ValueError, match="expected CCA, ICA or LDA"):
        landfall.cross_validate(object(), recording)


def test_auto(recording, views, iris):
    ica = landfall.ICA("auto", n_restarts=4).fit(recording)
    assert ica.n_components_ == 4 == ica.component_choice_.params["n_components"] and ica.stability_.runs == 5
    assert not hasattr(landfall.ICA(2).fit(recording), "component_choice_")
    cca = landfall.CCA("auto").fit(*views)
    assert cca.n_components_ == 3 == len(cca.cross_validated_correlations_)  # that is how many they share
    assert cca.x_weights_.shape[1] == cca.x_loadings_.shape[1] == 3
    lda = landfall.LDA("auto").fit(*iris)
    assert lda.n_components_ == 1 and lda.score(*iris) > 0.95
    rng = np.random.default_rng(7)
    with pytest.warns(UserWarning, match="no pair stands out"):
        assert landfall.CCA("auto").fit(rng.standard_normal((300, 4)), rng.standard_normal((300, 3))).n_components_ == 1
    for model, data in ((landfall.CCA("auto"), views), (landfall.ICA("auto"), (recording,)), (landfall.LDA("auto"), iris)):
        with pytest.raises(ValueError, match="partial_fit does not take n_components='auto'"):
            model.partial_fit(*data)
    with pytest.raises(ValueError, match="n_components='all', expected a positive integer, 'auto' or None"):
        landfall.ICA("all").fit(recording)
    with pytest.raises(ValueError, match="n_restarts=-1"):
        landfall.ICA(n_restarts=-1).fit(recording)


def test_auto_is_that_of_the_program(views, program, tmp_path):
    for name, part in zip(("x", "y"), views):
        np.save(tmp_path / f"{name}.npy", part)
    told = program("cca", tmp_path / "x.npy", tmp_path / "y.npy", "-p", "auto")
    np.testing.assert_allclose(landfall.CCA("auto").fit(*views).correlations_, told["correlations"], rtol=1e-12)


def test_landing_ends_by_its_tolerance(views):
    rng = np.random.default_rng(8)
    x, y, classes = rng.standard_normal((20000, 120)), rng.standard_normal((20000, 110)), rng.integers(0, 4, 20000)
    y[:, :3] += x[:, :3]
    x[np.arange(20000), classes] += 0.5
    for model, target in ((landfall.CCA(3), y), (landfall.LDA(), classes)):
        model.set_params(method="landing", memory="6MiB")  # rows do not fit
        assert model.fit(x, target).converged_ and model.n_passes_ < 32
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.set_params(tolerance=1e-12, max_passes=3).fit(x, target)
        assert not model.converged_ and model.n_passes_ == 3 and model.estimated_gap_ > 1e-12
    for bad in ({"tolerance": 0}, {"max_passes": 0}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            landfall.CCA(2, **bad).fit(*views)


def test_plots(recording, views):
    import matplotlib.pyplot as plt

    choice = landfall.cross_validate(landfall.CCA(), *views, ridges=[0, 1])
    ax = landfall.plot_cross_validation(choice)
    assert len(ax.containers) == len(choice.values) and ax.get_ylabel() == "total correlation"
    np.testing.assert_allclose(ax.containers[0].lines[0].get_ydata(), choice.values[0])
    stability = landfall.cross_validate(landfall.ICA(4), recording, n_restarts=2)
    ax = landfall.plot_cross_validation(stability, ax=plt.figure().gca())
    assert [line.get_label() for line in ax.lines[:4]] == ["stable components", "mean Iq", "worst Iq", "explained variance"]
    np.testing.assert_allclose(ax.lines[1].get_ydata(), stability.mean_quality)
    plt.close("all")
