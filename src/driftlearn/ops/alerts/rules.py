"""Rules of alerts, in a TOML file of the state folder."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from driftlearn.specs.toml import read_toml
from driftlearn.utils.arguments import meant
from driftlearn.utils.atomic_files import atomic_write

RULES = "alerts.toml"
#: Conditions that are checked when they are named in the rules.
NAMED = ("schema", "drift", "baseline", "failure")
#: All kinds of alerts; the others are checked when an interval is set.
KINDS = (*NAMED, "files", "labels")
SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86_400, "w": 604_800}
#: The file, with a comment for each rule.
TEMPLATE = """\
# Alerts about the model in this folder. Written by 'driftlearn alerts', which keeps no other
# comments; the file may also be edited by hand.

# Address to which each alert is sent as JSON, by POST (http or https); "" for none. It is a secret
# if it contains a key: only you should be able to read this file.
webhook = {webhook}

# File to which each alert is appended as a line; "" for none.
file = {file}

# Conditions that cause an alert: a table differs from earlier ones (schema), the data or the error
# changed (drift), the model is not better than the majority class (baseline), a run ended with an
# error (failure).
on = {on}

# Longest time without new rows, and without labels of the rows, e.g. 90min, 6h, 1d, 1w; "" for no
# limit.
files_every = {files_every}
labels_every = {labels_every}

# Alerts after which 'driftlearn learn' ends with exit code 6: those above, files and labels.
exit_on = {exit_on}
"""


@dataclass(frozen=True)
class Rules:
    """Which conditions cause an alert, and where alerts are sent.

    Attributes
    ----------
    webhook : str
        Address that receives each alert; "" for none.
    file : str
        File to which each alert is appended; "" for none.
    on : tuple of str
        The conditions, of `NAMED`.
    files_every, labels_every : str
        Longest time without rows and without labels; "" for no limit.
    exit_on : tuple of str
        Kinds of alerts, of `KINDS`, that set the exit code of ``driftlearn learn``.
    """

    webhook: str = field(default="", repr=False)  # a secret
    file: str = ""
    on: tuple[str, ...] = NAMED
    files_every: str = ""
    labels_every: str = ""
    exit_on: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_url(self.webhook)
        check_kinds("on", self.on, NAMED)
        check_kinds("exit-on", self.exit_on, KINDS)
        for name in ("files_every", "labels_every"):
            seconds_of(getattr(self, name), name.replace("_", "-"))
        if not self.file.isprintable():
            raise ValueError(
                f"Invalid --file {self.file!r}: a file name must not contain control characters."
            )

    def limit(self, kind: str) -> int:
        """Return the longest time without rows ("files") or labels in seconds; 0 for no limit."""
        name = f"{kind}_every"
        return seconds_of(getattr(self, name), name)

    def has(self, kind: str) -> bool:
        """Return whether a kind of alert is checked."""
        return kind in self.on or (kind not in NAMED and self.limit(kind) > 0)

    def write(self, folder: Path) -> None:
        """Write the file, which only its owner can read."""
        text = {name: json.dumps(value, ensure_ascii=False) for name, value in asdict(self).items()}
        (folder / RULES).touch(mode=0o600)
        atomic_write(folder / RULES, TEMPLATE.format(**text).encode())


def read_rules(folder: Path) -> Rules | None:
    """Return the rules of a state folder; None without a file.

    Raises
    ------
    ValueError
        If the file is invalid; the message never contains the address of the webhook.
    """
    path = folder / RULES
    if not path.exists():
        return None
    content = read_toml(path)[0]
    known = {each.name: type(each.default) for each in fields(Rules)}
    for name, value in content.items():
        if name not in known:
            raise ValueError(f"{path}: unknown rule {name!r}{meant(name, [*known])}.")
        parts: Any = value if isinstance(value, known[name]) else [None]
        if not all(isinstance(each, str) for each in parts):
            what = "a list of texts" if known[name] is tuple else "a text"
            raise ValueError(f"{path}: {name} must be {what} in quotation marks.")
    try:
        return Rules(**content)
    except ValueError as problem:
        raise ValueError(f"{path}: {problem}") from None


def check_kinds(option: str, given: Iterable[str], known: tuple[str, ...]) -> None:
    """Raise ValueError unless all kinds of alerts are known."""
    for each in given:
        if each not in known:
            hint = " Set --files-every or --labels-every." if each in KINDS else ""
            names = ", ".join(known)
            raise ValueError(f"Invalid --{option} {each!r}: expected some of {names}.{hint}")


def seconds_of(span: str, option: str) -> int:
    """Return the seconds of a time span; 0 for "".

    Examples
    --------
    >>> seconds_of("90min", "files-every"), seconds_of("1d", "files-every")
    (5400, 86400)
    """
    if not span:
        return 0
    found = re.fullmatch(r"([1-9]\d{0,5})(s|min|h|d|w)", span)
    if found is None:
        raise ValueError(f"Invalid --{option} {span!r}: expected a time, e.g. 90min, 6h or 1d.")
    return int(found[1]) * SECONDS[found[2]]


def check_url(url: str) -> None:
    """Raise ValueError unless a webhook is "" or a valid address; do not quote the address."""
    if not url:
        return
    try:
        parts: Any = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, urlsplit("")
    if parts.scheme not in ("http", "https"):
        what = f"it begins with {parts.scheme!r}" if parts.scheme else "it is no address"
        raise ValueError(f"Invalid --webhook: {what}. Expected http:// or https://.")
    if not host or not (url.isascii() and url.isprintable()) or " " in url:
        raise ValueError("Invalid --webhook: expected an address, e.g. https://example.org/hook.")
    if "@" in parts.netloc:
        raise ValueError("Invalid --webhook: user and password in an address are not supported.")


def shown(url: str) -> str:
    """Return an address without its path and query, which may be secret.

    Examples
    --------
    >>> shown("https://example.org:8443/services/T0/key?token=1")
    'https://example.org:8443/...'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/..."
