"""The command ``driftlearn run``."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from driftlearn.cli.command import (
    FILE,
    LongCommand,
    Seeds,
    command_line,
    figure_files,
    grid_options,
    look_for,
    open_grid,
    say,
    use_working_folder,
)
from driftlearn.cli.names import Named

if TYPE_CHECKING:
    from driftlearn.bench.workbench.plan import Plan


@click.command(cls=LongCommand)
@click.argument("plan", type=FILE, required=False)
@click.option("--stream", "-s", "streams", multiple=True, type=Named("stream"),
              metavar="NAME[:OPTION=VALUE,...]", help="A stream; may be repeated.")  # fmt: skip
@click.option("--learner", "-l", "learners", multiple=True, type=Named("learner"),
              metavar="NAME[:OPTION=VALUE,...]", help="A learner; may be repeated.")  # fmt: skip
@click.option("--seeds", type=Seeds(), metavar="N|FIRST:END",
              help="Repetitions: seeds 0 to N - 1, or from FIRST on before END.  [1]")  # fmt: skip
@click.option("--protocol", help="prequential (test, then train; the default), holdout, delayed, "
              "concepts (test on every concept after each).")  # fmt: skip
@click.option("--chunk-size", type=click.IntRange(min=1), help="Rows a chunk.")
@click.option("--every", type=click.IntRange(min=1), help="Record, or test, every so many rows.")
@click.option("--test-size", type=click.IntRange(min=1), help="Rows of a hold-out test.")
@click.option("--fixed/--no-fixed", default=None, help="Hold-out rows drawn once a concept.")
@click.option("--delay", type=click.IntRange(min=0), help="Rows until a label arrives.")
@click.option("--no-baselines", is_flag=True, help="Without no-change and majority, which run "
              "beside the learners.")  # fmt: skip
@click.option("--title", help="What to call it.")
@click.option("--report", type=FILE, help="Write an HTML page.")
@click.option(
    "--plot",
    type=FILE,
    help="Draw accuracy over time; .png, .svg or .pdf. With "
    ".gif: what the learners say of the plane of two features, on the page, too.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
@grid_options
def run(
    plan: Path | None,
    streams: tuple[str, ...],
    learners: tuple[str, ...],
    seeds: range | None,
    protocol: str | None,
    no_baselines: bool,
    title: str | None,
    report: Path | None,
    plot: Path | None,
    as_json: bool,
    store: Path | None,
    on: str,
    fresh: bool,
    quiet: bool,
    verbose: bool,
    **options: Any,
) -> None:
    """Any learners on any streams.

    Name them with --stream and --learner, or in a small TOML file PLAN:

    \b
      driftlearn run -s sea:noise=0.1 -l dtel -l learn++.nse:slope=0.5 --seeds 10
      driftlearn run plan.toml --report plan.html

    Finished work is stored: the same command again goes on with what is missing.
    """  # noqa: D301
    from driftlearn.bench.workbench.plan import plan_of, read_plan

    use_working_folder()
    given = {key: value for key, value in options.items() if value is not None}
    if plan is not None:
        if streams or learners or seeds or protocol or given:
            raise click.UsageError(
                f"what to run is in {plan}; --stream, --learner, --seeds, --protocol and their "
                "options belong there, too"
            )
        wanted = read_plan(plan)
    else:
        wanted = plan_of(streams, learners, seeds or 1, protocol or "prequential", given, title)
    if no_baselines:
        wanted = replace(wanted, baselines=False)
    files = figure_files(plot, [*wanted.streams])
    look_for(report, figures=files.values())

    from driftlearn.bench.workbench.cell import cells_of

    cells = cells_of(
        {name: spec.make for name, spec in wanted.streams.items()},
        {name: spec.make() for name, spec in wanted.entrants.items()},
        wanted.seeds,
        wanted.protocol,
        wanted.options,
    )
    is_animated = plot is not None and plot.suffix.lower() == ".gif"
    if is_animated:
        _check_planes(wanted)
    grid = open_grid(store, on, fresh, quiet, verbose)
    outcome = grid.run(cells, wanted.title or " ".join(wanted.streams), command_line())

    from driftlearn.cli.output import (
        draw_all,
        draw_planes,
        sentences,
        show,
        summaries,
        untested,
        write_report,
    )

    results = outcome.results()
    if as_json:
        content = {"run": outcome.run, "command": command_line(), "results": summaries(results)}
        content["not beating"] = sentences(results)
        say(json.dumps({**content, "failed": outcome.failed()}, indent=1))
    else:
        show(results)
    for text in (*untested(results), *outcome.failed()):
        say(text, err=True)
    planes = None
    if results and is_animated:
        planes = draw_planes(wanted, files)
    elif results:
        draw_all(results, files)
    if results and report is not None:
        title = wanted.title or "driftlearn run"
        write_report(results, report, title, command_line(), planes=planes)
    sys.exit(1 if outcome.failures else 0)


def _check_planes(plan: Plan) -> None:
    """Raise if a stream is known to have no plane to draw."""
    for name, spec in plan.streams.items():
        n = getattr(spec.make(plan.seeds[0]), "n_features", 2)
        if n != 2:
            raise ValueError(
                f"a .gif shows the plane of two features, and {name} has {n}: end --plot in .png, "
                ".svg or .pdf"
            )
