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
    from ._choice import ComponentChoice as ComponentChoice
    from ._choice import CrossValidation as CrossValidation
    from ._choice import cross_validate as cross_validate
    from ._core import DataError as DataError
    from ._core import NumericalError as NumericalError
    from ._core import describe_computation as describe_computation
    from ._core import set_threads as set_threads
    from ._core import threads as threads
    from ._gevp import GevpResult as GevpResult
    from ._gevp import gevp as gevp
    from ._ica import ICA as ICA
    from ._ica import amari_distance as amari_distance
    from ._lda import LDA as LDA
    from ._minimize import MinimizeResult as MinimizeResult
    from ._minimize import check_constraint as check_constraint
    from ._minimize import check_gradient as check_gradient
    from ._minimize import check_unbiased as check_unbiased
    from ._minimize import minimize as minimize
    from ._read import Data as Data
    from ._read import read as read
    from ._plots import plot_convergence as plot_convergence
    from ._plots import plot_correlations as plot_correlations
    from ._plots import plot_circle as plot_circle
    from ._plots import plot_cross_validation as plot_cross_validation
    from ._plots import plot_loadings as plot_loadings
    from ._plots import plot_structure as plot_structure
    from ._plots import plot_variates as plot_variates
    from ._plots import plot_weights as plot_weights
    from ._compare import Comparison as Comparison
    from ._compare import Plan as Plan
    from ._compare import compare as compare
    from ._runs import load_run as load_run
    from ._compare import plan as plan
    from ._runs import save_run as save_run
    from ._stability import Stability as Stability

# Where each public name is defined.
_NAMES = {
    "CCA": "_cca",
    "Comparison": "_compare",
    "ComponentChoice": "_choice",
    "CrossValidation": "_choice",
    "Data": "_read",
    "DataError": "_core",
    "GevpResult": "_gevp",
    "ICA": "_ica",
    "LDA": "_lda",
    "MinimizeResult": "_minimize",
    "NumericalError": "_core",
    "Plan": "_compare",
    "Stability": "_stability",
    "amari_distance": "_ica",
    "check_constraint": "_minimize",
    "check_gradient": "_minimize",
    "check_unbiased": "_minimize",
    "compare": "_compare",
    "cross_validate": "_choice",
    "gevp": "_gevp",
    "load_run": "_runs",
    "minimize": "_minimize",
    "plan": "_compare",
    "plot_convergence": "_plots",
    "plot_correlations": "_plots",
    "plot_circle": "_plots",
    "plot_cross_validation": "_plots",
    "plot_loadings": "_plots",
    "plot_structure": "_plots",
    "plot_variates": "_plots",
    "plot_weights": "_plots",
    "read": "_read",
    "save_run": "_runs",
    "describe_computation": "_core",
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
