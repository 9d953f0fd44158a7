"""An attack on a promise of the documentation: its bounds, its attempts and their failures."""

import random
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHOWN = 5  # problems of an attack that are printed


@dataclass(frozen=True)
class Attack:
    """A class of attack.

    `promise` is quoted from the file `source`. `count` is the number of attempts, `few` that of the
    tests. `defect` plants a defect in a process, which the attack must find. `missing` returns why
    it cannot run here.
    """

    name: str
    run: Callable
    promise: str
    source: str
    count: int
    few: int
    defect: Callable
    missing: Callable = lambda: ""


class Siege:
    """Attempts of an attack, which end after a number of them or a time.

    `program` is the command line that starts driftlearn, with a planted defect or without.
    """

    def __init__(self, attack, folder, count, seconds, seed, *, is_sabotaged=False):
        self.folder, self.count, self.seed = Path(folder), count, seed
        self.rng = random.Random(seed)
        self.end = time.monotonic() + seconds
        self.tried, self.problems = 0, []
        module = ["tests.siege.defective", attack.name] if is_sabotaged else ["driftlearn"]
        self.program = [sys.executable, "-m", *module]

    @property
    def is_over(self):
        """Whether no more attempts are due; there is always one."""
        return bool(self.tried) and (self.tried >= self.count or time.monotonic() >= self.end)

    @contextmanager
    def attempt(self, what, n=1):
        """Count `n` attempts; an exception is a failure of the promise."""
        try:
            yield
        except Exception as problem:
            where = traceback.extract_tb(problem.__traceback__)[-1]
            text = f"{what}: {type(problem).__name__}: {problem}"
            self.problems.append(f"{text[:600]} ({Path(where.filename).name}:{where.lineno})")
        self.tried += n

    def fresh(self, name):
        """Return the path of a folder or file that does not exist yet."""
        return self.folder / f"{name}-{self.tried}-{self.rng.getrandbits(32):08x}"
