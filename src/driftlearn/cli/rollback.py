"""The command ``driftlearn rollback``."""

from pathlib import Path

import click

from driftlearn.cli import options as opt
from driftlearn.cli.command import Command, echo, echo_json


@click.command(cls=Command)
@opt.STATE
@click.option("--to", type=opt.POSITIVE, metavar="VERSION", help="Version to restore.  [default: "
              "the version before the active one]")  # fmt: skip
@opt.flag("--list", "only_list", help="List the versions and change nothing.")
@opt.ALLOW
@opt.JSON
def rollback(
    state: Path, to: int | None, only_list: bool, allow: tuple[str, ...], as_json: bool
) -> None:
    """Restore the model that a challenger has replaced.

    The model that is replaced is stored, too. The next run of 'driftlearn learn' learns the files
    that the restored model has not learned.

    \b
      driftlearn rollback --state model/
      driftlearn rollback --state model/ --list
    """  # noqa: D301
    from driftlearn.ops.checkpoint import versions
    from driftlearn.utils.table import Table

    if not only_list:
        version = versions.rollback(state, to, allow)
        if not as_json:
            echo(f"{state}: version {version} is active")
            return
    found = versions.list_versions(state, allow)
    if as_json:
        echo_json({"state": str(state), "versions": found})
        return
    columns = {name: [each[name] for each in found] for name in found[0]}
    columns["active"] = ["*" if each else "" for each in columns["active"]]
    echo(Table(columns).text())
