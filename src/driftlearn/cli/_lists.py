"""What ``driftlearn list`` prints."""

from __future__ import annotations

import textwrap
from typing import Any

from driftlearn.workbench.catalogue import REQUIRED, find, learner_table, stream_table


def listed(what: str, name: str | None = None) -> list[dict[str, Any]]:
    """Return the learners, streams or papers there are, or the one of a name."""
    if what == "papers":
        return _papers(name)
    kind = what.removesuffix("s")
    about = (learner_table if kind == "learner" else stream_table)(parameters=False)
    if name is not None:
        find(kind, name)
    return [
        {**row, "parameters": _parameters(kind, row["name"])}
        for row in about
        if name in (None, row["name"])
    ]


def _papers(name: str | None) -> list[dict[str, Any]]:
    """Return the papers and what they have, or what each experiment of the one of a name runs."""
    from driftlearn.papers import PAPERS
    from driftlearn.papers import find as find_paper

    if name is None:
        return [
            {
                "name": short,
                "about": f"{paper}: {paper.title}",
                "experiments": [f"{short} {item}" for item in paper.items],
            }
            for short, paper in PAPERS.items()
        ]
    return [
        {
            "name": f"{experiment.paper} {experiment.item}",
            "about": experiment.title,
            "streams": list(experiment.streams),
            "learners": list(experiment.learners),
        }
        for experiment in find_paper(name)
    ]


def as_text(entries: list[dict[str, Any]]) -> str:
    """Return entries for people: a line on each, and what belongs to it below."""
    lines = []
    for entry in entries:
        lines.append(f"{entry['name']}: {entry['about']}")
        for key in ("experiments", "streams", "learners", "parameters"):
            if entry.get(key):
                text = ", ".join(entry[key]) if isinstance(entry[key], list) else entry[key]
                title = "" if key == "parameters" else f"{key}: "
                lines += textwrap.wrap(title + text, 100, initial_indent="    ",
                                       subsequent_indent="        ")  # fmt: skip
    return "\n".join(lines)


def _parameters(kind: str, name: str) -> str:
    """Return parameters and their defaults as they are written in Python."""
    _, params = find(kind, name)
    return ", ".join(
        key if default is REQUIRED else f"{key}={default!r}" for key, default in params.items()
    )
