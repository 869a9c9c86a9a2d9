"""Every kind of data gives the result of the array it stands for."""

import ctypes
import gzip

import h5py
import landfall
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import torch


@pytest.fixture(scope="module")
def numbers():
    """Whole numbers, so that every type can hold them."""
    rng = np.random.default_rng(3)
    x = rng.integers(0, 50, (500, 6))
    y = np.c_[x[:, :2] + rng.integers(0, 20, (500, 2)), rng.integers(0, 9, (500, 2))]
    return x, y


def fit(x, y, **options):
    return landfall.CCA(2, precision="double", **options).fit(x, y)


@pytest.fixture(scope="module")
def expected(numbers):
    x, y = numbers
    return {method: fit(x.astype(float), y.astype(float), method=method) for method in ("exact", "landing")}


def check(expected, x, y, method="exact"):
    found = fit(x, y, method=method)
    np.testing.assert_array_equal(found.x_weights_, expected[method].x_weights_)
    return found


TYPES = ["f8", "f4", "f2", "i8", "i4", "i2", "u1", "u2", "u4", "u8", ">f8", ">i4", ">f4"]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("method", ["exact", "landing"])
def test_types(numbers, expected, dtype, method):
    check(expected, numbers[0].astype(dtype), numbers[1], method)


def test_booleans(views):
    x, y = views[0] > 0, views[1]
    np.testing.assert_array_equal(fit(x, y).x_weights_, fit(x.astype(float), y).x_weights_)


def reversed_rows(x):
    return np.ascontiguousarray(x[::-1])[::-1]


def reversed_columns(x):
    return np.ascontiguousarray(x[:, ::-1])[:, ::-1]


def every_other(x):
    wide = np.zeros((2 * x.shape[0], 3 * x.shape[1]), x.dtype)
    wide[::2, ::3] = x
    return wide[::2, ::3]


def read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


def unaligned(x):
    bytes_ = np.empty(x.nbytes + 1, np.uint8)
    out = bytes_[1:].view(np.uint8).reshape(-1)[: x.nbytes]
    shifted = np.ndarray(x.shape, x.dtype, buffer=out.data)
    shifted[:] = x
    assert not shifted.flags.aligned
    return shifted


LAYOUTS = [np.asfortranarray, reversed_rows, reversed_columns, every_other, read_only, unaligned]


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.__name__)
@pytest.mark.parametrize("method", ["exact", "landing"])
def test_layouts(numbers, expected, layout, method):
    check(expected, layout(numbers[0].astype(float)), layout(numbers[1].astype(np.int16)), method)


def test_objects_that_stand_for_arrays(numbers, expected):
    x, y = numbers

    class Wrapped:
        def __array__(self, dtype=None):
            return np.asarray(x, dtype=dtype)

    check(expected, Wrapped(), y)
    check(expected, x.tolist(), y.tolist())
    check(expected, x.astype(object), y)
    check(expected, torch.from_numpy(x), torch.from_numpy(y).double().requires_grad_())


def test_data_frames(numbers, expected):
    x, y = numbers
    frame = pd.DataFrame(x, columns=list("abcdef"))
    found = check(expected, frame, y)
    assert list(found.feature_names_in_) == list("abcdef")
    check(expected, frame.astype({"a": "float32", "b": "int8", "c": "Int64"}), y)  # one type per column


@pytest.mark.parametrize("convert", [scipy.sparse.csr_matrix, scipy.sparse.csc_matrix, scipy.sparse.coo_matrix, scipy.sparse.csr_array])
def test_sparse(numbers, convert):
    x, y = numbers
    sparse = np.where(x > 30, x, 0)
    by_rows = landfall.CCA(2, precision="double", method="exact").fit(convert(sparse), convert(y))
    dense = landfall.CCA(2, precision="double", method="exact").fit(sparse, y)
    np.testing.assert_allclose(by_rows.correlations_, dense.correlations_, rtol=1e-12)
    np.testing.assert_allclose(by_rows.transform(convert(sparse)), dense.transform(sparse), atol=1e-10)


def test_sparse_rows_in_any_order_with_wide_indices(numbers):
    x, y = numbers
    sparse = scipy.sparse.csr_matrix(np.where(x > 30, x, 0))
    sorted_fit = fit(sparse, y)
    shuffled = sparse.copy()
    for row in range(shuffled.shape[0]):
        part = slice(*shuffled.indptr[row : row + 2])
        shuffled.indices[part] = shuffled.indices[part][::-1].copy()
        shuffled.data[part] = shuffled.data[part][::-1].copy()
    shuffled.indices, shuffled.indptr = shuffled.indices.astype(np.int64), shuffled.indptr.astype(np.int64)
    np.testing.assert_array_equal(fit(shuffled, y).x_weights_, sorted_fit.x_weights_)
    doubled = scipy.sparse.csr_matrix(
        (np.repeat(sparse.data / 2, 2), np.repeat(sparse.indices, 2), 2 * sparse.indptr), shape=sparse.shape)
    np.testing.assert_array_equal(fit(doubled, y).x_weights_, sorted_fit.x_weights_)


def test_blocks(numbers, expected):
    x, y = numbers

    def blocks(of, sizes):
        def generate():
            first = 0
            for size in sizes:
                yield of[first : first + size]
                first += size

        return generate

    for method in ("exact", "landing"):
        check(expected, blocks(x, [100, 0, 399, 1]), blocks(y, [7, 493]), method)
    sparse = scipy.sparse.csr_matrix(x)
    np.testing.assert_array_equal(
        fit(blocks(sparse, [250, 250]), y).x_weights_, fit(sparse, y).x_weights_)
    scores = landfall.CCA(2).fit(x, y).transform(blocks(x, [300, 200]))
    np.testing.assert_array_equal(scores, landfall.CCA(2).fit(x, y).transform(x))


def test_blocks_that_go_wrong(numbers):
    x, y = numbers
    with pytest.raises(TypeError, match="an iterator can be read only once"):
        fit(iter([x]), y)
    with pytest.raises(ValueError, match="no block of rows"):
        fit(lambda: [], y)
    with pytest.raises(ValueError, match="block 1 is dense with 5 columns, expected dense with 6"):
        fit(lambda: [x[:100], x[100:, :5]], y)

    def broken():
        yield x[:100]
        raise KeyError("the disk is gone")

    with pytest.raises(KeyError, match="the disk is gone"):
        fit(broken, y)
    calls = []

    def shrinking():
        calls.append(1)
        yield x if len(calls) < 3 else x[:10]

    with pytest.raises(ValueError, match="ended after 10 rows, expected 500"):
        fit(shrinking, y, method="landing")


def test_datasets_and_files(numbers, expected, tmp_path):
    x, y = numbers
    with h5py.File(tmp_path / "data.h5", "w") as file:
        file["x"], file["y"] = x, y
        chunked = file.create_dataset("chunked", data=x, chunks=(64, 3), compression="gzip")
        check(expected, chunked, y)
        check(expected, chunked, y, "landing")
    check(expected, f"{tmp_path / 'data.h5'}:/x", y)
    np.savetxt(tmp_path / "x.csv", x, delimiter=",", header="a,b,c,d,e,f", comments="", fmt="%d")
    check(expected, tmp_path / "x.csv", y)
    with gzip.open(tmp_path / "x.csv.gz", "wt") as file:
        file.write((tmp_path / "x.csv").read_text())
    check(expected, str(tmp_path / "x.csv.gz"), y)
    np.save(tmp_path / "first.npy", x[:200])
    np.save(tmp_path / "second.npy", x[200:])
    check(expected, [tmp_path / "first.npy", tmp_path / "second.npy"], y)
    mapped = np.memmap(tmp_path / "mapped", dtype=np.int32, mode="w+", shape=x.shape)
    mapped[:] = x
    check(expected, mapped, y, "landing")


def test_read(numbers, tmp_path):
    x, y = numbers
    pd.DataFrame(x, columns=list("abcdef")).to_csv(tmp_path / "x.csv", index=False)
    data = landfall.read(tmp_path / "x.csv", columns=["b", "d..f"], exclude="e")
    assert data.column_names == ["b", "d", "f"] and data.format == "csv" and data.n_columns == 3
    np.testing.assert_array_equal(np.asarray(data), x[:, [1, 3, 5]])
    assert "x.csv" in repr(data)
    np.testing.assert_array_equal(fit(data, y).x_weights_, fit(x[:, [1, 3, 5]], y).x_weights_)
    lda = landfall.LDA().fit(data, y[:, 3])
    assert lda.n_features_in_ == 3 and list(lda.feature_names_in_) == ["b", "d", "f"]


class ArrowSchema(ctypes.Structure):
    pass


ArrowSchema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("children", ctypes.POINTER(ctypes.POINTER(ArrowSchema))), ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p), ("private_data", ctypes.c_void_p)]


class ArrowArray(ctypes.Structure):
    pass


ArrowArray._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowArray))), ("dictionary", ctypes.c_void_p), ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p)]


class ArrowStream(ctypes.Structure):
    _fields_ = [("get_schema", ctypes.c_void_p), ("get_next", ctypes.c_void_p), ("get_last_error", ctypes.c_void_p),
                ("release", ctypes.c_void_p), ("private_data", ctypes.c_void_p)]


class Table:
    """A table of Arrow by its C interface, in batches; columns are (format, array, valid or None)."""

    def __init__(self, columns, batches):
        self.columns, self.batches, self.kept, self.released = columns, batches, [], 0

    def keep(self, thing):
        self.kept.append(thing)
        return thing

    def pointer(self, kind, callback):
        return ctypes.cast(self.keep(kind(callback)), ctypes.c_void_p).value

    def children(self, kind, made):
        pointers = self.keep((ctypes.POINTER(kind) * len(made))(*[ctypes.pointer(self.keep(one)) for one in made]))
        return ctypes.cast(pointers, ctypes.POINTER(ctypes.POINTER(kind)))

    def __arrow_c_stream__(self, requested_schema=None):
        done = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
        get = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)

        def release(address):
            self.released += 1
            ctypes.cast(address, ctypes.POINTER(ArrowStream))[0].release = None

        def release_schema(address):
            ctypes.cast(address, ctypes.POINTER(ArrowSchema))[0].release = None

        def release_array(address):
            ctypes.cast(address, ctypes.POINTER(ArrowArray))[0].release = None

        schema_end, array_end = self.pointer(done, release_schema), self.pointer(done, release_array)

        def get_schema(_, out):
            made = [ArrowSchema(format.encode(), f"c{j}".encode(), None, 2, 0, None, None, schema_end, None)
                    for j, (format, _, _) in enumerate(self.columns)]
            ctypes.cast(out, ctypes.POINTER(ArrowSchema))[0] = ArrowSchema(
                b"+s", b"", None, 0, len(made), self.children(ArrowSchema, made), None, schema_end, None)
            return 0

        rest = list(self.batches)

        def get_next(_, out):
            target = ctypes.cast(out, ctypes.POINTER(ArrowArray))
            if not rest:
                ctypes.memset(out, 0, ctypes.sizeof(ArrowArray))
                return 0
            first, last = rest.pop(0)
            made = []
            for _, array, valid in self.columns:
                bits = None if valid is None else self.keep(np.packbits(valid, bitorder="little"))
                buffers = self.keep((ctypes.c_void_p * 2)(None if bits is None else bits.ctypes.data, array.ctypes.data))
                # The offset counts from the beginning of the buffers, as in a slice of a longer column.
                made.append(ArrowArray(last - first, -1, first, 2, 0, buffers, None, None, array_end, None))
            none = self.keep((ctypes.c_void_p * 1)(None))
            target[0] = ArrowArray(last - first, 0, 0, 1, len(made), none, self.children(ArrowArray, made), None, array_end, None)
            return 0

        stream = self.keep(ArrowStream(self.pointer(get, get_schema), self.pointer(get, get_next), None,
                                       self.pointer(done, release), None))
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(stream), b"arrow_array_stream", None)


def test_arrow(numbers, expected):
    x, y = numbers
    kinds = [("g", "f8"), ("f", "f4"), ("l", "i8"), ("i", "i4"), ("s", "i2"), ("C", "u1")]
    columns = [(format, np.ascontiguousarray(x[:, j].astype(dtype)), None) for j, (format, dtype) in enumerate(kinds)]
    table = Table(columns, [(0, 200), (200, 500)])
    found = check(expected, table, y)
    assert list(found.feature_names_in_) == [f"c{j}" for j in range(6)]
    assert table.released > 0
    check(expected, table, y, "landing")


def test_arrow_with_missing_values_and_text(numbers):
    x, y = numbers
    valid = np.ones(500, bool)
    valid[7] = False
    columns = [("g", x[:, j].astype(float), valid if j == 1 else None) for j in range(6)]
    with pytest.raises(ValueError, match="row 8, column 2 .* is NaN"):
        fit(Table(columns, [(0, 500)]), y)
    assert fit(Table(columns, [(0, 500)]), y, missing="drop").n_samples_ == 499
    with pytest.raises(TypeError, match="column 'c0' has the Arrow type 'u', expected numbers"):
        fit(Table([("u", x[:, 0].astype(float), None)], [(0, 500)]), y)


@pytest.mark.parametrize("labels", [
    np.array([-128, 127, 3, 3, -128], np.int8), np.array([7, 5, 7], np.uint8), np.array([2**64 - 1, 2**64 - 2, 2**64 - 1], np.uint64),
    np.array([-(2**63), 2**63 - 1, 0]), np.array([10**9, 5, 10**9]), np.array(["b", "a", "b"]), np.array([1.0, 0.0, 1.0]), np.array([True, False]), [3, 1, 3],
], ids=str)
def test_classes_are_those_of_numpy(labels):
    from landfall._lda import encode

    classes, codes = encode(labels)
    expected, numbers = np.unique(labels, return_inverse=True)
    np.testing.assert_array_equal(classes, expected)
    np.testing.assert_array_equal(codes, numbers)
    assert classes.dtype == expected.dtype and codes.dtype == np.uint32
