"""bench/numpy_cca.py FOLDER float32|float64 P: exact CCA as one writes it with numpy and scipy; the peer of
`landfall cca --method exact` in bench/exact_cca.py. Prints the seconds from here on (imports are over) and the sum of the
canonical correlations."""
import sys
import time

import numpy as np
from scipy.linalg import cholesky, eigh, solve_triangular

begin = time.perf_counter()
folder, dtype, p = sys.argv[1], np.dtype(sys.argv[2]), int(sys.argv[3])
x, y = (np.load(f"{folder}/{side}.npy").astype(dtype, copy=False) for side in ("left", "right"))
x -= x.mean(axis=0)
y -= y.mean(axis=0)
rows, ridge = len(x), dtype.type(1e-3)
sxx = x.T @ x / rows + ridge * np.eye(x.shape[1], dtype=dtype)  # numpy sees that half of it is enough
syy = y.T @ y / rows + ridge * np.eye(y.shape[1], dtype=dtype)
sxy = x.T @ y / rows
lx, ly = cholesky(sxx, lower=True), cholesky(syy, lower=True)
m = solve_triangular(ly, solve_triangular(lx, sxy, lower=True).T, lower=True)  # L_y^-1 S_yx L_x^-T
last = len(m)
squares, v = eigh(m @ m.T, subset_by_index=[last - p, last - 1])
correlations = np.sqrt(squares[::-1])
right = solve_triangular(ly, v[:, ::-1], lower=True, trans="T")
left = solve_triangular(lx, m.T @ (v[:, ::-1] / correlations), lower=True, trans="T")
print(time.perf_counter() - begin, correlations.sum())
