"""What a store remembers of how its keys learn."""

from __future__ import annotations

import json
from typing import Any

from driftlearn import io as persist
from driftlearn.ops.keyed.clock import Clock
from driftlearn.ops.keyed.key_store import KeyStore
from driftlearn.ops.keyed.keyed_learner import LEARNER, KeyedLearner
from driftlearn.ops.keyed.population import Population


def learner_of(
    store: KeyStore, given: Any, asked: dict[str, Any]
) -> tuple[KeyedLearner, dict[str, Any]]:
    """Return how keys of a store learn, and what it was made with; raise if others are asked for.

    Parameters
    ----------
    store : KeyStore
        The store; a new one is what it is asked to be.
    given : KeyedLearner, str, estimator or None
        How keys are to learn.
    asked : dict
        What else it is to be made with; None where nothing is said.
    """
    known = store.about("learner")
    if known is None:
        given = LEARNER if given is None else given
        return given if isinstance(given, KeyedLearner) else KeyedLearner(given), asked
    about = persist.loads(known)
    population = persist.loads(store.about("population") or b"")
    parts = {"learner", "kinds", "chunk", *asked}
    if not isinstance(population, Population) or not isinstance(about, dict) or {*about} != parts:
        raise persist.CorruptFile(f"{store.path} does not say how its keys learn: it is damaged")
    for name, value in asked.items():
        if value not in (None, about[name]):
            raise ValueError(
                f"{name} cannot be another now: {store.path} was made with {about[name]}"
            )
    if given is not None:
        given = given.learner if isinstance(given, KeyedLearner) else given
        if persist.dumps(given) != persist.dumps(about["learner"]):
            raise ValueError(
                f"keys in {store.path} learn by {about['learner']}, not by {given}: leave it out, "
                "or begin another store"
            )
    learner = KeyedLearner(
        about["learner"], kinds=about["kinds"], chunk=about["chunk"], population=population
    )
    return learner, {name: about[name] for name in asked}


def clock_of(store: KeyStore, idle: int | None, by_time: bool) -> tuple[Clock, dict[str, int]]:
    """Return the clock of a store, and what it counted."""
    known = store.about("stream")
    if known is None:
        return Clock(idle, by_time), {}
    try:
        stream = json.loads(known)
        return Clock.of(idle, by_time, stream["clock"]), {**stream["counts"]}
    except (ValueError, LookupError, TypeError):
        raise persist.CorruptFile(f"{store.path} does not say where it is: it is damaged") from None


def remember(
    store: KeyStore, learner: KeyedLearner, clock: Clock, renew: int, counts: dict[str, int]
) -> None:
    """Have a store remember all of this."""
    if learner.kinds is not None:
        idle = None if clock.idle is None else (clock.idle, clock.by_time)
        about = {"learner": learner.learner, "kinds": learner.kinds, "chunk": learner.chunk,
                 "idle": idle, "renew": renew}  # fmt: skip
        store.put_about("learner", persist.dumps(about))
        store.put_about("population", persist.dumps(learner.population, compress=True))
    stream = {"counts": counts, "clock": clock.state()}
    store.put_about("stream", json.dumps(stream).encode())
