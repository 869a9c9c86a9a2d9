"""The lowest vibrations of a string: a generalized eigenproblem with sparse matrices."""

# %% Stiffness and mass of linear finite elements on [0, 1]
import landfall
import numpy as np
import scipy.sparse

n = 2000
h = 1 / (n + 1)
stiffness = scipy.sparse.diags([np.full(n - 1, -1.0), np.full(n, 2.0), np.full(n - 1, -1.0)], [-1, 0, 1]) / h
mass = scipy.sparse.diags([np.full(n - 1, 1.0), np.full(n, 4.0), np.full(n - 1, 1.0)], [-1, 0, 1]) * h / 6

# %% The four smallest eigenvalues are (k pi)^2
result = landfall.gevp(stiffness, mass, 4, smallest=True)
print("method:", result.method, "-", result.reason)
print("found:", result.values.round(3))
print("exact:", ((np.arange(1, 5) * np.pi) ** 2).round(3))
