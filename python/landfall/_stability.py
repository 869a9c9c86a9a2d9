"""Which sources of an ICA come back from other starts and halves of the rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ._types import Array


@dataclass
class Stability:
    """The sources of several runs of ICA, clustered by their absolute correlations as ICASSO does. Arrays have a number for each source of the model.

    A source is stable where the quality of its cluster is at least 0.8 and at least 80 % of the runs have a source in it.
    """

    runs: int
    """Runs that did not fail, the fit itself included."""
    cluster: Array
    """The number of the cluster of each source."""
    clusters: list[dict[str, Any]] = field(repr=False)
    """Of each cluster: size, runs, quality (within - between), within, between, departure (from a Gaussian source, in standard errors), stable, and the run and source of its centrotype; run 0 is the fit."""
    centrotypes: Array = field(repr=False)
    """The unmixing vector of the centrotype of each cluster, of shape (n_clusters, n_features)."""

    def _of_sources(self, key: str) -> Array:
        return np.asarray([self.clusters[number][key] for number in self.cluster])

    @property
    def quality(self) -> Array:
        """Iq: the mean similarity within the cluster of the source less that to other clusters, near 1 for a stable source."""
        return self._of_sources("quality")

    @property
    def found_in(self) -> Array:
        """How many runs have a source in the cluster."""
        return self._of_sources("runs")

    @property
    def stable(self) -> Array:
        return self._of_sources("stable").astype(bool)

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        rows = [[str(j + 1), f"{quality:.3f}", f"{runs} of {self.runs}", "yes" if stable else "no"]
                for j, (quality, runs, stable) in enumerate(zip(self.quality, self.found_in, self.stable))]
        return ["source", "Iq", "found in", "stable"], rows

    def __str__(self) -> str:
        from ._html import text_table

        return text_table(*self._cells())

    def _repr_html_(self) -> str:
        from ._html import table

        return table(*self._cells())


def stability_of(found: dict[str, Any] | None) -> Stability | None:
    """None where there were no restarts."""
    if found is None:
        return None
    return Stability(found["runs"], np.asarray(found["cluster"], dtype=np.intp), found["clusters"], np.asarray(found["centrotypes"]))
