"""Versions of a saved model: promote its challenger, or restore an earlier version.

A state folder may contain a second one, ``challenger``, whose model learns the same files. The
versions that were replaced are in ``history``.
"""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from driftlearn import io as persist
from driftlearn.ops.checkpoint.file_record import FileRecord
from driftlearn.ops.checkpoint.paired_scores import compare_scores
from driftlearn.ops.checkpoint.saved_model import (
    MODEL,
    SavedModel,
    is_keyed,
    locked_folder,
    log_event,
)
from driftlearn.utils.atomic_files import atomic_write, sweep

CHALLENGER, HISTORY = "challenger", "history"
PROMOTING = "promoting"  # name of the challenger's folder until its promotion is complete


def finish_promotion(folder: Path, allow: Sequence[str] = ()) -> None:
    """Complete a promotion that was begun; every step may be interrupted and repeated.

    The folder must be locked.
    """
    place = folder / PROMOTING
    if (place / MODEL).exists():
        current, new = (SavedModel.open(each, allow=allow) for each in (folder, place))
        _archive(folder, current)
        new.version = max(archived(folder)) + 1
        new.save(place, allow=allow)
        os.replace(place / MODEL, folder / MODEL)
        log_event(folder, "promoted", version=new.version, replaced=current.version)
    if place.exists():
        shutil.rmtree(place)


def promote(folder: Path, allow: Sequence[str] = ()) -> tuple[int, int]:
    """Replace a model by its challenger; return the versions before and after.

    Parameters
    ----------
    folder : Path
        The state folder.
    allow : sequence of str
        Packages whose classes may be loaded; see `driftlearn.io.load`.
    """
    check_single(folder, "promote")
    before = SavedModel.open(folder, allow=allow).version
    with locked_folder(folder):
        if not (folder / PROMOTING).exists():
            if not (folder / CHALLENGER / MODEL).exists():
                hint = f"driftlearn learn FILES --state {folder} --challenger SPEC"
                raise ValueError(f"{folder} has no challenger. Train one: {hint}.")
            current, new = (SavedModel.open(each, allow=allow)
                            for each in (folder, folder / CHALLENGER))  # fmt: skip
            check_requests(current, new, "the challenger")
            os.replace(folder / CHALLENGER, folder / PROMOTING)
        finish_promotion(folder, allow)
    return before, SavedModel.open(folder, allow=allow).version


def rollback(folder: Path, version: int | None = None, allow: Sequence[str] = ()) -> int:
    """Restore an earlier version of a model; return its number.

    The version that is replaced is stored, so that it can be restored, too. The next run learns the
    files that the restored version has not learned.

    Parameters
    ----------
    folder : Path
        The state folder.
    version : int, optional
        The version; by default the one before the active version.
    allow : sequence of str
        Packages whose classes may be loaded; see `driftlearn.io.load`.
    """
    check_single(folder, "rollback")
    SavedModel.open(folder, allow=allow)  # report a folder without a model
    with locked_folder(folder):
        finish_promotion(folder, allow)
        current, known = SavedModel.open(folder, allow=allow), archived(folder)
        if version is None:
            version = max((n for n in known if n < current.version), default=None)
            if version is None:
                text = (
                    f"{folder} has no version before version {current.version}: nothing to restore."
                )
                raise ValueError(text)
        if version == current.version:
            return version
        if version not in known:
            shown = ", ".join(map(str, sorted({*known, current.version})))
            raise ValueError(f"Invalid --to {version}: the versions in {folder} are {shown}.")
        restored = persist.load(_file(folder, version), allow=allow)
        check_requests(current, restored, f"version {version}")
        _archive(folder, current)
        atomic_write(folder / MODEL, _file(folder, version).read_bytes())
        log_event(folder, "rolled back", version=version, replaced=current.version)
    return version


def check_requests(saved: SavedModel, other: SavedModel | None, name: str) -> None:
    """Raise ValueError if another model has not learned the requests that a service received.

    Files can be read again, requests cannot.
    """
    learned = [each.position.get("served", {}).get("sequence", 0) if each is not None else 0
               for each in (saved, other)]  # fmt: skip
    if learned[0] != learned[1]:
        raise ValueError(
            f"The model has learned {learned[0]:,} requests of 'driftlearn serve', and {name} "
            f"{learned[1]:,} of them: the rows of the others would be lost."
        )


def check_single(folder: str | os.PathLike[str], command: str) -> None:
    """Raise ValueError if a state folder has one model per key."""
    if is_keyed(folder):
        raise ValueError(
            f"{folder} has one model per key, which '{command}' does not support. Train another "
            "--learner in a different --state folder on the same files: 'driftlearn learn' prints "
            "the accuracy of both. A copy of the folder restores an earlier state."
        )


def archived(folder: Path) -> list[int]:
    """Return the numbers of the versions in the history, in order."""
    return sorted(
        int(path.stem) for path in (folder / HISTORY).glob("*.npz") if path.stem.isdigit()
    )


def list_versions(folder: Path, allow: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return number, learner, number of rows and accuracy of each version, and which is active."""
    check_single(folder, "rollback")
    current = SavedModel.open(folder, allow=allow)
    known: dict[int, Any] = {
        n: persist.load(_file(folder, n), allow=allow) for n in archived(folder)
    }
    known[current.version] = current
    return [
        {"version": n, "learner": saved.settings["learner"], "rows": saved.record.n_rows,
         "accuracy": saved.record.accuracy()["model"], "active": saved is current}
        for n, saved in sorted(known.items())
    ]  # fmt: skip


def compare_files(first: FileRecord, second: FileRecord) -> dict[str, Any] | None:
    """Return the comparison on the newest files that both models predicted; None without any."""
    n = 0
    for a, b, of_first, of_second in zip(
        first.names[::-1], second.names[::-1], first.scores[::-1], second.scores[::-1]
    ):
        if a != b or of_first[0] != of_second[0]:
            break
        n += 1
    return compare_scores(first.scores[-n:], second.scores[-n:]) if n else None


def compare_challenger(folder: Path, allow: Sequence[str] = ()) -> dict[str, Any] | None:
    """Return the comparison of a model with its challenger; None without common files."""
    current = SavedModel.open(folder, allow=allow)
    return compare_files(current.files, SavedModel.open(folder / CHALLENGER, allow=allow).files)


def _archive(folder: Path, saved: SavedModel) -> None:
    """Copy the file of the active version to the history."""
    path = _file(folder, saved.version)
    path.parent.mkdir(exist_ok=True)
    sweep(path.parent)
    atomic_write(path, (folder / MODEL).read_bytes())


def _file(folder: Path, version: int) -> Path:
    return folder / HISTORY / f"{version}.npz"
