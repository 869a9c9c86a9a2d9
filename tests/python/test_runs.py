"""Run folders, reports, plans, comparisons and checkpoints: the same as the program's."""

import json
import os
import subprocess
import sys

import landfall
import numpy as np
import pytest


@pytest.fixture(scope="module")
def models(views, mixtures, iris):
    x, y = views
    return {
        "cca": (landfall.CCA(2, held_out=0.2, method="landing").fit(x, y), (x, y)),
        "ica": (landfall.ICA().fit(mixtures[0]), (mixtures[0],)),
        "lda": (landfall.LDA().fit(*iris), (iris[0],)),
    }


@pytest.mark.parametrize("kind", ["cca", "ica", "lda"])
def test_saved_and_loaded(models, kind, tmp_path):
    model, data = models[kind]
    landfall.save_run(model, tmp_path / "run", *data, labels=np.arange(len(data[0])) % 3)
    loaded = landfall.load_run(tmp_path / "run")
    assert type(loaded) is type(model)
    np.testing.assert_array_equal(loaded.transform(data[0]), model.transform(data[0]))
    for name in ("method_", "n_passes_", "converged_", "warnings_", "n_samples_"):
        assert getattr(loaded, name) == getattr(model, name)
    np.testing.assert_allclose(loaded.history_, model.history_)
    if kind == "lda":
        np.testing.assert_array_equal(loaded.predict(data[0]), model.predict(data[0]))
    assert "<html" in (tmp_path / "run/report.html").read_text()[:500].lower()
    with pytest.raises(ValueError, match="run"):
        landfall.save_run(model, tmp_path / "run")
    landfall.save_run(model, tmp_path / "run", replace=True)


@pytest.mark.parametrize("kind", ["cca", "ica", "lda"])
def test_the_program_reads_the_folder(models, kind, tmp_path):
    model, data = models[kind]
    landfall.save_run(model, tmp_path / "run", *data)
    names = [tmp_path / f"{j}.npy" for j in range(len(data))]
    for name, rows in zip(names, data):
        np.save(name, rows)
    subprocess.run([os.environ["LANDFALL_PROGRAM"], "transform", tmp_path / "run", *names, "-o", tmp_path / "scores.npy"], check=True)
    scores = np.load(tmp_path / "scores.npy")
    expected = np.hstack(model.transform(*data)) if kind == "cca" else model.transform(*data)
    np.testing.assert_array_equal(scores[:, : expected.shape[1]], expected)
    subprocess.run([os.environ["LANDFALL_PROGRAM"], "report", tmp_path / "run"], check=True)


def test_python_reads_the_folder_of_the_program(program, views, iris, tmp_path):
    for name, rows in zip("xyrl", (*views, *iris)):
        np.save(tmp_path / f"{name}.npy", rows)
    told = program("cca", tmp_path / "x.npy", tmp_path / "y.npy", "-p", 2, "--out", tmp_path / "run")
    loaded = landfall.load_run(tmp_path / "run")
    assert loaded.correlations_.tolist() == told["correlations"]
    np.testing.assert_array_equal(loaded.transform(views[0]), landfall.CCA(2).fit(*views).transform(views[0]))
    program("lda", tmp_path / "r.npy", "--labels", tmp_path / "l.npy", "--out", tmp_path / "lda")
    np.testing.assert_array_equal(landfall.load_run(tmp_path / "lda").predict(iris[0]), landfall.LDA().fit(*iris).predict(iris[0]))
    with pytest.raises(FileNotFoundError, match="summary.json"):
        landfall.load_run(tmp_path)


def test_the_summary_has_the_keys_of_the_program(program, views, tmp_path):
    for name, rows in zip("xy", views):
        np.save(tmp_path / f"{name}.npy", rows)
    told = program("cca", tmp_path / "x.npy", tmp_path / "y.npy", "-p", 2, "--method", "landing", "--held-out", 0.2)
    landfall.save_run(landfall.CCA(2, held_out=0.2, method="landing").fit(*views), tmp_path / "run")
    ours = json.loads((tmp_path / "run/summary.json").read_text())
    assert set(ours) == set(told)
    for key in ("problem", "method", "reason", "samples", "features", "components", "correlations", "regularized_total", "infeasibility",
                "converged", "stationarity", "passes", "iterations", "batch", "estimator", "ridge", "seed", "precision", "termination", "ridge_kind",
                "landing", "held_out_correlations", "dropped_columns", "first_index", "centred", "missing", "version"):
        assert ours[key] == told[key], key


def test_report(models, tmp_path):
    model, data = models["cca"]
    path = model.report(tmp_path / "report.html", *data)
    text = path.read_text()
    assert "Canonical correlations" in text and "Canonical variates" in text


def test_plan(program, views, iris, tmp_path):
    plan = landfall.plan(landfall.CCA(2), *views)
    assert plan.method == "exact" and plan.exact["bytes"] > 0 and plan.landing["seconds"] > 0 and "GiB" in plan.reason
    assert landfall.plan(landfall.CCA(2, method="landing"), *views).method == "landing"
    assert landfall.plan(landfall.ICA(), views[0]).exact is None
    assert landfall.plan(landfall.LDA(), *iris).method == "exact"


def test_compare(views):
    comparison = landfall.compare(landfall.CCA(2), *views, methods=["exact", "landing", "ey-adam"], passes=[1, 4])
    assert [row["method"] for row in comparison.rows] == ["exact", "landing", "landing", "ey-adam", "ey-adam"]
    totals = [row["total"] for row in comparison.rows]
    assert totals[0] > max(totals) - 1e-9 and totals[2] > 0.999 * totals[0]
    assert "landing" in str(comparison) and "<table>" in comparison._repr_html_()


KILLED = """
import os, signal, sys
import landfall, numpy as np
from conftest import planted_views
x, y = planted_views()
def end(progress):
    if progress["iteration"] == 60:
        os.kill(os.getpid(), signal.SIGINT)
try:
    landfall.CCA(2, method="landing", passes=40, checkpoint=sys.argv[1], callback=end).fit(x, y)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_resumed_to_the_same_bits(views, tmp_path):
    done = subprocess.run([sys.executable, "-c", KILLED, tmp_path / "run"], capture_output=True, text=True, check=True)
    assert done.stdout == "interrupted\n" and (tmp_path / "run/checkpoint").exists()
    seen = []
    resumed = landfall.CCA(2, method="landing", passes=40, checkpoint=tmp_path / "run", resume=True, callback=lambda progress: seen.append(progress["iteration"])).fit(*views)
    assert seen[0] > 60
    np.testing.assert_array_equal(resumed.x_weights_, landfall.CCA(2, method="landing", passes=40).fit(*views).x_weights_)
    with pytest.raises(ValueError, match="other options: components was 2, now 3"):
        landfall.CCA(3, method="landing", passes=40, checkpoint=tmp_path / "run", resume=True).fit(*views)
    with pytest.raises(ValueError, match="the data changed"):
        landfall.CCA(2, method="landing", passes=40, checkpoint=tmp_path / "run", resume=True).fit(views[0] + 1e-3 * views[0] ** 2, views[1])
    with pytest.raises(ValueError, match="needs checkpoint"):
        landfall.CCA(resume=True).fit(*views)
