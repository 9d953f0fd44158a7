"""A table or a figure of a paper, as data: what was run, on what, and what was printed."""

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

MOST_NAMED = 3  # failures in the message of an error


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
        One of `driftlearn.evaluate`'s; hold-out by default.
    options : mapping
        Its options; by default no log loss, which no paper prints.
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
    protocols : mapping of str to pair
        For streams that are not evaluated by `protocol` and `options`: theirs.
    further : mapping of str to mapping of str to mapping of str to float
        For other metrics of a result's summary, as in "recovery", what is printed for each stream
        and learner.
    extras : mapping of str to callable
        Further tables by their headings: functions of the `Outcome`.
    figures : mapping of str to callable
        Drawings by what they redraw, as in "figure 3": functions of the `Outcome` that return a
        matplotlib figure.
    alternatives : mapping of str to Alternative
        By what they change, other settings under which the claims are judged too.
    reduced : Experiment, optional
        A smaller version, for `quick`.
    quick_seeds : int
        Seeds with which that one is run.
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
        """Return a version that takes seconds; its title says how it is reduced.

        It judges all claims, and says of which only the full size can be believed.
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
            How it is smaller, as in "4,000 of 50,000 rows"; put after the title.
        seeds : int
            Seeds to run it with.
        of : Experiment, optional
            What is made smaller, where that is not the experiment itself.
        **changes
            Fields of the smaller version that differ; it has no alternatives unless they are among
            these.
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
        """Return the work to be done: every learner on every stream with every seed.

        Parameters
        ----------
        seeds : iterable of int
            One repetition each.
        streams, learners : iterable of str, optional
            Which of them; all by default.
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
        """Run the experiment, or the part of it that is named.

        Parameters
        ----------
        seeds, streams, learners
            As in `cells`.
        grid : Grid, optional
            Where it is run and stored; one cell after the other and in memory by default.

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
        """Run it on a grid as `run` does, but go on where a cell fails: the outcome says which.

        Its alternatives are run too, unless only a part of it is asked for.

        Parameters
        ----------
        grid : Grid
            Where it is run and stored.
        seeds, streams, learners
            As in `cells`.
        command : str
            What the store notes as the command that ran it.
        """
        seeds = list(seeds)
        cells = self.cells(seeds, streams, learners)
        if not cells:
            return Outcome(self, {})
        whole = len(cells) == len(self.streams) * len(self.learners) * len(seeds)
        others = {name: self.varied(name) for name in self.alternatives if whole}
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
                f"{self}: with {name!r} there is {', '.join(sorted(unknown))}, which it does not "
                "have otherwise"
            )
        return replace(
            self,
            streams={**self.streams, **other.streams},
            learners={**self.learners, **other.learners},
            alternatives={},
        )
