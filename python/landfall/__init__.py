"""Canonical correlations, independent components, discriminants and generalized eigenvectors of data of any size.

    import landfall
    cca = landfall.CCA(n_components=3).fit(X, Y)
    cca.correlations_

Names are imported when they are first used, so that ``import landfall`` is quick and needs numpy alone. The estimators need
scikit-learn, the plots matplotlib, ``landfall.torch`` PyTorch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import _kernels

_kernels.choose()  # before the library is loaded, which loads BLAS

if TYPE_CHECKING:
    from ._cca import CCA as CCA
    from ._core import DataError as DataError
    from ._core import NumericalError as NumericalError
    from ._core import set_threads as set_threads
    from ._core import threads as threads
    from ._gevp import GevpResult as GevpResult
    from ._gevp import gevp as gevp
    from ._ica import ICA as ICA
    from ._ica import amari_distance as amari_distance
    from ._lda import LDA as LDA
    from ._read import Data as Data
    from ._read import read as read

# Where each public name is defined.
_NAMES = {
    "CCA": "_cca",
    "DataError": "_core",
    "Data": "_read",
    "GevpResult": "_gevp",
    "ICA": "_ica",
    "LDA": "_lda",
    "NumericalError": "_core",
    "amari_distance": "_ica",
    "gevp": "_gevp",
    "read": "_read",
    "set_threads": "_core",
    "threads": "_core",
}

__all__ = sorted(_NAMES) + ["__version__"]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        value: Any = importlib.import_module("._core", __name__).version
    elif name in _NAMES:
        value = getattr(importlib.import_module("." + _NAMES[name], __name__), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
