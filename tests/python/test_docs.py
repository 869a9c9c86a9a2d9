"""The examples of docs/python.md and README.md, and the scripts in examples/python, run as they are."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(os.environ["LANDFALL_SOURCE"])


def blocks(page, language):
    """Code blocks of a page, each with the text that follows it."""
    text = (SOURCE / page).read_text()
    return [(match[1], text[match.end() :]) for match in re.finditer(rf"^```{language}\n(.*?)^```\n", text, re.M | re.S)]


def run(code, folder):
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_guide(tmp_path):
    found = blocks("docs/python.md", "python")
    assert len(found) > 10
    run("import warnings; warnings.simplefilter('error', FutureWarning)\n" + "\n".join(code for code, _ in found), tmp_path)


def test_readme(tmp_path):
    (code, after), = blocks("README.md", "python")
    subprocess.run([os.environ["LANDFALL_PROGRAM"], "data", "planted-cca", "views", "-N", "20000", "--correlations", "0.9,0.7,0.4"],
                   cwd=tmp_path, check=True, capture_output=True)
    shown = re.match(r"\n((?:    .*\n)+)", after)[1]
    assert run(code, tmp_path) == re.sub("^    ", "", shown, flags=re.M)


@pytest.mark.parametrize("script", sorted((SOURCE / "examples/python").glob("*.py")), ids=lambda script: script.stem)
def test_example(script, tmp_path):
    assert run(script.read_text(), tmp_path).count("\n") >= 2
