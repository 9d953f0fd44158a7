"""The command ``driftlearn inspect``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from driftlearn.cli import options as opt
from driftlearn.cli.command import Command, check_outputs, echo, echo_json

if TYPE_CHECKING:
    from driftlearn.inspection.inspection import Inspection


@click.command(cls=Command)
@click.argument("model", type=click.Path(path_type=Path))
@click.option("--key", metavar="KEY", help="Key to inspect, with one model per key.")
@click.option("--html", type=opt.FILE, metavar="PAGE", help="Write a self-contained HTML page.")
@opt.JSON
@opt.ALLOW
def inspect(
    model: Path, key: str | None, html: Path | None, as_json: bool, allow: tuple[str, ...]
) -> None:
    """Show the members, features, accuracy and drifts of a model.

    MODEL is a state folder, or a file of a saved learner or pipeline, which has no accuracy record.
    With one model per key, show the keys with drift or with the lowest accuracy, and the models
    that predict their rows.

    \b
      driftlearn inspect model/
      driftlearn inspect model/ --html model.html
      driftlearn inspect models/ --key fridge-17
    """  # noqa: D301
    from driftlearn.ops.checkpoint.saved_model import is_keyed

    check_outputs(html)
    keyed = is_keyed(model)
    if keyed:
        from driftlearn.ops.keyed.inspection import inspect_key, inspect_keys
        from driftlearn.ops.keyed.predictions import open_models

        models = open_models(model)
        found: Any = inspect_keys(models) if key is None else inspect_key(models, key)
    elif key is not None:
        raise ValueError(f"{model} has no models by key: omit --key.")
    else:
        found = inspection_of(model, allow)
    if html is not None:
        found.report(html, title=key or model.name or str(model))
        echo(f"page: {html}", err=True)
    if as_json:
        echo_json({**({"state": str(model)} if keyed else {}), **found.to_dict()})
    elif html is None:
        from driftlearn.bench.report._terminal import console, keys_view, view

        console().print(keys_view(found) if keyed and key is None else view(found))


def inspection_of(model: Path, allow: tuple[str, ...] = ()) -> Inspection:
    """Return the inspection of a model in a state folder or file."""
    from driftlearn import inspection
    from driftlearn import io as persist
    from driftlearn.ops.checkpoint.saved_model import SavedModel

    if not model.exists():
        raise FileNotFoundError(f"{model} does not exist. Name a state folder or a model file.")
    if not model.is_file():
        return inspection.inspect(SavedModel.open(model, allow=allow))
    found = persist.load(model, allow=allow)
    if not hasattr(found, "predict") and not isinstance(found, SavedModel):
        raise ValueError(f"{model} contains a {type(found).__name__}, not a model.")
    return inspection.inspect(found)
