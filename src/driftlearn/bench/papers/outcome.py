"""Outcomes of experiments, compared with the numbers and claims of the paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from driftlearn.bench.papers.claim import DECISIONS, Claim, Verdict, decide
from driftlearn.evaluate import RepeatedResult, average_ranks
from driftlearn.evaluate.metrics import std
from driftlearn.utils.table import Table

if TYPE_CHECKING:
    from driftlearn.bench.papers.experiment import Experiment

#: Factors that convert the metrics of a summary to the units of the papers.
PERCENT = {"accuracy": 100.0, "std": 100.0, "chunk_std": 100.0, "recovery": 100.0}
HEADINGS = {
    "chunk_std": "standard deviation of the accuracy over chunks, in points",
    "recovery": "recovery: accuracy in the first 600 rows after a change, in percent",
    "seconds": "seconds of learning and predicting, on another machine than the paper's",
}


@dataclass(frozen=True)
class Outcome:
    """Results of an experiment and comparisons with the paper.

    Attributes
    ----------
    experiment : Experiment
        The experiment.
    results : dict of str to RepeatedResult
        The results on each stream.
    failed : tuple of str
        One line per failed cell.
    all_seeds : Outcome, optional
        The outcome of all seeds, if this is the outcome of one seed.
    alternatives : mapping of str to Outcome
        The outcomes under the alternatives of the experiment.
    """

    experiment: Experiment
    results: dict[str, RepeatedResult]
    failed: tuple[str, ...] = ()
    all_seeds: Outcome | None = None
    alternatives: Mapping[str, Outcome] = field(default_factory=dict)
    _summaries: dict[tuple[object, ...], dict[str, float]] = field(
        default_factory=dict, repr=False, compare=False
    )  # by id of the result: a seed and all seeds share the same result objects

    def of_each_seed(self) -> list[Outcome]:
        """Return one outcome per seed."""
        n_seeds = min(len(result.seeds) for result in self.results.values())
        return [
            replace(
                self,
                results={
                    stream: RepeatedResult([result.seeds[k]], [result.results[k]])
                    for stream, result in self.results.items()
                },
                all_seeds=self,
            )
            for k in range(n_seeds)
        ]

    def value(self, stream: str, learner: str, metric: str) -> float:
        """Return the mean of a metric over seeds, in the unit of the papers."""
        result = self.results[stream]
        key = (*map(id, result.results), learner)
        if key not in self._summaries:
            self._summaries[key] = result.summary(learner)
        return PERCENT.get(metric, 1.0) * self._summaries[key][metric]

    def accuracy(self, stream: str, learner: str) -> float:
        """Return the mean accuracy over seeds in percent."""
        return self.value(stream, learner, "accuracy")

    def accuracies(self, learner: str) -> np.ndarray:
        """Return the mean accuracy of a learner on every stream that was run, in percent."""
        return np.array([self.accuracy(stream, learner) for stream in self.results])

    def mean_ranks(self) -> dict[str, float]:
        """Return the mean rank of each learner over the streams that were run."""
        names = next(iter(self.results.values())).names
        return average_ranks({name: self.accuracies(name) for name in names})

    def recalls(self, stream: str, learner: str) -> np.ndarray:
        """Return the mean recall over seeds in percent, shape (tests, classes)."""
        mean: np.ndarray = self.results[stream].recalls(learner).mean(axis=0)
        return 100.0 * mean

    def overall(self, stream: str, learner: str) -> np.ndarray:
        """Return the overall metric after each test in percent, shape (seeds, tests)."""
        return 100.0 * self.results[stream].scores(learner, self.experiment.overall)

    def recall(self, stream: str, learner: str, test: str, *classes: Any) -> float:
        """Return the mean recall over classes in a test, in percent."""
        columns = np.searchsorted(self.results[stream].classes, classes)
        row = self.experiment.tests.index(test)
        return float(self.recalls(stream, learner)[row, columns].mean())

    def level(self, stream: str, learner: str, test: str) -> float:
        """Return the overall metric in a test, averaged over seeds, in percent."""
        row = self.experiment.tests.index(test)
        return float(self.overall(stream, learner)[:, row].mean())

    def printed(self, stream: str, learner: str, metric: str = "accuracy") -> float:
        """Return the published value of a metric, or nan."""
        experiment = self.experiment
        known = experiment.numbers if metric == "accuracy" else experiment.further.get(metric, {})
        return known.get(stream, {}).get(learner, np.nan)

    def pairs(self) -> list[tuple[str, str]]:
        """Return the pairs of stream and learner that were run."""
        return [(stream, name) for stream, result in self.results.items() for name in result.names]

    def table(self) -> Table:
        """Return published accuracies and ours for each stream and learner, in percent.

        If the experiment has named tests, the table has one row per test with the overall metric.
        """
        names = ("stream", "learner", "published", "ours", "std", "chunk_std", "difference")
        rows = []
        for stream, learner in self.pairs():
            for label, printed, ours, *spreads in self._figures(stream, learner):
                figures = (printed, ours, *spreads, ours - printed)
                rows.append((label, learner, *(round(figure, 2) for figure in figures)))
        return table_of(names, rows)

    def _figures(
        self, stream: str, learner: str
    ) -> Iterator[tuple[str, float, float, float, float]]:
        """Yield the cells of each table row: name, published and our value, and both spreads."""
        if not self.experiment.tests:
            ours, over_seeds, over_chunks = (
                self.value(stream, learner, metric) for metric in ("accuracy", "std", "chunk_std")
            )
            yield stream, self.printed(stream, learner), ours, over_seeds, over_chunks
            return
        overall = self.overall(stream, learner)
        known = self.experiment.recalls.get(stream, {}).get(learner)
        for k, test in enumerate(self.experiment.tests):
            printed = np.nan if known is None else known[k, -2]
            values = overall[:, k]
            yield f"{stream} {test}", printed, values.mean(), float(std(values)), np.nan

    def recall_table(self) -> Table:
        """Return published recalls and ours for each stream, learner and test, in percent."""
        rows = []
        for stream, learner in self.pairs():
            classes = map(str, self.results[stream].classes.tolist())
            overall = self.overall(stream, learner)
            spread = std(overall, axis=0)
            ours = np.column_stack([self.recalls(stream, learner), overall.mean(axis=0), spread])
            printed = self.experiment.recalls.get(stream, {}).get(learner)
            for k, test in enumerate(self.experiment.tests):
                if printed is not None:
                    rows.append((stream, learner, test, "published", *printed[k]))
                rows.append((stream, learner, test, "ours", *ours[k].round(1)))
        names = ("stream", "learner", "after", "figures", *classes, "overall", "std")
        return table_of(names, rows)

    def beside(self, metric: str) -> Table:
        """Return published values and ours of a metric in `Experiment.further`."""
        comparable = metric in PERCENT
        rows = []
        for stream, learner in self.pairs():
            printed = self.printed(stream, learner, metric)
            ours = round(self.value(stream, learner, metric), 2 if comparable else 3)
            rows.append((stream, learner, printed, ours, round(ours - printed, 2)))
        names = ("stream", "learner", "published", "ours", "difference")
        return table_of(names if comparable else names[:-1], rows)

    def extra_tables(self) -> dict[str, Table]:
        """Return all tables except the accuracy table, by heading.

        These are: class recalls if the experiment has named tests, further published metrics, the
        `extras` of the experiment if all learners were run, and the results under its alternatives.
        """
        found: dict[str, Table] = {}
        if not self.results:
            return found
        if self.experiment.tests:
            found["recall of each class, in percent"] = self.recall_table()
        for metric in self.experiment.further:
            found[HEADINGS.get(metric, metric)] = self.beside(metric)
        if self._all_learners():
            for heading, table in self.experiment.extras.items():
                found[heading] = table(self)
        if self.alternatives:
            found["verdicts with other settings"] = self.verdicts_otherwise()
            found["accuracy with other settings, in percent"] = self.accuracy_otherwise()
        return found

    def verdict(self, claim: Claim) -> Verdict:
        """Return the verdict on a claim from its margins for each seed."""
        found = [claim.check(one)[0] for one in self.of_each_seed()]
        margins = {part: np.array([one[part] for one in found]) for part in found[0]}
        return decide(margins, all(self._identical(stream) for stream in self._needed(claim)))

    def verdicts(self) -> Table:
        """Return a table with kind, verdict, values, margin and quoted sentence of each claim.

        In a reduced version, a further column marks the claims that require the full size.
        """
        checked = [claim for claim in self.experiment.claims if self._can_check(claim)]
        found = [self.verdict(claim) for claim in checked]
        columns: dict[str, list[str]] = {
            "claim": [claim.text for claim in checked],
            "kind": [claim.kind for claim in checked],
            "verdict": [verdict.decision for verdict in found],
            "figure": [claim.check(self)[1] for claim in checked],
            "margin": [str(verdict) for verdict in found],
            "sentence": [claim.sentence for claim in checked],
        }
        if self.experiment.is_quick:
            columns["size"] = ["needs the full size" if c.full_only else "" for c in checked]
        return Table(columns)

    def verdicts_otherwise(self) -> Table:
        """Return the verdicts on the statements of the paper under each alternative.

        The table has one row with the counts of each alternative, and one row for each statement
        whose verdict differs.
        """
        own = {row["claim"]: row for row in self.verdicts() if row["kind"] == "paper"}
        rows = []
        for name, other in self.alternatives.items():
            found = [row for row in other.verdicts() if row["kind"] == "paper"]
            rows.append((name, "all", _counted(own.values()), _counted(found), ""))
            for row in found:
                before = own[row["claim"]]["verdict"]
                if row["verdict"] != before:
                    rows.append((name, row["claim"], before, row["verdict"], row["figure"]))
        names = ("with", "claim", "verdict here", "verdict then", "figure then")
        return table_of(names, rows)

    def accuracy_otherwise(self) -> Table:
        """Return the accuracies that differ under an alternative, with the published values."""
        rows = []
        for name, other in self.alternatives.items():
            for before, after in zip(self.table(), other.table()):
                if before["ours"] != after["ours"]:
                    figures = (before["published"], before["ours"], after["ours"], after["std"])
                    rows.append((name, before["stream"], before["learner"], *figures))
        names = ("with", "stream", "learner", "published", "here", "then", "std then")
        return table_of(names, rows)

    def _identical(self, stream: str) -> bool:
        """Return whether the results on a stream are equal for all seeds."""
        result = self.results[stream]
        runs = [result.scores(name) for name in result.names]
        return all(np.array_equal(run, run[[0] * len(run)], equal_nan=True) for run in runs)

    def _all_learners(self) -> bool:
        wanted = set(self.experiment.learners)
        return bool(self.results) and all(wanted <= set(r.names) for r in self.results.values())

    def _can_check(self, claim: Claim) -> bool:
        return set(self._needed(claim)) <= set(self.results) and self._all_learners()

    def _needed(self, claim: Claim) -> tuple[str, ...]:
        return claim.needs or tuple(self.experiment.streams)


def table_of(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> Table:
    """Return a table of rows with these columns; extra cells in rows are dropped."""
    return Table(dict(zip(names, zip(*rows))) if rows else dict.fromkeys(names, ()))


def _counted(rows: Iterable[Mapping[str, str]]) -> str:
    """Return the number of verdicts that hold, are undecided, and do not hold.

    Examples
    --------
    >>> _counted([{"verdict": "holds"}, {"verdict": "holds"}, {"verdict": "does not hold"}])
    '2 hold, 0 undecided, 1 not'
    """
    found = [row["verdict"] for row in rows]
    words = zip(DECISIONS, ("hold", "undecided", "not"))
    return ", ".join(f"{found.count(decision)} {word}" for decision, word in words)
