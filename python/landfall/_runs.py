"""Run folders and reports: what the program has, written by its code."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core
from ._inputs import as_input
from ._messages import python_errors

# Files of each problem, as in the table of the program: weights and mean of each view.
_FILES = {
    "cca": [("weights_left.npy", "mean_left.npy"), ("weights_right.npy", "mean_right.npy")],
    "ica": [("unmixing.npy", "mean.npy")],
    "lda": [("weights.npy", "mean.npy")],
}


def described(model: Any, rows: str = "") -> dict[str, Any]:
    """A fitted model as the library takes it to write its summary and its folder; rows is the JSON of what a report shows of the data."""
    _ = model.n_iter_  # computed now where partial_fit came last
    views = model._result["views"]
    first = [str(name) for name in getattr(model, "feature_names_in_", [])]
    options = {name: value for name, value in model._options().items() if name != "comm"}
    return {
        "kind": model._KIND,
        "result": model._result,
        "options": options,
        "columns": [first, *([] for _ in views[1:])],
        "command": ["landfall (Python)", repr(model)],
        "rows": rows,
    }


def report_rows(model: Any, data: Sequence[Any], labels: Any, image_shape: tuple[int, int] | None) -> str:
    """Names of columns, the size of pictures, and scores of some rows, for the report."""
    if not data:
        return ""
    views = model._result["views"]
    inputs = [as_input(part, name) for part, name in zip(data, ("X", "Y"))]
    classes: list[str] = []
    codes = np.zeros(0, np.uint32)
    if labels is not None:
        found, numbers = np.unique(np.asarray(labels), return_inverse=True)
        classes, codes = [str(name) for name in found], numbers.astype(np.uint32)
    image = "" if image_shape is None else f"{image_shape[0]}x{image_shape[1]}"
    rule = {"missing": getattr(model, "missing", "error"), "center": model._centred()}
    weights, means = [view["weights"] for view in views], [view["mean"] for view in views]
    with python_errors():
        return _core.report_rows(inputs, weights, means, image, classes, codes.tolist(), model._KIND == "ica", rule)


def save_run(
    model: Any,
    path: Any,
    *data: Any,
    labels: Any = None,
    image_shape: tuple[int, int] | None = None,
    replace: bool = False,
) -> None:
    """Writes the run folder of a fitted model: weights, means, loadings, history, summary and the HTML report, as the program does. The program can
    score new rows with it (``landfall transform``), and :func:`load_run` reads it again.

    With the data (X, or X and Y), the report shows scores; ``labels`` colours them, and ``image_shape`` shows weights as pictures.
    """
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    _ = model.n_iter_
    run = described(model, report_rows(model, data, labels, image_shape))
    with python_errors():
        _core.save_run(os.fspath(path), replace, run)


def write_report(model: Any, path: Any, *data: Any, labels: Any = None, image_shape: tuple[int, int] | None = None) -> pathlib.Path:
    """The report alone, as one HTML file."""
    import shutil
    import tempfile

    target = pathlib.Path(path)
    with tempfile.TemporaryDirectory() as folder:
        save_run(model, pathlib.Path(folder) / "run", *data, labels=labels, image_shape=image_shape)
        shutil.copyfile(pathlib.Path(folder) / "run/report.html", target)
    return target


def _read_structure(folder: pathlib.Path, summary: dict[str, Any], view: int, views: int) -> dict[str, Any]:
    """Loadings of a view and what they explain, where the folder has them."""
    side = ("_left", "_right")[view] if views > 1 else ""
    read: dict[str, Any] = {}
    names = {"structure": "loadings", "cross_structure": "cross_loadings", "loadings": "regression", "prediction": "prediction"}
    for key, name in names.items():
        file = folder / f"{name}{side}.npy"
        if file.exists():
            read[key] = np.load(file)
    for key, name in (("explained", "variance_explained"), ("redundancy", "redundancy")):
        if name in summary:
            read[key] = np.asarray(summary[name][view] if views > 1 else summary[name])
    if summary.get("prediction_r2", [None])[0] is not None:
        read["prediction_r2"] = np.asarray(summary["prediction_r2"][view])
    return read


def load_run(path: Any) -> Any:
    """The fitted model of a run folder, of the program or of :func:`save_run`."""
    import landfall

    folder = pathlib.Path(path)
    if not (folder / "summary.json").exists():
        raise FileNotFoundError(f"{folder}: no summary.json in it, expected the folder of a finished run")
    summary = json.loads((folder / "summary.json").read_text())
    kind = summary["problem"]
    if kind not in _FILES:
        raise ValueError(f"{folder}: a run of {kind}, expected cca, ica or lda")

    def of_view(key: str, view: int, default: Any = None) -> Any:
        value = summary.get(key, default)
        return value[view] if len(_FILES[kind]) > 1 and isinstance(value, list) else value

    views = []
    for number, (weights, mean) in enumerate(_FILES[kind]):
        matrix = np.load(folder / weights)
        views.append({
            "weights": np.asfortranarray(matrix.T if kind == "ica" else matrix),
            "mean": np.load(folder / mean),
            "dropped": summary["dropped_columns"][number] if len(_FILES[kind]) > 1 else summary["dropped_columns"],
            "ridge": of_view("ridge", number, 0.0),
            "infeasibility": of_view("infeasibility", number, 0.0),
            "method_infeasibility": of_view("method_infeasibility", number, 0.0),
            **_read_structure(folder, summary, number, len(_FILES[kind])),
        })
    history = folder / "history.csv"
    empty = {"first_rows": 0, "warm_up_passes": 0, "pilot_steps": 0, "rank": [], "row_noise": 0.0, "step": 0.0, "momentum": 0.0, "omega": 0.0, "back_offs": 0}
    result = {
        "views": views,
        "history": np.loadtxt(history, delimiter=",", skiprows=1, ndmin=2) if history.exists() else np.zeros((0, 7)),
        "choice": summary.get("landing", empty),
        "ridge_rows": summary.get("ridge_rows", 0.0),
        "held_out_samples": summary.get("held_out_samples", 0),
        "estimated_gap": summary.get("estimated_gap"),
        **({"sum_of_weights": summary["sum_of_weights"]} if "sum_of_weights" in summary else {}),
        "seconds": {part: summary["seconds"][part] for part in ("read", "solve", "evaluate", "total")},
        **{key: summary[key] for key in ("method", "reason", "ridge_kind", "samples", "stationarity", "passes", "mean_pass", "iterations", "batch",
                                         "termination", "converged", "warnings", "precision")},
    }
    model = {"cca": landfall.CCA, "ica": landfall.ICA, "lda": landfall.LDA}[kind](n_components=summary["components"], random_state=summary["seed"])
    given: dict[str, Any] = {"missing": summary["missing"], "scale": summary["scaled"], "precision": summary["precision"]}
    if kind == "cca":
        given["center"] = summary["centred"]
    model.set_params(**given)
    model.n_features_in_ = int(views[0]["weights"].shape[0])
    names = of_view("columns", 0) if kind == "cca" else summary.get("columns")
    if names:
        model.feature_names_in_ = np.asarray(names, dtype=object)
    result |= model._read_files(folder, summary)
    model._learn(result, quiet=True)
    return model
