"""Binary encoding of JSON values for small contents.

The first byte of a value gives its type::

    0 None   1 True   2 False   3, 4 an integer, from 0 on or negative   5 a float, 8 bytes
    6 a new string   7 a repeated string   8 a list   9 a dict with new keys   10 with repeated keys
    11, 13 a piece of a long array that follows the previous piece; 13 in Fortran order
    12 a float with an integer value   16 to 79 the integers 0 to 63
    80 to 191 the first 112 strings   192 to 255 dicts of the first 64 rows of keys

Counts and positions are numbers in base 128, lowest digits first; all but the last digit have the
high bit set. Strings and rows of keys are numbered in order of appearance, after those of `Words`,
which encoder and decoder share. Every value takes at least a byte, so a content cannot have more
values than bytes; the depth of nesting is bounded, too.
"""

from __future__ import annotations

import math
import struct
from itertools import chain
from sys import intern
from typing import Any

import cython

DEPTH = 500  # maximum nesting depth of lists and dicts
LONGEST = 63  # maximum number of bits of an integer
LARGEST = 2**53  # maximum number of entries of an array
AXES = 64
CONSTANTS = None, True, False
FLOAT = struct.Struct("<d")


@cython.cclass
class Piece:
    """Reference to a piece of a long array: the only value that JSON does not have.

    Attributes
    ----------
    name : str
        Name of the long array.
    first : int
        Position of the first entry.
    shape : tuple of int
        Shape of the piece.
    is_fortran : bool
        Whether the entries are in Fortran order.
    """

    def __init__(self, name: str, first: object, shape: tuple, is_fortran: bool):
        self.name = name
        self.first = first
        self.shape = shape
        self.is_fortran = is_fortran

    def size(self):
        """Return the number of entries; raise ValueError if it is impossibly large."""
        size: object = 1
        for side in self.shape:
            size = size * side
            if size >= LARGEST:
                raise ValueError(f"an array of shape {self.shape!r:.80} is too large")
        return size

    def node(self) -> dict[str, Any]:
        """Return the piece as a JSON value."""
        value = [self.name, self.first, [*self.shape]]
        return {"array": [*value, "F"] if self.is_fortran else value}


@cython.cclass
class Words:
    r"""Word list: strings and rows of keys shared in advance by encoder and decoder.

    Parameters
    ----------
    names : str
        Strings, separated by whitespace.
    rows : str
        Rows of keys, one per line. The keys are also strings of the list, after the names.

    Examples
    --------
    >>> words = Words("large", "name size\nname")
    >>> encoded({"name": "large", "size": 3}, words).hex(), len(encoded({"no": "large"}, words))
    ('c05013', 7)
    >>> decoded(encoded([{"name": -1.5}], words), words, 10)[0]
    [{'name': -1.5}]
    """

    def __init__(self, names: str, rows: str):
        self.rows = [tuple(map(intern, line.split())) for line in rows.splitlines()]
        self.names = [*dict.fromkeys([*map(intern, names.split()), *chain(*self.rows)])]
        self.places = {name: place for place, name in enumerate(self.names)}
        self.layouts = {row: place for place, row in enumerate(self.rows)}


@cython.cclass
class Encoder:
    """Encoder of a sequence of values."""

    def __init__(self, words: Words):
        self.words = words
        self.out = bytearray()
        self.places = {}
        self.layouts = {}
        self.ends = {}
        self.depth = 0

    def number(self, n):
        while n > 127:
            self.out.append((n & 127) | 128)
            n >>= 7
        self.out.append(n)
        return 0

    def tagged(self, tag, n):
        self.out.append(tag)
        return self.number(n)

    def word(self, text):
        place = self.words.places.get(text)
        if place is None:
            place = self.places.get(text)
        if place is None:
            self.places[text] = len(self.words.places) + len(self.places)
            content = text.encode("utf-8", "surrogatepass")
            self.tagged(6, len(content))
            self.out += content
        elif place < 112:
            self.out.append(80 + place)
        else:
            self.tagged(7, place)
        return 0

    def piece(self, piece):
        name: str = piece.name
        if piece.first != self.ends.get(name, 0):
            raise ValueError(f"array {name}: a piece does not start where the previous piece ends")
        self.ends[name] = piece.first + piece.size()
        self.out.append(13 if piece.is_fortran else 11)
        self.word(name)
        self.number(len(piece.shape))
        for side in piece.shape:
            self.number(side)
        return 0

    def layout(self, node):
        row = tuple(node)
        place = self.words.layouts.get(row)
        if place is None:
            place = self.layouts.get(row)
        if place is None:
            self.layouts[row] = len(self.words.layouts) + len(self.layouts)
            self.tagged(9, len(row))
            for name in row:
                if type(name) is not str:
                    raise TypeError(f"keys must be strings. Got {name!r:.50}.")
                self.word(name)
        elif place < 64:
            self.out.append(192 + place)
        else:
            self.tagged(10, place)
        return 0

    def put(self, value):
        """Append a value."""
        kind = type(value)
        if kind is str:
            self.word(value)
        elif kind is int:
            if 0 <= value < 64:
                self.out.append(16 + value)
            elif value >= 0:
                self.tagged(3, value)
            else:
                self.tagged(4, -1 - value)
        elif value is None:
            self.out.append(0)
        elif kind is bool:
            self.out.append(1 if value else 2)
        elif kind is float:
            if 0.0 <= value < 2.0**53 and value == int(value) and math.copysign(1.0, value) > 0:
                self.tagged(12, int(value))
            else:
                self.out.append(5)
                self.out += FLOAT.pack(value)
        elif kind is Piece:
            self.piece(value)
        elif kind is list or kind is dict:
            self.depth += 1
            if self.depth > DEPTH:
                raise RecursionError("values are nested too deeply")
            if kind is list:
                self.tagged(8, len(value))
                for item in value:
                    self.put(item)
            else:
                self.layout(value)
                for item in value.values():
                    self.put(item)
            self.depth -= 1
        else:
            raise TypeError(f"{kind.__name__} is not a type of JSON")


@cython.cclass
class Decoder:
    """Decoder of values; raises ValueError for contents that no encoder writes.

    Parameters
    ----------
    content : bytes
        Encoded values, possibly followed by other bytes.
    words : Words
        Word list of the encoder.
    most : int
        Largest number of values.
    """

    def __init__(self, content: bytes, words: Words, most: int):
        self.data = content
        self.at = 0
        self.end = len(content)
        self.words = words
        self.names = []
        self.rows = []
        self.ends = {}
        self.left = most
        self.depth = 0

    def byte(self):
        if self.at >= self.end:
            raise ValueError(f"byte {self.end}: the content ends in the middle of a value")
        self.at += 1
        return self.data[self.at - 1]

    def number(self):
        n: cython.ulonglong = 0
        shift: cython.int = 0
        while True:
            digit: cython.ulonglong = self.byte()
            if shift >= LONGEST:
                raise ValueError(f"byte {self.at}: a number has too many digits")
            n = n + ((digit & 127) << shift)
            if digit < 128:
                return n
            shift += 7

    def _has(self, n):
        if n > cython.cast(cython.ulonglong, self.end - self.at):
            raise ValueError(f"byte {self.end}: the content ends in the middle of a value")
        return 0

    def take(self, n):
        self._has(n)
        self.at += n
        return bytes(self.data[self.at - n : self.at])

    def name(self, place):
        """Return the string with this number."""
        known = len(self.words.names)
        if place < known:
            return self.words.names[place]
        if place - known >= len(self.names):
            raise ValueError(f"byte {self.at}: reference to undefined string {place}")
        return self.names[place - known]

    def row(self, place):
        known = len(self.words.rows)
        if place < known:
            return self.words.rows[place]
        if place - known >= len(self.rows):
            raise ValueError(f"byte {self.at}: reference to undefined list of keys {place}")
        return self.rows[place - known]

    def new_row(self):
        row = tuple(self.items())
        for name in row:
            if type(name) is not str:
                raise ValueError(f"byte {self.at}: keys must be strings")
        self.rows.append(row)
        return row

    def items(self):
        n: cython.ulonglong = self.number()
        self._has(n)
        found: list = []
        for _ in range(n):
            found.append(self.get())
        return found

    def by_row(self, names):
        node = {}
        for name in names:
            node[name] = self.get()
        return node

    def piece(self, is_fortran):
        name = self.get()
        if type(name) is not str:
            raise ValueError(f"byte {self.at}: the name of an array must be a string")
        n: cython.ulonglong = self.number()
        if n > AXES:
            raise ValueError(f"byte {self.at}: an array cannot have {n} axes")
        shape: list = []
        for _ in range(n):
            side: object = self.number()
            shape.append(side)
        found: Piece = Piece(name, self.ends.get(name, 0), tuple(shape), is_fortran)
        self.ends[name] = found.first + found.size()
        return found

    def get(self):
        """Return the next value."""
        tag: cython.int = self.byte()
        self.left -= 1
        if self.left < 0:
            raise ValueError(f"byte {self.at}: too many values")
        if tag >= 192 or 8 <= tag <= 10:
            return self.nested(tag)
        if tag >= 80:
            return self.name(tag - 80)
        if tag >= 16:
            return tag - 16
        if tag < 3:
            return CONSTANTS[tag]
        if tag == 3:
            return self.number()
        if tag == 4:
            below: object = self.number()
            return -1 - below
        if tag == 5:
            return FLOAT.unpack(self.take(8))[0]
        if tag == 6:
            text = self.take(self.number()).decode("utf-8", "surrogatepass")
            self.names.append(text)
            return text
        if tag == 7:
            return self.name(self.number())
        if tag == 11 or tag == 13:
            return self.piece(tag == 13)
        if tag == 12:
            return float(self.number())
        raise ValueError(f"byte {self.at - 1}: unknown type {tag}")

    def nested(self, tag):
        self.depth += 1
        if self.depth > DEPTH:
            raise RecursionError("values are nested too deeply")
        if tag >= 192:
            value = self.by_row(self.row(tag - 192))
        elif tag == 8:
            value = self.items()
        elif tag == 9:
            value = self.by_row(self.new_row())
        else:
            value = self.by_row(self.row(self.number()))
        self.depth -= 1
        return value


def encoded(value: Any, words: Words) -> bytes:
    """Return a JSON value as bytes."""
    encoder = Encoder(words)
    encoder.put(value)
    return bytes(encoder.out)


def decoded(content: bytes, words: Words, most: int) -> tuple[Any, int]:
    """Return the first value of a content and the value's end; see `Decoder` for the parameters."""
    decoder = Decoder(content, words, most)
    value = decoder.get()
    return value, decoder.at
