"""Canonical correlations of the left and right halves of handwritten digits."""

# %% Two views of each picture
import landfall
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

digits = load_digits()
left = digits.images[:, :, :4].reshape(-1, 32)
right = digits.images[:, :, 4:].reshape(-1, 32)
left, left_test, right, right_test, labels, _ = train_test_split(left, right, digits.target, random_state=0)

# %% Fit, and test on other rows
cca = landfall.CCA(n_components=4).fit(left, right)
print("method:", cca.method_, "-", cca.reason_)
print("training rows:", cca.correlations_.round(3))
print("other rows:   ", cca.score_pairs(left_test, right_test).round(3))

# %% What the first pair looks at
axes = landfall.plot_weights(cca, image_shape=(8, 4))
axes.flat[0].figure.savefig("cca_weights.png")
landfall.plot_variates(cca, left, right, labels=labels).figure.savefig("cca_variates.png")
print("wrote cca_weights.png and cca_variates.png")

# %% The same from a stream of rows
online = landfall.CCA(n_components=4)
for first in range(0, len(left), 100):
    online.partial_fit(left[first : first + 100], right[first : first + 100])
print("online:       ", online.correlations_.round(3))
