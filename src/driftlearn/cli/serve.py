"""The command ``driftlearn serve``."""

from __future__ import annotations

from pathlib import Path

import click

from driftlearn.cli.command import Command, say
from driftlearn.cli.learn import STATE

MB = 1 << 20


@click.command(cls=Command)
@STATE
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; any other "
              "needs a token, in the environment variable DRIFTLEARN_TOKEN.")  # fmt: skip
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True,
              help="0 takes one that is free.")  # fmt: skip
@click.option("--body", type=click.FloatRange(min=0.001), default=4.0, show_default=True,
              metavar="MB", help="How long the body of a request may be.")  # fmt: skip
@click.option("--rows", type=click.IntRange(min=1), default=10_000, show_default=True,
              help="How many rows a request may have.")  # fmt: skip
@click.option("--rate", type=click.FloatRange(min=0), default=1_000.0, show_default=True,
              metavar="N", help="Requests a second of one client; 0 is any number.")  # fmt: skip
@click.option("--timeout", type=click.FloatRange(min=0.1), default=30.0, show_default=True,
              metavar="SECONDS", help="For a request to come, and for one to learn to have its "
              "turn.")  # fmt: skip
@click.option("--connections", type=click.IntRange(min=1), default=256, show_default=True,
              help="At a time.")  # fmt: skip
@click.option("--save", type=click.FloatRange(min=0), default=5.0, show_default=True,
              metavar="SECONDS", help="From one time the model is saved to the next; until then "
              "rows are in the log.")  # fmt: skip
@click.option("--memory", metavar="BYTES", help="What models of keys in memory may take, as "
              "500MB.  [1GB]")  # fmt: skip
def serve(
    state: Path,
    host: str,
    port: int,
    body: float,
    rows: int,
    rate: float,
    timeout: float,
    connections: int,
    save: float,
    memory: str | None,
) -> None:
    """Serve a kept model, or a model for each key, over HTTP: it predicts, learns, and tells how.

    POST /predict and POST /learn take rows as JSON; GET /health and GET /metrics (Prometheus) tell
    of it. Rows of /learn are on disk before they are answered. Ctrl-C or SIGTERM end it: what was
    taken on is finished and saved.

    \b
      driftlearn learn days/ --target label --state model/
      driftlearn serve --state model/
      curl --json '{"x": 0.5, "colour": "red"}' http://127.0.0.1:8000/predict
    """  # noqa: D301
    from driftlearn.ops.keyed.key_cache import MEMORY
    from driftlearn.ops.keyed.settings import parse_bytes
    from driftlearn.ops.serving.limits import Limits
    from driftlearn.ops.serving.server import serve as run

    limits = Limits(int(body * MB), rows, rate, timeout, connections)
    run(state, host, port, limits, lambda text: say(text, err=True), save,
        MEMORY if memory is None else parse_bytes(memory))  # fmt: skip
