"""Plots of fitted models with matplotlib. Each returns the axes it drew on."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._types import Array


def _axes(ax: Any, count: int = 1, columns: int = 1) -> Any:
    """The axes given, or new ones: a single one, or an array of them."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    rows = (count + columns - 1) // columns
    _, made = plt.subplots(rows, columns, squeeze=False, figsize=(3.2 * columns + 1.5, 2.6 * rows + 1), constrained_layout=True)
    for spare in made.flat[count:]:
        spare.set_visible(False)
    return made.flat[0] if count == 1 else made


def plot_correlations(model: Any, ax: Any = None) -> Any:
    """Bars of the canonical correlations, with those of held-out rows beside them."""
    ax = _axes(ax)
    count = len(model.correlations_)
    places = np.arange(1, count + 1)
    held_out = model.held_out_correlations_
    width = 0.8 if len(held_out) == 0 else 0.4
    ax.bar(places - (0.2 if len(held_out) else 0), model.correlations_, width, label="training rows")
    if len(held_out):
        ax.bar(places + 0.2, held_out, width, label="held-out rows")
        ax.legend()
    ax.set(xlabel="canonical pair", ylabel="correlation", ylim=(0, 1), xticks=places)
    return ax


def plot_variates(model: Any, X: Any, Y: Any = None, *, labels: Any = None, component: int = 0, ax: Any = None) -> Any:
    """Scores of rows: of both views against each other with Y, else of this component and the next. ``labels`` colours rows by class."""
    ax = _axes(ax)
    scores = model.transform(X) if Y is None else model.transform(X, Y)
    if Y is not None:
        x, y = np.asarray(scores[0])[:, component], np.asarray(scores[1])[:, component]
        names = (f"X, component {component + 1}", f"Y, component {component + 1}")
    else:
        all_scores = np.asarray(scores)
        other = component + 1 if component + 1 < all_scores.shape[1] else None
        x = all_scores[:, component]
        y = all_scores[:, other] if other is not None else np.zeros(len(x))
        names = (f"component {component + 1}", "" if other is None else f"component {other + 1}")
    if labels is None:
        ax.scatter(x, y, s=6, alpha=0.6)
    else:
        labels = np.asarray(labels)
        for label in np.unique(labels):
            chosen = labels == label
            ax.scatter(x[chosen], y[chosen], s=6, alpha=0.6, label=str(label))
        ax.legend(markerscale=2)
    ax.set(xlabel=names[0], ylabel=names[1])
    return ax


def _matrices(model: Any, of: str) -> list[tuple[str, Array]]:
    """Weights or loadings of each view, one column per component."""
    if model._KIND == "cca":
        return [("X", getattr(model, f"x_{of}_")), ("Y", getattr(model, f"y_{of}_"))]
    if model._KIND == "ica":
        return [("X", model.components_.T if of == "weights" else model.mixing_)]
    if of == "loadings":
        raise ValueError("LDA has no loadings")
    return [("X", model.scalings_)]


def _names(model: Any, view: int, count: int) -> list[str]:
    known = getattr(model, "feature_names_in_", None) if view == 0 else None
    return [str(name) for name in known] if known is not None else [str(j) for j in range(count)]


def _plot_columns(model: Any, of: str, image_shape: tuple[int, int] | None, most: int, ax: Any) -> Any:
    matrices = _matrices(model, of)
    components = matrices[0][1].shape[1]
    grid = _axes(ax, len(matrices) * components, components)
    for place, one in enumerate(np.atleast_1d(np.asarray(grid, dtype=object)).flat[: len(matrices) * components]):
        view, component = divmod(place, components)
        name, matrix = matrices[view]
        column = matrix[:, component]
        if image_shape is not None:
            size = np.abs(column).max() or 1.0
            one.imshow(column.reshape(image_shape), cmap="RdBu_r", vmin=-size, vmax=size)
            one.set(xticks=[], yticks=[])
        else:
            names = _names(model, view, len(column))
            largest = np.argsort(-np.abs(column))[:most][::-1]
            one.barh(range(len(largest)), column[largest])
            one.set_yticks(range(len(largest)), [names[j] for j in largest])
        one.set_title(f"{name}, component {component + 1}")
    return grid


def plot_weights(model: Any, *, image_shape: tuple[int, int] | None = None, most: int = 10, ax: Any = None) -> Any:
    """The weights of each component: as a picture where columns are pixels, else bars of the largest."""
    return _plot_columns(model, "weights", image_shape, most, ax)


def plot_loadings(model: Any, *, image_shape: tuple[int, int] | None = None, most: int = 10, ax: Any = None) -> Any:
    """The loadings of each component: how columns follow the scores."""
    return _plot_columns(model, "loadings", image_shape, most, ax)


def plot_convergence(model: Any, ax: Any = None) -> Any:
    """Stationarity and infeasibility against passes, on a logarithmic scale. Of a model, or of the result of minimize."""
    ax = _axes(ax)
    history = getattr(model, "history_", None)
    columns = model.history if history is None else dict(zip(("", "passes", "", "", "infeasibility", "stationarity"), history.T))
    if len(columns["passes"]) == 0:
        raise ValueError("the fit has no history: the exact method has no steps")
    for name in ("stationarity", "infeasibility"):
        ax.plot(columns["passes"], columns[name], label=name)
    ax.set(xlabel="passes", yscale="log")
    ax.legend()
    return ax
