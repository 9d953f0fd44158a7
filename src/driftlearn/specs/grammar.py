"""Grammar of spec strings: ``mine=learn++.mt:estimator=cart(max_depth=3),n_per_chunk=10``."""

import re
from dataclasses import replace
from typing import Any, NoReturn

from driftlearn.specs.catalogue import check_name, find, own, plugins
from driftlearn.specs.spec import LIKE_A_NUMBER, WORD, Spec, check_option, constant, inside
from driftlearn.tables.files import check_local

CLOSING = {"(": ")", "[": "]"}
_NAME = re.compile(r"[^:=,()\[\]'\"]+")
_CLASS = re.compile(r":[A-Za-z_][\w.]*(?=\s*(?:$|[:(\[]))")
_KEY = re.compile(r"\s*([A-Za-z_]\w*)\s*")
_QUOTED = re.compile(r"'((?:[^']|'')*)'|\"((?:[^\"]|\"\")*)\"")


def read(text: str, kind: str = "learner") -> Spec:
    """Parse the spec string of a learner or stream.

    Parameters
    ----------
    text : str
        Name and options, such as ``"sea:noise=0.1"``; with a label, ``"noisy=sea:noise=0.1"``.
        Options of nested estimators are in parentheses:
        ``"learn++.mt:estimator=cart(max_depth=3)"``. Values are numbers, true, false, none, quoted
        strings, words, and tuples and lists of values. Streams contain streams in the same way:
        ``"drifting:concepts=(sine,sine(function=2))"``. Instead of a name, the import path of a
        class may be given, as in ``"mymodule:MyLearner:depth=3"``, and for a stream a file, a
        folder or a glob: ``"data.csv:target=label"``. A path with special characters is quoted:
        ``"'days/2024-0[1-6].csv':target=label"``.
    kind : {"learner", "stream"}
        Kind of the object.

    Raises
    ------
    ValueError
        If the spec is invalid; the message contains the column and the most similar names.

    Examples
    --------
    >>> spec = read("mine=learn++.nse:slope=0.6,estimator=naive-bayes")
    >>> spec.label, spec.make(seed=0)
    ('mine', LearnPPNSEClassifier(estimator=GaussianNBClassifier(), random_state=0, slope=0.6))
    """
    return _Reader(text).whole(kind)


def check(text: str, kind: str = "learner") -> None:
    """Raise the error of `read` for an unknown name, without importing the class."""
    reader = _Reader(text)
    _, start, name = reader.named()
    reader.known(kind, name, start)


class _Reader:
    """Recursive-descent parser of a spec string."""

    def __init__(self, text: str) -> None:
        check_local(text)
        self.text = text
        self.at = 0

    def named(self) -> tuple[str, int, str]:
        """Parse an optional label and a name; return label, start of the name, and name."""
        label, start, name = "", *self.name()
        if self.take("="):
            label, (start, name) = name, self.name()
        if self.next() == "=":
            self.stray()
        return label, start, name

    def known(self, kind: str, name: str, start: int) -> None:
        """Raise an error for an unknown name."""
        first, _, second = name.partition(":")
        if second and (first in own(kind) or first in plugins(kind)[0]):
            self.fail(f"option {second!r} has no '=' and value", start + len(first) + 1)
        check_name(kind, name, self.place(start))

    def whole(self, kind: str) -> Spec:
        """Parse a complete spec string."""
        label, start, name = self.named()
        spec = self.spec(kind, name, start)
        if self.next():
            self.stray()
        return replace(spec, label=label or self.text.strip())

    def spec(self, kind: str, name: str, start: int) -> Spec:
        """Parse the options of a name, which are optional, after a colon or in parentheses."""
        self.known(kind, name, start)
        _, known = find(kind, name, self.place(start))
        params: dict[str, Any] = {}
        opening, begun = self.next(), self.at
        if self.take(":"):
            self.options(kind, name, params, known)
        elif opening in CLOSING:
            self.at += 1
            if self.next() != CLOSING[opening]:
                self.options(kind, name, params, known)
            self.close(CLOSING[opening], begun)
        return Spec(kind, name, params)

    def options(self, kind: str, name: str, params: dict[str, Any], known: dict[str, Any]) -> None:
        """Parse options, separated by commas, into `params`."""
        while True:
            self.next()
            start = self.at
            found = _KEY.match(self.text, start)
            if found is None:
                self.fail("expected an option, name=value,")
            key = found.group(1)
            if key in params:
                self.fail(f"option {key!r} is given twice")
            self.at = found.end()
            if not self.take("="):
                self.fail(f"option {key!r} has no '=' and value", start)
            check_option(kind, name, key, known, self.place(start))
            params[key] = self.value(inside(key))
            if not self.take(","):
                return

    def value(self, kind: str = "") -> Any:
        """Parse a value; with a `kind`, words are names of learners or streams."""
        first = self.next()
        start = self.at
        if first in CLOSING:
            return self.items(kind)
        if first and first in "'\"":
            text = self.quoted(first)
            return replace(read(text, kind), label="") if kind else text
        found = WORD.match(self.text, start)
        if found is None:
            self.fail("expected a value")
        word = found.group().strip()
        self.at = found.end()
        if self.next() == "=":
            self.stray()
        value = constant(word)
        if not isinstance(value, str):
            return value
        if kind:
            return self.spec(kind, word, start)
        if self.next() in CLOSING:
            place = f"{word!r} with options{self.place(start)}"
            raise ValueError(f"{place} is a learner, but only the option 'estimator' can be one")
        if LIKE_A_NUMBER.match(word):
            self.fail(f"malformed number {word!r} (quote it if it is a string)", start)
        return word

    def items(self, kind: str) -> tuple[Any, ...] | list[Any]:
        """Parse a tuple in parentheses or a list in brackets."""
        start, values = self.at, []
        closing = CLOSING[self.text[start]]
        self.at += 1
        while self.next() not in ("", closing):
            values.append(self.value(kind))
            if not self.take(","):
                break
        self.close(closing, start)
        return tuple(values) if closing == ")" else values

    def name(self) -> tuple[int, str]:
        """Parse a name or an import path; return its start and the name."""
        first = self.next()
        start = self.at
        if first and first in "'\"":
            return start, self.quoted(first)
        found = _NAME.match(self.text, start)
        if found is None:
            self.fail("expected a name")
        self.at = found.end()
        path = _CLASS.match(self.text, self.at)
        if path:
            self.at = path.end()
        return start, self.text[start : self.at].strip()

    def quoted(self, sign: str) -> str:
        """Parse a quoted string, in which quotes are escaped by doubling."""
        found = _QUOTED.match(self.text, self.at)
        if found is None:
            self.fail(f"the quote {sign} is never closed")
        self.at = found.end()
        return found.group()[1:-1].replace(sign * 2, sign)

    def place(self, start: int) -> str:
        """Return the description of a position for error messages; "" in a single word."""
        found = _NAME.match(self.text)
        is_one_word = found is not None and found.end() == len(self.text)
        return "" if is_one_word else f" at column {start + 1} of {self.text!r}"

    def next(self) -> str:
        """Skip spaces and return the next character, or "" at the end."""
        while self.text[self.at : self.at + 1].isspace():
            self.at += 1
        return self.text[self.at : self.at + 1]

    def take(self, sign: str) -> bool:
        """Skip spaces and, if it follows, the character `sign`; return whether it followed."""
        is_next = self.next() == sign
        self.at += is_next
        return is_next

    def close(self, end: str, start: int) -> None:
        """Parse the closing bracket of the bracket at `start`."""
        if not self.next():
            self.fail(f"{self.text[start]!r} is never closed", start)
        if not self.take(end):
            self.stray()

    def stray(self) -> NoReturn:
        """Raise ValueError for a character that is not allowed here."""
        found = self.next()
        if found == "=":
            self.fail("unexpected '=' (write options inside options as in cart(max_depth=3))")
        self.fail(f"unexpected {found!r}")

    def fail(self, problem: str, at: int | None = None) -> NoReturn:
        """Raise ValueError with the column of a problem, by default the current one."""
        raise ValueError(problem + self.place(self.at if at is None else at))
