"""Directions that separate the classes of wines, and predictions."""

# %% Data with names of columns
import landfall
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score

wine = load_wine(as_frame=True)
lda = landfall.LDA(held_out=0.2).fit(wine.data, wine.target)
print("eigenvalues:", lda.eigenvalues_.round(2), "- held-out accuracy:", round(lda.held_out_accuracy_, 3))

# %% Which columns matter
largest = abs(lda.scalings_[:, 0] * wine.data.std().to_numpy()).argsort()[::-1][:3]
print("first direction:", ", ".join(lda.feature_names_in_[largest]))
landfall.plot_variates(lda, wine.data, labels=wine.target).figure.savefig("lda.png")

# %% Cross-validation as with any estimator of scikit-learn
print("accuracy:", cross_val_score(landfall.LDA(), wine.data, wine.target, cv=5).mean().round(3))
