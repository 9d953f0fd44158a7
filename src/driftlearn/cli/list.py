"""The command ``driftlearn list``."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from driftlearn._safe_text import printable
from driftlearn.cli.command import Command, say, use_working_folder

WIDTH = 100  # of the printed lines


@click.command(cls=Command)
@click.argument("what", type=click.Choice(["learners", "streams", "papers"]))
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def list(what: str, name: str | None, as_json: bool) -> None:
    """What there is, with a line on each and its parameters; with NAME, only that one."""
    if what == "papers":
        entries = [*_papers(name)]
    else:
        use_working_folder()
        entries = [*_named(what.removesuffix("s"), name)]
    say(json.dumps(entries, indent=1) if as_json else as_text(entries))


def as_text(entries: Sequence[Mapping[str, Any]]) -> str:
    """Return entries for people: a line on each, and what belongs to it below."""
    lines = []
    for entry in entries:
        lines.append(printable(f"{entry['name']}: {entry['about']}"))
        for key in ("experiments", "streams", "learners", "parameters"):
            if entry.get(key):
                text = entry[key] if isinstance(entry[key], str) else ", ".join(entry[key])
                title = "" if key == "parameters" else f"{key}: "
                lines += textwrap.wrap(printable(title + text), WIDTH, initial_indent="    ",
                                       subsequent_indent="        ")  # fmt: skip
    return "\n".join(lines)


def _papers(name: str | None) -> Iterator[dict[str, Any]]:
    """Yield the papers and what they have, or what each experiment of the one of a name runs."""
    from driftlearn.papers import PAPERS, find

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
    from driftlearn.workbench.catalogue import (
        REQUIRED,
        Entry,
        check_kind,
        defaults,
        find,
        own,
        plugins,
    )

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
        yield {"name": key, "about": about, "parameters": ", ".join(parameters)}
