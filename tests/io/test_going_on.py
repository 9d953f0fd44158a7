"""Any learner with any options continues after saving and loading as if uninterrupted."""

import pytest

from tests.io import going_on

LIVES = 1  # of each learner; `python tests/io/going_on.py 5000` runs many


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", going_on.NAMES)
def test_random_runs_continue_identically(name):
    seeds, lived = iter(range(20)), 0
    while lived < LIVES:
        lived += going_on.run_trial(name, next(seeds)) is not None
