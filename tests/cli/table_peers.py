"""table_peers.py LANDFALL: tables as strangers have them, with defaults and by landing, against numpy, scipy and scikit-learn."""
import gzip
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd
import scipy.linalg
from sklearn import datasets
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

PROGRAM = os.path.abspath(sys.argv[1])
METHODS = ("auto", "landing")


def landfall(*arguments, **more):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, **more)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def correlations(x, y):
    """Canonical correlations: the cosines between what the centred columns span."""

    def basis(view):
        view = view - view.mean(axis=0)
        size = np.linalg.norm(view, axis=0)
        u, s, _ = np.linalg.svd(view[:, size > 0] / size[size > 0], full_matrices=False)
        return u[:, s > 1e-10 * s[0]]

    return np.linalg.svd(basis(np.asarray(x, float)).T @ basis(np.asarray(y, float)), compute_uv=False)


def eigenvalues(x, labels):
    """Of the covariance of the class means against that within classes."""
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    classes, of = np.unique(labels, return_inverse=True)
    means, share = np.array([x[of == k].mean(axis=0) for k in range(len(classes))]), np.bincount(of) / len(of)
    within = (x - means[of]).T @ (x - means[of]) / len(of)
    return scipy.linalg.eigh((means.T * share) @ means, within, eigvals_only=True)[::-1][: len(classes) - 1]


def check(name, arguments, expected, key="correlations", tolerance=1e-6, warned=False, **more):
    for method in METHODS:
        found = json.loads(landfall(*arguments, "--method", method, "--json", **more))
        values = np.array(found[key])
        np.testing.assert_allclose(values, expected[: len(values)], rtol=tolerance, atol=tolerance, err_msg=f"{name}, {method}")
        assert bool(found["warnings"]) == warned, (name, method, found["warnings"])
        assert found["converged"], (name, method)


def text_files():
    frame = datasets.load_diabetes(as_frame=True, scaled=False).frame
    views = ["--left", "age..bp", "--right", "s1..s6"]
    known = correlations(frame.iloc[:, :4], frame.iloc[:, 4:10])
    text = frame.to_csv(index=False)
    forms = {
        "plain.csv": text.encode(),
        "utf16.csv": text.encode("utf-16"),
        "windows.csv": ("\ufeff" + text.replace("\n", "\r\n")).encode(),
        "packed.csv.gz": gzip.compress(text.encode()),
        "quoted.csv": frame.to_csv(index=False, quoting=1).encode(),
        "tabs.tsv": frame.to_csv(index=False, sep="\t").encode(),
        "aligned.txt": frame.to_string(index=False).encode(),
    }
    for name, content in forms.items():
        with open(name, "wb") as file:
            file.write(content)
        check(name, ["cca", name, *views], known)
    check("standard input", ["cca", "-", *views], known, input=text.encode())
    frame.to_csv("europe.csv", index=False, sep=";", decimal=",")
    check("decimal commas", ["cca", "europe.csv", *views, "--decimal", ","], known)
    frame.to_csv("index.csv")
    check("index column", ["cca", "index.csv", "--index-column", "1", *views], known)

    holes = frame.mask(np.random.default_rng(1).random(frame.shape) < 0.02).iloc[:, :10]
    holes.to_csv("holes.csv", index=False, na_rep="NA")
    holes.fillna(-999).to_csv("numbers.csv", index=False)
    full, filled = holes.dropna(), holes.fillna(holes.mean())
    check("drop", ["cca", "holes.csv", *views, "--missing", "drop"], correlations(full.iloc[:, :4], full.iloc[:, 4:]))
    check("-999", ["cca", "numbers.csv", *views, "--missing", "drop", "--na", "-999"], correlations(full.iloc[:, :4], full.iloc[:, 4:]))
    check("mean", ["cca", "holes.csv", *views, "--missing", "mean"], correlations(filled.iloc[:, :4], filled.iloc[:, 4:]))


def columns():
    draw = np.random.default_rng(2)
    people = pd.DataFrame({"city": draw.choice(["Oslo", "Paris", "Rome"], 400), "sex": draw.choice(["f", "m"], 400),
                           "income": draw.lognormal(10, 1, 400)})
    people["height"] = draw.normal(170, 10, 400) + 8 * (people.sex == "m")
    people["weight"] = people.height / 2 + draw.normal(0, 5, 400) + 4 * (people.city == "Rome")
    people["spent"] = people.income * draw.uniform(0.5, 1, 400)
    people["twice"] = 2 * people.height
    people["one"] = 1
    people.to_csv("people.csv", index=False)
    right = people[["weight", "spent"]]
    check("text is left out", ["cca", "people.csv", "--left", "city..height", "--right", "weight,spent"],
          correlations(people[["income", "height"]], right), warned=True)
    check("every level", ["cca", "people.csv", "--left", "city..height", "--right", "weight,spent", "--categorical", "one-hot"],
          correlations(pd.get_dummies(people[["city", "sex", "income", "height"]]), right), warned=True)
    check("equal and constant columns", ["cca", "people.csv", "--left", "height,twice,one,income", "--right", "weight,spent"],
          correlations(people[["height", "income"]], right), warned=True)
    check("classes of text", ["lda", "people.csv", "--label-column", "city", "--columns", "income..spent"],
          eigenvalues(people[["income", "height", "weight", "spent"]].values, people.city), "eigenvalues")


def arrays():
    draw = np.random.default_rng(3)
    rows = draw.standard_normal((300, 9))
    rows[:, 5:8] += rows[:, :3] * [1, 0.5, 0.2]
    views = ["--left", "1..4", "--right", "5..9"]
    known = correlations(rows[:, :4], rows[:, 4:])
    units = 10.0 ** draw.integers(-6, 7, 9)
    np.save("units.npy", rows * units + 10 * units)
    check("units", ["cca", "units.npy", *views], known)
    np.save("far.npy", rows + 1e8)
    check("a mean of 1e8", ["cca", "far.npy", *views], correlations((rows + 1e8)[:, :4] - 1e8, (rows + 1e8)[:, 4:] - 1e8))
    np.savez("both.npz", x=rows[:, :4], y=rows[:, 4:])
    check("npz", ["cca", "both.npz:x", "both.npz:y"], known)
    for kind in (np.float16, np.float32):
        short = rows.astype(kind)
        np.save("short.npy", short)
        check(kind.__name__, ["cca", "short.npy", *views], correlations(short[:, :4], short[:, 4:]))
    counts = draw.integers(0, 50, (200, 8))
    counts[:, 4] += counts[:, 0]
    np.save("counts.npy", np.asfortranarray(counts))
    check("integers by columns", ["cca", "counts.npy", "--left", "1..4", "--right", "5..8"], correlations(counts[:, :4], counts[:, 4:]))
    np.save("few.npy", rows[:30])
    check("few rows", ["cca", "few.npy", *views], correlations(rows[:30, :4], rows[:30, 4:]))


def classes():
    for name in ("iris", "wine", "breast_cancer", "digits"):
        data = getattr(datasets, f"load_{name}")(as_frame=True)
        data.frame.to_csv(f"{name}.csv", index=False)
        table = ["lda", f"{name}.csv", "--label-column", "target"]
        x = data.data.values[:, data.data.values.std(axis=0) > 0]
        # digits: pixels that vary in one image; landing ends by its estimated gap
        check(name, table, eigenvalues(x, data.target), "eigenvalues", tolerance=5e-3 if name == "digits" else 1e-6, warned=name == "digits")
        landfall(*table, "--out", name, "--quiet")
        said = landfall("transform", name, f"{name}.csv", "--label-column", "target", "--predict", "-o", "-").split()
        theirs = LinearDiscriminantAnalysis(solver="eigen").fit(x, data.target).predict(x)
        assert [float(word) for word in said] == list(theirs), name
    draw = np.random.default_rng(4)
    labels = draw.integers(0, 3, 600)
    for distance in (1, 100, 1e4):
        x = draw.standard_normal((600, 6)) + distance * np.array([[0] * 6, [1] * 6, [2, 1, 0, 1, 2, 3]])[labels]
        np.save("x.npy", x * 10.0 ** draw.integers(-4, 5, 6))
        np.save("labels.npy", labels)
        check(f"means {distance} apart", ["lda", "x.npy", "--labels", "labels.npy"], eigenvalues(x, labels), "eigenvalues")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for part in (text_files, columns, arrays, classes):
        part()
        print(part.__name__, "agree")
    os.chdir("/")
