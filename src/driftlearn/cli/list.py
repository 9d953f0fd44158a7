"""The command ``driftlearn list``."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from driftlearn.cli.command import Command, say, use_working_folder
from driftlearn.cli.names import listed
from driftlearn.utils.safe_text import printable

WIDTH = 79  # of the printed lines: a terminal has 80 columns


@click.command(cls=Command)
@click.argument("what", type=click.Choice(["learners", "streams", "papers"]))
@click.argument("name", required=False, shell_complete=listed)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def list(what: str, name: str | None, as_json: bool) -> None:
    """What there is, with a line on each and its parameters; with NAME, only that one.

    Learners come with what they are for, and how they did on the panel: percentages right row by
    row and in chunks, thousand rows a second, and mean rank, of which 1 is best.

    \b
      driftlearn list learners
      driftlearn list streams sea
      driftlearn list papers S1
    """  # noqa: D301
    if what == "papers":
        entries = [*_papers(name)]
    else:
        use_working_folder()
        entries = [*_named(what.removesuffix("s"), name)]
    if as_json:
        say(json.dumps(entries, indent=1))
        return
    text = as_text(entries)
    if any(entry.get("figures") for entry in entries):
        from driftlearn.bench.workbench.learner_card import legend

        text += "\n\n" + textwrap.fill(legend(), WIDTH)
    say(text)


def as_text(entries: Sequence[Mapping[str, Any]]) -> str:
    """Return entries for people: a line on each, and what belongs to it below."""
    lines = []
    for entry in entries:
        lines.append(printable(f"{entry['name']}: {entry['about']}"))
        for key in ("for", "figures", "experiments", "streams", "learners", "parameters"):
            if entry.get(key):
                text = _text(entry[key])
                title = "" if key in ("figures", "parameters") else f"{key}: "
                lines += textwrap.wrap(printable(title + text), WIDTH, initial_indent="    ",
                                       subsequent_indent="        ")  # fmt: skip
    return "\n".join(lines)


def _text(value: Any) -> str:
    """Return what belongs to an entry in words: figures, a text, or a list of names."""
    if isinstance(value, Mapping):
        from driftlearn.bench.workbench.learner_card import in_words

        return in_words(value)
    return value if isinstance(value, str) else ", ".join(value)


def _papers(name: str | None) -> Iterator[dict[str, Any]]:
    """Yield the papers and what they have, or what each experiment of the one of a name runs."""
    from driftlearn.bench.papers import find
    from driftlearn.bench.papers.paper import PAPERS

    if name is None:
        for short, paper in PAPERS.items():
            yield {
                "name": short,
                "about": f"{paper}: {paper.title}",
                "experiments": [f"{short} {item}" for item in paper.items],
            }
        return
    for experiment in find(name):
        yield {
            "name": f"{experiment.paper} {experiment.item}",
            "about": experiment.title,
            "streams": [*experiment.streams],
            "learners": [*experiment.learners],
        }


def _named(kind: str, name: str | None) -> Iterator[dict[str, Any]]:
    """Yield learners or streams; a plug-in that cannot be used says why in its line."""
    from driftlearn.bench.workbench.learner_card import USES, card
    from driftlearn.specs.catalogue import REQUIRED, Entry, check_kind, defaults, find, own, plugins

    others, taken = plugins(kind)
    known = {**own(kind), **others}
    if name is not None:
        find(kind, name)
        known = {name: known.get(name) or Entry(name)}
    for line in taken:
        say(line, err=True)
    for key, entry in known.items():
        try:
            if key in others:
                check_kind(kind, entry.make, f"{others[key].path} of {others[key].package}")
            about, params = entry.about, defaults(entry.make)
        except (ImportError, ValueError) as error:
            about, params = f"cannot be used: {error}", {}
        parameters = (k if v is REQUIRED else f"{k}={v!r}" for k, v in params.items())
        found = {"name": key, "about": about, "parameters": ", ".join(parameters)}
        if kind == "learner" and key not in others:
            found |= {"for": USES.get(key, ""), "figures": card()["learners"].get(key, {})}
        yield found
