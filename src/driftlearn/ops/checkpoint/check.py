"""Comparison of files with a state folder, before anything is learned or predicted."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import Any

import numpy as np

from driftlearn.ops.checkpoint import inputs, schema_checks
from driftlearn.ops.checkpoint.saved_model import SavedModel
from driftlearn.preprocessing._table_check import EXIT_CODES, SchemaReport, policy_of
from driftlearn.tables.files import Piece
from driftlearn.tables.frames import frame_of


def check_files(
    folder: str | os.PathLike[str],
    files: Sequence[str],
    *,
    policy: str | None = None,
    skip: bool = False,
    allow: Sequence[str] = (),
) -> dict[str, Any]:
    """Compare files with the data that a model was trained with; nothing is changed.

    Parameters
    ----------
    folder : path
        The state folder of a single model; see `driftlearn.ops.keyed.check` for others.
    files : list of str
        See `driftlearn.ops.sources.source_of`.
    policy : {"stop", "warn", "note"}, optional
        What to do about a schema change; by default as the state folder has it.
    skip : bool
        Whether to skip broken lines.
    allow : sequence of str
        Packages whose classes may be loaded; see `driftlearn.io.load`.

    Returns
    -------
    dict
        JSON values: ``policy``, the ``exit code`` that `learn` would have, and for each of the
        ``files`` its name, ``rows``, schema ``changes`` and ``drift``.
    """
    saved = SavedModel.open(folder, allow=allow)
    kinds, how = saved.encoder.kinds_, (saved.settings, policy, skip)
    return compare_files(folder, files, kinds, partial(_checked, saved), *how)


def compare_files(
    folder: str | os.PathLike[str],
    files: Sequence[str],
    kinds: Mapping[str, str],
    checked: Callable[[list[Piece]], dict[str, Any]],
    settings: Mapping[str, Any],
    policy: str | None,
    skip: bool,
) -> dict[str, Any]:
    """Return the result of `check_files`; `checked` compares the pieces of a file."""
    found, policy = {}, policy or policy_of(settings)
    source = inputs.open_source(files, settings, skip=skip)
    source.numbers = inputs.numeric_columns(kinds, settings)
    pieces: dict[str, list[Piece]] = {}
    with closing(source):
        for piece in source.pieces({}):
            if piece.n_rows:
                inputs.check_known([*kinds], [*piece.table], piece.path, folder)
                pieces.setdefault(piece.path, []).append(piece)
            if piece.is_last and piece.path in pieces:
                found[piece.path] = checked(pieces.pop(piece.path))
    found |= {path: checked(some) for path, some in pieces.items()}
    if not found:
        raise inputs.no_rows(files, "check")
    changed = any(each["changes"] for each in found.values())
    return {
        "state": str(folder),
        "policy": policy,
        "files": [*found.values()],
        "exit code": EXIT_CODES[policy] if changed else 0,
    }


def _checked(saved: SavedModel, pieces: list[Piece]) -> dict[str, Any]:
    """Return the schema changes and the drift of a file."""
    report, settings = SchemaReport("warn"), saved.settings
    classes, target = saved.record.classes, settings["target"]
    for piece in pieces:
        report.add(schema_checks.changes_of(saved, piece.table, piece.file, piece.row))
        if target in piece.table:
            labels = inputs.texts(piece.table, target)
            where = piece.file, piece.row
            report.add(schema_checks.label_changes(classes, labels, target, *where))
        if settings["by"] in piece.table:
            keys = inputs.texts(piece.table, settings["by"])
            report.add(schema_checks.key_changes(keys, settings["by"], piece.file, piece.row))
    drift: list[dict[str, Any]] = []
    if saved.features is not None:
        names = [name for name in saved.features.kinds if all(name in p.table for p in pieces)]
        parts = [frame_of({name: p.table[name] for name in names}).columns for p in pieces]
        table = {
            name: np.concatenate([part[k].values.astype(object) for part in parts])
            for k, name in enumerate(names)
        }
        missing = np.full(sum(piece.n_rows for piece in pieces), None)
        table |= {name: missing for name in saved.features.kinds if name not in table}
        drift = [each for each in saved.features.compare(table).to_dicts()
                 if each["feature"] in names] if table else []  # fmt: skip
    for each in drift:
        each["text"] = drift_text(each)
    return {
        "file": pieces[0].file,
        "rows": sum(piece.n_rows for piece in pieces),
        "changes": report.to_dict()["changes"],
        "drift": drift,
    }


def drift_text(drift: dict[str, Any]) -> str:
    """Return the change of the distribution of a feature as a sentence without a period."""
    text = f"column {drift['feature']!r} differs from recent files: {drift['before']} before, "
    text += f"{drift['after']} now (distance {drift['effect']:.2f})"
    share = drift["outside"]
    return text + (f"; {share:.0%} of its values are beyond the usual 90 %" if share > 0.2 else "")
