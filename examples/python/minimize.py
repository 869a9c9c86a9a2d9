"""An objective of your own on X'BX = I: sparse directions, by a smooth penalty, with autograd if PyTorch is there."""

# %% Data whose leading direction has few entries
import landfall
import numpy as np

rng = np.random.default_rng(0)
n = 40
direction = np.r_[np.ones(5), np.zeros(n - 5)] / np.sqrt(5)
rows = rng.standard_normal((2000, n)) + 3 * rng.standard_normal((2000, 1)) * direction
covariance = rows.T @ rows / len(rows)


# %% f(x) = -x'Sx / 2 + c sum sqrt(x^2 + d): a smooth stand-in for the sum of absolute values
def objective(x, weight=1.0, smooth=1e-3):
    product, size = covariance @ x, np.sqrt(x**2 + smooth)
    return -np.sum(x * product) / 2 + weight * np.sum(size), -product + weight * x / size


start = rng.standard_normal((n, 1))
print("gradient check:", f"{landfall.check_gradient(objective, start):.0e}")
result = landfall.minimize(objective, None, start, tol=1e-7)
print(result.termination, "after", result.iterations, "steps, infeasibility", f"{result.infeasibility:.0e}")
print("entries above 0.05:", np.flatnonzero(np.abs(result.x[:, 0]) > 0.05))
