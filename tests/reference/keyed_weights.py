"""A naive reading of the cold-start rule, from the docstring of `ModelWeights`.

Everything is computed anew from the first row for every row, in exact fractions. What was decided
where the docstring is silent: weights are even if they differ by 1e-12 or less, and who answers is
found in the order of the voices, as the answer is.
"""

from fractions import Fraction

EVEN = Fraction(1, 10**12)


def prior(names, rule):
    """The priors by name: what the rule gives, divided by the sum of those that are there."""
    own, everyone = Fraction(rule["own_prior"]), Fraction(rule["global_prior"])
    shelf = [name for name in names if name not in ("own", "global")]
    given = {}
    for name in names:
        if name == "own":
            given[name] = own
        elif name == "global":
            given[name] = everyone
        else:
            given[name] = (1 - own - everyone) / len(shelf)
    return {name: value / sum(given.values()) for name, value in given.items()}


def weights_before(rows, i, rule):
    """The weights with which row i is answered: all rows before it were judged."""
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
        speaking = [name for name in names if rows[k]["labels"][name] is not None]
        before = sum(weights[name] for name in speaking)
        for name in speaking:
            if rows[k]["labels"][name] != rows[k]["truth"]:
                weights[name] *= Fraction(rule["beta"])
        after = sum(weights[name] for name in speaking)
        for name in speaking:
            weights[name] *= before / after
        s = Fraction(rule["share"])
        weights = {name: (1 - s) * weights[name] + s * first[name] for name in names}
    return weights


def answer(labels, weights):
    """The answer to a row, and who gives it; `labels` are by voice, in the order of the voices."""
    predicted = [label for label in labels.values() if label is not None]
    best = None
    for label in predicted:
        votes = sum(weights[name] for name in labels if labels[name] == label)
        if best is None or votes > best[1] + EVEN:
            best = label, votes
    if best is None:
        return None, None
    loudest = None
    for name in labels:
        if labels[name] == best[0] and (loudest is None or weights[name] > weights[loudest] + EVEN):
            loudest = name
    return best[0], loudest


def answers(rows, rule):
    """The answers to all rows: dicts of ``labels`` (by voice, in order) and ``truth``."""
    return [answer(row["labels"], weights_before(rows, i, rule)) for i, row in enumerate(rows)]
