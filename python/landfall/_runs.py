"""Run folders, reports, plans and comparisons: what the program has."""

from __future__ import annotations

import json
import os
import pathlib
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _core
from ._inputs import as_input
from ._messages import in_python, python_errors
from ._types import Array

# Files of each problem, as in the table of the program: weights and mean of each view.
_FILES = {
    "cca": [("weights_left.npy", "mean_left.npy"), ("weights_right.npy", "mean_right.npy")],
    "ica": [("unmixing.npy", "mean.npy")],
    "lda": [("weights.npy", "mean.npy")],
}


def few(numbers: Array) -> Array | None:
    """None where they are too many for a summary, as the program has it: files have them."""
    return numbers if 0 < numbers.size <= 4096 else None


def _summary(model: Any) -> dict[str, Any]:
    """The summary of a fitted model, with the keys of the program."""
    _ = model.n_iter_  # computed now where partial_fit came last
    result, options = model._result, model._options()
    views = result["views"]

    def per_view(get: Any) -> Any:
        values = [get(view) for view in views]
        return values if len(values) > 1 else values[0]

    landing = result["choice"]["first_rows"] > 0
    names = list(getattr(model, "feature_names_in_", [])) or None
    summary: dict[str, Any] = {
        "problem": model._KIND,
        "data": ["memory"] * len(views),
        "method": result["method"],
        "reason": result["reason"],
        "samples": result["samples"],
        **({"weights": "sample_weight", "sum_of_weights": result["sum_of_weights"]} if "sum_of_weights" in result else {}),
        "features": per_view(lambda view: int(view["weights"].shape[0])),
        "components": model.n_components_,
        **model._numbers(),
        **({"variance_explained": per_view(lambda view: view["explained"])} if "explained" in views[0] else {}),
        **({"redundancy": per_view(lambda view: view["redundancy"])} if "redundancy" in views[0] else {}),
        **({"loadings": per_view(lambda view: few(view["structure"]))} if "structure" in views[0] else {}),
        **({"cross_loadings": per_view(lambda view: few(view["cross_structure"]))} if "cross_structure" in views[0] else {}),
        "infeasibility": per_view(lambda view: view["infeasibility"]),
        "method_infeasibility": per_view(lambda view: view["method_infeasibility"]),
        "converged": result["converged"],
        "warnings": result["warnings"],
        "stationarity": result["stationarity"],
        **({} if result.get("estimated_gap") is None else {"estimated_gap": result["estimated_gap"]}),
        "passes": result["passes"],
        "iterations": result["iterations"],
        "batch": result["batch"],
        "estimator": "recursive" if landing else None,
        "ridge": per_view(lambda view: view["ridge"]),
        "seconds": {"total": sum(result["seconds"].values()), **result["seconds"]},
        "peak_memory_bytes": _core.peak_memory(),
        "seed": options["seed"],
        "threads": _core.threads(),
        "precision": result["precision"],
        "termination": result["termination"],
        "version": _core.version,
        "command": ["landfall (Python)", repr(model)],
        "ridge_kind": result["ridge_kind"],
        "mean_pass": result["mean_pass"],
        "centred": model._centred(),
        "scaled": bool(getattr(model, "scale", False)),
        "missing": getattr(model, "missing", "error"),
        "dropped_columns": per_view(lambda view: view["dropped"]),
        **model._more_numbers(),
        "first_index": per_view(lambda view: None),
        "columns": names if len(views) == 1 else [names] + [None] * (len(views) - 1),
        "categorical": "leave-out",
        "dropped_rows": 0,
    }
    if result["ridge_kind"] == "auto":
        summary["ridge_rows"] = result["ridge_rows"]
    if landing:
        summary["landing"] = result["choice"]
    return summary


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    return str(value)


def _rows(model: Any, data: Sequence[Any], labels: Any, image_shape: tuple[int, int] | None) -> str:
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
    """Writes the run folder of a fitted model: weights, means, history, summary and the HTML report, as the program does. The program can score
    new rows with it (``landfall transform``), and :func:`load_run` reads it again.

    With the data (X, or X and Y), the report shows scores; ``labels`` colours them, and ``image_shape`` shows weights as pictures.
    """
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    summary = _summary(model)
    files: dict[str, Array] = {}
    for (weights, mean), view in zip(_FILES[model._KIND], model._result["views"]):
        files[weights] = view["weights"].T if model._KIND == "ica" else view["weights"]
        files[mean] = view["mean"]
    files |= model._files()
    rows = _rows(model, data, labels, image_shape)
    with python_errors():
        _core.save_run(os.fspath(path), replace, files, model._result["history"], json.dumps(summary, default=_plain), rows)


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
        **({"sum_of_weights": summary["sum_of_weights"]} if "sum_of_weights" in summary else {}),
        "seconds": {part: summary["seconds"][part] for part in ("read", "solve", "evaluate")},
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


@dataclass
class Plan:
    """What a fit would do: its method, why, and what each method would cost."""

    method: str
    reason: str
    landing: dict[str, float]
    exact: dict[str, float] | None = None


def plan(model: Any, X: Any, Y: Any = None) -> Plan:
    """What ``model.fit(X, Y)`` would do, and why, with memory in bytes and time in seconds of each method; nothing is fitted."""
    with python_errors():
        told = model._plan(X, Y)
    told["reason"] = in_python(told["reason"])
    return Plan(**told)


@dataclass
class Comparison:
    """One row per run. ``rows`` are dicts; printed as a table, and shown as one in notebooks."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    models: list[Any] = field(default_factory=list)

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        names = list(self.rows[0]) if self.rows else []

        def text(value: Any) -> str:
            return f"{value:.6g}" if isinstance(value, float) else "" if value is None else str(value)

        return names, [[text(row[name]) for name in names] for row in self.rows]

    def __str__(self) -> str:
        names, cells = self._cells()
        widths = [max(len(line[j]) for line in [names, *cells]) for j in range(len(names))]
        return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths)) for line in [names, *cells])

    def _repr_html_(self) -> str:
        from ._html import table

        return table(*self._cells())


def compare(model: Any, X: Any, Y: Any = None, *, methods: Sequence[str] = ("exact", "landing"), passes: Sequence[float | None] = (None,)) -> Comparison:
    """Fits the model once for each method, and each number of passes of landing, and compares results, passes and seconds. A method that fails
    numerically gets a row saying so."""
    import warnings

    from sklearn.base import clone

    done = Comparison()
    for method in methods:
        for number in passes if method != "exact" else [None]:
            one = clone(model).set_params(method=method, passes=number)
            began = time.perf_counter()
            row: dict[str, Any] = {"method": method}
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    one.fit(*([X] if Y is None else [X, Y]))
                row |= one._measures() | {"infeasibility": one.infeasibility_, "passes": float(one.n_passes_)}
            except _core.NumericalError as error:
                print(f"{method}: {error}", file=sys.stderr)
                row |= {name: None for name in (*model._MEASURES, "infeasibility", "passes")}
            row["seconds"] = time.perf_counter() - began
            done.rows.append(row)
            done.models.append(one)
    return done
