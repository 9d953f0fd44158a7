"""The command ``driftlearn serve``."""

from ipaddress import ip_network
from pathlib import Path
from typing import Any

import click

from driftlearn.cli import options as opt
from driftlearn.cli.command import Command, echo

MB = 1 << 20


def _networks(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> tuple[str, ...]:
    """Return addresses and networks; raise BadParameter for anything else."""
    for each in given:
        try:
            ip_network(each)
        except ValueError as error:
            raise click.BadParameter(f"{error}. Use e.g. 10.0.0.5 or 10.0.0.0/8.") from None
    return given


@click.command(cls=Command)
@opt.STATE
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on. An "
              "address other than 127.0.0.1 requires a token in the environment variable "
              "DRIFTLEARN_TOKEN.")  # fmt: skip
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True,
              help="Port to listen on; 0 selects a free port.")  # fmt: skip
@click.option("--body", type=click.FloatRange(min=0.001), default=4.0, show_default=True,
              metavar="MB", help="Maximum size of a request body.")  # fmt: skip
@click.option("--rows", type=opt.POSITIVE, default=10_000, show_default=True,
              help="Maximum number of rows in a request.")  # fmt: skip
@click.option("--rate", type=click.FloatRange(min=0), default=1_000.0, show_default=True,
              metavar="N", help="Requests per second of a token, or of an address without a valid "
              "token; 0 for no limit.")  # fmt: skip
@click.option("--timeout", type=click.FloatRange(min=0.1), default=30.0, show_default=True,
              metavar="SECONDS", help="Maximum time to receive a request, and for it to wait for "
              "training.")  # fmt: skip
@click.option("--connections", type=opt.POSITIVE, default=256, show_default=True,
              help="Maximum number of connections.")  # fmt: skip
@click.option("--trusted-proxy", "trusted_proxies", multiple=True, metavar="ADDRESS",
              callback=_networks, help="Address or network (10.0.0.0/8) of a proxy whose header "
              "X-Forwarded-For names the client; may be given several times.")  # fmt: skip
@click.option("--save", type=click.FloatRange(min=0), default=5.0, show_default=True,
              metavar="SECONDS", help="Minimum time between two saves of the model; until then, "
              "rows are in the log.")  # fmt: skip
@opt.MEMORY
@click.option("--on-schema-change", type=click.Choice(["stop", "warn", "note"]),
              help="If a request differs from earlier rows: reject it (stop), or answer it with "
              "the field 'warnings' (warn, note). By default as the state folder has it; without "
              "a policy, only what does not fit is rejected.")  # fmt: skip
def serve(
    state: Path,
    host: str,
    port: int,
    body: float,
    save: float,
    memory: str | None,
    on_schema_change: str | None,
    **limits: Any,
) -> None:
    """Serve a saved model, or one model per key, over HTTP.

    POST /predict and POST /learn accept rows as JSON; GET /health and GET /metrics (Prometheus)
    report the state of the service. Rows sent to /learn are on disk before they are acknowledged.
    Ctrl-C or SIGTERM stop the service after it has answered pending requests and saved the model.

    \b
      driftlearn learn days/ --target label --state model/
      driftlearn serve --state model/
      curl --json '{"x": 0.5, "colour": "red"}' http://127.0.0.1:8000/predict
    """  # noqa: D301
    from driftlearn.ops.keyed.key_cache import MEMORY
    from driftlearn.ops.keyed.settings import parse_bytes
    from driftlearn.ops.serving.limits import Limits
    from driftlearn.ops.serving.server import serve as run

    run(state, host, port, Limits(int(body * MB), **limits), lambda text: echo(text, err=True),
        save, MEMORY if memory is None else parse_bytes(memory), on_schema_change)  # fmt: skip
