"""The data sets of docs/results.md and docs/method.md: names, how they are made, and the options of `landfall cca` that go with them.

make(program, folder, name) writes folder/name/left.* and right.* unless they exist, and returns the folder. Planted views come from
`landfall data`; heavy tails, counts and categories are made here, from planted views where that makes sense.
"""
import pathlib
import subprocess

CORRELATIONS = "0.9,0.8,0.7,0.6,0.5"


def planted(rows, columns, *more):
    return ["planted-cca", "-N", str(rows), "--left", str(columns), "--right", str(columns), "--correlations", CORRELATIONS, *more]


HELD_OUT = ["--held-out", "0.1"]
RIDGE = ["--ridge", "1e-3"]
NO_RIDGE = ["--ridge", "0"]

# name: title, the words after `landfall data`, options of `landfall cca`
PLANTED = {
    "mnist": ("split MNIST, 60 000 rows, 392 + 392 columns", ["split-mnist"], RIDGE),
    "fashion": ("split Fashion-MNIST, 60 000 rows, 392 + 392 columns", ["split-fashion"], RIDGE),
    "log-400": ("planted, 400 + 400 columns, condition 1e4, 60 000 rows", planted(60000, 400, "--condition", "1e4"), HELD_OUT),
    "two-level-800": ("planted, two-level spectrum, 800 + 800 columns, 30 000 rows",
                      planted(30000, 800, "--spectrum", "two-level"), HELD_OUT),
    "log-1000": ("planted, 1000 + 1000 columns, condition 100, 30 000 rows", planted(30000, 1000), HELD_OUT),
    "power-2000": ("planted, power-law spectrum, 2000 + 2000 columns, 30 000 rows",
                   planted(30000, 2000, "--spectrum", "power"), HELD_OUT),
    "log-3000": ("planted, 3000 + 3000 columns, condition 100, 100 000 rows", planted(100000, 3000), HELD_OUT),
    "sparse-2000": ("planted sparse, 2000 + 2000 columns, 20 entries a row, 60 000 rows",
                    planted(60000, 2000, "--nonzeros", "20"), NO_RIDGE),
    "sparse-10000": ("planted sparse, 10 000 + 10 000 columns, 40 entries a row, 150 000 rows",
                     planted(150000, 10000, "--nonzeros", "40"), HELD_OUT),
    "sparse-20000": ("planted sparse, 20 000 + 20 000 columns, 50 entries a row, 400 000 rows",
                     planted(400000, 20000, "--nonzeros", "50"), [*HELD_OUT, "--memory", "512MiB"]),
    "sparse-200000": ("planted sparse, 200 000 + 200 000 columns, 50 entries a row, 400 000 rows",
                      planted(400000, 200000, "--nonzeros", "50"), [*HELD_OUT, "--memory", "1GiB"]),
}

HEAVY = {
    "lognormal-1.5": "rows times exp(1.5 g), g Gaussian",
    "lognormal-3": "rows times exp(3 g), g Gaussian",
    "student": "elliptical t with 2.5 degrees of freedom",
    "cauchy": "elliptical Cauchy rows",
    "last-rows": "the last 5 % of the rows 100 times larger",
    "outlier-row": "one row 1000 times larger",
    "outlier-entry": "one entry 1e4 times larger",
    "poisson": "Poisson counts",
    "zipf": "one-hot columns with Zipf frequencies",
}
SIZES = {"": (20000, 100, 80), "-300": (40000, 300, 250)}  # rows and columns; the suffix of a name


def heavy_views(np, kind, rows, left, right):
    """Two arrays in single precision; the seed is fixed."""
    random = np.random.default_rng(17)
    if kind == "zipf":
        classes = random.integers(0, 40, rows)  # what both categories depend on

        def categories(levels):
            weights = 1 / np.arange(1, levels + 1)
            tilted = weights * np.exp(1.5 * random.standard_normal((40, levels)))
            cumulative = np.cumsum(tilted / tilted.sum(1, keepdims=True), 1)
            chosen = (random.random(rows)[:, None] > cumulative[classes]).sum(1)
            return np.eye(levels, dtype=np.float32)[np.minimum(chosen, levels - 1)]

        return categories(left), categories(right)
    hidden = random.standard_normal((rows, 8))

    def view(columns):
        shared = hidden @ random.standard_normal((8, columns)) / 4
        spread = np.geomspace(1, 0.1, columns)
        return shared + random.standard_normal((rows, columns)) * spread @ np.linalg.qr(random.standard_normal((columns, columns)))[0]

    if kind == "poisson":
        return tuple(random.poisson(np.exp(np.clip(view(columns) - 1.5, -8, 4))).astype(np.float32) for columns in (left, right))
    a, b = view(left), view(right)
    size = np.ones(rows)
    if kind.startswith("lognormal"):
        size = np.exp(float(kind.split("-")[1]) * random.standard_normal(rows))
    elif kind == "student":
        size = np.sqrt(2.5 / random.chisquare(2.5, rows))
    elif kind == "cauchy":
        size = 1 / np.abs(random.standard_normal(rows))
    elif kind == "last-rows":
        size[-rows // 20:] = 100
    elif kind == "outlier-row":
        size[rows // 3] = 1000
    elif kind == "outlier-entry":
        a[rows // 3, 7] *= 1e4
    return (a * size[:, None]).astype(np.float32), (b * size[:, None]).astype(np.float32)


def names():
    return [*PLANTED, *(kind + suffix for suffix in SIZES for kind in HEAVY)]


def described(name):
    """The title of a data set and the options of `landfall cca` that go with it."""
    if name in PLANTED:
        return PLANTED[name][0], PLANTED[name][2]
    suffix = "-300" if name.endswith("-300") else ""
    rows, left, right = SIZES[suffix]
    return f"{HEAVY[name.removesuffix(suffix)]}, {left} + {right} columns, {rows} rows", NO_RIDGE


def make(program, folder, name):
    out = pathlib.Path(folder) / name
    if (out / "right.npy").exists() or (out / "right.svm").exists():
        return out
    if name in PLANTED:
        kind, *more = PLANTED[name][1]
        subprocess.run([program, "data", kind, str(out), *more], check=True, capture_output=True)
        return out
    import numpy as np
    suffix = "-300" if name.endswith("-300") else ""
    a, b = heavy_views(np, name.removesuffix(suffix), *SIZES[suffix])
    out.mkdir(parents=True, exist_ok=True)
    np.save(out / "left.npy", a)
    np.save(out / "right.npy", b)
    return out


def files(folder):
    """The two views of a data set."""
    end = "npy" if (folder / "left.npy").exists() else "svm"
    return [str(folder / f"left.{end}"), str(folder / f"right.{end}")]
