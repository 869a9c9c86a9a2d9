"""The examples of the guides and of README.md, and the scripts in examples/python, run as they are."""

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


def steps(page):
    """Of a page that takes data from file to conclusion, in order: what is run ("program", "shell" or "python") and the output that it shows."""
    text = (SOURCE / page).read_text()
    found = []
    for match in re.finditer(r"^```python\n(.*?)^```\n|((?:^    [^\n]*\n|^\n(?=    ))+)", text, re.M | re.S):
        if match[1]:
            found.append(["python", match[1], ""])
            continue
        for block in re.split(r"\n\n(?=    (?:\$ |python3 ))", match[2].strip("\n")):
            lines = [line[4:] for line in block.split("\n")]
            if lines[0].startswith("$ landfall "):
                found.append(["program", lines[0][11:], "\n".join(lines[1:])])
            elif lines[0].startswith("python3 "):
                found.append(["shell", "\n".join(lines), ""])
            elif found and found[-1][0] == "python":
                found[-1][2] = "\n".join(lines)
    return found


def same_number(shown, told):
    """Within two units of the last digit shown; p-values of permutations may differ by a few in a thousand."""
    match = re.fullmatch(r"-?\d+\.(\d+)", shown)
    if match is None or not re.fullmatch(r"-?\d+\.\d+", told):
        return shown == told
    return abs(float(shown) - float(told)) <= max(2.1 * 10 ** -len(match[1]), 0.003 if len(match[1]) == 4 else 0)


def expect_shown(shown, told):
    """The words of the output, in order; "..." stands for anything up to the end or to the words after it."""
    words = re.findall(r"[^\s\[\]]+", told)
    at = 0
    for part in shown.split("..."):
        expected = re.findall(r"[^\s\[\]]+", part)
        starts = range(at, len(words) - len(expected) + 1) if at or shown.startswith("...") else [0]
        matching = [i for i in starts if all(map(same_number, expected, words[i : i + len(expected)]))]
        assert matching, f"{part}\n--- but the output is ---\n{told}"
        at = matching[0] + len(expected)
    assert at == len(words) or shown.rstrip().endswith("..."), told


def test_reading_a_cca(tmp_path):
    """Every command and every figure of the page."""
    found = steps("docs/reading-a-cca.md")
    assert [kind for kind, _, _ in found].count("program") == 5 and [kind for kind, _, _ in found].count("python") == 3
    code = ""
    for kind, what, shown in found:
        if kind == "python":
            before, code = run(code, tmp_path), code + what
            expect_shown(shown, run(code, tmp_path)[len(before) :])
            continue
        command = f"{os.environ['LANDFALL_PROGRAM']} {what}" if kind == "program" else what.replace("python3", sys.executable, 1)
        done = subprocess.run(command, shell=True, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        assert done.returncode == 0, done.stdout
        if kind == "program":
            told = re.sub(r"^(exact|landing) \(.*\n", "", done.stdout, flags=re.M)  # how long it took
            expect_shown(shown, told)


@pytest.mark.parametrize("script", sorted((SOURCE / "examples/python").glob("*.py")), ids=lambda script: script.stem)
def test_example(script, tmp_path):
    assert run(script.read_text(), tmp_path).count("\n") >= 2
