"""Plots return the axes they drew on, with what is to be seen."""

import landfall
import matplotlib.pyplot as plt
import numpy as np
import pytest


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def cca(views):
    return landfall.CCA(2, method="landing", held_out=0.2).fit(*views)


def test_correlations(cca):
    ax = landfall.plot_correlations(cca)
    heights = [bar.get_height() for bar in ax.patches]
    np.testing.assert_allclose(heights, np.r_[cca.correlations_, cca.held_out_correlations_])
    assert landfall.plot_correlations(cca, ax=ax) is ax


def test_variates(cca, views, iris):
    labels = np.arange(3000) % 4
    ax = landfall.plot_variates(cca, *views, labels=labels, component=1)
    drawn = np.concatenate([points.get_offsets() for points in ax.collections])
    assert len(ax.collections) == 4 and drawn.shape == (3000, 2)
    np.testing.assert_allclose(sorted(drawn[:, 0]), sorted(cca.transform(views[0])[:, 1]))
    lda = landfall.LDA().fit(*iris)
    ax = landfall.plot_variates(lda, iris[0], labels=iris[1])
    np.testing.assert_allclose(ax.collections[0].get_offsets(), lda.transform(iris[0])[iris[1] == 0])


@pytest.mark.parametrize("plot", [landfall.plot_weights, landfall.plot_loadings])
def test_columns(cca, plot):
    grid = plot(cca, most=5)
    assert grid.shape == (2, 2) and len(grid[0, 0].patches) == 5
    shown = cca.x_weights_ if plot is landfall.plot_weights else cca.x_loadings_
    assert max(bar.get_width() for bar in grid[0, 0].patches) == pytest.approx(max(shown[np.argsort(-np.abs(shown[:, 0]))[:5], 0].max(), 0))
    with pytest.raises(ValueError, match="no loadings"):
        landfall.plot_loadings(landfall.LDA().fit(np.random.default_rng(0).standard_normal((50, 3)), np.arange(50) % 2))


def test_pictures(mixtures):
    ica = landfall.ICA(3).fit(np.c_[mixtures[0], mixtures[0][::-1]])
    grid = landfall.plot_weights(ica, image_shape=(2, 3))
    np.testing.assert_array_equal(grid[0, 1].images[0].get_array(), ica.components_[1].reshape(2, 3))


def test_convergence(cca, views):
    ax = landfall.plot_convergence(cca)
    np.testing.assert_allclose(ax.lines[0].get_ydata(), cca.history_[:, 5])
    result = landfall.minimize(lambda x: (np.sum(x**2 * [[1], [2], [3]]), 2 * x * [[1], [2], [3]]), None, np.eye(3)[:, :1] + 0.1)
    np.testing.assert_allclose(landfall.plot_convergence(result).lines[1].get_ydata(), result.history["infeasibility"])
    with pytest.raises(ValueError, match="no history"):
        landfall.plot_convergence(landfall.CCA(2, method="exact").fit(*views))


def test_notebooks(cca):
    html = cca._repr_html_()
    assert "landing (requested)" in html and "total" in html
    assert "landing" not in landfall.CCA()._repr_html_()
    assert set(cca._repr_mimebundle_()) == {"text/plain", "text/html"}
