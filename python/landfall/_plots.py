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
    """Bars of the canonical correlations, with those of held-out rows and of cross-validation beside them; bootstrap intervals as lines."""
    ax = _axes(ax)
    places = np.arange(1, len(model.correlations_) + 1)
    series = [("training rows", model.correlations_), ("held-out rows", model.held_out_correlations_),
              ("cross-validated", getattr(model, "cross_validated_correlations_", []))]
    shown = [(name, values) for name, values in series if len(values)]
    width = 0.8 / len(shown)
    for i, (name, values) in enumerate(shown):
        ax.bar(places + (i - (len(shown) - 1) / 2) * width, values, width, label=name)
    intervals: Any = getattr(model, "correlation_intervals_", ())
    if len(intervals):
        ax.vlines(places - (len(shown) - 1) / 2 * width, intervals[:, 0], intervals[:, 1], color="black", label="95 % interval")
    if len(shown) > 1 or len(intervals):
        ax.legend()
    lowest = min(0.0, *(float(np.min(values)) for _, values in shown))  # of rows that were not fitted, they may be negative
    ax.set(xlabel="canonical pair", ylabel="correlation", ylim=(lowest, 1), xticks=places)
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
    """Weights, loadings or structure correlations of each view, one column per component."""
    if of == "structure" and model._KIND != "cca":
        return [("X", model.structure_)]
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


def plot_structure(model: Any, *, image_shape: tuple[int, int] | None = None, most: int = 10, ax: Any = None) -> Any:
    """Correlations of the columns with the scores of each component, the largest first: what it is made of."""
    return _plot_columns(model, "structure", image_shape, most, ax)


def plot_circle(model: Any, *, components: tuple[int, int] = (0, 1), most: int = 12, ax: Any = None) -> Any:
    """The correlation circle: each column at its correlations with the scores of two components; the ``most`` longest of each view with
    their names."""
    ax = _axes(ax)
    first, second = components
    matrices = _matrices(model, "structure")
    if max(components) >= matrices[0][1].shape[1]:
        raise ValueError(f"components={components}, expected two of the {matrices[0][1].shape[1]} components, counted from 0")
    angle = np.linspace(0, 2 * np.pi, 200)
    ax.plot(np.cos(angle), np.sin(angle), color="grey", linewidth=0.8)
    ax.axhline(0, color="lightgrey", linewidth=0.8, zorder=0)
    ax.axvline(0, color="lightgrey", linewidth=0.8, zorder=0)
    for view, (name, matrix) in enumerate(matrices):
        x, y = matrix[:, first], matrix[:, second]
        ax.scatter(x, y, s=12, label=name)
        names = _names(model, view, len(x))
        for j in np.argsort(-np.hypot(x, y))[:most]:
            ax.annotate(names[j], (x[j], y[j]), textcoords="offset points", xytext=(4, 3), fontsize=8)
    if len(matrices) > 1:
        ax.legend()
    ax.set(xlabel=f"component {first + 1}", ylabel=f"component {second + 1}", xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), aspect="equal")
    return ax


def plot_cross_validation(choice: Any, ax: Any = None) -> Any:
    """What landfall.cross_validate found: values with their standard errors against the ridge, or of ICA stability and variance against the number of components.
    A dashed line marks the choice."""
    ax = _axes(ax)
    choice._plot(ax)
    return ax


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
