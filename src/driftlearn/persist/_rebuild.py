"""Objects out of the JSON tree and the long arrays that `Writer` made of them."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from sys import intern
from typing import Any

import numpy as np
from numpy.lib import format as npy

from driftlearn.persist import _sklearn_trees
from driftlearn.persist._graph import BIT_GENERATORS
from driftlearn.persist._names import Names, NotAllowed, is_called

PLAIN = frozenset([str, int, float, bool, type(None)])


class Reader:
    """Turns JSON values back into objects.

    What is called on the way is `__new__` of classes on the allow-list, their own `__setstate__`
    or `set_state`, and the classes that define `__reduce__` themselves; nothing else that a file
    could name.

    Parameters
    ----------
    names : Names
        The classes that may be named.
    blocks : dict of arrays
        The long arrays.
    """

    def __init__(self, names: Names, blocks: dict[str, np.ndarray]):
        self.names = names
        self.blocks = blocks
        self._things: list[Any] = []
        self._ways: dict[str, Callable[[dict[str, Any]], Any]] = {
            "ref": lambda node: self._things[_index(node["ref"])],
            "int": lambda node: int(node["int"], 16),
            "float": lambda node: struct.unpack("<d", bytes.fromhex(node["float"]))[0],
            "complex": lambda node: complex(*struct.unpack("<2d", bytes.fromhex(node["complex"]))),
            "bytes": lambda node: bytes.fromhex(node["bytes"]),
            "tuple": lambda node: tuple([self.value(item) for item in node["tuple"]]),
            "frozenset": lambda node: frozenset(self.value(item) for item in node["frozenset"]),
            "class": lambda node: self.names.find(node["class"]),
            "dtype": lambda node: npy.descr_to_dtype(self.value(node["dtype"])),
            "dict": self._dict,
            "pairs": self._pairs,
            "set": self._set,
            "array": self._array,
            "objects": self._objects,
            "scalar": self._scalar,
            "generator": self._generator,
            "random_state": self._random_state,
            "bits": self._bits,
            "entropy": self._seeds,
            "new": self._new,
            "restore": self._restore,
            "call": self._call,
            "restorer": self._restorer,
        }

    def value(self, node: Any) -> Any:
        """Return what a JSON value stands for."""
        kind = type(node)
        if kind is dict:
            return self._ways[next(iter(node))](node)
        if kind is list:
            things = self._keep([])
            for item in node:
                things.append(item if type(item) in PLAIN else self.value(item))
            return things
        return node

    def _keep(self, thing: Any) -> Any:
        self._things.append(thing)
        return thing

    def _dict(self, node: dict[str, Any]) -> dict[Any, Any]:
        inside = self._keep({})
        for key, item in node["dict"].items():
            inside[intern(key)] = item if type(item) in PLAIN else self.value(item)
        return inside

    def _pairs(self, node: dict[str, Any]) -> dict[Any, Any]:
        return self._fill(self._keep({}), node["pairs"])

    def _fill(self, mapping: Any, pairs: list[Any]) -> Any:
        for key, item in pairs:
            key = self.value(key)
            mapping[key] = self.value(item)
        return mapping

    def _set(self, node: dict[str, Any]) -> set[Any]:
        inside = self._keep(set())
        inside.update([self.value(item) for item in node["set"]])
        return inside

    def _array(self, node: dict[str, Any]) -> np.ndarray:
        name, first, shape, *order = node["array"]
        stop = first + math.prod(shape)
        if first < 0 or min(shape, default=0) < 0:
            raise ValueError(f"an array of shape {shape} from place {first} on")
        piece = self.blocks[name][first:stop]
        if order:
            return self._keep(piece.reshape(shape[::-1]).copy().T)
        return self._keep(piece.reshape(shape).copy())

    def _objects(self, node: dict[str, Any]) -> np.ndarray:
        flat = np.empty(math.prod(node["objects"]), dtype=object)
        array = self._keep(flat.reshape(node["objects"]))
        for i, item in enumerate(node["items"]):
            flat[i] = self.value(item)
        return array

    def _scalar(self, node: dict[str, Any]) -> Any:
        dtype, content = node["scalar"]
        return np.ndarray((), dtype=np.dtype(dtype), buffer=bytes.fromhex(content))[()]

    def _generator(self, node: dict[str, Any]) -> np.random.Generator:
        return self._keep(np.random.Generator(self._a(np.random.BitGenerator, node["generator"])))

    def _random_state(self, node: dict[str, Any]) -> np.random.RandomState:
        bits = self._a(np.random.BitGenerator, node["random_state"])
        thing = np.random.RandomState(bits)
        has_gauss, gauss = node["gauss"]
        thing.set_state({**bits.state, "has_gauss": has_gauss, "gauss": self.value(gauss)})
        return self._keep(thing)

    def _bits(self, node: dict[str, Any]) -> np.random.BitGenerator:
        if node["bits"] not in BIT_GENERATORS:
            raise NotAllowed(f"{node['bits']} is no bit generator of NumPy's")
        bits: Any
        if node["seed"] is None:
            bits = np.random.RandomState(0)._bit_generator
        else:
            seed = self._a(np.random.SeedSequence, node["seed"])
            bits = getattr(np.random, node["bits"])(seed)
        bits.state = self.value(node["state"])
        return self._keep(bits)

    def _seeds(self, node: dict[str, Any]) -> np.random.SeedSequence:
        entropy, key = self.value(node["entropy"]), self.value(node["spawn_key"])
        how = {"pool_size": node["pool_size"], "n_children_spawned": node["spawned"]}
        return self._keep(np.random.SeedSequence(entropy, spawn_key=key, **how))

    def _a(self, kind: type, node: Any) -> Any:
        thing = self.value(node)
        if not isinstance(thing, kind):
            raise ValueError(f"{thing!r:.50} where a {kind.__name__} belongs")
        return thing

    def _new(self, node: dict[str, Any]) -> Any:
        kind = self.names.find(node["new"])
        return self._complete(node["new"], node, lambda *arguments: kind.__new__(kind, *arguments))

    def _call(self, node: dict[str, Any]) -> Any:
        kind = self.names.find(node["call"])
        if not is_called(kind):
            raise NotAllowed(f"{node['call']} is not a class that is rebuilt by calling it")
        return self._complete(node["call"], node, kind)

    def _restorer(self, node: dict[str, Any]) -> Any:
        return self._complete(node["restorer"], node, self.names.restorer(node["restorer"]))

    def _restore(self, node: dict[str, Any]) -> Any:
        kind: Any = self.names.find(node["restore"])
        thing = self._keep(kind.__new__(kind))
        state = self.value(node["state"])
        _check(kind, state)
        thing.set_state(state)
        return thing

    def _complete(self, name: str, node: dict[str, Any], make: Callable[..., Any]) -> Any:
        arguments = [self.value(argument) for argument in node.get("arguments", ())]
        thing = self._keep(make(*arguments))
        if "state" in node:
            state = self.value(node["state"])
            _sklearn_trees.check(name, arguments, state)
            _check(type(thing), state)
            _settle(thing, state)
        if "items" in node:
            thing.extend([self.value(item) for item in node["items"]])
        if "pairs" in node:
            self._fill(thing, node["pairs"])
        return thing


def _check(kind: type, state: Any) -> None:
    """Let a class look at a state that comes out of a file, if it has a `check_state` for that."""
    look = getattr(kind, "check_state", None)
    if look is not None:
        look(state)


def _settle(thing: Any, state: Any) -> None:
    """Give an object its state, in the way of Python's copying and pickling."""
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


def _index(number: int) -> int:
    if number < 0:
        raise ValueError(f"a reference to thing {number}")
    return number
