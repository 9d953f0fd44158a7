"""The command ``driftlearn run``."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from driftlearn.cli import command as base
from driftlearn.cli import options as opt
from driftlearn.cli.command import LongCommand, command_line, echo, echo_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from driftlearn.bench.workbench.grid import Grid


@click.command(cls=LongCommand)
@click.argument("plan", type=opt.FILE, required=False)
@opt.many(
    "--stream", "-s", "streams", type=opt.STREAM, metavar=opt.SPEC, help="Stream; repeatable."
)
@opt.many("--learner", "-l", "learners", type=opt.LEARNER, metavar=opt.SPEC,
      help="Learner; repeatable.")  # fmt: skip
@click.option("--seeds", type=opt.seeds, metavar="N|FIRST:END", help="Seeds 0 to N - 1, "
              "or FIRST to END - 1.  [1]")  # fmt: skip
@click.option("--protocol", help="prequential (predict, then learn; the default), holdout, delayed "
              "or concepts (test on every concept after each one).")  # fmt: skip
@click.option("--chunk-size", type=opt.POSITIVE, help="Number of rows in a chunk.")
@click.option("--every", type=opt.POSITIVE, help="Number of rows between two evaluations.")
@click.option("--test-size", type=opt.POSITIVE, help="Number of rows in a holdout test set.")
@click.option(
    "--fixed/--no-fixed", default=None, help="Draw the holdout test set once per concept."
)
@click.option("--delay", type=opt.NOT_NEGATIVE, help="Rows until labels become available.")
@opt.flag("--no-baselines", help="Do not add the baselines no-change and majority.")
@click.option("--title", help="Title of the run.")
@opt.REPORT
@click.option("--plot", type=opt.FILE, help="Draw accuracy over time (.png, .svg, .pdf), or "
              "animate decision regions of a stream with two features (.gif).")  # fmt: skip
@opt.JSON
@opt.grid_options
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
    open_grid: Callable[[], Grid],
    **options: Any,
) -> None:
    """Benchmark learners on streams.

    Name streams and learners as options, or in a TOML file PLAN:

    \b
      driftlearn run -s sea:noise=0.1 -l dtel -l learn++.nse:slope=0.5 --seeds 10
      driftlearn run plan.toml --report plan.html

    Finished cells are stored. Run the same command again to continue an interrupted run.
    """  # noqa: D301
    from driftlearn.bench.workbench.plan import plan_of, read_plan

    base.use_working_folder()
    given = {key: value for key, value in options.items() if value is not None}
    if plan is not None:
        if streams or learners or seeds or protocol or given:
            raise click.UsageError(
                "--stream, --learner, --seeds, --protocol and their options cannot be combined "
                f"with a plan: set them in {plan}"
            )
        wanted = read_plan(plan)
    else:
        wanted = plan_of(streams, learners, seeds or 1, protocol or "prequential", given, title)
    if no_baselines:
        wanted = replace(wanted, baselines=False)
    files = base.figure_files(plot, [*wanted.streams])
    base.check_outputs(report, figures=files.values())

    from driftlearn.bench.workbench.cell import cells_of

    cells = cells_of(
        {name: spec.make for name, spec in wanted.streams.items()},
        {name: spec.make() for name, spec in wanted.entrants.items()},
        wanted.seeds, wanted.protocol, wanted.options,
    )  # fmt: skip
    is_animated = plot is not None and plot.suffix.lower() == ".gif"
    for name, spec in wanted.streams.items() if is_animated else ():
        n = getattr(spec.make(wanted.seeds[0]), "n_features", 2)
        if n != 2:
            raise ValueError(
                f"--plot with a .gif requires streams with two features, but {name} has {n}. Use "
                ".png, .svg or .pdf."
            )
    outcome = open_grid().run(cells, wanted.title or " ".join(wanted.streams), command_line())

    from driftlearn.cli import output

    results = outcome.results()
    if as_json:
        echo_json({
            "run": outcome.run, "command": command_line(), "results": output.summaries(results),
            "not beating": output.sentences(results), "failed": outcome.failed(),
        })  # fmt: skip
    else:
        output.show(results)
    for text in (*output.untested(results), *outcome.failed()):
        echo(text, err=True)
    planes = None
    if results and is_animated:
        planes = output.draw_planes(wanted, files)
    else:
        for stream, file in files.items():
            if stream in results:  # a stream has no result if all its cells failed
                results[stream].plot(path=file)
                echo(f"figure: {file}", err=True)
    if results and report is not None:
        title = wanted.title or "driftlearn run"
        output.write_report(results, report, title, command_line(), planes=planes)
    sys.exit(1 if outcome.failures else 0)
