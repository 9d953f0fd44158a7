"""Names of learners, streams and papers as arguments: validation and shell completion.

The named objects are not imported here, so that completion is fast.
"""

from typing import Any

import click
from click.shell_completion import CompletionItem

from driftlearn.cli.command import INVALID, CommandError

Item = CompletionItem
ITEMS = {"table": ("table ", "tables "), "figure": ("figure ", "figures "), "item": ("",)}


class Named(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A learner or a stream as text: ``name:option=value,...``.

    Parameters
    ----------
    kind : {"learner", "stream"}
        What is named.
    """

    def __init__(self, kind: str):
        self.name = kind

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        """Return the text unchanged; raise an error if its name is unknown."""
        from driftlearn.specs.grammar import check

        try:
            check(value, self.name)
        except ValueError as mistake:
            raise CommandError(str(mistake), INVALID) from None
        return str(value)

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[Item[Any]]:
        """Return the names that start with a text; for streams also files."""
        found = names(self.name, incomplete)
        return found or ([CompletionItem(incomplete, type="file")] if self.name == "stream" else [])


def names(kind: str, incomplete: str) -> list[Item[Any]]:
    """Return the learners or streams whose names start with a text, and their summaries."""
    from driftlearn.specs.catalogue import own, plugins

    about = {name: getattr(entry, "line", "") or entry.about for name, entry in own(kind).items()}
    about |= {name: entry.package for name, entry in plugins(kind)[0].items()}
    return [CompletionItem(k, help=v) for k, v in about.items() if k.startswith(incomplete)]


def papers(ctx: Any, param: Any, incomplete: str) -> list[Item[Any]]:
    """Return the papers whose short names start with a text."""
    from driftlearn.bench.papers.paper import PAPERS

    known = {**{name: str(paper) for name, paper in PAPERS.items()}, "all": "all papers"}
    start = incomplete.lower()
    return [CompletionItem(k, help=v) for k, v in known.items() if k.lower().startswith(start)]


def items(ctx: Any, param: Any, incomplete: str) -> list[Item[Any]]:
    """Return the tables, figures or other items of the paper in the command line."""
    from driftlearn.bench.papers.paper import PAPERS

    words = [
        str(ctx.params.get("paper")),
        *ctx.args,
    ]  # click has not yet assigned arguments to parameters
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
    """Return the names of what `driftlearn list` lists."""
    what = str(ctx.params.get("what"))
    if what == "papers":
        return papers(ctx, param, incomplete)
    return names(what.removesuffix("s"), incomplete)
