"""The second part of ``driftlearn demo``: a folder of daily files, learned and predicted."""

import csv
import shlex
from datetime import date, timedelta
from pathlib import Path

import numpy as np

from driftlearn.inspection.inspection import inspect
from driftlearn.ops.checkpoint.saved_model import SavedModel
from driftlearn.utils.terminal import Screen

FIRST_DAY = date(2026, 1, 1)
N_DAYS = 41  # the last one is tomorrow's file
DRIFT = 28  # from this day on, parcels are heavier, and heavy ones are late
N_ROWS = 200
HEADER = ("ordered", "carrier", "distance", "weight", "late")


def write_days(folder: Path) -> Path:
    """Write one CSV file of deliveries per day, with a drift, and return tomorrow's file.

    Which deliveries of the carrier `north` are late depends on the distance; from 29 January on it
    depends on the weight, and weights are higher. 3 % of the distances are missing, and 5 % of the
    labels are wrong.

    Parameters
    ----------
    folder : Path
        Where the files are written: all but the last in `days`, the last as `tomorrow.csv`.
    """
    rng = np.random.default_rng(0)
    (folder / "days").mkdir(parents=True, exist_ok=True)
    for number in range(N_DAYS):
        day = FIRST_DAY + timedelta(days=number)
        path = folder / "days" / f"{day}.csv" if number < N_DAYS - 1 else folder / "tomorrow.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            lines = csv.writer(file)
            lines.writerow(HEADER)
            lines.writerows(_deliveries(rng, day, number >= DRIFT))
    return path


def _deliveries(rng: np.random.Generator, day: date, heavy: bool) -> list[tuple[str, ...]]:
    """Return the rows of a day, in order of time."""
    minute = np.sort(rng.integers(6 * 60, 22 * 60, N_ROWS))
    carrier = rng.choice(["north", "south", "west"], N_ROWS, p=[0.5, 0.3, 0.2])
    distance = rng.gamma(3, 120, N_ROWS).round()
    weight = rng.gamma(2, 7 if heavy else 4, N_ROWS).round(1)
    late = np.where(
        carrier == "north",
        weight > 8 if heavy else distance > 450,
        (distance > 300) & (minute > 15 * 60),
    )
    late ^= rng.random(N_ROWS) < 0.05
    missing = rng.random(N_ROWS) < 0.03
    return [
        (f"{day} {at // 60:02d}:{at % 60:02d}", who, "" if gap else f"{far:.0f}", f"{kilos}",
         "yes" if is_late else "no")
        for at, who, gap, far, kilos, is_late in zip(
            minute.tolist(), carrier.tolist(), missing, distance, weight, late)
    ]  # fmt: skip


def run_days(out: Path, console: Screen) -> None:
    """Learn the files of 40 days, predict the next one, and print when and how the data drifted."""
    from driftlearn.cli.command import main

    tomorrow = write_days(out)
    console.print(
        f"A folder of daily files: {N_DAYS - 1} days of {N_ROWS} deliveries. Which will be late?"
    )
    state, page = out / "model", out / "model.html"
    for words in (
        ("learn", out / "days", "--target", "late", "--time", "ordered", "--state", state),
        ("predict", tomorrow, "--state", state, "--out", out / "predictions.csv"),
        ("inspect", state, "--html", page),
    ):
        line = [*map(str, words)]
        console.print(f"\n$ driftlearn {shlex.join(line)}", soft_wrap=True)
        main.main(line, standalone_mode=False)
    inspection = inspect(SavedModel.open(state))
    console.print("\nDrift:", *(each["sentence"] for each in inspection.facts["drifts"]), sep="\n")
