"""Scores of the benchmark of tables, and intervals of differences by a paired block bootstrap."""

import numpy as np
from sklearn.metrics import roc_auc_score

WARM = 14  # first tables, which are not scored
BLOCK = 7  # consecutive tables that are drawn together
SMALLEST = 1e-6  # probabilities are clipped to this, and to 1 minus this
BINS = 1_000  # of a histogram of probabilities, from which the bootstrap computes the AUC


def scores(y, probas):
    """Return all scores of probabilities of codes of labels."""
    predicted = probas.argmax(axis=1)
    recalls = [(predicted[y == code] == code).mean() for code in np.unique(y)]
    return {
        "log_loss": float(log_losses(y, probas).mean()),
        "auc": auc(y, probas),
        "accuracy": float((predicted == y).mean()),
        "balanced_accuracy": float(np.mean(recalls)),
        "ece": calibration_error(y, probas),
        "g_mean": float(np.prod(recalls) ** (1 / len(recalls))),
    }


def log_losses(y, probas):
    """Return the log loss of each row."""
    return -np.log(np.clip(probas[np.arange(len(y)), y], SMALLEST, 1 - SMALLEST))


def against_others(y, n_classes):
    """Yield each class that is compared with the others: with two classes only the second."""
    for code in [1] if n_classes == 2 else range(n_classes):
        if 0 < np.count_nonzero(y == code) < len(y):
            yield code


def auc(y, probas):
    """Return the AUC; with more than two classes the mean of each class against the others."""
    found = [roc_auc_score(y == k, probas[:, k]) for k in against_others(y, probas.shape[1])]
    return float(np.mean(found)) if found else np.nan


def calibration_error(y, probas, n_bins=10):
    """Return the expected calibration error, a mean over classes as for the AUC."""
    found = []
    for code in against_others(y, probas.shape[1]):
        p, hit = probas[:, code], y == code
        bins = np.minimum((p * n_bins).astype(int), n_bins - 1)
        gaps = np.bincount(bins, p - hit, n_bins)
        found.append(np.abs(gaps).sum() / len(y))
    return float(np.mean(found)) if found else np.nan


def scored(y, probas, sizes):
    """Return labels, probabilities and sizes of the tables that are scored."""
    first = int(np.sum(sizes[:WARM]))
    return y[first:], probas[first:], np.asarray(sizes[WARM:])


def bootstrap(y, probas, others, sizes, n_draws=1_000, seed=0):
    """Return difference and 95 % interval of log loss and AUC between two learners.

    Both are scored on the same draws: blocks of consecutive tables, drawn with replacement. The AUC
    of a draw is computed from histograms, since the exact one would need a sort for each draw.
    """
    times = draws(len(sizes), n_draws, seed)
    starts = np.r_[0, np.cumsum(sizes)[:-1]]
    losses = np.add.reduceat(log_losses(y, probas) - log_losses(y, others), starts)
    of_losses = times @ losses / (times @ sizes)
    of_auc = drawn_aucs(y, probas, sizes, times) - drawn_aucs(y, others, sizes, times)
    return {
        "log_loss": (losses.sum() / len(y), *np.percentile(of_losses, [2.5, 97.5])),
        "auc": (auc(y, probas) - auc(y, others), *np.nanpercentile(of_auc, [2.5, 97.5])),
    }


def draws(n_tables, n_draws, seed):
    """Return how often each table occurs in each draw."""
    rng, length = np.random.default_rng(seed), min(BLOCK, n_tables)
    times = np.zeros((n_draws, n_tables))
    for row in times:
        for first in rng.integers(0, n_tables - length + 1, -(-n_tables // length)):
            row[first : first + length] += 1
    return times


def drawn_aucs(y, probas, sizes, times):
    """Return the AUC of each draw."""
    table, found = np.repeat(np.arange(len(sizes)), sizes), []
    for code in against_others(y, probas.shape[1]):
        p, hit = probas[:, code], y == code
        edges = np.unique(np.quantile(p, np.linspace(0, 1, BINS + 1)[1:-1]))
        bins = np.searchsorted(edges, p)
        histograms = np.zeros((2, len(sizes), len(edges) + 1))
        np.add.at(histograms, (hit.astype(int), table, bins), 1)
        negative, positive = times @ histograms[0], times @ histograms[1]
        below = np.cumsum(negative, axis=1) - negative + negative / 2
        with np.errstate(invalid="ignore"):  # a draw without the class
            found.append((positive * below).sum(axis=1) / positive.sum(axis=1) / negative.sum(1))
    return np.nanmean(found, axis=0)
