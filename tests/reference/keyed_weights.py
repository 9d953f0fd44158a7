"""Reference implementation of the cold-start rule, from the docstring of `ModelWeights`.

For every row, everything is recomputed from the first row, in exact fractions. Decisions where the
docstring is silent: weights are equal if they differ by 1e-12 or less; the model that is named as
the source of a prediction is found in the order of the models, like the prediction itself.
"""

from fractions import Fraction

EVEN = Fraction(1, 10**12)


def prior(names, rule):
    """Return the priors by name: the rule's values divided by the sum over the existing models."""
    own, global_prior = Fraction(rule["own_prior"]), Fraction(rule["global_prior"])
    pool = [name for name in names if name not in ("own", "global")]
    given = {}
    for name in names:
        if name == "own":
            given[name] = own
        elif name == "global":
            given[name] = global_prior
        else:
            given[name] = (1 - own - global_prior) / len(pool)
    return {name: value / sum(given.values()) for name, value in given.items()}


def weights_before(rows, i, rule):
    """Return the weights for predicting row i; all rows before it were evaluated."""
    weights = {}
    for k in range(i + 1):
        names = list(rows[k]["labels"])
        first = prior(names, rule)
        if k == 0:
            weights = dict(first)
        elif set(names) != set(weights):
            weights = {name: weights.get(name, first[name]) for name in names}
            total = sum(weights.values())
            weights = {name: value / total for name, value in weights.items()}
        if k == i:
            return weights
        voting = [name for name in names if rows[k]["labels"][name] is not None]
        before = sum(weights[name] for name in voting)
        for name in voting:
            if rows[k]["labels"][name] != rows[k]["truth"]:
                weights[name] *= Fraction(rule["beta"])
        after = sum(weights[name] for name in voting)
        for name in voting:
            weights[name] *= before / after
        s = Fraction(rule["share"])
        weights = {name: (1 - s) * weights[name] + s * first[name] for name in names}
    return weights


def answer(labels, weights):
    """Return the prediction for a row and its source; `labels` maps models to labels, in order."""
    predicted = [label for label in labels.values() if label is not None]
    best = None
    for label in predicted:
        votes = sum(weights[name] for name in labels if labels[name] == label)
        if best is None or votes > best[1] + EVEN:
            best = label, votes
    if best is None:
        return None, None
    source = None
    for name in labels:
        if labels[name] == best[0] and (source is None or weights[name] > weights[source] + EVEN):
            source = name
    return best[0], source


def answers(rows, rule):
    """Return the predictions of all rows: dicts of ``labels`` (by model) and ``truth``."""
    return [answer(row["labels"], weights_before(rows, i, rule)) for i, row in enumerate(rows)]
