"""What ``learn``, ``predict`` and ``inspect`` do where there is a model for each key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driftlearn.cli.command import look_for, say
from driftlearn.ops.keyed.predicting import predict_keyed
from driftlearn.ops.keyed.settings import Request, is_keyed, parse_bytes, run

if TYPE_CHECKING:
    from driftlearn.ops.keyed.keyed_models import KeyedModels

__all__ = ["inspect_keyed", "is_keyed", "learn_keyed", "predict_keyed"]
ONE_MODEL = ("every", "delay", "by", "wait", "labels")


def learn_keyed(
    state: Path,
    files: list[str],
    settings: dict[str, Any],
    where: dict[str, str | None],
    how: dict[str, Any],
    as_json: bool,
) -> None:
    """Have keys learn; tell what it came to."""
    for name in ONE_MODEL:
        if settings.pop(name) is not None:
            raise ValueError(f"--{name} does not go with --key")
    if settings["chunk"] == "file":
        raise ValueError("--chunk file does not go with --key: say how many rows of a key are one")
    more: dict[str, Any] = {"on": where["on"] or "local", "out": where["out"]}
    if where["memory"] is not None:
        more["memory"] = parse_bytes(where["memory"])
    if where["out"] is not None:
        several = more["on"] != "local"  # then it is a folder of files
        look_for(Path(where["out"], "part") if several else Path(where["out"]))
    models = run(Request(state, files, settings, **more, **how))
    found = summary(state, models)
    if as_json:
        say(json.dumps(found, indent=1))
        return
    say(f"{state}: {found['counts']['learned']:,} rows of {found['keys']:,} keys learned in all")
    if found["accuracy"] is not None:
        say(f"right answers: {found['accuracy']:.4f}")
    _report_quarantined(models)
    if found["counts"]["expired"]:
        say(f"{found['counts']['expired']:,} keys were idle and are forgotten", err=True)


def summary(state: Path, models: KeyedModels) -> dict[str, Any]:
    """Return what all keys came to, as JSON knows values."""
    return {
        "state": str(state),
        "keys": len(models),
        "accuracy": models.record.accuracy()["predictions"],
        "counts": models.counts,
        "files": sum("digest" in at for at in models.store.positions().values()),
    }


def _report_quarantined(models: KeyedModels) -> None:
    n = models.counts["quarantined"]
    if n:
        last = models.store.quarantined()[-1]
        where = f"{last.file}, row {last.row}: " if last.row is not None else ""
        say(f"{n:,} malformed rows were quarantined, the last: {where}{last.reason}", err=True)


def inspect_keyed(folder: Path, key: str | None, html: Path | None, as_json: bool) -> None:
    """Tell of one key, or of all."""
    from driftlearn.ops.keyed.inspection import inspect_key, inspect_keys
    from driftlearn.ops.keyed.predicting import open_models

    models = open_models(folder)
    found = inspect_keys(models) if key is None else inspect_key(models, key)
    if html is not None:
        found.report(html, title=key or folder.name or str(folder))
        say(f"page: {html}", err=True)
    if as_json:
        say(json.dumps({"state": str(folder), **found.to_dict()}, indent=1))
    elif html is None:
        from driftlearn.bench.report._inspection_terminal import keys_view, view
        from driftlearn.bench.report._terminal import console

        console().print(keys_view(found) if key is None else view(found))
