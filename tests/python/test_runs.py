"""Run folders, reports, plans, comparisons and checkpoints: the same as the program's."""

import json
import os
import subprocess
import sys
import warnings

import landfall
import numpy as np
import pytest
from sklearn.base import clone


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


# Of the machine and of the caller.
OWN = {"data", "seconds", "peak_memory_bytes", "command", "threads", "weights"}

SAME = {
    "cca": (landfall.CCA(2, held_out=0.2, method="landing"), ["cca", "x.npy", "y.npy", "-p", 2, "--held-out", 0.2, "--method", "landing"]),
    "tests": (landfall.CCA(2, permutations=19, bootstrap=20, ridge=0.1),
              ["cca", "x.npy", "y.npy", "-p", 2, "--permutations", 19, "--bootstrap", 20, "--ridge", 0.1]),
    "auto": (landfall.CCA("auto"), ["cca", "x.npy", "y.npy", "-p", "auto"]),
    "lda": (landfall.LDA(held_out=0.2), ["lda", "r.npy", "--labels", "l.npy", "--held-out", 0.2]),
    "ica": (landfall.ICA("auto", n_restarts=3), ["ica", "m.npy", "-p", "auto", "--restarts", 3]),
}


def files_of(folder):
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("name", SAME)
def test_the_run_folder_is_that_of_the_program(name, program, views, mixtures, iris, tmp_path, monkeypatch):
    """Every file and every key; and once more from a loaded run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", str(landfall.threads()))
    for letter, rows in zip("xyrlm", (*views, *iris, mixtures[0])):
        np.save(f"{letter}.npy", rows)
    model, arguments = SAME[name]
    data = {"c": views, "l": iris, "i": mixtures[:1]}[arguments[0][0]]
    told = program(*arguments, "--out", "theirs")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = clone(model).fit(*data)
    landfall.save_run(fitted, "ours", *(data if arguments[0] == "cca" else data[:1]), labels=iris[1] if arguments[0] == "lda" else None)
    landfall.save_run(landfall.load_run("theirs"), "again", *(data if arguments[0] == "cca" else data[:1]))
    for folder in ("ours", "again"):
        ours = json.loads((tmp_path / folder / "summary.json").read_text())
        assert list(ours) == list(told)
        for key in set(told) - OWN:
            assert ours[key] == pytest.approx(told[key], rel=1e-9, abs=1e-9) if isinstance(told[key], float) else ours[key] == told[key], key
        assert files_of(tmp_path / folder) == files_of(tmp_path / "theirs") - {"checkpoint"}
    assert ("component_choice" in told) == (name == "ica")


def test_loadings_of_a_run_of_the_program(program, views, tmp_path):
    for name, rows in zip("xy", views):
        np.save(tmp_path / f"{name}.npy", rows)
    program("cca", tmp_path / "x.npy", tmp_path / "y.npy", "-p", 2, "--bootstrap", 20, "--out", tmp_path / "run")
    loaded, fitted = landfall.load_run(tmp_path / "run"), landfall.CCA(2, bootstrap=20).fit(*views)
    for name in ("x_loadings_", "y_loadings_", "x_structure_", "y_cross_structure_", "x_structure_intervals_"):
        np.testing.assert_allclose(getattr(loaded, name), getattr(fitted, name), rtol=1e-6, atol=1e-8, err_msg=name)
    scores = fitted.transform(views[0])
    np.testing.assert_allclose(loaded.inverse_transform(scores), fitted.inverse_transform(scores), rtol=1e-9)


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
    assert [row["run"] for row in comparison.rows][1:3] == ["landing, 1 pass", "landing, 4 passes"]
    assert comparison.rows[0]["of exact"] == 1 and comparison.models[2].n_passes_ == 4


def test_a_comparison_in_a_folder(program, views, tmp_path):
    """The folder that landfall compare writes, which the program reads."""
    for name, rows in zip("xy", views):
        np.save(tmp_path / f"{name}.npy", rows)
    subprocess.run([os.environ["LANDFALL_PROGRAM"], "compare", "cca", tmp_path / "x.npy", tmp_path / "y.npy", "-p", "2", "--methods",
                    "landing,ey-adam", "--passes", "1", "--out", tmp_path / "theirs", "--quiet"], check=True, capture_output=True)
    landfall.compare(landfall.CCA(2), *views, methods=["landing", "ey-adam"], passes=[1], out=tmp_path / "ours")
    assert files_of(tmp_path / "ours") == files_of(tmp_path / "theirs")
    ours, theirs = (json.loads((tmp_path / name / "comparison.json").read_text()) for name in ("ours", "theirs"))
    assert set(theirs) <= set(ours) and ours["exact"]["value"] == pytest.approx(theirs["exact"]["value"], rel=1e-9)
    for mine, their in zip(ours["runs"], theirs["runs"]):
        assert set(mine) == set(their) and mine["fraction"] == pytest.approx(their["fraction"], rel=1e-9)
        assert mine["folder"] == their["folder"] and files_of(tmp_path / "ours" / mine["folder"]) >= {"report.html", "weights_left.npy"}
        assert [point["passes"] for point in mine["curve"]] == pytest.approx([point["passes"] for point in their["curve"]])
    page = (tmp_path / "ours/report.html").read_text()
    assert "Comparison: canonical correlations" in page and "Gap to exact" in page and "in the same process" in page
    assert "Peak memory" not in page  # of one process
    subprocess.run([os.environ["LANDFALL_PROGRAM"], "report", tmp_path / "ours"], check=True)
    assert landfall.load_run(tmp_path / "ours" / ours["runs"][0]["folder"]).n_passes_ == 1
    with pytest.raises(ValueError, match="ours"):
        landfall.compare(landfall.CCA(2), *views, methods=["exact"], out=tmp_path / "ours")


def test_compare_ranks_what_each_model_measures(iris, mixtures):
    lda = landfall.compare(landfall.LDA(held_out=0.2), *iris, methods=["exact", "landing"])
    assert {"eigenvalues", "of exact", "held out"} <= set(lda.rows[0])
    ica = landfall.compare(landfall.ICA(), mixtures[0], methods=["landing", "fastica"])
    assert ica.result["exact"] is None and ica.rows[1]["negentropy"] == pytest.approx(ica.rows[0]["negentropy"], rel=1e-2)


def test_a_method_that_fails_is_a_row(capfd):
    x = np.ones((50, 3)) * np.arange(50)[:, None]  # of rank 1
    done = landfall.compare(landfall.CCA(2, ridge=0.0), x, np.c_[x, x ** 2], methods=["exact"])
    assert done.rows[0]["total"] is None and done.models == [None] and "rank" in capfd.readouterr().err


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
