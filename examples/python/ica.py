"""Unmixing three signals that were recorded together."""

# %% Signals and their mixtures
import landfall
import numpy as np

rng = np.random.default_rng(0)
time = np.linspace(0, 8, 20000)
signals = np.c_[np.sin(2 * time), np.sign(np.sin(3 * time)), (time * 2) % 2 - 1] + 0.2 * rng.standard_normal((20000, 3))
mixing = np.array([[1, 1, 1], [0.5, 2, 1.0], [1.5, 1.0, 2.0]])
recorded = signals @ mixing.T

# %% The sources, up to order, sign and scale
ica = landfall.ICA().fit(recorded)
print("method:", ica.method_, "- negentropy:", ica.negentropy_.round(4))
print("Amari distance to the truth:", round(landfall.amari_distance(ica.components_, mixing), 4))
found = ica.transform(recorded)
print("correlations with the signals:", np.abs(np.corrcoef(found.T, signals.T)[:3, 3:]).max(axis=0).round(3))

# %% Back to what was recorded
print("largest error of the rebuilt recording:", f"{np.abs(ica.inverse_transform(found) - recorded).max():.1e}")
