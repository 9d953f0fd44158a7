"""The command ``driftlearn export-model``."""

from pathlib import Path

import click

from driftlearn.cli import options as opt
from driftlearn.cli.command import Command, check_outputs, echo, echo_json

ROUNDING = 1e-12  # smaller differences, which depend on the machine, are not printed


@click.command("export-model", cls=Command)
@click.argument("path", type=opt.FILE)
@opt.STATE
@click.option("--to", "target", type=click.Choice(["onnx", "treelite"]), required=True,
              help="Format of the exported model.")  # fmt: skip
@opt.ALLOW
@opt.JSON
def export_model(
    path: Path, state: Path, target: str, allow: tuple[str, ...], as_json: bool
) -> None:
    """Write a saved model to PATH, for programs without driftlearn.

    An ONNX file contains the encoder: it has an input for each column of the table, and the outputs
    label and probabilities. A treelite file has the trees; the encoding of the table is written to
    PATH.json. If onnxruntime or treelite is installed, predictions of the exported model are
    compared with those of the saved model.

    \b
      driftlearn export-model model.onnx --state model/ --to onnx
    """  # noqa: D301
    from driftlearn.ops.checkpoint.export import export_saved
    from driftlearn.ops.checkpoint.saved_model import SavedModel, is_keyed

    table = path.with_name(f"{path.name}.json") if target == "treelite" else None
    check_outputs(path, table)
    if is_keyed(state):
        raise ValueError(f"{state} has one model per key, which export-model does not support.")
    found = export_saved(SavedModel.open(state, allow=allow), path, target, table)
    if as_json:
        echo_json({"state": str(state), **found})
        return
    echo(f"{target} model: {path}")
    if table is not None:
        echo(f"encoding of the table: {table}")
    if found["difference"] is None:
        echo(f"not compared with the saved model: {found['runtime']} is not installed")
    else:
        off = max(found["difference"], ROUNDING)
        echo(f"compared on {found['rows']} recent training rows: the probabilities differ by at "
             f"most {off:.0e}")  # fmt: skip
