"""The commands ``learn``, ``predict`` and ``inspect`` for models for keys."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from driftlearn.cli.command import check_outputs, echo, echo_json
from driftlearn.ops.keyed.predictions import predict_keyed
from driftlearn.ops.keyed.settings import Request, is_keyed, parse_bytes, run

if TYPE_CHECKING:
    from driftlearn.ops.keyed.keyed_models import KeyedModels

__all__ = ["inspect_keyed", "is_keyed", "learn_keyed", "predict_keyed"]
SINGLE_MODEL = ("every", "delay", "by", "wait", "labels")


def learn_keyed(
    state: Path,
    files: list[str],
    settings: dict[str, Any],
    on: str | None,
    memory: str | None,
    how: dict[str, Any],
    as_json: bool,
) -> None:
    """Train models for keys; print the result."""
    for name in SINGLE_MODEL:
        if settings.pop(name) is not None:
            raise ValueError(f"--{name} cannot be combined with --key.")
    if settings["chunk"] == "file":
        raise ValueError("--chunk file cannot be combined with --key: set the rows of a key that "
                         "are predicted together.")  # fmt: skip
    on, out = on or "local", how["out"]
    if memory is not None:
        how["memory"] = parse_bytes(memory)
    if out is not None:  # elsewhere it is a folder, with a file of each worker
        check_outputs(Path(out) if on == "local" else Path(out, "part"))
    models = run(Request(state, files, settings, on=on, **how))
    found = summary(state, models)
    if as_json:
        echo_json(found)
        return
    counts = found["counts"]
    echo(f"{state}: {counts['learned']:,} rows of {found['keys']:,} keys learned in total")
    if found["accuracy"] is not None:
        echo(f"accuracy: {found['accuracy']:.4f}")
    if counts["quarantined"]:
        last = models.store.quarantined()[-1]
        where = f"{last.file}, row {last.row}: " if last.row is not None else ""
        echo(f"{counts['quarantined']:,} malformed rows were quarantined, the last: "
             f"{where}{last.reason}", err=True)  # fmt: skip
    if counts["expired"]:
        echo(f"{counts['expired']:,} idle keys were dropped", err=True)


def summary(state: Path, models: KeyedModels) -> dict[str, Any]:
    """Return the result of a run as JSON values."""
    return {
        "state": str(state),
        "keys": len(models),
        "accuracy": models.record.accuracy()["predictions"],
        "counts": models.counts,
        "files": sum("digest" in at for at in models.store.positions().values()),
    }


def inspect_keyed(folder: Path, key: str | None, html: Path | None, as_json: bool) -> None:
    """Inspect the model of a key, or those of all keys."""
    from driftlearn.ops.keyed.inspection import inspect_key, inspect_keys
    from driftlearn.ops.keyed.predictions import open_models

    models = open_models(folder)
    found = inspect_keys(models) if key is None else inspect_key(models, key)
    if html is not None:
        found.report(html, title=key or folder.name or str(folder))
        echo(f"page: {html}", err=True)
    if as_json:
        echo_json({"state": str(folder), **found.to_dict()})
    elif html is None:
        from driftlearn.bench.report._terminal import console, keys_view, view

        console().print(keys_view(found) if key is None else view(found))
