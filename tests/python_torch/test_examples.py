"""The examples of docs/torch.md run, and say what they should; the page shows their code."""
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples" / "python" / "torch").glob("*.py"))


def test_the_page_shows_every_example():
    page = (ROOT / "docs" / "torch.md").read_text()
    shown = [block.strip() for block in re.findall(r"```python\n(.*?)```", page, re.S)]
    assert len(EXAMPLES) == 3
    for example in EXAMPLES:
        assert example.read_text().strip() in shown, f"docs/torch.md does not show {example.name} as it is"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_reaches_what_it_checks(example):
    """Each example ends with assertions about its result."""
    done = subprocess.run([sys.executable, "-B", str(example)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "assert " in example.read_text() and done.stdout
