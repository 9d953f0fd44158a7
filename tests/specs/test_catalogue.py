"""Names of driftlearn and of plug-ins of other packages."""

import json
import os
import subprocess
import sys

import pytest

from driftlearn.specs import catalogue
from driftlearn.specs.catalogue import LEARNERS, find, near, public_path
from driftlearn.streams import STREAMS

CODE = '''"""A package of somebody else."""

from sklearn.naive_bayes import GaussianNB

from driftlearn.streams import SEA

print("acme is imported")


class Bayes(GaussianNB):
    """Bayes as it is done at Acme.

    With more to say about it.
    """

    def __init__(self, priors=None, var_smoothing=0.5):
        super().__init__(priors=priors, var_smoothing=var_smoothing)


class Waves(SEA):
    """Waves that come and go."""

    name = "waves"
'''
POINTS = """\
[driftlearn.learners]
acme-bayes = acme.things:Bayes
dtel = acme.things:Bayes
broken = acme.broken:Thing
gone = acme.things:Gone
no-learner = acme.things:SEA

[driftlearn.streams]
waves = acme.things:Waves
no-stream = acme.things:Bayes
"""
LEARNER = catalogue.WANTED["learner"][0]


@pytest.fixture
def site(tmp_path):
    """Return a folder of two installed packages that register a plug-in of the same name."""
    folder = tmp_path / "site"
    (folder / "acme").mkdir(parents=True)
    (folder / "acme" / "__init__.py").touch()
    (folder / "acme" / "things.py").write_text(CODE)
    (folder / "acme" / "broken.py").write_text("raise RuntimeError('half installed')")
    for name, points in (("acme", POINTS), ("zeta", POINTS.split("dtel")[0])):
        info = folder / f"{name}-1.2.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
        (info / "entry_points.txt").write_text(points)
    return folder


@pytest.fixture
def driftlearn(site, tmp_path):
    """Run the command in a process with the plug-ins."""

    def run(*words):
        path = os.pathsep.join([str(site), *sys.path])
        return subprocess.run(
            [sys.executable, "-m", "driftlearn", *words], capture_output=True, text=True,
            cwd=tmp_path, env={**os.environ, "PYTHONPATH": path, "XDG_DATA_HOME": str(tmp_path)},
        )  # fmt: skip

    return run


def test_plug_ins_are_listed(driftlearn):
    done = driftlearn("list", "learners")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "acme-bayes: Bayes as it is done at Acme." in lines
    assert "    priors=None, var_smoothing=0.5" in lines
    (broken,) = (line for line in lines if line.startswith("broken"))
    assert broken == (
        "broken: cannot be used: acme.broken:Thing of acme 1.2 cannot be imported: RuntimeError: "
        "half installed"
    )
    assert sum(line.startswith("gone: cannot be used: ") for line in lines) == 1
    assert any(line.startswith("dtel: keeps the most diverse") for line in lines)
    wrong = "acme.things:{} of acme 1.2 is not a class of a {}. It is a {}; its entry point "
    wrong += "belongs to the group driftlearn.{}s"
    no_learner = wrong.format("SEA", LEARNER, "stream", "stream")
    assert f"no-learner: cannot be used: {no_learner}" in done.stdout
    message = [line for line in done.stderr.splitlines() if line.startswith("the learner")]
    assert message == [
        "the learner 'dtel' of acme 1.2 is ignored: driftlearn has the same name",
        "the learner 'acme-bayes' of zeta 1.2 is ignored: acme 1.2 has the same name",
    ]
    streams = driftlearn("list", "streams", "--json").stdout.partition("[")
    found = {entry["name"]: entry for entry in json.loads("[" + streams[2])}
    assert found["waves"]["about"] == "Waves that come and go." and "sea" in found
    assert wrong.format("Bayes", "Stream", "learner", "learner") in found["no-stream"]["about"]


def test_a_plug_in_is_imported_when_it_is_needed_and_not_before(driftlearn):
    one = driftlearn("list", "learners", "dtel")
    assert one.returncode == 0 and "acme is imported" not in one.stdout
    misspelt = driftlearn("list", "learners", "acme-bayse")
    assert misspelt.returncode == 2 and "did you mean 'acme-bayes'" in misspelt.stderr
    assert "acme is imported" not in misspelt.stdout
    one = driftlearn("list", "learners", "acme-bayes")
    assert one.stdout.count("acme-bayes: ") == 1 and "acme is imported" in one.stdout


@pytest.mark.parametrize("on", ["serial", "processes:2"])
def test_plug_ins_run(driftlearn, on):
    words = ("--stream", "waves:n_rows=600", "--learner", "learn++.nse:estimator=acme-bayes",
             "--learner", "mine=acme-bayes:var_smoothing=0.25", "--quiet", "--on", on)  # fmt: skip
    done = driftlearn("run", *words)
    assert done.returncode == 0, done.stderr
    assert "mine" in done.stdout and "waves:n_rows=600" in done.stdout


@pytest.mark.parametrize(
    "name, problem",
    [
        ("broken", "acme.broken:Thing of acme 1.2 cannot be imported: RuntimeError: half"),
        ("gone", "acme.things:Gone of acme 1.2 cannot be imported"),
        ("no-learner", "no-learner is not a class of a classifier"),
        ("acme-bayes:var=1", "unknown option 'var' of the learner acme-bayes at column 12"),
        ("acme-bayes:var", "option 'var' has no '=' and value at column 12"),
    ],
)  # fmt: skip
def test_plug_ins_that_cannot_be_used(driftlearn, name, problem):
    done = driftlearn("run", "--stream", "sea", "--learner", name)
    assert done.returncode == 2 and problem in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_library_names_do_not_load_plug_ins(monkeypatch):
    monkeypatch.setattr(catalogue, "plugins", lambda kind: pytest.fail("plug-ins were loaded"))
    assert find("learner", "dtel")[0] is LEARNERS["dtel"].make
    assert find("stream", "SEA200A")[1] == {"random_state": None}
    assert "holdout" in find("stream", "covertype")[1]


def test_names_of_classes():
    for entry in LEARNERS.values():
        assert public_path(entry.make) == entry.path
    assert public_path(STREAMS["led"].make) == "driftlearn.streams:LED"


def test_what_may_have_been_meant():
    assert near("dtell", ["dtel", "sea"]) == " (did you mean 'dtel'?)"
    assert near("SEA", ["dtel", "sea"]) == " (did you mean 'sea'?)"
    assert near("x", ["dtel", "sea"]) == "; known: dtel, sea"
    assert near("x", []) == "; known: none"


def test_names_do_not_import_scikit_learn():
    code = (
        "import sys; from driftlearn.specs.catalogue import LEARNERS, STREAMS; "
        "print([entry.about for entry in (*LEARNERS.values(), *STREAMS.values())] and "
        "'sklearn' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
