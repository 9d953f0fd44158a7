"""The commands that look at something: list, runs, export, versions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from driftlearn.cli._command import Command
from driftlearn.cli._running import FILE

STORE = click.option("--store", type=FILE, help="The SQLite file; by default runs.sqlite in the "
                     "user's data folder.")  # fmt: skip


def _existing(store: Path | None) -> Any:
    from driftlearn.workbench.store import Store, StoreError, default_path

    path = store or default_path()
    if not path.exists():
        raise StoreError(f"there is no store {path}; driftlearn run makes one")
    return Store(path)


@click.command("list", cls=Command)
@click.argument("what", type=click.Choice(["learners", "streams", "papers"]))
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def list_(what: str, name: str | None, as_json: bool) -> None:
    """What there is, with a line on each and its parameters; with NAME, only that one."""
    from driftlearn.cli._lists import as_text, listed

    entries = listed(what, name)
    click.echo(json.dumps(entries, indent=1) if as_json else as_text(entries))


@click.command(cls=Command)
@click.argument("numbers", nargs=-1, type=click.IntRange(min=1), metavar="[RUN]...")
@click.option("--report", type=FILE, help="Write an HTML page of one run.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
@STORE
def runs(numbers: tuple[int, ...], report: Path | None, as_json: bool, store: Path | None) -> None:
    """List all runs; with one RUN, show it; with several, compare them."""
    from driftlearn.cli._runs import compare, show_all, show_one

    with _existing(store) as opened:
        if report is not None and len(numbers) != 1:
            raise click.UsageError("--report is of one run: say which")
        if not numbers:
            show_all(opened, as_json)
        elif len(numbers) == 1:
            show_one(opened, numbers[0], report, as_json)
        else:
            compare(opened, numbers, as_json)


@click.command(cls=Command)
@click.argument("path", type=FILE)
@click.option("--run", "numbers", multiple=True, type=click.IntRange(min=1),
              help="Only this run; may be repeated.")  # fmt: skip
@STORE
def export(path: Path, numbers: tuple[int, ...], store: Path | None) -> None:
    """Write every chunk of the finished cells to PATH, a .csv or .parquet file."""
    from driftlearn.workbench.export import export_chunks

    with _existing(store) as opened:
        rows = export_chunks(opened, path, numbers)
    click.echo(f"{rows:,} chunks written to {path}")


@click.command(cls=Command)
def versions() -> None:
    """What is installed, and whether the compiled core is in use."""
    from driftlearn import show_versions

    show_versions()
