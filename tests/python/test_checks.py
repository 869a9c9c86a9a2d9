"""scikit-learn's own checks of estimators, for the method auto and for landing."""

import landfall
from sklearn.utils.estimator_checks import parametrize_with_checks

MODELS = [model(method=method) for model in (landfall.CCA, landfall.ICA, landfall.LDA) for method in ("auto", "landing")]


@parametrize_with_checks(MODELS)
def test_estimator(estimator, check):
    check(estimator)
