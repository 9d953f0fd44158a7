"""A table or a figure of a paper, as data: what was run, on what, and what was printed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from driftlearn._table import Table
from driftlearn.evaluate import RepeatedResult, Result, repeat
from driftlearn.evaluate.metrics import std


@cache
def published() -> dict[str, Any]:
    """Return the numbers that the papers print, by paper and table.

    Examples
    --------
    >>> published()["S1"]["tables"]["III"]["rows"]["SEA200A"]["DTEL"]["mean"]
    94.77
    """
    return json.loads((files("driftlearn.papers") / "published.json").read_text("utf-8"))


@dataclass(frozen=True)
class Claim:
    """Something a paper says, and how an outcome bears it out.

    Attributes
    ----------
    text : str
        The claim.
    judge : callable
        Given an `Outcome`, returns whether the claim holds and the figure that shows it.
    needs : tuple of str
        Streams without which the claim cannot be judged; empty if all are needed.
    """

    text: str
    judge: Callable[[Outcome], tuple[bool, str]]
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Experiment:
    """What a table or figure of a paper needs to be made again.

    Attributes
    ----------
    paper, item : str
        As in "S1" and "table III".
    title : str
        What it shows.
    streams : mapping of str to callable
        For each stream, a function of the seed that makes it.
    learners : mapping of str to estimator
        The learners compared; their ``random_state`` is the seed.
    protocol : callable
        One of `driftlearn.evaluate`'s.
    options : mapping
        Its options.
    numbers : mapping of str to mapping of str to float
        For each stream and learner the printed accuracy in percent.
    claims : tuple of Claim
        What the paper concludes.
    notes : mapping of str to str
        For a stream, a learner or both ("stream/learner"), why a printed number is not met.
    tests : tuple of str
        Names of the tests, as in "D1", of a table that has the recall of each class after every
        data set; empty for a table of one accuracy a stream.
    recalls : mapping of str to mapping of str to ndarray of shape (tests, classes + 2)
        For each stream and learner what such a table prints, in percent: recalls, overall and
        the spread of the overall.
    overall : str
        The metric that such a table calls overall.
    """

    paper: str
    item: str
    title: str
    streams: Mapping[str, Callable[[int], Any]]
    learners: Mapping[str, Any]
    protocol: Callable[..., Result]
    options: Mapping[str, Any] = field(default_factory=dict)
    numbers: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)
    tests: tuple[str, ...] = ()
    recalls: Mapping[str, Mapping[str, np.ndarray]] = field(default_factory=dict)
    overall: str = "accuracy"

    def run(
        self,
        seeds: Iterable[int] = range(10),
        streams: Iterable[str] | None = None,
        learners: Iterable[str] | None = None,
        n_jobs: int | None = None,
        on_stream: Callable[[str, RepeatedResult], Any] | None = None,
    ) -> Outcome:
        """Run the experiment, or the part of it that is named.

        Parameters
        ----------
        seeds : iterable of int
            One repetition each.
        streams, learners : iterable of str, optional
            Which of them; all by default.
        n_jobs : int, optional
            How many repetitions at a time, each in a process of its own.
        on_stream : callable, optional
            Called with every stream's name and result as it is ready.
        """
        chosen = {name: self.learners[name] for name in learners or self.learners}
        results = {}
        for name in streams or self.streams:
            make = self.streams[name]
            results[name] = repeat(self.protocol, chosen, make, seeds, n_jobs, **self.options)
            if on_stream is not None:
                on_stream(name, results[name])
        return Outcome(self, results)


@dataclass(frozen=True)
class Outcome:
    """What came out of an experiment, beside what was printed."""

    experiment: Experiment
    results: dict[str, RepeatedResult]

    def accuracy(self, stream: str, learner: str) -> float:
        """Return the mean accuracy over seeds in percent."""
        return 100.0 * self.results[stream].summary(learner)["accuracy"]

    def accuracies(self, learner: str) -> np.ndarray:
        """Return a learner's mean accuracy in percent on every stream that was run."""
        return np.array([self.accuracy(stream, learner) for stream in self.results])

    def recalls(self, stream: str, learner: str) -> np.ndarray:
        """Return the mean recall over seeds in percent, shape (tests, classes)."""
        return 100.0 * self.results[stream].recalls(learner).mean(axis=0)

    def overall(self, stream: str, learner: str) -> np.ndarray:
        """Return what the table calls overall after each test in percent, shape (seeds, tests)."""
        return 100.0 * self.results[stream].scores(learner, self.experiment.overall)

    def recall(self, stream: str, learner: str, test: str, *classes: Any) -> float:
        """Return the mean recall of some classes in a test, in percent."""
        columns = np.searchsorted(self.results[stream].classes, classes)
        row = self.experiment.tests.index(test)
        return float(self.recalls(stream, learner)[row, columns].mean())

    def level(self, stream: str, learner: str, test: str) -> float:
        """Return the mean over seeds of what the table calls overall in a test, in percent."""
        row = self.experiment.tests.index(test)
        return float(self.overall(stream, learner)[:, row].mean())

    def table(self) -> Table:
        """Return published and own accuracy for each stream and learner, in percent.

        Where the experiment has named tests there is a row for each, of what is overall.
        """
        names = ("stream", "learner", "published", "ours", "std", "chunk_std", "difference")
        rows = []
        for stream, result in self.results.items():
            for learner in result.names:
                for label, printed, ours, *spreads in self._figures(stream, learner):
                    figures = (printed, ours, *spreads, ours - printed)
                    rows.append((label, learner, *(round(figure, 2) for figure in figures)))
        return Table(dict(zip(names, zip(*rows))))

    def _figures(
        self, stream: str, learner: str
    ) -> Iterator[tuple[str, float, float, float, float]]:
        """Yield what stands in a row of the table: its name, published, ours and two spreads."""
        if not self.experiment.tests:
            printed = self.experiment.numbers.get(stream, {}).get(learner, np.nan)
            summary = self.results[stream].summary(learner)
            ours = (100 * summary[key] for key in ("accuracy", "std", "chunk_std"))
            yield stream, printed, next(ours), next(ours), next(ours)
            return
        overall = self.overall(stream, learner)
        known = self.experiment.recalls.get(stream, {}).get(learner)
        for k, test in enumerate(self.experiment.tests):
            printed = np.nan if known is None else known[k, -2]
            values = overall[:, k]
            yield f"{stream} {test}", printed, values.mean(), float(std(values)), np.nan

    def recall_table(self) -> Table:
        """Return published and own recalls for each stream, learner and test, in percent."""
        rows = []
        for stream, result in self.results.items():
            classes = [str(c) for c in result.classes.tolist()]
            for learner in result.names:
                overall = self.overall(stream, learner)
                spread = std(overall, axis=0)
                ours = np.column_stack(
                    [self.recalls(stream, learner), overall.mean(axis=0), spread]
                )
                printed = self.experiment.recalls.get(stream, {}).get(learner)
                for k, test in enumerate(self.experiment.tests):
                    if printed is not None:
                        rows.append((stream, learner, test, "published", *printed[k]))
                    rows.append((stream, learner, test, "ours", *ours[k].round(1)))
        names = ("stream", "learner", "after", "figures", *classes, "overall", "std")
        return Table(dict(zip(names, zip(*rows))))

    def verdicts(self) -> Table:
        """Return for each claim whether it holds, and by what figure."""
        judged = [claim for claim in self.experiment.claims if self._can_judge(claim)]
        answers = [claim.judge(self) for claim in judged]
        return Table(
            {
                "claim": [claim.text for claim in judged],
                "holds": ["holds" if holds else "does not hold" for holds, _ in answers],
                "figure": [figure for _, figure in answers],
            }
        )

    def _can_judge(self, claim: Claim) -> bool:
        needed = claim.needs or tuple(self.experiment.streams)
        names = set(next(iter(self.results.values())).names)
        return set(needed) <= set(self.results) and set(self.experiment.learners) <= names
