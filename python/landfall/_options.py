"""Arguments in the form of the library."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

_UNITS = {"": 1, "B": 1, "K": 1 << 10, "KIB": 1 << 10, "M": 1 << 20, "MIB": 1 << 20, "G": 1 << 30, "GIB": 1 << 30, "T": 1 << 40, "TIB": 1 << 40}
_UNITS |= {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


def bytes_of(memory: int | str) -> int:
    """2 << 30 and "2GiB" are the same."""
    if not isinstance(memory, str):
        return int(memory)
    match = re.fullmatch(r"\s*([0-9.]+)\s*([a-zA-Z]*)\s*", memory)
    if match is None or match[2].upper() not in _UNITS:
        raise ValueError(f"memory={memory!r}, expected a number of bytes or a size such as '2GiB'")
    return int(float(match[1]) * _UNITS[match[2].upper()])


def seed_of(random_state: Any) -> int:
    """None is 0, the seed of the program: a fit gives the same result each time."""
    if random_state is None:
        return 0
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    draw = getattr(random_state, "integers", None) or random_state.randint
    return int(draw(2**31 - 1))
