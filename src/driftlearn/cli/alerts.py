"""The command ``driftlearn alerts``."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from driftlearn.cli import options as opt
from driftlearn.cli.command import Command, check_outputs, echo, echo_json

if TYPE_CHECKING:
    from driftlearn.ops.alerts.alarm import Alarm, Status

KINDS = "schema, drift, baseline, failure"
#: Kinds of alerts that need the record of a single model.
SINGLE_MODEL = ("drift", "baseline")


def names(context: click.Context, parameter: click.Parameter, given: str | None) -> Any:
    """Parse names that are separated by commas; "all" and "none" are allowed, too."""
    if given is None:
        return None
    from driftlearn.ops.alerts.rules import KINDS, NAMED

    known = NAMED if parameter.name == "on" else KINDS
    words = tuple(word.strip() for word in given.split(",") if word.strip())
    return known if words == ("all",) else () if words == ("none",) else words


@click.command(cls=Command)
@click.argument("state", type=opt.FOLDER)
@click.option("--webhook", metavar="URL", help="Address that receives each alert as JSON (POST); "
              "- reads it from standard input, '' removes it.")  # fmt: skip
@click.option("--file", metavar="FILE", help="File to which each alert is appended; '' removes it.")
@click.option("--on", callback=names, metavar="NAMES", help=f"Conditions that cause an alert, "
              f"separated by commas: {KINDS}; or all, none.  [all]")  # fmt: skip
@click.option("--files-every", metavar="SPAN", help="Longest time without new rows: 90min, 6h, 1d; "
              "'' for no limit.")  # fmt: skip
@click.option("--labels-every", metavar="SPAN", help="Longest time without labels, while rows "
              "come or wait for them.")  # fmt: skip
@click.option("--exit-on", callback=names, metavar="NAMES", help="Alerts after which 'driftlearn "
              f"learn' ends with exit code 6: {KINDS}, files, labels; or all, none.  "
              "[none]")  # fmt: skip
@opt.flag("--test", help="Send a test alert now.")
@opt.ALLOW
@opt.JSON
def alerts(state: Path, test: bool, allow: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """Set, show or test the alerts of a state folder.

    Without options, show the rules, the conditions that are met and the alerts that could not be
    delivered. Rules are stored in alerts.toml in the state folder. learn, serve and watch send each
    alert once, and a message when its condition has ended.

    \b
      driftlearn alerts model/ --webhook https://example.org/hook --files-every 1d
      driftlearn alerts model/ --on schema,drift --exit-on schema
      driftlearn alerts model/ --test
    """  # noqa: D301
    from driftlearn.ops.alerts.alarm import MEMORY, Alarm
    from driftlearn.ops.alerts.rules import Rules, read_rules

    status = status_of(state, allow)
    changed = {name: value for name, value in given.items() if value is not None}
    if changed.get("webhook") == "-":
        changed["webhook"] = sys.stdin.readline().strip()
    if changed.get("file"):
        changed["file"] = str(Path(changed["file"]).absolute())  # cron has another working folder
        check_outputs(Path(changed["file"]))
    rules = read_rules(state)
    if changed:
        rules = replace(rules or Rules(on=conditions(status)), **changed)
        if status.saved is None and (no := {*rules.on} & {*SINGLE_MODEL}):
            raise ValueError(
                f"Invalid --on {','.join(sorted(no))}: {state} has one model per key, for which "
                "these conditions are not known. Use schema, failure, --files-every."
            )
        rules.write(state)
    if rules is None:
        raise ValueError(f"{state} has no alerts. Set them, e.g. driftlearn alerts {state} "
                         "--webhook URL --files-every 1d")  # fmt: skip
    alarm = Alarm(state, partial(echo, err=True))
    if not (state / MEMORY).exists():
        alarm.begin(status)
    if test:
        if problem := alarm.test():
            raise OSError(f"The test alert was not delivered: {problem}.")
        echo(f"{state}: the test alert was delivered", err=True)
    elif as_json:
        echo_json(facts(alarm))
    else:
        show(facts(alarm))


def status_of(state: Path, allow: tuple[str, ...]) -> Status:
    """Return the status of a state folder; raise FileNotFoundError without a model."""
    from driftlearn.ops.alerts.alarm import Status
    from driftlearn.ops.checkpoint.saved_model import SavedModel, is_keyed

    if not is_keyed(state):
        return Status.of(SavedModel.open(state, allow=allow))
    from driftlearn.ops.keyed.predictions import open_models

    models = open_models(state)
    counts = models.counts
    models.store.close()
    return Status(counts["rows"], counts["learned"])


def conditions(status: Status) -> tuple[str, ...]:
    """Return the conditions that are known for a single model, or for one model per key."""
    from driftlearn.ops.alerts.rules import NAMED

    omitted = () if status.saved is not None else SINGLE_MODEL
    return tuple(name for name in NAMED if name not in omitted)


def facts(alarm: Alarm) -> dict[str, Any]:
    """Return rules, met conditions and undelivered alerts; the address without secret parts."""
    from driftlearn.ops.alerts.rules import shown

    rules, memory = alarm.rules, alarm.memory()
    assert rules is not None
    address = shown(rules.webhook) if rules.webhook else ""
    return {
        "state": str(alarm.folder),
        "rules": {**asdict(rules), "webhook": address},
        "open": [
            {"alert": kind, "since": each["since"], "text": each["text"]}
            for kind, some in memory["open"].items() for each in some.values()
        ],
        "undelivered": [each["text"] for each in memory["waiting"]],
    }  # fmt: skip


def show(found: dict[str, Any]) -> None:
    """Print rules, met conditions and undelivered alerts."""
    for name, value in found["rules"].items():
        text = value if isinstance(value, str) else ", ".join(value)
        echo(f"{name.replace('_', '-'):<13} {text or 'none'}")
    for each in found["open"]:
        echo(f"{each['alert']} since {each['since']}: {each['text']}")
    for text in found["undelivered"]:
        echo(f"not delivered: {text}")
