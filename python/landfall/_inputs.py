"""Whatever a user calls data, as an Input of the library. Numbers are not copied where they lie in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import _core
from ._types import Array

_BLOCK_BYTES = 16 << 20  # of a dataset that is read by slices


def is_path(data: Any) -> bool:
    """A path, or several whose rows follow each other."""
    if isinstance(data, (list, tuple)) and data:
        return all(isinstance(part, (str, os.PathLike)) for part in data)
    return isinstance(data, (str, os.PathLike))


def is_sparse(data: Any) -> bool:
    """A matrix or an array of scipy.sparse, without importing it."""
    return hasattr(data, "tocsr") and hasattr(data, "nnz")


def is_dataset(data: Any) -> bool:
    """Of h5py, zarr, dask: an array that is not in memory, and is read by slices."""
    return hasattr(data, "chunks") and hasattr(data, "shape") and hasattr(data, "dtype") and not isinstance(data, np.ndarray)


def is_streamed(data: Any) -> bool:
    """Whether only the library can look into the data; otherwise numpy or scikit-learn can."""
    return (
        isinstance(data, _core.Input)
        or hasattr(data, "_landfall_input")
        or is_path(data)
        or is_dataset(data)
        or hasattr(data, "__arrow_c_stream__")
        or (callable(data) and not hasattr(data, "__array__"))
        or isinstance(data, Iterator)
    )


def column_names(data: Any) -> list[str]:
    """Of a data frame; empty where there are none."""
    names = getattr(data, "columns", None)
    if names is None or not hasattr(data, "iloc"):
        return []
    return [str(name) for name in names]


def plain(data: Any, name: str) -> Any:
    """A tensor of PyTorch as the array it shares its memory with; anything else as it is."""
    return _torch_array(data, name) if type(data).__module__.partition(".")[0] == "torch" else data


def as_array(data: Any, name: str) -> Array:
    """Two dimensions, a numeric type; a view where that is possible."""
    array = np.asarray(plain(data, name))
    if array.dtype.kind == "c":
        raise ValueError(f"{name}: Complex data not supported, expected real numbers")
    if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
        array = array.astype(np.float64)  # TypeError or ValueError of numpy for what is not a number
    if array.ndim == 1 and name == "Y":
        array = array.reshape(-1, 1)
    if array.ndim != 2:
        raise ValueError(f"{name}: an array of {array.ndim} dimensions, expected 2")
    return array


def as_input(data: Any, name: str, options: dict[str, Any] | None = None) -> _core.Input:
    """The options are those of files (see landfall.read)."""
    if isinstance(data, _core.Input):
        return data
    if hasattr(data, "_landfall_input"):
        return data._landfall_input
    if is_path(data):
        return _files(data, options or {})
    if is_sparse(data):
        return _sparse(data, name)
    if is_dataset(data):
        return _dataset(data, name)
    if hasattr(data, "__arrow_c_stream__") and not hasattr(data, "iloc"):
        return _core.arrow_input(data, name)
    if isinstance(data, Iterator):
        raise TypeError(
            f"{name}: an iterator can be read only once, expected a function that returns a new one each time it is called"
        )
    if callable(data) and not hasattr(data, "__array__"):
        return _blocks(data, name)
    return _core.array_input(as_array(data, name), name, column_names(data))


def _torch_array(tensor: Any, name: str) -> Array:
    if tensor.device.type != "cpu":
        raise TypeError(f"{name}: a tensor on {tensor.device}, expected one on the CPU; call .cpu() first")
    if tensor.layout is not None and "strided" not in str(tensor.layout):
        raise TypeError(f"{name}: a {tensor.layout} tensor, expected a dense one")
    return tensor.detach().numpy()  # TypeError for types that numpy does not have, such as bfloat16


def _files(paths: Any, options: dict[str, Any]) -> _core.Input:
    names = [os.fspath(path) for path in (paths if isinstance(paths, (list, tuple)) else [paths])]
    for path in names:
        # "file.h5:/dataset" and "file.npz:name" name a part of a file
        if path != "-" and not os.path.exists(path) and not os.path.exists(path.rpartition(":")[0] or path):
            raise FileNotFoundError(f"{path}: no such file")
    return _core.file_input(names, options)


def _sparse(matrix: Any, name: str) -> _core.Input:
    rows = matrix.tocsr()  # itself where it is one
    values, columns, starts = (_native(part) for part in (rows.data, rows.indices, rows.indptr))
    return _core.csr_input(values, columns, starts, rows.shape, name)


def _native(part: Any) -> Array:
    part = np.ascontiguousarray(part)
    return part if part.dtype.isnative else part.astype(part.dtype.newbyteorder("="))


def _dataset(data: Any, name: str) -> _core.Input:
    if len(data.shape) != 2:
        raise ValueError(f"{name}: a dataset of {len(data.shape)} dimensions, expected 2")
    rows, cols = data.shape
    size = max(1, _BLOCK_BYTES // max(1, cols * data.dtype.itemsize))

    def slices() -> Iterator[Any]:
        return (np.asarray(data[first : first + size]) for first in range(0, rows, size))

    return _blocks(slices, name, rows)


def _blocks(begin: Callable[[], Any], name: str, rows: int | None = None) -> _core.Input:
    def inputs() -> Iterator[_core.Input]:
        return (as_input(block, name) for block in begin() if len_of(block) > 0)

    return _core.block_input(inputs, name, rows)


def len_of(block: Any) -> int:
    return int(block.shape[0]) if hasattr(block, "shape") else len(block)
