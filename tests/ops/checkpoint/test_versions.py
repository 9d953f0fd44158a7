"""A challenger learns the same files; it is promoted, and earlier versions are restored."""

import json
import os
import random
import shutil
import signal
import sys
import time

import numpy as np
import pytest
from click.testing import CliRunner

from driftlearn.cli import main
from driftlearn.ops.checkpoint import SavedModel, versions
from driftlearn.ops.checkpoint.learn_run import LearnRun
from tests.ops.checkpoint.test_file_chunks import BAYES, days
from tests.ops.checkpoint.test_learn_run import bits, keep

MAJORITY = {"target": "label", "learner": "majority"}
ID = {"kinds": {"id": "drop"}}


@pytest.fixture
def files(tmp_path):
    days(tmp_path / "days", 12)
    return [str(tmp_path / "days" / f"{k}.csv") for k in range(12)]


def learn(state, some, given=None, **how):
    return LearnRun(state, some, {**ID, **(given or {})}, **how)


def test_a_challenger_is_the_model_that_learns_the_files_alone(tmp_path, files):
    """It may begin later, learns older files first, and does not change the model."""
    state = tmp_path / "m"
    learn(state, files[:6], MAJORITY).run()
    run = learn(state, files[:8], challenger="naive-bayes")
    run.run()
    for some in (files[:9], files):  # settings that were given once are enough
        run = learn(state, some)
        saved = run.run()
    alone = keep(tmp_path / "bayes", files, BAYES)
    assert bits(state / "challenger") == bits(tmp_path / "bayes")
    keep(tmp_path / "majority", files, MAJORITY)
    assert bits(state) == bits(tmp_path / "majority")
    assert np.array_equal(run.challenge.files.scores, alone.files.scores)
    found = versions.compare_files(saved.files, run.challenge.files)
    assert found["files"] == 11 and found["accuracy"]["interval"][0] > 0
    assert found == versions.compare_challenger(state)
    learn(state, files, challenger="none").run()
    assert not (state / "challenger").exists()


def test_promote_and_rollback(tmp_path, files):
    state = tmp_path / "m"
    learn(state, files[:6], MAJORITY, challenger="naive-bayes").run()
    first, second = bits(state), SavedModel.open(state / "challenger")
    assert versions.promote(state) == (1, 2)
    assert (state / "history" / "1.npz").read_bytes() == first
    promoted = SavedModel.open(state)
    assert promoted.settings == second.settings and promoted.record.n_rows == 6 * 40
    learn(state, files[:8], challenger="hoeffding").run()
    assert versions.promote(state) == (2, 3)
    assert [each["learner"] for each in versions.list_versions(state)] == [
        "majority", "naive-bayes", "hoeffding"
    ]  # fmt: skip
    assert versions.rollback(state, 1) == 1 and bits(state) == first
    assert versions.rollback(state, 1) == 1
    saved = learn(state, files).run()  # it catches up
    assert saved.record.n_rows == 12 * 40 and saved.version == 1
    assert versions.rollback(state, 3) == 3 and versions.rollback(state) == 2
    assert [each["active"] for each in versions.list_versions(state)] == [False, True, False]
    with pytest.raises(ValueError, match=r"Invalid --to 7: the versions in .* are 1, 2, 3"):
        versions.rollback(state, 7)
    versions.rollback(state)
    with pytest.raises(ValueError, match="has no version before version 1"):
        versions.rollback(state)
    with pytest.raises(ValueError, match="has no challenger"):
        versions.promote(state)


def test_commands(tmp_path, files, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*words, code=0):
        done = CliRunner().invoke(main, [*words])
        assert done.exit_code == code, done.output
        return done

    first = ["learn", *files[:3], "--target", "label", "--state", "m", "--learner", "majority",
             "--drop", "id", "--challenger", "naive-bayes"]  # fmt: skip
    assert "at least 5 files are needed to compare the models" in run(*first).stdout
    assert "not significantly better" in run("promote", "--state", "m", "--if-better").stdout
    done = run("learn", "days", "--state", "m")
    assert "challenger naive-bayes, 11 files (440 rows)" in done.stdout
    assert (
        "the challenger is significantly better in accuracy and log loss ('driftlearn pro"
        in done.stdout
    )
    found = json.loads(run("learn", "days", "--state", "m", "--json").stdout)["challenger"]
    assert found["learner"] == "naive-bayes" and found["accuracy"]["difference"] > 0
    other = run("learn", "days", "--state", "m", "--challenger", "arf", code=2)
    assert "m has another challenger, 'naive-bayes'" in other.stderr
    found = json.loads(run("promote", "--state", "m", "--if-better", "--json").stdout)
    assert found == {"state": "m", "promoted": True, "version": 2, "replaced": 1}
    assert "has no challenger. Train one" in run("promote", "--state", "m", code=2).stderr
    assert "*" in run("rollback", "--state", "m", "--list").stdout.splitlines()[-1]
    assert "version 1 is active" in run("rollback", "--state", "m").stdout
    assert "0 new rows learned" in run("learn", "days", "--state", "m").stdout
    for words in (["--chunk", "1"], ["--follow"]):
        done = run("learn", "days", "--target", "label", "--state", "n", "--challenger", "dwm",
                   *words, code=2)  # fmt: skip
        assert "--challenger requires files as chunks" in done.stderr


def test_a_challenger_that_fails_does_not_stop_the_model(tmp_path, files):
    state = tmp_path / "m"
    learn(state, files[:4], MAJORITY, challenger="naive-bayes").run()
    (state / "challenger" / "model.npz").write_bytes(b"damaged")
    run = learn(state, files)
    assert run.run().record.n_rows == 12 * 40
    assert "the challenger was not trained" in run.problem


def test_a_promotion_that_stopped_anywhere(tmp_path, files, monkeypatch):
    """Every step may be the last before a crash; the next command completes the promotion."""
    learn(tmp_path / "m", files[:6], MAJORITY, challenger="naive-bayes").run()
    shutil.copytree(tmp_path / "m", tmp_path / "reference")
    versions.promote(tmp_path / "reference")
    learn(tmp_path / "reference", files).run()
    steps = [(os, "replace"), (versions, "atomic_write"), (SavedModel, "save"), (shutil, "rmtree")]
    for is_after in (False, True):
        for place, name in steps:
            state = tmp_path / f"{name} {is_after}"
            shutil.copytree(tmp_path / "m", state)
            with monkeypatch.context() as patch:
                real = getattr(place, name)

                def crash(*args, real=real, is_after=is_after, **how):
                    if is_after:
                        real(*args, **how)
                    raise SystemExit

                patch.setattr(place, name, crash)
                with pytest.raises(SystemExit):
                    versions.promote(state)
            if is_after or name != "replace":
                learn(state, files).run()
            else:  # nothing has happened
                versions.promote(state)
                learn(state, files).run()
            assert bits(state) == bits(tmp_path / "reference")
            assert not (state / "promoting").exists() and not (state / "challenger").exists()


def steps_of(state, files):
    """Return the steps of a life with a challenger; each may be repeated after a crash."""

    def promote():
        if SavedModel.open(state).version == 1:
            versions.promote(state)

    return [
        lambda: learn(state, files[:6], MAJORITY, challenger="naive-bayes", save_seconds=0).run(),
        promote,
        lambda: learn(state, files[:9], challenger="hoeffding", save_seconds=0).run(),
        lambda: versions.rollback(state, 1),
        lambda: learn(state, files, save_seconds=0).run(),
    ]


def attempt(step, seconds, rng):
    """Run a step in a child process, which is killed at a random time; return its status."""
    pid = os.fork()
    if not pid:
        status = 1
        try:
            step()
            status = 0
        finally:
            os._exit(status)
    if seconds is not None:
        time.sleep(rng.uniform(0, seconds))
        os.kill(pid, signal.SIGKILL)
    return os.waitpid(pid, 0)[1]


@pytest.mark.compiled
@pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")
def test_killed_at_random_moments(tmp_path, files):
    rng, kills = random.Random(0), 0
    took = []
    for step in steps_of(tmp_path / "reference", files):
        begun = time.monotonic()
        assert attempt(step, None, rng) == 0
        took.append(time.monotonic() - begun)
    for seconds, step in zip(took, steps_of(tmp_path / "cut", files)):
        longest = seconds / 2
        while os.WIFSIGNALED(status := attempt(step, longest, rng)):
            kills += 1
            longest *= 1.2
        assert status == 0
    assert kills >= 5
    found, expected = (
        {str(each.relative_to(place)): each.read_bytes() for each in place.rglob("*.npz")}
        for place in (tmp_path / "cut", tmp_path / "reference")
    )
    assert [*map(str, sorted(expected))] == ["challenger/model.npz", "history/1.npz",
                                             "history/2.npz", "model.npz"]  # fmt: skip
    assert found == expected
