"""A saved model of a small stream whose concept and columns change in the middle."""

import numpy as np

from driftlearn.cli import main

ROWS, DAYS, CHANGE = 500, 12, 7  # rows of a day, days, and the first day of the new concept


def write_days(folder, days=range(DAYS)):
    """Write a CSV file for each day; prices and the concept change on the eighth day."""
    folder.mkdir(exist_ok=True)
    for day in days:
        rng = np.random.default_rng(day)
        later = day >= CHANGE
        price = rng.normal(14 if later else 10, 2, ROWS)
        size = rng.random(ROWS)
        colour = rng.choice(["red", "blue"], ROWS)
        label = np.where((size > 0.5) == later, "yes", "no")
        lines = ["when,price,size,colour,label"]
        for i in range(ROWS):
            time = f"2024-03-{day + 1:02d}T{i * 24 // ROWS:02d}:00"
            lines.append(f"{time},{price[i]:.3f},{size[i]:.4f},{colour[i]},{label[i]}")
        (folder / f"2024-03-{day + 1:02d}.csv").write_text("\n".join(lines) + "\n")


def learn(folder, days=range(DAYS)):
    """Return the state folder of a model trained on these days."""
    from click.testing import CliRunner

    write_days(folder / "days", days)
    words = ["--target", "label", "--time", "when", "--learner", "adwin-bagging"]
    state = folder / "model"
    done = CliRunner().invoke(
        main, ["learn", str(folder / "days"), *words, "--state", str(state), "--quiet"]
    )
    assert done.exit_code == 0, done.output
    return state
