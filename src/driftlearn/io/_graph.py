# cython: annotation_typing=False, boundscheck=True, wraparound=True
"""Writer of an object graph as a JSON tree and a few long arrays.

JSON's own values represent themselves: a list is a list. Everything else is a JSON object whose
first key gives its form::

    {"tuple": [...]}  {"dict": {"name": ...}}  {"pairs": [[key, value], ...]}  {"set": [...]}
    {"int": "0x..."}  {"float": "the 8 bytes"}  {"bytes": "hex"}  {"scalar": ["<f4", "hex"]}
    {"bytearray": "hex"}  {"random": [the state of random.Random]}
    {"partial": {"class": "river.proba.gaussian:Gaussian"}, "arguments": [...], "keywords": ...}
    {"array": ["float64", first, [3, 2]]}       a `Piece` of the long array "float64"
    {"new": "driftlearn.ensemble.chunk.dtel:DTELClassifier", "state": {"dict": {...}}}
    {"other": "scipy:csr_matrix", "parts": ...}  an object with its own form in `_others`
    {"ref": 7}                                  another reference to mutable object number 7

Objects with an identity (lists, dicts, arrays, instances) are numbered in the order in which they
can first be referred to. The reader counts in the same order, so the numbers are not written.
"""

from __future__ import annotations

import copyreg
import functools
import json
import math
import random
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib import format as npy

from driftlearn.io._codec import Piece
from driftlearn.io._limits import plain
from driftlearn.io._names import Names, NotAllowed, is_called, is_plain, is_restore
from driftlearn.io._others import parts_of
from driftlearn.io.schema import an, is_stored

EXACT = 2**53  # JSON readers round larger integers, since they store them as floats
DEPTH = 500  # maximum nesting depth; compiled code does not check the stack size
BIT_GENERATORS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")


class Writer:
    """Converts objects to JSON values and collects their arrays.

    Attributes
    ----------
    blocks : dict of (dtype, list of bytes)
        Long arrays: all arrays of a dtype, end to end.
    """

    def __init__(self, names: Names):
        self.names = names
        self.blocks: dict[str, tuple[np.dtype, list[bytes]]] = {}
        self._block: dict[np.dtype, list[Any]] = {}
        self._numbers: dict[int, int] = {}
        self._alive: list[Any] = []
        self._open: set[int] = set()
        self._depth = 0

    def value(self, x: Any) -> Any:
        """Return the JSON value of an object."""
        kind = type(x)
        if kind is str or x is None or kind is bool:
            return x
        if kind is int:
            return x if -EXACT <= x <= EXACT else {"int": hex(x)}
        if kind is float:
            return x if math.isfinite(x) else {"float": struct.pack("<d", x).hex()}
        number = self._numbers.get(id(x))
        if number is not None:
            return {"ref": number}
        self._depth += 1
        if self._depth > DEPTH:
            raise RecursionError("nested too deeply")
        node = self._node(x, kind)
        self._depth -= 1
        return node

    def _node(self, x: Any, kind: type) -> Any:
        """Return the JSON node of an object other than a number or a string."""
        if kind is dict:
            return self._dict(x)
        if kind is list:
            return self._list(x)
        if kind is np.ndarray or kind is np.memmap:
            return self._array(x)
        if kind is tuple:
            return {"tuple": self._items(x)}
        if is_plain(kind):
            return self._plain(x, self.names.name(kind))
        write = WRITERS.get(kind)
        if write is not None:
            return write(self, x)
        if isinstance(x, np.generic):
            return self._scalar(x)
        if isinstance(x, type):
            return {"class": self.names.name(x)}
        if isinstance(x, np.dtype):
            return {"dtype": self.value(npy.dtype_to_descr(x))}
        if isinstance(x, np.random.BitGenerator):
            return self._bits(x)
        other = parts_of(x)
        if other is None:
            return self._object(x)
        return self._number(x, {"other": other[0], "parts": self.value(other[1])})

    def _number(self, x: Any, node: Any = None) -> Any:
        """Give an object its number; return its node, whose content was numbered before."""
        self._numbers[id(x)] = len(self._alive)
        self._alive.append(x)
        return node

    def _list(self, x: list[Any]) -> list[Any]:
        self._number(x)
        return self._items(x)

    def _items(self, x: Any) -> list[Any]:
        return [self.value(item) for item in x]

    def _dict(self, x: dict[Any, Any]) -> dict[str, Any]:
        self._number(x)
        key = None
        try:
            for key in x:
                if type(key) is not str:
                    break
            else:
                inside = {}
                for key, item in x.items():
                    inside[key] = self.value(item)
                return {"dict": inside}
            pairs = []
            for key, item in x.items():
                pairs.append([self.value(key), self.value(item)])
            return {"pairs": pairs}
        except NotAllowed as refusal:
            refusal.where.append(str(key))
            raise

    def _set(self, x: set[Any] | frozenset[Any]) -> dict[str, Any]:
        if type(x) is set:
            self._number(x)
        before = len(self._alive)
        items = sorted((self.value(item) for item in x), key=json.dumps)
        if len(self._alive) != before:
            raise NotAllowed("only sets of numbers, strings and tuples can be saved")
        return {type(x).__name__: items}

    def _array(self, x: np.ndarray) -> dict[str, Any] | Piece:
        self._number(x)
        dtype = x.dtype
        if dtype.kind == "O":
            return {"objects": [*x.shape], "items": self._items(x.ravel())}
        block = self._block.get(dtype)
        if block is None:
            block = self._new_block(dtype)
        name, first, parts = block
        parts.append((x if dtype.names is None else _clean(x)).tobytes("A"))
        block[1] = first + x.size
        return Piece(name, first, x.shape, x.ndim > 1 and x.flags.fnc)

    def _new_block(self, dtype: np.dtype) -> list[Any]:
        if not plain(dtype):
            raise NotAllowed(f"an array of dtype {dtype} cannot be saved")
        name = dtype.name
        while name in self.blocks:
            name += "_"
        parts: list[bytes] = []
        self.blocks[name] = dtype, parts
        self._block[dtype] = [name, 0, parts]
        return self._block[dtype]

    def _scalar(self, x: np.generic) -> dict[str, Any]:
        if x.dtype.names is not None or not plain(x.dtype):
            raise NotAllowed(f"a scalar of dtype {x.dtype} cannot be saved")
        return {"scalar": [x.dtype.str, x.tobytes().hex()]}

    def _generator(self, x: np.random.Generator) -> dict[str, Any]:
        return self._number(x, {"generator": self.value(x.bit_generator)})

    def _random_state(self, x: np.random.RandomState) -> dict[str, Any]:
        state = x.get_state(legacy=False)
        bits = self._number(x, self.value(x._bit_generator))
        return {"random_state": bits, "gauss": [state["has_gauss"], self.value(state["gauss"])]}

    def _bits(self, x: np.random.BitGenerator) -> dict[str, Any]:
        name = type(x).__name__
        if type(x) is not getattr(np.random, name, None) or name not in BIT_GENERATORS:
            raise NotAllowed(f"a bit generator of type {type(x)} cannot be saved")
        seed = self.value(x.seed_seq)
        return self._number(x, {"bits": name, "seed": seed, "state": self.value(x.state)})

    def _seeds(self, x: np.random.SeedSequence) -> dict[str, Any]:
        node = {"entropy": self.value(x.entropy), "spawn_key": self.value(x.spawn_key)}
        node |= {"pool_size": x.pool_size, "spawned": x.n_children_spawned}
        return self._number(x, node)

    def _bytearray(self, x: bytearray) -> dict[str, Any]:
        return self._number(x, {"bytearray": x.hex()})

    def _random(self, x: random.Random) -> dict[str, Any]:
        self._number(x)
        return {"random": self.value(x.getstate())}

    def _partial(self, x: functools.partial[Any]) -> dict[str, Any]:
        self.names.made_later(x.func)
        arguments = self._items(x.args)
        node = {"partial": self.value(x.func), "arguments": arguments}
        return self._number(x, {**node, "keywords": self.value(x.keywords)})

    def _plain(self, x: Any, name: str) -> dict[str, Any]:
        """Return the node of an `is_plain` object, as `_object` would, but faster."""
        self._number(x)
        state = x.__getstate__()
        return {"new": name} if state is None else {"new": name, "state": self.value(state)}

    def _object(self, x: Any) -> dict[str, Any]:
        name = self.names.name(type(x))
        if not is_stored(type(x)):
            raise NotAllowed(f"{name} has no STATE and cannot be saved")
        if id(x) in self._open:
            raise ValueError(
                f"{an(type(x).__name__)} has constructor arguments that contain itself"
            )
        self._open.add(id(x))
        made, arguments, state, items, pairs = _five(x.__reduce_ex__(2))
        node: dict[str, Any]
        if made is copyreg.__newobj__:  # type: ignore[attr-defined]
            kind, *arguments = arguments
            node = {"new": self.names.name(kind)}
        elif is_restore(made):
            kind, state = arguments
            node, arguments = {"restore": self.names.name(kind)}, ()
        elif isinstance(made, type) and is_called(made):
            node = {"call": self.names.name(made)}
        else:
            name = f"{getattr(made, '__module__', '')}:{getattr(made, '__qualname__', made)}"
            self.names.restorer(name)
            node = {"restorer": name}
        if arguments:
            node["arguments"] = self._items(arguments)
        self._open.discard(id(x))
        self._number(x)
        if state is not None:
            node["state"] = self.value(state)
        if items is not None:
            node["items"] = self._items(items)
        if pairs is not None:
            node["pairs"] = [[self.value(key), self.value(item)] for key, item in pairs]
        return node


def _clean(x: np.ndarray) -> np.ndarray:
    """Return a structured array with zeros as padding, so that equal arrays have equal bytes."""
    clean = np.zeros(x.shape, x.dtype, order="F" if x.flags.fnc else "C")
    for name in x.dtype.names or ():
        clean[name] = x[name]
    return clean


# Not a bound method: a reference cycle would keep the writer and its arrays alive.
WRITERS: dict[type, Callable[[Writer, Any], Any]] = {
    set: Writer._set,
    frozenset: Writer._set,
    bytes: lambda self, x: {"bytes": x.hex()},
    bytearray: Writer._bytearray,
    random.Random: Writer._random,
    functools.partial: Writer._partial,
    complex: lambda self, x: {"complex": struct.pack("<2d", x.real, x.imag).hex()},
    np.random.Generator: Writer._generator,
    np.random.RandomState: Writer._random_state,
    np.random.SeedSequence: Writer._seeds,
}


def _five(made: Any) -> list[Any]:
    """Return the five parts of a `__reduce_ex__` result, with None for omitted parts."""
    if isinstance(made, str):
        raise NotAllowed(f"the global object {made} cannot be saved")
    return [*made, None, None, None][:5]
