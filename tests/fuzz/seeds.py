#!/usr/bin/env python3
"""Small good files of every format, for the fuzzer to begin with: seeds.py REGRESSIONS OUT writes OUT/<target>/* and
OUT/<target>.list, the names of these and of what was found before (REGRESSIONS/<target>/*). What is easier kept than written here is in
corpus/<target>."""

import gzip
import io
import pathlib
import struct
import sys
import zipfile


def npy(descr, shape, data, fortran=False, version=1):
    text = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(text)) + text + data


def idx(kind, sizes, data):
    return bytes([0, 0, kind, len(sizes)]) + b"".join(struct.pack(">I", size) for size in sizes) + data


def packed(data):
    return gzip.compress(data, mtime=0)


def npz(method, **arrays):
    text = io.BytesIO()
    with zipfile.ZipFile(text, "w", method) as archive:
        for name, data in arrays.items():
            archive.writestr(zipfile.ZipInfo(name + ".npy"), data, method)
    return text.getvalue()


npy_files = [npy("<f8", (2, 3), bytes(48)), npy(">i2", (3,), b"\0\1\0\2\0\3", True), npy("|u1", (4, 1), b"abcd", version=2),
             npy("<f4", (2, 2), struct.pack("<4f", 1, -2, float("nan"), float("inf")), version=3)]
idx_files = [idx(8, [2, 2, 2], b"abcdefgh"), idx(0x0d, [2, 1], struct.pack(">2f", 1, 2)), packed(idx(9, [3], b"abc"))]
csv_files = [b"a,b,c\n1,2,3\n4,NA,6\n", b"1\t2\n3\t-4e5\n", b'"x ""y""";label\n1;"two\nlines"\n2;3\n', b"\xef\xbb\xbf1|2\r\n\r\n3|4",
             packed(b"1,2\n3,4\n"), b"# x y\n1 2.5\n\n3\t4 \n", b"d;t;x\n2020-01-02;a;1,5\n2020-01-03;b;2,5\n", b'"x" "y"\n"1" 2 3\n"2" 4 5\n',
             "a,b\n1,2\n".encode("utf-16"), b"2019,2020\n0.5,1.5\n2.5,3.5\n"]
svmlight_files = [b"1 1:0.5 7:2 # comment\n-1 qid:3 2:1e3\n\n0\n", b"+1 0:1 1:nan\n", packed(b"1 1:1\n2 2:2\n")]
market = b"%%MatrixMarket matrix "
market_files = [market + b"array real general\n% comment\n2 2\n1\n2\n3\n4\n", market + b"array real symmetric\n2 2\n1\n2\n3\n",
                market + b"coordinate real general\n2 3 2\n1 1 5\n2 3 -1e2\n", market + b"coordinate pattern symmetric\n2 2 1\n2 1\n",
                market + b"coordinate integer skew-symmetric\n3 3 1\n3 1 7\n", packed(market + b"array integer general\n1 1\n1\n")]
seeds = {
    "checkpoint": [b"landfall checkpoint 1\n" + struct.pack("<QQ", 4, 8) + b"a\0b\0" + bytes(8)],
    "command_line": [b"cca\nleft.npy\nright.npy\n-p\n5\n--out\nrun", b"lda\nx.csv\n--label-column=c\n--method\nlanding\n--passes\n4\n--memory\n2GiB",
                     b"data\nplanted-cca\nd\n-N\n3000\n--correlations\n0.9,0.7", b"help\ncca", b"plan\nica\nx.npy\n--trehads\n2", b"--version",
                     b"gevp\nA.mtx\nB.mtx\n-p\n2\n--smallest", b"transform\nrun\nx.npy\n-o\ns.npy", b"compare\ncca\na\nb\n--methods\nexact,landing"],
    "csv": csv_files,
    "hdf5": [b"\x89HDF\r\n\x1a\n"],
    "gzip": [packed(b""), packed(b"a\nb\n") + packed(b"c"), packed(b"x" * 5000), gzip.compress(b"stored", 0, mtime=0)],
    "idx": idx_files,
    "labels": [b"species\nrose\ntulip\nrose\ntulip\n", b"1\n2\n1.0\n", b'"a, b"\nc\n\n', npy("<i8", (3,), bytes(24)), idx(8, [3], b"abc"),
               packed(b"x\ny\n"), market + b"coordinate real general\n3 1 1\n2 1 5\n"],
    "matrix_market": market_files,
    "npy": npy_files,
    "npz": [npz(zipfile.ZIP_STORED, x=npy_files[0]), npz(zipfile.ZIP_DEFLATED, x=npy("<f8", (40, 3), bytes(960))),
            npz(zipfile.ZIP_STORED, x=npy_files[0], y=npy_files[1]), npz(zipfile.ZIP_STORED)],
    "run_folder": [file.read_bytes() for file in sorted((pathlib.Path(__file__).parent / "corpus/run_folder").iterdir())],
    "svmlight": svmlight_files,
}

known, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
for target, files in seeds.items():
    folder = out / target
    folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(files):
        (folder / str(number)).write_bytes(data)
    names = sorted(folder.iterdir()) + sorted((known / target).glob("*"))
    (out / f"{target}.list").write_text(",".join(map(str, names)))
(out / "done").touch()
