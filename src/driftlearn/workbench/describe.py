"""Learners and streams as values that JSON knows, and back.

A description is canonical: equal objects give equal ``json.dumps(..., sort_keys=True)``. It holds
the class and the parameters that differ from the constructor's defaults, so that a parameter which
a later version adds does not change the descriptions of today.
"""

from __future__ import annotations

import inspect
import json
import math
from pkgutil import resolve_name
from typing import Any

import numpy as np

from driftlearn.streams import Stream
from driftlearn.streams._recorded import ArrayStream
from driftlearn.workbench import grammar
from driftlearn.workbench.catalogue import LEARNERS, REQUIRED

MOST_VALUES = 1_000


def describe(obj: Any) -> dict[str, Any]:
    """Describe an estimator or a stream, so that `build` makes an equal one.

    Parameters
    ----------
    obj : estimator or Stream
        What is described; of an estimator the parameters, not what it has learned.

    Returns
    -------
    dict

    Raises
    ------
    ValueError
        If it holds what cannot be described, as arrays of rows, functions and generators.

    Examples
    --------
    >>> from driftlearn import DTELClassifier
    >>> from driftlearn.streams import SEA
    >>> describe(DTELClassifier(n_estimators=10))
    {'class': 'driftlearn.chunk.dtel:DTELClassifier', 'params': {'n_estimators': 10}}
    >>> describe(SEA(thresholds=(8, 9), random_state=0))["params"]
    {'thresholds': {'tuple': [8, 9]}, 'random_state': 0}
    """
    if not _is_described(obj):
        raise ValueError(
            "only estimators with get_params and streams of driftlearn can be described; got "
            f"{obj if isinstance(obj, type) else type(obj)}"
        )
    if isinstance(obj, ArrayStream):
        raise ValueError(
            f"the stream {obj.name!r} holds rows in memory, which cannot be described; read them "
            "from a file with from_csv or from_parquet"
        )
    kind = _path(type(obj))
    params = {key: _encode(value, f"{key} of {kind}") for key, value in _given(obj).items()}
    description: dict[str, Any] = {"class": kind, "params": params}
    if isinstance(obj, Stream) and _has_own_name(obj):
        description["name"] = obj.name
    return description


def build(description: dict[str, Any]) -> Any:
    """Make the estimator or stream that was described.

    Raises
    ------
    ValueError
        If this is no description, its class cannot be imported or is neither an estimator nor a
        stream, or does not take these parameters.

    Examples
    --------
    >>> build({"class": "sklearn.naive_bayes:GaussianNB", "params": {"var_smoothing": 0.1}})
    GaussianNB(var_smoothing=0.1)
    """
    try:
        path = description["class"]
        params = {key: _decode(value) for key, value in description["params"].items()}
        kind: Any = resolve_name(path)
    except (KeyError, TypeError, AttributeError, ValueError, ImportError) as error:
        raise ValueError(f"{description!r} does not describe what can be made: {error}") from error
    if not isinstance(kind, type) or not (issubclass(kind, Stream) or hasattr(kind, "get_params")):
        raise ValueError(f"{path!r} is neither an estimator's class with get_params nor a stream's")
    try:
        made: Any = kind(**params)
    except TypeError as error:
        raise ValueError(f"{path!r} cannot be made of these parameters: {error}") from error
    if "name" in description:
        made.name = description["name"]
    return made


def label(obj: Any) -> str:
    """Name an estimator or a stream in a word, with the options that are not the defaults.

    The seed is left out. For learners that have a name this is how they are written on the
    command line.

    Examples
    --------
    >>> from driftlearn import CARTClassifier, LearnPPNSEClassifier
    >>> label(LearnPPNSEClassifier(CARTClassifier(max_depth=3), slope=0.6, random_state=7))
    'learn++.nse:estimator=cart(max_depth=3),slope=0.6'
    """
    word = _word(obj)
    return grammar.write(word.text, word.options or {})


def _word(obj: Any) -> grammar.Word:
    if isinstance(obj, Stream):
        if _has_own_name(obj):
            return grammar.Word(obj.name, 0)
        name = obj.name
    else:
        short = {entry.class_name: name for name, entry in LEARNERS.items()}
        name = type(obj).__name__
        if type(obj).__module__.startswith("driftlearn."):
            name = short.get(name, name)
    options = {
        key: _word(value) if _is_described(value) else value
        for key, value in _given(obj).items()
        if key not in ("random_state", "name")
    }
    return grammar.Word(name, 0, options)


def _given(obj: Any) -> dict[str, Any]:
    """Give the parameters whose values are not the defaults."""
    params = obj.params() if isinstance(obj, Stream) else obj.get_params(deep=False)
    standard = {key: p.default for key, p in inspect.signature(type(obj)).parameters.items()}
    changed = {key: v for key, v in params.items() if _differs(v, standard.get(key, REQUIRED))}
    return {key: changed[key] for key in (*standard, *changed) if key in changed}


def _differs(value: Any, default: Any) -> bool:
    if value is default:
        return False
    try:
        one, other = (json.dumps(_encode(v), sort_keys=True) for v in (value, default))
    except ValueError:
        return True
    return one != other


def _encode(value: Any, what: str = "it") -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, list | tuple):
        items = [_encode(item, what) for item in value]
        return {"tuple": items} if isinstance(value, tuple) else items
    if isinstance(value, dict):
        pairs = [[_encode(key, what), _encode(item, what)] for key, item in value.items()]
        return {"dict": sorted(pairs, key=lambda pair: json.dumps(pair[0], sort_keys=True))}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufU":
        if value.size > MOST_VALUES:
            raise ValueError(f"{what} is an array of {value.size} values, too many to describe")
        items = [_encode(item) for item in value.ravel().tolist()]
        return {"array": items, "dtype": value.dtype.str, "shape": list(value.shape)}
    if _is_described(value):
        return describe(value)
    raise ValueError(
        f"{what} is a {type(value).__name__}, and only numbers, texts, estimators and tuples, "
        "lists, dicts and small arrays of them can be described"
    )


def _decode(value: Any) -> Any:
    if isinstance(value, list):
        return [_decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "tuple" in value:
        return tuple(_decode(item) for item in value["tuple"])
    if "dict" in value:
        return {_decode(key): _decode(item) for key, item in value["dict"]}
    if "float" in value:
        return float(value["float"])
    if "array" in value:
        items = [_decode(item) for item in value["array"]]
        return np.array(items, dtype=value["dtype"]).reshape(value["shape"])
    return build(value)


def _path(thing: Any) -> str:
    """Give the import path of a class or function, as in ``"package.module:Name"``."""
    path = f"{thing.__module__}:{thing.__qualname__}"
    if "<" in path:
        raise ValueError(f"{path} cannot be imported; define it at the top of a module")
    return path


def _is_described(obj: Any) -> bool:
    """Say whether an object is an estimator or a stream."""
    return not isinstance(obj, type) and (isinstance(obj, Stream) or hasattr(obj, "get_params"))


def _has_own_name(stream: Stream) -> bool:
    """Say whether a stream was named after it was made."""
    declared = inspect.signature(type(stream)).parameters
    return "name" not in declared and stream.name != getattr(type(stream), "name", None)
