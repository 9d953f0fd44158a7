"""A table or a figure of a paper as data: streams, learners, protocol and printed numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

import numpy as np

from driftlearn.bench.papers.claim import Claim, claims_of
from driftlearn.bench.papers.outcome import Outcome
from driftlearn.bench.papers.paper import PAPERS
from driftlearn.bench.papers.setting import Alternative
from driftlearn.bench.workbench.cell import Cell, cells_of
from driftlearn.bench.workbench.grid import Grid, results
from driftlearn.evaluate._protocols import holdout
from driftlearn.evaluate._result import Result
from driftlearn.utils.table import Table

MOST_NAMED = 3  # maximum number of failures listed in an error message


@dataclass(frozen=True)
class Experiment:
    """Everything needed to reproduce a table or figure of a paper.

    Attributes
    ----------
    paper, item : str
        As in "S1" and "table III".
    title : str
        A description.
    streams : mapping of str to callable
        For each stream, a function that returns it for a seed.
    learners : mapping of str to estimator
        The learners compared; their ``random_state`` is the seed.
    protocol : callable
        A protocol of `driftlearn.evaluate`; hold-out by default.
    options : mapping
        Options of the protocol; by default no log loss, which no paper prints.
    numbers : mapping of str to mapping of str to float
        For each stream and learner the printed accuracy in percent.
    claims : tuple of Claim
        The conclusions of the paper, and other claims.
    notes : mapping of str to str
        Reasons for differences from print by stream, learner or both ("stream/learner").
    tests : tuple of str
        Names of the tests, as in "D1", of a table with the recall of each class after every data
        set; empty for a table with one accuracy per stream.
    recalls : mapping of str to mapping of str to ndarray of shape (tests, classes + 2)
        The numbers of such a table by stream and learner, in percent: recalls, overall and the
        spread of the overall.
    overall : str
        The metric in the column "overall" of such a table.
    protocols : mapping of str to pair
        Protocol and options of streams that are not evaluated by `protocol` and `options`.
    further : mapping of str to mapping of str to mapping of str to float
        Printed values of other metrics, such as "recovery", by stream and learner.
    extras : mapping of str to callable
        Further tables by heading: functions of the `Outcome`.
    figures : mapping of str to callable
        Figures by the name of the published one, as in "figure 3": functions of the `Outcome` that
        return a matplotlib figure.
    alternatives : mapping of str to Alternative
        Other settings by description; the claims are judged under each.
    reduced : Experiment, optional
        The smaller version that `quick` returns.
    quick_seeds : int
        Number of seeds of the smaller version.
    is_quick : bool
        Whether this is such a smaller version.
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
    alternatives: Mapping[str, Alternative] = field(default_factory=dict)
    reduced: Experiment | None = None
    quick_seeds: int = 1
    is_quick: bool = False

    def __post_init__(self) -> None:
        for claim in self.claims:
            claim.check()

    def __str__(self) -> str:
        return f"{PAPERS.get(self.paper, self.paper)}, {self.item}"

    @classmethod
    def of_paper(
        cls, paper: str, item: str, values: Mapping[str, Any] | None = None, **fields: Any
    ) -> Experiment:
        """Return an experiment with title, notes and claims from its paper's file.

        Parameters
        ----------
        paper, item : str
            As in `Experiment`.
        values : mapping of str to object, optional
            Values for the fields in texts, and for arguments of the claims' judges.
        **fields
            The other fields.
        """
        about, values = PAPERS[paper].items[item], values or {}
        judges = import_module(f"driftlearn.bench.papers.{paper.lower()}.claims")
        return cls(
            paper=paper,
            item=item,
            title=about["title"].format(**values),
            claims=tuple(claims_of(about.get("claims", ()), judges, fields["streams"], values)),
            **{"notes": about.get("notes", {}), **fields},
        )

    def protocol_of(self, stream: str) -> tuple[str, dict[str, Any]]:
        """Return the name of the protocol that a stream is evaluated by, and its options."""
        protocol, options = self.protocols.get(stream, (self.protocol, self.options))
        return protocol.__name__, dict(options)

    def quick(self) -> Experiment:
        """Return a version that takes seconds; its title describes how it is reduced.

        It judges all claims, and marks those that need the full size.
        """
        small = self if self.reduced is None else self.reduced
        return replace(small, reduced=None, quick_seeds=self.quick_seeds, is_quick=True)

    def with_quick(
        self, size: str, seeds: int = 1, of: Experiment | None = None, **changes: Any
    ) -> Experiment:
        """Return the experiment with a smaller version of it for `quick`.

        Parameters
        ----------
        size : str
            How it is reduced, as in "4,000 of 50,000 rows"; appended to the title.
        seeds : int
            Number of seeds.
        of : Experiment, optional
            The experiment to reduce, if not this one.
        **changes
            Fields that differ. The smaller version has no alternatives unless given here.
        """
        small = self if of is None else of
        note = f"reduced to {size}; the published numbers are those of the full size"
        small = replace(
            small, notes={"size": note, **small.notes}, **{"alternatives": {}, **changes}
        )
        small = replace(small, title=f"{small.title} (reduced: {size})", reduced=None)
        return replace(self, reduced=small, quick_seeds=seeds)

    def cells(
        self,
        seeds: Iterable[int] = range(10),
        streams: Iterable[str] | None = None,
        learners: Iterable[str] | None = None,
    ) -> list[Cell]:
        """Return the cells of work: every learner on every stream with every seed.

        Parameters
        ----------
        seeds : iterable of int
            The seeds, one for each repetition.
        streams, learners : iterable of str, optional
            Names of streams and learners; all by default.
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
        """Run the experiment, or a part of it.

        Parameters
        ----------
        seeds, streams, learners
            As in `cells`.
        grid : Grid, optional
            Executor and store; by default cells run one after the other and stay in memory.

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
        """Run the experiment like `run`, and continue after failures, which the outcome lists.

        Its alternatives are run, too, unless only a part is selected.

        Parameters
        ----------
        grid : Grid
            Executor and store.
        seeds, streams, learners
            As in `cells`.
        command : str
            The command that is recorded in the store.
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
        """Return the experiment under one of its alternatives.

        Raises
        ------
        ValueError
            If the alternative has streams or learners that are not among the experiment's.
        """
        other = self.alternatives[name]
        unknown = {*other.streams} - {*self.streams} | {*other.learners} - {*self.learners}
        if unknown:
            raise ValueError(
                f"Alternative {name!r} of {self} has unknown streams or learners: "
                f"{', '.join(sorted(unknown))}."
            )
        return replace(
            self,
            streams={**self.streams, **other.streams},
            learners={**self.learners, **other.learners},
            alternatives={},
        )
