"""The names that commands take: refused at once if there is no such thing, completed by the shell.

Nothing that a name stands for is imported here.
"""

from __future__ import annotations

from typing import Any

import click
from click.shell_completion import CompletionItem

from driftlearn.cli.command import MISTAKE, Problem

Item = CompletionItem
ITEMS = {"table": ("table ", "tables "), "figure": ("figure ", "figures "), "item": ("",)}


class Named(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A learner or a stream as text: ``name:option=value,...``.

    Parameters
    ----------
    kind : {"learner", "stream"}
        Which of the two.
    """

    def __init__(self, kind: str):
        self.name = kind

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        """Return the text as it is, if its name is known."""
        from driftlearn.specs.grammar import check

        try:
            check(value, self.name)
        except ValueError as mistake:
            raise Problem(str(mistake), MISTAKE) from None
        return str(value)

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[Item[Any]]:
        """Return the names that begin so; of streams also files."""
        found = names(self.name, incomplete)
        return found or ([CompletionItem(incomplete, type="file")] if self.name == "stream" else [])


def names(kind: str, incomplete: str) -> list[Item[Any]]:
    """Return the learners or streams whose names begin so, with a line on each."""
    from driftlearn.specs.catalogue import own, plugins

    about = {name: getattr(entry, "line", "") or entry.about for name, entry in own(kind).items()}
    about |= {name: entry.package for name, entry in plugins(kind)[0].items()}
    return [CompletionItem(k, help=v) for k, v in about.items() if k.startswith(incomplete)]


def papers(ctx: Any, param: Any, incomplete: str) -> list[Item[Any]]:
    """Return the papers whose short names begin so."""
    from driftlearn.bench.papers.paper import PAPERS

    there = {**{name: str(paper) for name, paper in PAPERS.items()}, "all": "all of them"}
    return [
        CompletionItem(k, help=v)
        for k, v in there.items()
        if k.lower().startswith(incomplete.lower())
    ]


def items(ctx: Any, param: Any, incomplete: str) -> list[Item[Any]]:
    """Return the tables, figures or other items of the paper that is named before."""
    from driftlearn.bench.papers.paper import PAPERS

    words = [str(ctx.params.get("paper")), *ctx.args]  # click has not told yet which is which
    paper = next((PAPERS[word.upper()] for word in words if word.upper() in PAPERS), None)
    found = []
    for whole in paper.items if paper else ():
        for start in ITEMS[param.name]:
            if whole.startswith(start):
                numbers = whole.removeprefix(start)
                parts = [numbers] if param.name == "item" else numbers.replace("and", " ").split()
                found += [CompletionItem(n) for n in parts if n.startswith(incomplete)]
    return found


def listed(ctx: Any, param: Any, incomplete: str) -> list[Item[Any]]:
    """Return the names of what is to be listed."""
    what = str(ctx.params.get("what"))
    if what == "papers":
        return papers(ctx, param, incomplete)
    return names(what.removesuffix("s"), incomplete)
