# cython: annotation_typing=False, boundscheck=True, wraparound=True
"""Reader of the JSON tree and the long arrays created by `Writer`."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from functools import partial
from sys import intern
from typing import Any

import numpy as np
from numpy.lib import format as npy

from driftlearn.io import _sklearn
from driftlearn.io import schema as _schema
from driftlearn.io._codec import Piece
from driftlearn.io._graph import BIT_GENERATORS, DEPTH
from driftlearn.io._limits import check_bits, check_pool, check_work, checked, integer
from driftlearn.io._names import Names, NotAllowed, is_called, is_plain, is_restored
from driftlearn.io._others import made
from driftlearn.io._upgrades import upgrade
from driftlearn.io.schema import an

STANDARD = ("builtins", "collections", "numpy")  # packages whose objects have dedicated node types
MOST = 2**32  # maximum number of array entries, not counting sides of length 0


class Reader:
    """Converts JSON values back to objects.

    It calls `__new__` of allowed classes, their own `__setstate__` or `set_state`, and classes that
    define `__reduce__` themselves; nothing else that a file could name. States of driftlearn's
    classes are checked against `STATE`: those of compiled objects before the objects receive them,
    all others at the end, since they may refer to each other. The state of a compiled object
    must not contain an unfinished object.

    Parameters
    ----------
    names : Names
        Lookup of the allowed classes.
    blocks : dict of arrays
        Long arrays by name.
    max_work : int, optional
        Largest value of parameters that determine how much work later calls require.
    is_old : bool, default=False
        Whether the document has an older format, whose states are upgraded.
    """

    def __init__(
        self,
        names: Names,
        blocks: dict[str, np.ndarray],
        max_work: int | None = None,
        is_old: bool = False,
    ):
        self.names = names
        self.is_old = is_old
        self.blocks = blocks
        self.max_work = max_work
        self._things: list[Any] = []
        self._unfinished: set[int] = set()
        self._n_compiled = 0  # nesting depth of the compiled objects whose state is being read
        self._later: list[tuple[type, Any]] = []
        self._depth = 0

    def read(self, node: Any) -> Any:
        """Return the object of a document, after all checks."""
        thing = self.value(node)
        for kind, state in self._later:
            _schema.check(kind, state)
            _sklearn.check(kind, state)
            if type(state) is dict and hasattr(kind, "get_params"):
                check_work(kind.__name__, state, self.max_work)
        return thing

    def value(self, node: Any) -> Any:
        """Return the object of a JSON value."""
        kind = type(node)
        if kind is Piece:
            return self._piece(node.name, node.first, node.shape, node.is_fortran)
        if kind is not dict and kind is not list:
            return node
        self._depth += 1
        if self._depth > DEPTH:
            raise RecursionError("nested too deeply")
        thing = self._nested(node, kind)
        self._depth -= 1
        return thing

    def _nested(self, node: Any, kind: type) -> Any:
        if kind is list:
            return self._list(node)
        form = next(iter(node))
        if form == "dict":
            return self._dict(node["dict"])
        if form == "new":
            return self._new(node)
        if form == "restore":
            return self._restore(node)
        return READERS[form](self, node)

    def _keep(self, thing: Any) -> Any:
        self._things.append(thing)
        return thing

    def _begun(self, thing: Any) -> int:
        """Return the number of an object to which its own content may refer."""
        number = len(self._things)
        self._things.append(thing)
        self._unfinished.add(number)
        return number

    def _ref(self, node: dict[str, Any]) -> Any:
        number = node["ref"]
        if not isinstance(number, int) or not 0 <= number < len(self._things):
            raise ValueError(f"reference to undefined object {number!r:.20}")
        if self._n_compiled and number in self._unfinished:
            raise ValueError("a compiled object refers to an object that contains it")
        return self._things[number]

    def _list(self, node: list[Any]) -> list[Any]:
        things: list[Any] = []
        number = self._begun(things)
        for item in node:
            things.append(self.value(item))
        self._unfinished.discard(number)
        return things

    def _items(self, items: Any) -> list[Any]:
        return [self.value(item) for item in items]

    def _dict(self, items: dict[str, Any]) -> dict[Any, Any]:
        inside: dict[Any, Any] = {}
        number = self._begun(inside)
        for key, item in items.items():
            inside[intern(key)] = self.value(item)
        self._unfinished.discard(number)
        return inside

    def _pairs(self, node: dict[str, Any]) -> dict[Any, Any]:
        inside: dict[Any, Any] = {}
        number = self._begun(inside)
        self._fill(inside, node["pairs"])
        self._unfinished.discard(number)
        return inside

    def _fill(self, mapping: Any, pairs: list[Any]) -> None:
        for key, item in pairs:
            key = self.value(key)
            mapping[key] = self.value(item)

    def _set(self, node: dict[str, Any]) -> set[Any]:
        inside: set[Any] = set()
        number = self._begun(inside)
        inside.update(self._items(node["set"]))
        self._unfinished.discard(number)
        return inside

    def _tuple(self, node: dict[str, Any]) -> tuple[Any, ...]:
        return tuple(self._items(node["tuple"]))

    def _array(self, node: dict[str, Any]) -> np.ndarray:
        name, first, shape, *order = node["array"]
        return self._piece(name, first, shape, bool(order))

    def _piece(self, name: str, first: Any, shape: Any, is_fortran: bool) -> np.ndarray:
        block = self.blocks[name]
        if first < 0:
            raise ValueError(f"an array of shape {shape} starts at position {first}")
        if len(shape) == 1 and type(shape[0]) is int and 0 <= shape[0] <= len(block) - first:
            return self._keep(block[first : first + shape[0]].copy())
        piece = block[first : first + _check_shape(shape, len(block))]
        if is_fortran:
            return self._keep(piece.reshape(shape[::-1]).copy().T)
        return self._keep(piece.reshape(shape).copy())

    def _objects(self, node: dict[str, Any]) -> np.ndarray:
        shape, items = node["objects"], node["items"]
        _check_shape(shape, len(items))
        array = np.empty(shape, dtype=object)
        number = self._begun(array)
        flat = array.reshape(-1)
        for i, item in enumerate(items):
            flat[i] = self.value(item)
        self._unfinished.discard(number)
        return array

    def _scalar(self, node: dict[str, Any]) -> Any:
        name, content = node["scalar"]
        dtype, content = checked(np.dtype(str(name))), bytes.fromhex(content)
        if dtype.names is not None or len(content) < dtype.itemsize:
            raise ValueError(f"a scalar of dtype {dtype} has {len(content)} bytes")
        return np.ndarray((), dtype=dtype, buffer=content)[()]

    def _generator(self, node: dict[str, Any]) -> np.random.Generator:
        return self._keep(np.random.Generator(self._a(np.random.BitGenerator, node["generator"])))

    def _random_state(self, node: dict[str, Any]) -> np.random.RandomState:
        bits = self._a(np.random.BitGenerator, node["random_state"])
        thing = np.random.RandomState(bits)
        has_gauss, gauss = node["gauss"]
        thing.set_state({**bits.state, "has_gauss": has_gauss, "gauss": self.value(gauss)})
        return self._keep(thing)

    def _random(self, node: dict[str, Any]) -> random.Random:
        thing = self._keep(random.Random(0))
        state = self.value(node["random"])
        if not isinstance(state, tuple) or len(state) != 3 or state[0] != 3:
            raise ValueError(f"invalid state of random.Random: {state!r:.50}")
        thing.setstate(state)
        return thing

    def _partial(self, node: dict[str, Any]) -> Any:
        kind = self.value(node["partial"])
        self.names.made_later(kind)
        arguments = self._items(node["arguments"])
        keywords = self._a(dict, node["keywords"])
        return self._keep(partial(kind, *arguments, **keywords))

    def _bits(self, node: dict[str, Any]) -> np.random.BitGenerator:
        if node["bits"] not in BIT_GENERATORS:
            raise NotAllowed(f"{node['bits']} is not a bit generator of NumPy")
        bits: Any
        if node["seed"] is None:
            bits = np.random.RandomState(0)._bit_generator
        else:
            seed = self._a(np.random.SeedSequence, node["seed"])
            bits = getattr(np.random, node["bits"])(seed)
        state = self.value(node["state"])
        check_bits(node["bits"], state)
        bits.state = state
        return self._keep(bits)

    def _seeds(self, node: dict[str, Any]) -> np.random.SeedSequence:
        entropy, key = self.value(node["entropy"]), self.value(node["spawn_key"])
        check_pool(node["pool_size"])
        how = {"pool_size": node["pool_size"], "n_children_spawned": node["spawned"]}
        return self._keep(np.random.SeedSequence(entropy, spawn_key=key, **how))

    def _a(self, kind: type, node: Any) -> Any:
        thing = self.value(node)
        if not isinstance(thing, kind):
            raise ValueError(f"expected {an(kind.__name__)}. Got {thing!r:.50}.")
        return thing

    def _new(self, node: dict[str, Any]) -> Any:
        kind: Any = self.names.find(node["new"])
        if len(node) == 2 and "state" in node and is_plain(kind):  # shortcut for `_complete`
            thing = kind.__new__(kind)
            number = self._begun(thing)
            state = self.value(node["state"])
            if self.is_old and (other := upgrade(kind, state)):
                kind = thing.__class__ = self.names.find(other)
            self._later.append((kind, state))
            _restore_state(thing, state)
            self._unfinished.discard(number)
            return thing
        if is_called(kind) or (kind.__module__ in STANDARD and kind is not object):
            raise NotAllowed(
                f"{node['new']} is not a class whose objects can be created without a call"
            )
        return self._complete(node["new"], node, partial(kind.__new__, kind))

    def _call(self, node: dict[str, Any]) -> Any:
        kind = self.names.find(node["call"])
        if not is_called(kind) or is_restored(kind):
            raise NotAllowed(
                f"{node['call']} is not a class whose objects can be created by a call"
            )
        return self._complete(node["call"], node, kind)

    def _restore(self, node: dict[str, Any]) -> Any:
        kind: Any = self.names.find(node["restore"])
        if not is_restored(kind):
            raise ValueError(f"{node['restore']} is not a class with `set_state`")
        self._n_compiled += 1
        thing = kind.__new__(kind)
        number = self._begun(thing)
        state = self.value(node["state"])
        if self.is_old:
            upgrade(kind, state)
        _schema.check(kind, state)
        if "options" in state:
            check_work(kind.__name__, state["options"], self.max_work)
        thing.set_state(state)
        self._unfinished.discard(number)
        self._n_compiled -= 1
        return thing

    def _complete(self, name: str, node: dict[str, Any], make: Callable[..., Any]) -> Any:
        arguments = self._items(node.get("arguments", ()))
        for argument in arguments:
            if isinstance(argument, range):
                raise ValueError(
                    f"{an(name)} cannot be created from a range, which may be too long"
                )
        _sklearn.check_arguments(name, arguments)
        thing = make(*arguments)
        number = self._begun(thing)
        state = self.value(node["state"]) if "state" in node else {}
        if self.is_old:
            upgrade(type(thing), state)
        _sklearn.check_compiled(type(thing), arguments, state)
        self._later.append((type(thing), state))
        if "state" in node:
            _restore_state(thing, state)
        if "items" in node:
            thing.extend(self._items(node["items"]))
        if "pairs" in node:
            self._fill(thing, node["pairs"])
        self._unfinished.discard(number)
        return thing


# Not a bound method: a reference cycle would keep the reader and its objects alive.
READERS: dict[str, Callable[[Reader, dict[str, Any]], Any]] = {
    "ref": Reader._ref,
    "int": lambda self, node: integer(node["int"]),
    "float": lambda self, node: struct.unpack("<d", bytes.fromhex(node["float"]))[0],
    "complex": lambda self, node: complex(*struct.unpack("<2d", bytes.fromhex(node["complex"]))),
    "bytes": lambda self, node: bytes.fromhex(node["bytes"]),
    "bytearray": lambda self, node: self._keep(bytearray.fromhex(node["bytearray"])),
    "random": Reader._random,
    "partial": Reader._partial,
    "tuple": Reader._tuple,
    "frozenset": lambda self, node: frozenset(map(self.value, node["frozenset"])),
    "class": lambda self, node: self.names.find(node["class"]),
    "dtype": lambda self, node: checked(npy.descr_to_dtype(self.value(node["dtype"]))),
    "pairs": Reader._pairs,
    "set": Reader._set,
    "array": Reader._array,
    "objects": Reader._objects,
    "scalar": Reader._scalar,
    "generator": Reader._generator,
    "random_state": Reader._random_state,
    "bits": Reader._bits,
    "entropy": Reader._seeds,
    "call": Reader._call,
    "restorer": lambda self, node: self._complete(
        node["restorer"], node, self.names.restorer(node["restorer"])
    ),
    "other": lambda self, node: self._keep(made(node["other"], self.value(node["parts"]))),
}


def _restore_state(thing: Any, state: Any) -> None:
    """Set the state of an object, as `copy` and `pickle` do."""
    if hasattr(thing, "__setstate__"):
        thing.__setstate__(state)
        return
    slots: dict[str, Any] = {}
    if isinstance(state, tuple):
        state, slots = state
    if state:
        thing.__dict__.update(state)
    for name, value in slots.items():
        object.__setattr__(thing, name, value)


def _check_shape(shape: Any, size: int) -> int:
    """Return the number of entries of a shape; raise ValueError if it exceeds `size`.

    Each dimension is bounded even if one of them is 0.
    """
    entries = product = 1
    for side in shape:
        sound = isinstance(side, int) and side >= 0
        entries = entries * side if sound else -1
        product = product * (side or 1) if sound else MOST + 1
        if product > MOST:
            break
    if product > MOST or entries > size:
        raise ValueError(f"an array of shape {shape!r:.80} cannot have {size} entries")
    return entries
