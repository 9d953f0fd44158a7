"""A table or a figure of a paper, as data: what was run, on what, and what was printed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from driftlearn._table import Table
from driftlearn.evaluate import RepeatedResult, Result, repeat


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

    def table(self) -> Table:
        """Return published and own accuracy for each stream and learner, in percent."""
        rows = []
        for stream, result in self.results.items():
            for learner in result.names:
                summary = result.summary(learner)
                printed = self.experiment.numbers.get(stream, {}).get(learner, np.nan)
                ours, std, chunk_std = (100 * summary[k] for k in ("accuracy", "std", "chunk_std"))
                figures = (printed, ours, std, chunk_std, ours - printed)
                rows.append((stream, learner, *(round(figure, 2) for figure in figures)))
        names = ("stream", "learner", "published", "ours", "std", "chunk_std", "difference")
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
