"""Learners and streams as they are written on the command line and in plans."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from driftlearn.streams import STREAMS, Stream
from driftlearn.workbench import grammar
from driftlearn.workbench.catalogue import (
    LEARNERS,
    LearnerEntry,
    find,
    learner_table,
    near,
    stream_table,
)
from driftlearn.workbench.grammar import Word

__all__ = [
    "LEARNERS",
    "STREAMS",
    "LearnerEntry",
    "Spec",
    "parse",
    "learner",
    "stream",
    "spec",
    "make_learner",
    "make_stream",
    "learner_table",
    "stream_table",
]


@dataclass(frozen=True)
class Spec:
    """A learner or a stream that can be made for every seed.

    Attributes
    ----------
    kind : {"learner", "stream"}
        Which of the two; some names stand for both.
    name : str
        Its name, or its class as an import path.
    params : dict
        Options that were given; the value of an estimator is a `Spec`.
    label : str
        What it is called in tables; the text of name and options unless given.
    """

    kind: str
    name: str
    params: Mapping[str, Any] = field(default_factory=dict)
    label: str = ""

    def __post_init__(self) -> None:
        if not self.label:
            object.__setattr__(self, "label", self.text)

    @property
    def text(self) -> str:
        """Name and options as `parse` reads them."""
        return grammar.write(self.name, {k: _unsettled(v) for k, v in self.params.items()})

    def make(self, seed: int | None = None) -> Any:
        """Make it; a `random_state` that was not given is the seed."""
        make = make_learner if self.kind == "learner" else make_stream
        params = dict(self.params)
        if seed is not None and "random_state" in find(self.kind, self.name)[1]:
            params.setdefault("random_state", seed)
        made = make(self.name, **params)
        if self.kind == "learner" and not hasattr(made, "partial_fit"):
            raise ValueError(
                f"{self.name} cannot go on learning, it has no partial_fit; it can be the base of "
                f"an ensemble, as in learn++.nse:estimator={self.name}"
            )
        return made


def parse(text: str, kind: str = "learner") -> Spec:
    """Read the name and the options of a learner or a stream.

    Parameters
    ----------
    text : str
        As in ``"sea:noise=0.1"``; with a label, ``"noisy=sea:noise=0.1"``. Options of an estimator
        are put in parentheses: ``"learn++.mt:estimator=cart(max_depth=3)"``.
    kind : {"learner", "stream"}
        What the name stands for.

    Returns
    -------
    Spec

    Raises
    ------
    ValueError
        With the column of the mistake and the nearest right names.

    Examples
    --------
    >>> spec = parse("mine=learn++.nse:slope=0.6,estimator=naive-bayes")
    >>> spec.label, spec.make(seed=0)
    ('mine', LearnPPNSEClassifier(estimator=GaussianNBClassifier(), random_state=0, slope=0.6))
    """
    label, word = grammar.read(text)
    return _from_word(kind, word, text, label or text.strip())


def learner(text: str, seed: int | None = None) -> Any:
    """Make the learner that is written, as in ``learner("dtel:n_estimators=10")``."""
    return parse(text).make(seed)


def stream(text: str, seed: int | None = None) -> Stream:
    """Make the stream that is written, as in ``stream("sea:noise=0.1", seed=0)``."""
    return parse(text, "stream").make(seed)


def spec(kind: str, name: str, options: Mapping[str, Any], label: str = "") -> Spec:
    """Give what `parse` gives, from a name and values instead of a text.

    An estimator is given as text, or as a dict that has its `name` and options.
    """
    _, known = find(kind, name)
    params = {}
    for key, value in options.items():
        _check_option(kind, name, key, known)
        params[key] = _estimator(value) if key.endswith("estimator") else value
    return Spec(kind, name, params, label)


def make_learner(name: str, **params: Any) -> Any:
    """Make a learner, or a base for one, by its name; its parameters are checked.

    Examples
    --------
    >>> make_learner("dtel", estimator="cart(max_depth=3)")
    DTELClassifier(estimator=CARTClassifier(max_depth=3))
    """
    make, _ = find("learner", name)
    given = {
        key: make_learner(value.name, **value.params) if isinstance(value, Spec) else value
        for key, value in spec("learner", name, params).params.items()
    }
    try:
        made = make(**given)
        if hasattr(made, "_parameter_constraints"):
            made._validate_params()
    except (TypeError, ValueError) as error:
        said = str(error).replace(make.__name__, name)
        raise ValueError(said.replace(". Got ", "; got ").removesuffix(" instead.")) from error
    return made


def make_stream(name: str, **params: Any) -> Stream:
    """Make a stream by its name or import path.

    Examples
    --------
    >>> make_stream("sea", noise=0.2, random_state=0)
    SEA(noise=0.2, random_state=0)
    """
    make, _ = find("stream", name)
    try:
        return make(**spec("stream", name, params).params)
    except TypeError as error:
        given = grammar.write(name, params)
        raise ValueError(f"the stream {given} cannot be made: {error}") from error


def _from_word(kind: str, word: Word, text: str, label: str = "") -> Spec:
    """Turn what was read into a spec, every mistake with its column."""
    _, known = find(kind, word.text, f" at column {word.column} of {text!r}")
    params = {}
    for key, value in (word.options or {}).items():
        _check_option(kind, word.text, key, known, f" at column {word.columns[key]} of {text!r}")
        if key.endswith("estimator"):
            nested = isinstance(value, Word)
            params[key] = _from_word("learner", value, text) if nested else _estimator(value)
        else:
            params[key] = _plain(value, text)
    return Spec(kind, word.text, params, label)


def _estimator(value: Any) -> Any:
    if isinstance(value, str):
        return replace(parse(value), label="")
    if isinstance(value, Mapping):
        options = dict(value)
        return spec("learner", str(options.pop("name", "")), options)
    return value


def _plain(value: Any, text: str) -> Any:
    if isinstance(value, tuple | list):
        return type(value)(_plain(item, text) for item in value)
    if not isinstance(value, Word):
        return value
    if value.options is not None:
        raise ValueError(
            f"{value.text!r} with options at column {value.column} of {text!r} is a learner, "
            "which only an estimator can be"
        )
    return value.text


def _unsettled(value: Any) -> Any:
    if isinstance(value, Spec):
        return Word(value.name, 0, {key: _unsettled(v) for key, v in value.params.items()})
    return value


def _check_option(kind: str, name: str, key: str, known: Iterable[str], at: str = "") -> None:
    if key not in known:
        raise ValueError(f"unknown option {key!r} of the {kind} {name}{at}{near(key, known)}")
