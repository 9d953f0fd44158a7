"""Files of older versions: where their classes are now, and how their states are translated.

Format 2 is that of 0.1.0. Format 3 has the same structure; modules, classes and attributes have
other names. ``moved-0.1.0.txt`` lists the names of modules and classes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any


@cache
def _moved() -> dict[str, str]:
    """Return the current names, below ``driftlearn``, of modules and classes of 0.1.0."""
    text = Path(__file__).with_name("moved-0.1.0.txt").read_text("utf-8")
    pairs = (line.split() for line in text.splitlines() if not line.startswith("#"))
    return dict(pairs)


def current_name(name: str) -> str:
    """Return the current ``package.module:Class`` of a class that an older file names.

    Examples
    --------
    >>> current_name("driftlearn.learners.cart:CARTClassifier")
    'driftlearn.tree.cart:CARTClassifier'
    """
    package, dot, name_below = name.partition(".")
    if package != "driftlearn":
        return name
    module, colon, inside = name_below.partition(":")
    current = f"{_moved().get(module, module)}{colon}{inside}"
    return f"{package}{dot}{_moved().get(current, current)}"


#: Options of the default learner in spec texts of 0.1.0, such as ``auto:look_every=50``.
OPTIONS = {
    "learners": "candidates",
    "answer": "combine",
    "look_every": "eval_interval",
    "hopeless": "drop_threshold",
}


def current_spec(text: str) -> str:
    """Return the current spec of a learner that a store of 0.1.0 names.

    Examples
    --------
    >>> current_spec("auto:look_every=50,answer=leader")
    'auto:eval_interval=50,combine=best'
    """
    name, colon, options = text.partition(":")
    if name != "auto" or not colon:
        return text
    for former, current in OPTIONS.items():
        options = re.sub(rf"\b{former}=", f"{current}=", options)
    return f"{name}:{options.replace('combine=leader', 'combine=best')}"


def renamed(**names: str) -> Callable[[dict[str, Any]], None]:
    """Return an upgrade that renames entries of a state: the former name, then the current one.

    The order of entries stays, so that an upgraded state is stored with the same bytes as others.

    Examples
    --------
    >>> state = {"leads": 3}
    >>> renamed(leads="best")(state)
    >>> state
    {'best': 3}
    """

    def rename(state: dict[str, Any]) -> None:
        entries = [(names.get(name, name), value) for name, value in state.items()]
        state.clear()
        state.update(entries)

    return rename


def _committee(state: dict[str, Any]) -> None:
    if type(state.get("numbers")) is dict:
        renamed(born="created_at")(state["numbers"])


def _online_committee(state: dict[str, Any]) -> None:
    renamed(met="member_classes", seen="seen_classes", things="objects")(state)
    columns = state.get("columns")
    if isinstance(columns, (list, tuple)):
        state["columns"] = type(columns)("created_at" if c == "born" else c for c in columns)


def _adaptive_random_forest(state: dict[str, Any]) -> None:
    renamed(background="background_models", background_met="background_classes")(state)
    committee: Any = state.get("committee")
    current = {"right": "n_correct", "seen": "n_tested"}
    if type(getattr(committee, "columns", None)) is tuple:
        committee.columns = tuple(current.get(c, c) for c in committee.columns)


def _saved_model(state: dict[str, Any]) -> None:
    events = state.get("events")
    for event in events if isinstance(events, list) else ():
        if type(event) is dict and "what" in event:
            kind = event.pop("what")
            event["kind"] = "schema" if kind == "surprise" else kind


def _auto_classifier(state: dict[str, Any]) -> None:
    renamed(
        learners="candidates",
        answer="combine",
        look_every="eval_interval",
        hopeless="drop_threshold",
        players_="candidate_list_",
        led_="leader_changes_",
    )(state)
    if state.get("combine") == "leader":
        state["combine"] = "best"
    numbers = state.pop("ids_", ()), state.pop("voices_", ())
    for candidate, number, weight in zip(state.get("candidate_list_", ()), *numbers):
        candidate.id, candidate.weight = int(number), float(weight)


def _result(state: dict[str, Any]) -> None:
    for data in state["data"].values():
        renamed(learnt="trained")(data)


def _schedule(state: dict[str, Any]) -> None:
    starts, ramp = state.pop("starts"), state.pop("ramp")
    changes = tuple(starts[1:].tolist()) if len(state["values"]) > 1 else ()
    state.update(drift_at=changes, width=ramp)


#: How the state of a class in a file of format 2 becomes a state of today, by current class name.
UPGRADES: dict[str, Callable[[dict[str, Any]], None]] = {
    "driftlearn.model_selection.auto_classifier:AutoClassifier": _auto_classifier,
    "driftlearn.model_selection.candidate:Candidate": renamed(
        learner="classifier",
        hits="correct",
        tries="tested",
        new_hits="new_correct",
        new_tries="new_tested",
        all_hits="total_correct",
        all_tries="total_tested",
    ),
    "driftlearn.base.external_model:ExternalModel": renamed(
        told="received", weighs="takes_weights", saved="carry", blank="template"
    ),
    "driftlearn.ensemble.bagging.ddd:DDD": renamed(right="n_correct", seen="n_tested"),
    "driftlearn.ensemble.committee:Committee": _committee,
    "driftlearn.ensemble._online_committee:OnlineCommittee": _online_committee,
    "driftlearn.forest.adaptive_random_forest:AdaptiveRandomForest": _adaptive_random_forest,
    "driftlearn.ops.checkpoint.saved_model:SavedModel": _saved_model,
    "driftlearn.ops.checkpoint.waiting_rows:WaitingRows": renamed(
        said="predicted", places="locations", early="early_labels"
    ),
    "driftlearn.ops.checkpoint.record:Record": renamed(
        counts="class_counts",
        seen="class_tested",
        found="class_right",
        marks="span_starts",
        files="file_starts",
        chunks="chunk_starts",
    ),
    "driftlearn.dummy.refit:RefitClassifier": renamed(kept_="buffer_"),
    "driftlearn.rules.stagger:Element": renamed(born="created_at"),
    "driftlearn.ops.keyed.key_state:KeyState": renamed(voices="weights"),
    "driftlearn.ops.keyed.shared_models:SharedModels": renamed(
        model="global_model", borrow="pool_size", shelf="model_pool"
    ),
    "driftlearn.streams._generated:Schedule": _schedule,
    "driftlearn.evaluate._result:Result": _result,
    "driftlearn.evaluate._run:Run": renamed(lookouts="member_logs"),
    "driftlearn.evaluate._run:Step": renamed(learnt="trained"),
    "driftlearn.ensemble.chunk.tix:TIXClassifier": renamed(doubt_="smoothing_"),
}


def upgrade(kind: type, state: Any) -> None:
    """Translate, in place, a state from a file of format 2."""
    function = UPGRADES.get(f"{kind.__module__}:{kind.__qualname__}")
    if function is not None and type(state) is dict:
        function(state)
