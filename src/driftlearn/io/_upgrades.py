"""Files of older versions: current locations of their classes, translation of their states.

Format 2 is that of 0.1.0. Format 3 has the same structure; modules, classes and attributes have
other names. ``moved-0.1.0.txt`` lists the former and the current ones.
"""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

AUTO = "driftlearn.model_selection.auto_classifier:AutoClassifier"  # the default learner
IBOOST = "driftlearn.ensemble.boosting.iboost:IBoostClassifier"
IBOOST_VARIANT = "driftlearn.bench.papers.s3.iboost_variants:IBoostVariant"
#: IBOOST options of version 0.1.0 that now belong to IBOOST_VARIANT, with their defaults.
IBOOST_OPTIONS = {
    "rule": "implicit", "margin_clip": 5.0, "add": "on_error", "update_when": "always",
    "remove_negative": True, "min_window": 30, "delta": 0.002, "convention": "coherent",
    "resample": False,
}  # fmt: skip


@cache
def _moved() -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """Return the current names of modules and classes, and those of attributes by class."""
    names, attributes = {}, {}
    for line in Path(__file__).with_name("moved-0.1.0.txt").read_text("utf-8").splitlines():
        name, *current = line.split()
        if name == "#":
            continue
        if "=" in line:
            attributes[f"driftlearn.{name}"] = dict(pair.split("=") for pair in current)
        else:
            names[name] = current[0]
    return names, attributes


def current_name(name: str) -> str:
    """Return the current ``package.module:Class`` of a class named in an older file.

    Examples
    --------
    >>> current_name("driftlearn.learners.cart:CARTClassifier")
    'driftlearn.tree.cart:CARTClassifier'
    """
    package, dot, name_below = name.partition(".")
    if package != "driftlearn":
        return name
    module, colon, inside = name_below.partition(":")
    names, _ = _moved()
    current = f"{names.get(module, module)}{colon}{inside}"
    return f"{package}{dot}{names.get(current, current)}"


def current_spec(text: str) -> str:
    """Return the current spec of a learner named in a store of version 0.1.0.

    Examples
    --------
    >>> current_spec("auto:look_every=50,answer=leader")
    'auto:eval_interval=50,combine=best'
    >>> current_spec("iboost:rule=printed")
    'driftlearn.bench.papers.s3.iboost_variants:IBoostVariant:rule=printed'
    """
    name, colon, options = text.partition(":")
    if name == "iboost" and any(re.search(rf"\b{option}=", options) for option in IBOOST_OPTIONS):
        return f"{IBOOST_VARIANT}:{options}"
    if name != "auto" or not colon:
        return text
    for former, current in _moved()[1][AUTO].items():
        options = re.sub(rf"\b{former}=", f"{current}=", options)
    return f"{name}:{options.replace('combine=leader', 'combine=best')}"


def rename(state: dict[str, Any], names: dict[str, str]) -> None:
    """Rename entries of a state; `names` has the current names by former name.

    The order of entries is kept, so an upgraded state is stored with the same bytes as others.

    Examples
    --------
    >>> rename(state := {"leads": 3, "n": 1}, {"leads": "best"})
    >>> state
    {'best': 3, 'n': 1}
    """
    entries = [(names.get(name, name), value) for name, value in state.items()]
    state.clear()
    state.update(entries)


def _committee(state: dict[str, Any]) -> None:
    if type(state.get("numbers")) is dict:
        rename(state["numbers"], {"born": "created_at", "knows": "trained_on"})


def _online_committee(state: dict[str, Any]) -> None:
    columns = state.get("columns")
    if isinstance(columns, (list, tuple)):
        current = {"born": "created_at"}
        if "asked" in columns:  # with other columns, "wrong" is a sum of weights and keeps its name
            current |= {"asked": "n_tested", "wrong": "n_wrong"}
        state["columns"] = type(columns)(current.get(c, c) for c in columns)
    if type(state.get("objects")) is dict:
        rename(state["objects"], {"answers": "windows"})


def _adaptive_random_forest(state: dict[str, Any]) -> None:
    committee: Any = state.get("committee")
    current = {"right": "n_correct", "seen": "n_tested"}
    if type(getattr(committee, "columns", None)) is tuple:
        committee.columns = tuple(current.get(c, c) for c in committee.columns)


def _saved_model(state: dict[str, Any]) -> None:
    events = state.get("events")
    for event in events if isinstance(events, list) else ():
        if type(event) is dict and "what" in event:
            kind = event.pop("what")
            event["kind"] = "schema_change" if kind == "surprise" else kind


def _auto_classifier(state: dict[str, Any]) -> None:
    if state.get("combine") == "leader":
        state["combine"] = "best"
    numbers = state.pop("ids_", ()), state.pop("voices_", ())
    for candidate, number, weight in zip(state.get("candidate_list_", ()), *numbers):
        candidate.id, candidate.weight = int(number), float(weight)


def _result(state: dict[str, Any]) -> None:
    for data in state["data"].values():
        rename(data, {"learnt": "trained"})


def _schedule(state: dict[str, Any]) -> None:
    starts, ramp = state.pop("starts"), state.pop("ramp")
    changes = tuple(starts[1:].tolist()) if len(state["values"]) > 1 else ()
    state.update(drift_at=changes, width=ramp)


#: Further changes of state in files of format 2, by current class name.
UPGRADES: dict[str, Callable[[dict[str, Any]], None]] = {
    AUTO: _auto_classifier,
    "driftlearn.ensemble.committee:Committee": _committee,
    "driftlearn.ensemble._online_committee:OnlineCommittee": _online_committee,
    "driftlearn.forest.adaptive_random_forest:AdaptiveRandomForest": _adaptive_random_forest,
    "driftlearn.ops.checkpoint.saved_model:SavedModel": _saved_model,
    "driftlearn.streams._generated:Schedule": _schedule,
    "driftlearn.evaluate._result:Result": _result,
}


def upgrade(kind: type, state: Any) -> str | None:
    """Translate, in place, a state from a file of format 2; return its class if that changed."""
    name = f"{kind.__module__}:{kind.__qualname__}"
    if type(state) is not dict:
        return None
    rename(state, _moved()[1].get(name, {}))
    if name in UPGRADES:
        UPGRADES[name](state)
    if name != IBOOST:
        return None
    if any(state.get(option, default) != default for option, default in IBOOST_OPTIONS.items()):
        return IBOOST_VARIANT
    for option in IBOOST_OPTIONS:
        state.pop(option, None)
    return None
