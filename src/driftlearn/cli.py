"""The `driftlearn` command.

Every command's work is imported when it runs, so that ``driftlearn --help`` answers at once.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from driftlearn._version import __version__


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="driftlearn")
def main() -> None:
    """Learn from data that arrives over time while the world changes."""


@main.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("driftlearn-demo"),
    show_default=True,
    help="Folder for the page and the picture.",
)
@click.option("--rows", type=click.IntRange(min=2000), default=30_000, show_default=True,
              help="Length of the stream.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed.")
def demo(out: Path, rows: int, seed: int) -> None:
    """Six learners on a stream with three abrupt drifts: a table, a page and a picture."""
    from driftlearn._demo import run

    try:
        run(out, rows, seed)
    except OSError as problem:
        raise click.ClickException(
            f"cannot write to {out}: {problem.strerror or problem}"
        ) from None
    except KeyboardInterrupt:
        click.echo("stopped; nothing was written", err=True)
        sys.exit(130)


@main.command()
@click.argument("paper")
@click.option("--table", help="Which table, as in III or 5.")
@click.option("--figure", help="Which figure, as in 3.")
@click.option("--item", help="Any entry by its whole name, as in 'section 4'.")
@click.option("--seeds", type=click.IntRange(min=1), default=3, show_default=True,
              help="Repetitions: seeds 0, 1, ...")  # fmt: skip
@click.option("--stream", "streams", multiple=True, help="Only this stream; may be repeated.")
@click.option("--learner", "learners", multiple=True, help="Only this learner; may be repeated.")
@click.option("--jobs", type=int, default=1, show_default=True, help="Repetitions at a time.")
def reproduce(
    paper: str,
    table: str | None,
    figure: str | None,
    item: str | None,
    seeds: int,
    streams: tuple[str, ...],
    learners: tuple[str, ...],
    jobs: int,
) -> None:
    """Run a paper's experiment again: its numbers beside ours, and whether its claims hold.

    PAPER is S0 (Learn++.NSE), S1 (DTEL), S2 (Learn++.MT), S3 (IBoost) or S4 (Learn++.UDNC).
    """
    from driftlearn.papers.show import reproduce as run

    if table or figure:
        item = f"table {table}" if table else f"figure {figure}"
    try:
        run(paper.upper(), item, seeds, streams, learners, jobs)
    except ValueError as problem:
        raise click.UsageError(str(problem)) from None
    except KeyboardInterrupt:
        click.echo("stopped", err=True)
        sys.exit(130)


@main.command()
def versions() -> None:
    """What is installed, and whether the compiled core is in use."""
    from driftlearn import show_versions

    show_versions()


if __name__ == "__main__":
    main()
