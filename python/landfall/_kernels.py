"""Chooses the kernels of OpenBLAS before it is loaded.

OpenBLAS picks its kernels by the model of the processor; one that it does not know gets those of 2004, although the processor
has wide vectors. The choice is made when the library is loaded: where numpy has loaded it before, nothing can be done, and the
extension warns. The names are those of wider_kernels() in parallel/kernels.hpp, which the program goes by; it can ask OpenBLAS
first what it has chosen, while here the library must not be loaded yet.
"""

from __future__ import annotations

import os


def widest(flags: set[str]) -> str | None:
    """The kernels for a processor with these flags of /proc/cpuinfo; None where the default will do."""
    if {"avx512f", "avx512dq", "avx512bw", "avx512vl", "avx512cd"} <= flags:
        return "SkylakeX"
    if {"avx2", "fma"} <= flags:
        return "Haswell"
    return None


def cpu_flags(path: str = "/proc/cpuinfo") -> set[str]:
    try:
        with open(path, encoding="ascii", errors="replace") as lines:
            for line in lines:
                if line.startswith("flags"):
                    return set(line.partition(":")[2].split())
    except OSError:
        pass
    return set()


def choose() -> None:
    """Sets OPENBLAS_CORETYPE unless it is set."""
    if "OPENBLAS_CORETYPE" not in os.environ:
        kernels = widest(cpu_flags())
        if kernels is not None:
            os.environ["OPENBLAS_CORETYPE"] = kernels
