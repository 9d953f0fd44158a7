"""Experiments of papers as data: streams, learners, protocol and published numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

import numpy as np

from driftlearn.bench.papers.claim import Claim, claims_of
from driftlearn.bench.papers.outcome import Outcome
from driftlearn.bench.papers.paper import PAPERS
from driftlearn.bench.workbench.cell import Cell, cells_of
from driftlearn.bench.workbench.grid import Grid, results
from driftlearn.evaluate import Result, holdout
from driftlearn.utils.table import Table

MOST_NAMED = 3  # maximum number of failures listed in an error message


@dataclass(frozen=True)
class Experiment:
    """Definition of an experiment that reproduces a table or figure of a paper.

    Attributes
    ----------
    paper, item : str
        Names of the paper and of the table or figure, such as "S1" and "table III".
    title : str
        Description of the experiment.
    streams : mapping of str to callable
        Functions that return each stream for a seed.
    learners : mapping of str to estimator
        The learners to compare; their ``random_state`` is the seed.
    protocol : callable
        A protocol of `driftlearn.evaluate`, by default hold-out.
    options : mapping
        Options of the protocol; by default without log loss, which the papers do not report.
    numbers : mapping of str to mapping of str to float
        Published accuracy of each stream and learner, in percent.
    claims : tuple of Claim
        The conclusions of the paper, and other claims.
    notes : mapping of str to str
        Reasons for differences from published values, by stream, learner or both
        ("stream/learner").
    tests : tuple of str
        Names of the tests, such as "D1", in a table of class recalls after each data set; empty for
        a table with one accuracy per stream.
    recalls : mapping of str to mapping of str to ndarray of shape (tests, classes + 2)
        Published numbers of a table of class recalls, in percent, by stream and learner: recalls,
        overall metric, and standard deviation of the overall metric.
    overall : str
        The metric in the column "overall" of a table of class recalls.
    protocols : mapping of str to pair
        Protocol and options of streams for which they differ from `protocol` and `options`.
    further : mapping of str to mapping of str to mapping of str to float
        Published values of other metrics, such as "recovery", by stream and learner.
    extras : mapping of str to callable
        Further tables by heading, as functions of the `Outcome`.
    figures : mapping of str to callable
        Figures by published name, such as "figure 3", as functions of the `Outcome` that return a
        matplotlib figure.
    alternatives : mapping of str to mapping
        Alternative settings by description: streams or learners that replace those with the same
        names. The claims are checked under each alternative.
    reduced : Experiment, optional
        The reduced version returned by `quick`.
    quick_seeds : int
        Number of seeds of the reduced version.
    is_quick : bool
        Whether this experiment is a reduced version.
    """

    paper: str
    item: str
    title: str
    streams: Mapping[str, Callable[[int], Any]]
    learners: Mapping[str, Any]
    protocol: Callable[..., Result] = holdout
    options: Mapping[str, Any] = field(default_factory=lambda: {"log_loss": False})
    numbers: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)
    tests: tuple[str, ...] = ()
    recalls: Mapping[str, Mapping[str, np.ndarray]] = field(default_factory=dict)
    overall: str = "accuracy"
    protocols: Mapping[str, tuple[Callable[..., Result], Mapping[str, Any]]] = field(
        default_factory=dict
    )
    further: Mapping[str, Mapping[str, Mapping[str, float]]] = field(default_factory=dict)
    extras: Mapping[str, Callable[[Outcome], Table]] = field(default_factory=dict)
    figures: Mapping[str, Callable[[Outcome], Any]] = field(default_factory=dict)
    alternatives: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    reduced: Experiment | None = None
    quick_seeds: int = 1
    is_quick: bool = False

    def __str__(self) -> str:
        return f"{PAPERS.get(self.paper, self.paper)}, {self.item}"

    @classmethod
    def of_paper(
        cls, paper: str, item: str, values: Mapping[str, Any] | None = None, **fields: Any
    ) -> Experiment:
        """Return an experiment with title, notes and claims from the file of its paper.

        Parameters
        ----------
        paper, item : str
            As in `Experiment`.
        values : mapping of str to object, optional
            Values for the fields in texts, and for arguments of checks.
        **fields
            The other fields of the experiment.
        """
        about, values = PAPERS[paper].items[item], values or {}
        checks = import_module(f"driftlearn.bench.papers.{paper.lower()}.claims")
        return cls(
            paper=paper,
            item=item,
            title=about["title"].format(**values),
            claims=tuple(claims_of(about.get("claims", ()), checks, fields["streams"], values)),
            **{"notes": about.get("notes", {}), **fields},
        )

    def protocol_of(self, stream: str) -> tuple[str, dict[str, Any]]:
        """Return the name and the options of the protocol for a stream."""
        protocol, options = self.protocols.get(stream, (self.protocol, self.options))
        return protocol.__name__, dict(options)

    def quick(self) -> Experiment:
        """Return the reduced version, which runs in seconds; its title describes the reduction.

        It checks all claims and marks the claims that require the full size.
        """
        small = self if self.reduced is None else self.reduced
        return replace(small, reduced=None, quick_seeds=self.quick_seeds, is_quick=True)

    def with_quick(
        self, size: str, seeds: int = 1, of: Experiment | None = None, **changes: Any
    ) -> Experiment:
        """Return the experiment with a reduced version for `quick`.

        Parameters
        ----------
        size : str
            Description of the reduction, such as "4,000 of 50,000 rows"; appended to the title.
        seeds : int
            Number of seeds.
        of : Experiment, optional
            The experiment to reduce; by default this experiment.
        **changes
            Fields of the reduced version that differ. By default, it has no alternatives.
        """
        small = self if of is None else of
        note = f"reduced to {size}; the published numbers are those of the full size"
        changes = {"notes": {"size": note, **small.notes}, "alternatives": {}, **changes}
        small = replace(small, **changes)
        small = replace(small, title=f"{small.title} (reduced: {size})", reduced=None)
        return replace(self, reduced=small, quick_seeds=seeds)

    def cells(
        self,
        seeds: Iterable[int] = range(10),
        streams: Iterable[str] | None = None,
        learners: Iterable[str] | None = None,
    ) -> list[Cell]:
        """Return the cells of the grid: every learner on every stream with every seed.

        Parameters
        ----------
        seeds : iterable of int
            The seeds, one per repetition.
        streams, learners : iterable of str, optional
            Names of streams and learners; by default all.
        """
        chosen = {name: self.learners[name] for name in learners or self.learners}
        return [
            cell
            for name in streams or self.streams
            for cell in cells_of({name: self.streams[name]}, chosen, seeds, *self.protocol_of(name))
        ]

    def run(
        self,
        seeds: Iterable[int] = range(10),
        streams: Iterable[str] | None = None,
        learners: Iterable[str] | None = None,
        grid: Grid | None = None,
    ) -> Outcome:
        """Run the experiment or a part of it.

        Parameters
        ----------
        seeds, streams, learners
            As in `cells`.
        grid : Grid, optional
            Executor and store; by default, cells run serially and results are stored in memory.

        Raises
        ------
        RuntimeError
            If a cell fails.
        """
        outcome = self.attempt(Grid() if grid is None else grid, seeds, streams, learners)
        if outcome.failed:
            more = len(outcome.failed) - MOST_NAMED
            last = [f"and {more} more"] if more > 0 else []
            raise RuntimeError("; ".join([*outcome.failed[:MOST_NAMED], *last]))
        return outcome

    def attempt(
        self,
        grid: Grid,
        seeds: Iterable[int],
        streams: Iterable[str] | None = None,
        learners: Iterable[str] | None = None,
        command: str = "",
    ) -> Outcome:
        """Run the experiment like `run`, but continue after failures, which the outcome lists.

        The alternatives are also run, unless only a part of the experiment is selected.

        Parameters
        ----------
        grid : Grid
            Executor and store.
        seeds, streams, learners
            As in `cells`.
        command : str
            The command to record in the store.
        """
        seeds = list(seeds)
        cells = self.cells(seeds, streams, learners)
        if not cells:
            return Outcome(self, {})
        is_complete = len(cells) == len(self.streams) * len(self.learners) * len(seeds)
        others = {name: self.varied(name) for name in self.alternatives if is_complete}
        work = {name: other.cells(seeds) for name, other in others.items()}
        ran = grid.run([*cells, *(cell for some in work.values() for cell in some)],
                       str(self), command)  # fmt: skip

        def outcome(experiment: Experiment, some: list[Cell]) -> Outcome:
            return Outcome(experiment, results(grid.store, some, set(ran.failures)))

        return replace(
            outcome(self, cells),
            failed=tuple(ran.failed()),
            alternatives={name: outcome(others[name], some) for name, some in work.items()},
        )

    def varied(self, name: str) -> Experiment:
        """Return the experiment with the settings of an alternative.

        Raises
        ------
        ValueError
            If the alternative has streams or learners that the experiment does not have.
        """
        other = self.alternatives[name]
        unknown = {*other} - {*self.streams, *self.learners}
        if unknown:
            raise ValueError(
                f"Alternative {name!r} of {self} has unknown streams or learners: "
                f"{', '.join(sorted(unknown))}."
            )
        return replace(
            self,
            streams={name: other.get(name, make) for name, make in self.streams.items()},
            learners={name: other.get(name, made) for name, made in self.learners.items()},
            alternatives={},
        )
