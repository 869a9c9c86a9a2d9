"""Sentences of the library in the words of Python: options of the program become arguments."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from . import _core

_ARGUMENTS = {"batch": "batch_size", "no-center": "center=False", "components": "n_components"}


def in_python(text: str) -> str:
    """"--ridge 0 gives ..." becomes "ridge=0 gives ..."."""

    def argument(match: re.Match[str]) -> str:
        name = _ARGUMENTS.get(match[1], match[1].replace("-", "_"))
        return f"{name}={match[2]}" if match[2] else name

    text = text.replace("most_passes", "max_passes")
    text = re.sub(r"--missing (drop|mean)", r"missing='\1'", text).replace(" is Inf;", " is inf;")
    return re.sub(r"--([a-z][a-z-]*[a-z])(?: ([0-9][0-9.e-]*))?", argument, text)


@contextmanager
def python_errors() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        text = in_python(str(error))
        if text == str(error):
            raise
        raise type(error)(text) from None


def warn(texts: list[str], converged: bool) -> None:
    """One warning each, as scikit-learn's ConvergenceWarning where the fit has not converged."""
    if not texts:
        return
    from sklearn.exceptions import ConvergenceWarning

    for text in texts:
        about_convergence = not converged and "converge" in text
        warnings.warn(text, ConvergenceWarning if about_convergence else UserWarning, stacklevel=5)


__all__ = ["_core", "in_python", "python_errors", "warn"]
