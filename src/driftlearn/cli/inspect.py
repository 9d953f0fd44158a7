"""The command ``driftlearn inspect``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from driftlearn.cli.command import FILE, Command, look_for, say

if TYPE_CHECKING:
    from driftlearn.inspection.inspection import Inspection


@click.command(cls=Command)
@click.argument("model", type=click.Path(path_type=Path))
@click.option("--key", metavar="KEY", help="Of a state folder with a model for each key: this "
              "one.")  # fmt: skip
@click.option("--html", type=FILE, metavar="PAGE", help="Write a page that needs no network.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
@click.option("--allow", multiple=True, metavar="PACKAGE", help="A package whose classes may be "
              "loaded; may be repeated.")  # fmt: skip
def inspect(
    model: Path, key: str | None, html: Path | None, as_json: bool, allow: tuple[str, ...]
) -> None:
    """What a model is made of, what it looks at, how it did, and what changed.

    MODEL is a state folder, or a file of a saved learner or pipeline, of which less is known. Of a
    folder with a model for each key: which keys drift, which are worst, who answers for them.

    \b
      driftlearn inspect model/
      driftlearn inspect model/ --html model.html
      driftlearn inspect models/ --key fridge-17
    """  # noqa: D301
    from driftlearn.cli.keyed import inspect_keyed, is_keyed

    look_for(html)
    if is_keyed(model):
        inspect_keyed(model, key, html, as_json)
        return
    if key is not None:
        raise ValueError(f"{model} has no model for each key: leave out --key")
    found = inspection_of(model, allow)
    if html is not None:
        found.report(html, title=model.name or str(model))
        say(f"page: {html}", err=True)
    if as_json:
        say(json.dumps(found.to_dict(), indent=1))
    elif html is None:
        from driftlearn.bench.report._inspection_terminal import view
        from driftlearn.bench.report._terminal import console

        console().print(view(found))


def inspection_of(model: Path, allow: tuple[str, ...] = ()) -> Inspection:
    """Return what is known of a model in a state folder or a file."""
    from driftlearn import inspection
    from driftlearn import io as persist
    from driftlearn.ops.checkpoint.saved_model import SavedModel

    if model.is_file():
        found = persist.load(model, allow=allow)
        if not hasattr(found, "predict") and not isinstance(found, SavedModel):
            raise ValueError(f"{model} holds a {type(found).__name__}, no model")
        return inspection.inspect(found)
    if not model.exists():
        raise FileNotFoundError(f"there is no {model}: give a state folder or a model file")
    return inspection.inspect(SavedModel.open(model, allow=allow))
