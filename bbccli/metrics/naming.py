"""What else a metric may be called: the names that scikit-learn has for its scorers."""

from __future__ import annotations

from collections.abc import Container

ALIASES = {
    "roc_auc": "auc",
    "roc_auc_ovr": "auc-ovr",
    "roc_auc_ovo": "auc-ovo",
    "average_precision": "average-precision",
    "neg_log_loss": "log-loss",
    "neg_brier_score": "brier",
    "balanced_accuracy": "balanced-accuracy",
    "matthews_corrcoef": "mcc",
    **{
        f"{name}_{mean}": f"{name}-{mean}"
        for name in ("precision", "recall", "f1")
        for mean in ("macro", "micro", "weighted")
    },
    "neg_mean_squared_error": "mse",
    "neg_root_mean_squared_error": "rmse",
    "neg_mean_absolute_error": "mae",
    "neg_median_absolute_error": "medae",
    "neg_mean_absolute_percentage_error": "mape",
    "neg_mean_poisson_deviance": "poisson-deviance",
    "explained_variance": "explained-variance",
}
"""Names of scikit-learn's scorers, other than ours. A loss has our sign: positive, minimised."""


def canonical(name: str, known: Container[str]) -> str:
    """Return the name that bbc has for a metric; one that it doesn't know, as it is.

    Examples
    --------
    >>> canonical("neg_log_loss", ["log-loss"]), canonical("Log_Loss", ["log-loss"])
    ('log-loss', 'log-loss')
    """
    if name in known:
        return name
    plain = name.lower().replace("-", "_")
    if plain in ALIASES:
        return ALIASES[plain]
    hyphened = plain.replace("_", "-")
    return hyphened if hyphened in known else name
