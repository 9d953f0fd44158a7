"""Specs of learners and streams, convertible to strings, JSON and objects.

`driftlearn.specs.grammar` parses spec strings. The JSON form is canonical: equal objects have equal
``json.dumps(..., sort_keys=True)``. It contains the public path of the class and the non-default
parameters, so stored specs remain valid if a file is moved or a later version adds a parameter.
"""

from __future__ import annotations

import inspect
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from driftlearn.io.schema import an
from driftlearn.specs import catalogue
from driftlearn.streams._recorded import ArrayStream
from driftlearn.streams._stream import Stream
from driftlearn.utils.other_names import other_parameter

# maximum length of an array in JSON: more than an option needs, less than a data set
MOST_VALUES = 1_000
CONSTANTS = {"true": True, "false": False, "none": None}
LIKE_A_NUMBER = re.compile(r"[+-]?\.?\d")
WORD = re.compile(r"[^=,()\[\]'\"]+")


@dataclass(frozen=True)
class Spec:
    """Description of a learner or a stream.

    Attributes
    ----------
    kind : {"learner", "stream"}
        Kind of the object; some names exist in both kinds.
    name : str
        Name in the catalog, or import path of the class.
    params : dict
        Options; nested learners and streams are specs.
    label : str
        Name in tables; may be empty.
    renamed : str
        Name assigned to a stream after its creation. Unlike the label, it is part of the JSON.
    """

    kind: str
    name: str
    params: Mapping[str, Any] = field(default_factory=dict)
    label: str = ""
    renamed: str = ""

    @classmethod
    def of(cls, made: Any) -> Spec:
        """Return the spec of an estimator or stream, with its parameters but without its state.

        Raises
        ------
        ValueError
            If the object is neither an estimator nor a stream, or is a stream of rows in memory.

        Examples
        --------
        >>> from driftlearn import CARTClassifier, DTELClassifier
        >>> spec = Spec.of(DTELClassifier(CARTClassifier(max_depth=3), random_state=7))
        >>> spec.text
        'dtel:estimator=cart(max_depth=3),random_state=7'
        >>> spec.json()["class"]
        'driftlearn:DTELClassifier'
        """
        if not _is_made(made):
            raise ValueError(
                "only estimators with get_params and streams of driftlearn can be described. Got "
                f"{made if isinstance(made, type) else type(made)}."
            )
        if isinstance(made, ArrayStream):
            raise ValueError(
                f"the stream {made.name!r} holds rows in memory, which cannot be described. Read "
                "them from a file with from_csv or from_parquet."
            )
        kind = "stream" if isinstance(made, Stream) else "learner"
        params = {key: _each(value, cls.of, _is_made) for key, value in _given(made).items()}
        renamed = ""
        if kind == "stream" and "name" not in inspect.signature(type(made)).parameters:
            renamed = made.name if made.name != getattr(type(made), "name", None) else ""
        return cls(kind, catalogue.public_path(type(made)), params, renamed=renamed)

    @classmethod
    def of_json(cls, description: Any) -> Spec:
        """Return the spec of a JSON description.

        Raises
        ------
        ValueError
            If the description is invalid, or if the class does not exist or has another kind.

        Examples
        --------
        >>> old = {"class": "driftlearn.chunk.learn_nse:LearnPPNSEClassifier", "params": {}}
        >>> Spec.of_json(old).make()
        LearnPPNSEClassifier()
        """
        try:
            path = description["class"]
            made = catalogue.class_at(path)
            params = {key: _decode(value) for key, value in description["params"].items()}
        except (KeyError, TypeError, AttributeError, ValueError, ImportError) as error:
            text = f"{description!r} does not describe a learner or stream: {error}"
            raise ValueError(text) from error
        kind = "stream" if isinstance(made, type) and issubclass(made, Stream) else "learner"
        if kind == "learner" and not (isinstance(made, type) and hasattr(made, "get_params")):
            raise ValueError(f"{path!r} is neither an estimator class nor a stream class")
        return cls(kind, catalogue.public_path(made), params, renamed=description.get("name", ""))

    def json(self) -> dict[str, Any]:
        """Return class and parameters as JSON values.

        Raises
        ------
        ValueError
            If a parameter has no JSON representation, for example a large array, function or
            generator.
        """
        params = {k: _encode(value, f"{k} of {self.name}") for k, value in self.params.items()}
        name = {"name": self.renamed} if self.renamed else {}
        return {"class": self.name, "params": params, **name}

    @property
    def text(self) -> str:
        """Spec string, for `driftlearn.specs.grammar.read`."""
        return self._formatted("{}:{}")

    def _formatted(self, form: str) -> str:
        """Format name and options; without options, return the name."""
        short = {entry.path: name for name, entry in catalogue.LEARNERS.items()}
        name = short.get(self.name, self.name)
        options = ",".join(f"{key}={_written(value)}" for key, value in self.params.items())
        return form.format(name, options) if options else name

    @cached_property
    def _make(self) -> Callable[..., Any]:
        if ":" in self.name:
            return catalogue.class_at(self.name)
        return catalogue.find(self.kind, self.name)[0]

    def make(self, seed: int | None = None) -> Any:
        """Create the object; a seed is used as `random_state` unless the spec sets it."""
        make = self._make
        params = {
            key: _each(value, Spec.make, lambda part: isinstance(part, Spec))
            for key, value in self.params.items()
        }
        if seed is not None and "random_state" in catalogue.defaults(make):
            params.setdefault("random_state", seed)
        try:
            made = make(**params)
            if hasattr(made, "_parameter_constraints"):
                made._validate_params()
        except ValueError as error:
            self._check_numbers(make, params)
            if self.kind == "stream":
                raise
            raise ValueError(str(error).replace(make.__name__, self.name)) from error
        except TypeError as error:
            self._check_numbers(make, params)
            raise ValueError(f"the {self.kind} {self.text} cannot be created: {error}") from error
        if self.renamed:
            made.name = self.renamed
        return made

    def _check_numbers(self, make: Callable[..., Any], params: dict[str, Any]) -> None:
        """Raise ValueError for a string value of a numeric stream parameter."""
        for key, usual in catalogue.defaults(make).items() if self.kind == "stream" else ():
            given = params.get(key)
            if isinstance(usual, int | float) and isinstance(given, str):
                what = "true or false" if isinstance(usual, bool) else f"a number, such as {usual}"
                text = f"{key} of the stream {self.name} must be {what}. Got {given!r}."
                raise ValueError(text) from None


def check_option(kind: str, name: str, key: str, known: Iterable[str], at: str = "") -> None:
    """Raise ValueError with similar names for an unknown option."""
    if key not in known:
        same = other_parameter(key, known)
        near = f" (did you mean {same!r}?)" if same else catalogue.near(key, known)
        raise ValueError(f"unknown option {key!r} of the {kind} {name}{at}{near}")


def inside(key: str) -> str:
    """Return the kind of object in an option: "learner", "stream", or "" for other values."""
    if key.endswith("estimator"):
        return "learner"
    return "stream" if key in ("stream", "concepts") else ""


def constant(word: str) -> Any:
    """Return the number, bool or None that a word represents, otherwise the word."""
    if word.lower() in CONSTANTS:
        return CONSTANTS[word.lower()]
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return word


def _written(value: Any) -> str:
    """Format a value for the grammar."""
    if isinstance(value, Spec):
        return value._formatted("{}({})")
    if isinstance(value, tuple | list):
        inside = ",".join(map(_written, value))
        return f"({inside})" if isinstance(value, tuple) else f"[{inside}]"
    if isinstance(value, str):
        plain = WORD.fullmatch(value) and value == value.strip() and constant(value) is value
        plain = plain and not LIKE_A_NUMBER.match(value)
        return value if plain else "'" + value.replace("'", "''") + "'"
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def _is_made(thing: Any) -> bool:
    """Return whether an object is an estimator or a stream."""
    is_one = isinstance(thing, Stream) or hasattr(thing, "get_params")
    return is_one and not isinstance(thing, type)


def _each(value: Any, change: Callable[[Any], Any], selected: Callable[[Any], bool]) -> Any:
    """Apply a function to the selected parts of a value, also in tuples, lists and dicts."""
    if selected(value):
        return change(value)
    if isinstance(value, list | tuple):
        items = [_each(item, change, selected) for item in value]
        return tuple(items) if isinstance(value, tuple) else items
    if isinstance(value, dict):
        return {key: _each(item, change, selected) for key, item in value.items()}
    return value


def _given(made: Any) -> dict[str, Any]:
    """Return the parameters with non-default values."""
    params = made.params() if isinstance(made, Stream) else made.get_params(deep=False)
    standard = catalogue.defaults(type(made))
    ordered = {key: params[key] for key in (*standard, *params) if key in params}
    return {k: v for k, v in ordered.items() if _differs(v, standard.get(k, catalogue.REQUIRED))}


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
            text = f"{what} is an array of {value.size} values, above the limit of {MOST_VALUES}"
            raise ValueError(text)
        items = [_encode(item) for item in value.ravel().tolist()]
        return {"array": items, "dtype": value.dtype.str, "shape": list(value.shape)}
    if isinstance(value, Spec) or _is_made(value):
        return (value if isinstance(value, Spec) else Spec.of(value)).json()
    raise ValueError(
        f"{what} is {an(type(value).__name__)}. Only numbers, strings, estimators, and tuples, "
        "lists, dicts and small arrays of these can be described."
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
    return Spec.of_json(value)
