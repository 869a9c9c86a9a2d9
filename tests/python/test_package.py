"""The package as it is installed: a wheel in a new environment, types, what importing it loads."""

import os
import pathlib
import re
import subprocess
import sys

import landfall
import pytest
from landfall import _core, _kernels

BUILD = pathlib.Path(os.environ["LANDFALL_BUILD"])


def run(*arguments, **options):
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_wheel_in_a_new_environment(source, tmp_path):
    build = os.environ | {"LANDFALL_BUILD_DIR": str(BUILD)}
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-build-isolation", "--no-deps", "-w", tmp_path, source, env=build)
    (wheel,) = tmp_path.glob("landfall-*.whl")
    run(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", tmp_path / "venv")
    python = tmp_path / "venv/bin/python"
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LANDFALL"))}
    run(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel, env=clean)
    script = ("import landfall, numpy as np; x = np.random.default_rng(0).standard_normal((100, 4));"
              "print(landfall.__file__, landfall.CCA(1).fit(x, x[:, :2]).correlations_[0] > 0.999)")
    where, right = run(python, "-c", script, env=clean, cwd=tmp_path).split()
    assert pathlib.Path(where).is_relative_to(tmp_path / "venv") and right == "True"
    installed = pathlib.Path(where).parent
    assert (installed / "py.typed").exists() and (installed / "_core.pyi").exists()
    copied = {path.relative_to(BUILD / "python/landfall") for path in (BUILD / "python/landfall").rglob("*.py")}
    assert copied <= {path.relative_to(installed) for path in installed.rglob("*.py")}


def test_types(source, tmp_path):
    # One cache and one configuration: PyTorch takes half a minute to be read.
    command = ["mypy", "--config-file", source / "pyproject.toml", "--cache-dir", tmp_path / "cache"]
    run(*command, BUILD / "python/landfall")
    user = tmp_path / "user.py"
    user.write_text("""
import landfall
from landfall import CCA, gevp

model: CCA = CCA(2, ridge=0.1).fit("x.npy", "y.npy")
values: float = float(gevp([[2.0]], None, 1).values[0])
data = landfall.read("x.csv", columns=["a"])
names: list[str] = data.column_names

import torch
import landfall.torch as landing

head = torch.nn.Parameter(torch.eye(4, 2))
optimizer: landing.Landing = landing.Landing([head], lr=0.1, base="adam")
metric: landing.Metric = optimizer.constrain(head, landing.Rows(ridge=1e-3))
distance: float = optimizer.infeasibility(head)
""")
    environment = os.environ | {"MYPYPATH": str(BUILD / "python")}
    run(*command, user, env=environment)
    user.write_text(user.read_text() + "CCA(ridge=[])\n")
    wrong = subprocess.run([str(a) for a in [*command, user]], capture_output=True, text=True, check=False, env=environment)
    assert wrong.returncode == 1 and '"ridge"' in wrong.stdout


def test_stub_of_the_extension(source):
    stub = (source / "python/landfall/_core.pyi").read_text()
    described = set(re.findall(r"^(?:def|class) (\w+)", stub, re.M)) | set(re.findall(r"^(\w+): ", stub, re.M))
    assert described == {name for name in dir(_core) if not name.startswith("_")}


def loaded_by(statement):
    script = f"import sys; {statement}; print(' '.join(sys.modules))"
    return set(run(sys.executable, "-c", script).split())


def test_importing_loads_little():
    assert not {"sklearn", "scipy", "pandas", "torch", "matplotlib"} & loaded_by("import landfall")
    assert not {"sklearn", "scipy", "pandas", "torch", "matplotlib"} & loaded_by("import landfall; landfall.gevp([[2.0]])")
    assert "sklearn" in loaded_by("import landfall; landfall.CCA")


def test_names():
    for name in landfall.__all__:
        assert getattr(landfall, name) is not None
    assert set(landfall.__all__) <= set(dir(landfall))
    with pytest.raises(AttributeError, match="nonsense"):
        landfall.nonsense


def test_version(program):
    told = subprocess.run([os.environ["LANDFALL_PROGRAM"], "--version"], capture_output=True, text=True, check=True).stdout
    assert landfall.__version__ in told


def test_the_program_and_the_package_choose_kernels_for_the_same_instructions():
    """The package cannot ask OpenBLAS first, and takes SkylakeX where the program may find a later one."""
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}
    program = run(os.environ["LANDFALL_PROGRAM"], "--version", env=environment).splitlines()[1]
    package = run(sys.executable, "-c", "import landfall; print(landfall.describe_computation())", env=environment).strip()

    def parts(line):
        library, kernels, rest = re.fullmatch(r"(.*) with (\S+) kernels(.*)", line).groups()
        instructions = next((k for k, names in {"avx512": {"SkylakeX", "Cooperlake", "SapphireRapids", "Sapphirerapids"},
                                                "avx2": {"Haswell", "Zen", "Excavator"}}.items() if kernels in names), kernels)
        return library, instructions, rest
    assert parts(program) == parts(package)


@pytest.mark.parametrize("flags, kernels", [
    ("sse4_2 avx", None),
    ("avx avx2 fma", "Haswell"),
    ("avx2 fma avx512f avx512dq avx512bw avx512vl avx512cd", "SkylakeX"),
])
def test_kernels_of_the_processor(flags, kernels, monkeypatch, tmp_path):
    (tmp_path / "cpuinfo").write_text(f"processor : 0\nflags\t\t: {flags}\n")
    assert _kernels.widest(_kernels.cpu_flags(str(tmp_path / "cpuinfo"))) == kernels
    assert _kernels.cpu_flags(str(tmp_path / "nothing")) == set()
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Nehalem")
    _kernels.choose()
    assert os.environ["OPENBLAS_CORETYPE"] == "Nehalem"
