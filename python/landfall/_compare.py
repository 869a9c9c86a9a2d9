"""Plans and comparisons: what the program has."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from . import _core
from ._messages import in_python, python_errors
from ._options import bytes_of
from ._runs import described

_POINTS = 40  # of a curve


@dataclass
class Plan:
    """What a fit would do: its method, why, and what each method would cost."""

    method: str
    reason: str
    landing: dict[str, float]
    exact: dict[str, float] | None = None


def plan(model: Any, X: Any, Y: Any = None, *, sample_weight: Any = None) -> Plan:
    """What ``model.fit(X, Y, sample_weight)`` would do, and why, with memory in bytes and time in seconds of each method; nothing is fitted."""
    with python_errors():
        told = model._plan(X, Y, model._weights(sample_weight))
    told["reason"] = in_python(told["reason"])
    return Plan(**told)


@dataclass
class Comparison:
    """One row per run. ``rows`` are dicts; printed as a table, and shown as one in notebooks."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    models: list[Any] = field(default_factory=list, repr=False)
    """Of each run, fitted; None where its numbers failed."""
    result: dict[str, Any] = field(default_factory=dict, repr=False)
    """The object that ``landfall compare --json`` prints."""

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


def _fitted(model: Any, data: Sequence[Any], weights: dict[str, Any], changed: dict[str, Any], curve_every: float = 0.0) -> Any:
    """A copy of the model with other parameters; None where its numbers fail. Evaluations on all rows for a curve are so many passes apart."""
    from sklearn.base import clone

    one = clone(model).set_params(**changed)
    if curve_every > 0:
        one._curve_every = curve_every
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return one.fit(*data, **weights)
    except _core.NumericalError as error:
        print(f"{changed['method']}: {error}", file=sys.stderr)
        return None


def _table(result: dict[str, Any]) -> list[dict[str, Any]]:
    rows = []
    held_out = {"cca": "held_out_total_correlation", "lda": "held_out_accuracy"}.get(result["problem"])
    shows_held_out = any(held_out in run for run in result["runs"])
    for run in result["runs"]:
        row = {"method": run["method"], "run": run["name"], result["heading"]: run.get("value")}
        row |= {} if result["exact"] is None else {"of exact": run.get("fraction")}
        row |= {"held out": run.get(held_out)} if shows_held_out else {}
        rows.append(row | {key: run.get(key) for key in ("infeasibility", "passes", "seconds")})
    return rows


def compare(
    model: Any,
    X: Any,
    Y: Any = None,
    *,
    methods: Sequence[str] = ("exact", "landing"),
    passes: Sequence[float | None] = (None,),
    sample_weight: Any = None,
    out: Any = None,
    replace: bool = False,
) -> Comparison:
    """Fits the model once for each method, and each number of passes of those that iterate, and compares results, passes and seconds (without those
    of the evaluation). A method that fails numerically gets a row saying so.

    ``out`` is a new folder for the runs and a report, as ``landfall compare --out`` writes them. The runs are made in this process, one after
    the other, so that there is no memory of each to compare.
    """
    data = [X] if Y is None else [X, Y]
    weights = {} if sample_weight is None else {"sample_weight": sample_weight}
    # Methods are timed without a cross-validation that nobody asked for.
    unasked: dict[str, Any] = {"folds": 0} if model.get_params(deep=False).get("folds", 0) is None else {}
    runs: list[tuple[str, str, Any]] = []
    for method in methods:
        for number in passes if method != "exact" else [None]:
            one = _fitted(model, data, weights, unasked | {"method": method, "passes": number})
            runs.append((method, "" if number is None else f"{number:g}", one))
    exact = next((one for method, _, one in runs if method == "exact" and one is not None), None)
    if exact is None and model._HAS_EXACT:
        cost = plan(model, *data, sample_weight=sample_weight).exact
        if cost is not None and cost["bytes"] <= bytes_of(model.memory):
            exact = _fitted(model, data, weights, unasked | {"method": "exact", "passes": None})
    command = ["landfall.compare (Python)", repr(model), f"methods={list(methods)}", f"passes={list(passes)}"]
    done = Comparison(models=[one for _, _, one in runs])
    with python_errors():
        summaries = ["" if one is None else _core.summary_of(described(one)) for one in done.models]
        curves = [_curve(one, data, weights) if out is not None and exact is not None and one is not None else "" for one in done.models]
        entries = [(method, number, summary, curve) for (method, number, _), summary, curve in zip(runs, summaries, curves)]
        best = "" if exact is None else _core.summary_of(described(exact))
        text = _core.compare_runs(model._KIND, entries, out is not None, best, command)
        done.result = json.loads(text)
        done.rows = _table(done.result)
        if out is not None:
            folders = {run["folder"]: described(one) for run, one in zip(done.result["runs"], done.models) if one is not None}
            _core.save_comparison(os.fspath(out), replace, text, folders)
    return done


def _curve(one: Any, data: Sequence[Any], weights: dict[str, Any]) -> str:
    """The same run again, draw by draw, with evaluations on all rows on its way; "" for a model or a method that has none."""
    if one._KIND != "cca" or one._result["iterations"] == 0:
        return ""
    again = _fitted(one, data, weights, {"passes": one.n_passes_, "method": one.method}, one.n_passes_ / _POINTS)
    return "" if again is None else json.dumps(again._result["curve"])
