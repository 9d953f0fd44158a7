"""The command ``driftlearn promote``."""

from pathlib import Path

import click

from driftlearn.cli import options as opt
from driftlearn.cli.command import Command, echo, echo_json


@click.command(cls=Command)
@opt.STATE
@opt.flag("--if-better", help="Only if the challenger is significantly better in accuracy or log "
          "loss, and in neither significantly worse.")  # fmt: skip
@opt.ALLOW
@opt.JSON
def promote(state: Path, if_better: bool, allow: tuple[str, ...], as_json: bool) -> None:
    """Replace a model by its challenger.

    'driftlearn learn --challenger SPEC' trains a challenger. The model that is replaced is stored
    in the state folder; 'driftlearn rollback' restores it.

    \b
      driftlearn promote --state model/ --if-better
    """  # noqa: D301
    from driftlearn.ops.checkpoint import versions
    from driftlearn.ops.checkpoint.paired_scores import is_better

    if if_better and (state / versions.CHALLENGER).exists():
        found = versions.compare_challenger(state, allow)
        if found is None or not is_better(found):
            if as_json:
                echo_json({"state": str(state), "promoted": False, "comparison": found})
            else:
                echo(f"{state}: the challenger is not significantly better and was not promoted")
            return
    before, after = versions.promote(state, allow)
    if as_json:
        echo_json({"state": str(state), "promoted": True, "version": after, "replaced": before})
    else:
        echo(f"{state}: version {after} replaces version {before}, which 'driftlearn rollback "
             f"--state {state} --to {before}' restores")  # fmt: skip
