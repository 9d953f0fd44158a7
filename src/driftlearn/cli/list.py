"""The command ``driftlearn list``."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from driftlearn.cli.command import Command, echo, echo_json, use_working_folder
from driftlearn.cli.options import JSON, listed
from driftlearn.utils.safe_text import printable

WIDTH = 79  # columns; terminals usually have 80


@click.command(cls=Command)
@click.argument("what", type=click.Choice(["learners", "streams", "papers"]))
@click.argument("name", required=False, shell_complete=listed)
@JSON
def list(what: str, name: str | None, as_json: bool) -> None:
    """List learners, streams or papers with their parameters, or only the one called NAME.

    For each learner, the list contains when to use it and its results on the benchmark suite:
    accuracy in percent (row by row, and in chunks), thousand rows per second, and mean rank (1 is
    best).

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
        echo_json(entries)
        return
    text = as_text(entries)
    if any(entry.get("figures") for entry in entries):
        from driftlearn.bench.workbench.learner_card import legend

        text += "\n\n" + textwrap.fill(legend(), WIDTH)
    echo(text)


def as_text(entries: Sequence[Mapping[str, Any]]) -> str:
    """Format entries, with one line per entry and its details below."""
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
    """Format a detail of an entry: numbers, a string or a list of names."""
    if isinstance(value, Mapping):
        from driftlearn.bench.workbench.learner_card import in_words

        return in_words(value)
    return value if isinstance(value, str) else ", ".join(value)


def _papers(name: str | None) -> Iterator[dict[str, Any]]:
    """Yield the papers with their experiments, or the experiments of one paper."""
    from driftlearn.bench.papers import find
    from driftlearn.bench.papers.paper import PAPERS

    if name is None:
        for short, paper in PAPERS.items():
            items = [f"{short} {item}" for item in paper.items]
            yield {"name": short, "about": f"{paper}: {paper.title}", "experiments": items}
        return
    for experiment in find(name):
        yield {
            "name": f"{experiment.paper} {experiment.item}", "about": experiment.title,
            "streams": [*experiment.streams], "learners": [*experiment.learners],
        }  # fmt: skip


def _named(kind: str, name: str | None) -> Iterator[dict[str, Any]]:
    """Yield learners or streams; the entry of an unusable plug-in contains the reason."""
    from driftlearn.bench.workbench.learner_card import USES, card
    from driftlearn.specs.catalogue import REQUIRED, Entry, check_kind, defaults, find, own, plugins

    others, taken = plugins(kind)
    known = {**own(kind), **others}
    if name is not None:
        find(kind, name)
        known = {name: known.get(name) or Entry(name)}
    for line in taken:
        echo(line, err=True)
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
