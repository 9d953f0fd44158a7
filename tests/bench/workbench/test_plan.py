from dataclasses import FrozenInstanceError

import pytest

from driftlearn.bench.workbench.plan import Plan, plan_of, read_plan
from driftlearn.specs.spec import Spec
from driftlearn.specs.toml import line_of

WHOLE = """\
title = "SEA with noise"
seeds = [3, 5]                   # two of them
protocol = "holdout"
[options]
chunk_size = 250
fixed = true

[streams]
sea = "sea:noise=0.1,thresholds=(8,9)"
[streams.hard]
name = "sea"
noise = 0.2
thresholds = [8, 9]

[learners]
dtel = "dtel"
[learners.nse]
name = "learn++.nse"
slope = 0.6
[learners.nse.estimator]
name = "cart"
max_depth = 3
"""
SHORT = """\
[streams]
sea = "sea:n_rows=1000"
[learners]
dtel = "dtel"
"""


def read(tmp_path, text, newline=None):
    path = tmp_path / "plan.toml"
    path.write_text(text, encoding="utf-8", newline=newline)
    return read_plan(path)


def test_a_whole_plan(tmp_path):
    plan = read(tmp_path, WHOLE)
    assert (plan.title, plan.seeds, plan.protocol) == ("SEA with noise", (3, 5), "holdout")
    assert plan.options == {"chunk_size": 250, "fixed": True}
    assert list(plan.streams) == ["sea", "hard"] and list(plan.learners) == ["dtel", "nse"]
    assert plan.streams["hard"].params == {"noise": 0.2, "thresholds": (8, 9)}
    cart = Spec("learner", "cart", {"max_depth": 3})
    nse = {"slope": 0.6, "estimator": cart}
    assert plan.learners["nse"] == Spec("learner", "learn++.nse", nse, "nse")
    assert plan.streams["hard"].make(5).random_state == 5
    with pytest.raises(FrozenInstanceError):
        plan.title = "other"


def test_the_command_line_makes_the_same_plan(tmp_path):
    plan = plan_of(
        ["sea=sea:noise=0.1,thresholds=(8,9)", "hard=sea:noise=0.2,thresholds=(8,9)"],
        ["dtel", "nse=learn++.nse:slope=0.6,estimator=cart(max_depth=3)"],
        [3, 5],
        "holdout",
        {"chunk_size": 250, "fixed": True},
        "SEA with noise",
    )
    assert plan == read(tmp_path, WHOLE)


def test_a_list_of_texts(tmp_path):
    listed = 'streams = ["sea:n_rows=1000"]\nlearners = ["dtel"]'
    assert read(tmp_path, listed) == plan_of(["sea:n_rows=1000"], ["dtel"])


def test_defaults_of_plans(tmp_path):
    plan = read(tmp_path, SHORT)
    sea = Spec("stream", "sea", {"n_rows": 1000}, "sea")
    dtel = Spec("learner", "dtel", {}, "dtel")
    assert plan == Plan({"sea": sea}, {"dtel": dtel}, (0,), "prequential", {})
    assert read(tmp_path, "seeds = 3\n" + SHORT).seeds == (0, 1, 2)
    assert read(tmp_path, "\ufeff" + SHORT.replace("\n", "\r\n"), newline="") == plan


def replaced(old, new):
    assert old in WHOLE
    return WHOLE.replace(old, new)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("seeds = \n", "line 1: invalid value at column 9$"),
        (WHOLE + "[more\n", "line 23: expected .* at column 6"),
        (WHOLE + "[learners]\n", "line 23: cannot declare .* twice"),
        (WHOLE + 'x = """', "line 23: unterminated string$"),
        (replaced("[streams]", "[stream]"), "line 8: unknown key 'stream' .*'streams'"),
        ("speed = 3\n" + SHORT, r"line 1: unknown key 'speed' \(did you mean 'seeds'"),
        (replaced('"SEA with noise"', "3"), "line 1: 'title' must be a string. Got 3"),
        (replaced("[3, 5]", "[]"), r"line 2: 'seeds' must contain at least one seed. Got \(\)"),
        (replaced("[3, 5]", "0"), "line 2: 'seeds' must contain at least one seed. Got 0"),
        (replaced("[3, 5]", "[3, 3]"), "line 2: 'seeds' must be distinct"),
        (replaced("[3, 5]", "[3, -5]"), "line 2: a seed must be an int.*Got -5"),
        (replaced("[3, 5]", "[true]"), "line 2: a seed must be an int.*Got True"),
        (replaced("[3, 5]", "true"), "line 2: 'seeds' must be an int"),
        (replaced("[3, 5]", '"three"'), "line 2: 'seeds' must be .* Got 'three'"),
        (replaced('"holdout"', '"hold-out"'), "line 3: unknown protocol 'hold-out'.*'holdout'"),
        (replaced('"holdout"', "3"), "line 3: unknown protocol 3"),
        (replaced('"holdout"', '["holdout"]'), "line 3: unknown protocol"),
        (replaced('"holdout"', '"delayed"'), "line 3: protocol delayed requires .*'delay'"),
        (replaced("chunk_size", "chunksize"), r"line 5: unknown option 'chunksize' of holdout "
         r"\(did you mean 'chunk_size'"),
        (replaced("chunk_size", "keep_learners"), "line 5: unknown option 'keep_learners'"),
        (replaced("250", "0"), "line 5: chunk_size must be an int in the range .1, inf.. Got 0"),
        (replaced("250", "2.5"), "line 5: chunk_size must be an int in .* Got 2.5"),
        (replaced("fixed = true", "fixed = 1"), "line 6: 'fixed' must be true or false. Got 1"),
        (replaced("fixed = true", "random_state = -1"), "line 6: random_state of a stream must be"),
        (replaced("fixed = true", "classes = 2"), "line 6: 'classes' must be a list of labels"),
        (replaced("sea:noise", "sae:noise"), "line 9: unknown stream 'sae' .*'sea'"),
        (replaced("sea:noise", "sea:nose"), "line 9: unknown option 'nose' .* column 5 .*'noise'"),
        (replaced("noise=0.1", "noise=2"), "line 9: The 'noise' parameter must be a float"),
        (replaced('name = "sea"\n', ""), "line 10: 'hard' must be a string, or"),
        (replaced('name = "sea"', "name = 7"), "line 10: 'hard' must be a string, or a table"),
        (replaced('name = "sea"', 'name = "se"'), "line 11: unknown stream 'se'"),
        (replaced("noise = 0.2", "nose = 0.2"), "line 12: unknown option 'nose' of the stream sea"),
        (replaced("noise = 0.2", "noise = 2"), "line 12: The 'noise' parameter must be a float"),
        (replaced('"dtel"', '"dtl"'), "line 16: unknown learner 'dtl' .*'dtel'"),
        (replaced('"dtel"', "7"), "line 16: 'dtel' must be a string, or a table"),
        (replaced('"dtel"', '"cart"'), "line 16: cart has no partial_fit"),
        (replaced("slope = 0.6", "slope = -1"), r"line 19: The 'slope' parameter of learn\+\+.nse"),
        (replaced("slope", "slop"), "line 19: unknown option 'slop' .*'slope'"),
        (replaced('"cart"', '"crt"'), "line 21: unknown learner 'crt'"),
        (replaced("max_depth = 3", "depth = 3"), "line 22: unknown option 'depth' .* cart"),
        ('learners = ["dtl"]\n[streams]\nsea = "sea"', "line 1: unknown learner 'dtl'"),
        ('learners = ["dtel", "dtel"]\n[streams]\nsea = "sea"', "line 1: two learners have the"),
        ("learners = [3]\n[streams]\nsea = 'sea'", "line 1: unknown learner '3'"),
        ('learners = "dtel"\n[streams]\nsea = "sea"', "line 1: 'learners' must be"),
        ('[streams]\nsea = "sea"', "line 1: There is no learner. Add at least one"),
        ('[streams]\nsea = "sea"\n[learners]', "line 3: There is no learner"),
        ('[learners]\nd = "dtel"', "line 1: There is no stream"),
        ('protocol = "holdout"\n[learners]\nd = "dtel"\n[streams]\nw = "wine"',
         "line 5: wine is recorded data, for which no additional test rows can be drawn"),
        ("options = 3\n" + SHORT, "line 1: 'options' must be a table. Got 3"),
        ('[learners]\nd = "dtel"\n[streams]\n"a b" = {name = "sea", noise = 3}',
         "line 4: The 'noise' parameter must"),
        ('learners.d = "dtel"\nstreams.a.name = "sea"\nstreams.a.noise = 3',
         "line 3: The 'noise' parameter must"),
    ],
)  # fmt: skip
def test_mistakes_have_a_line(tmp_path, text, problem):
    with pytest.raises(ValueError, match=rf"plan\.toml, {problem}"):
        read(tmp_path, text)


def test_data_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setenv("DRIFTLEARN_DATA", str(tmp_path))
    with pytest.raises(ValueError, match="line 2: The data set 'alcohol' was not found"):
        read(tmp_path, SHORT.replace("sea:n_rows=1000", "alcohol"))


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(ValueError, match=r"none\.toml cannot be read: No such file"):
        read_plan(tmp_path / "none.toml")
    path = tmp_path / "latin.toml"
    path.write_bytes(b'seeds = 1\ntitle = "\xe9"\n')
    with pytest.raises(ValueError, match=r"latin\.toml, line 2: not valid UTF-8"):
        read_plan(path)


def test_mistakes_on_the_command_line():
    with pytest.raises(ValueError, match=r"^unknown learner 'dtl'"):
        plan_of(["sea"], ["dtl"])
    with pytest.raises(ValueError, match=r"^two learners have the label 'dtel'. Give one"):
        plan_of(["sea"], ["dtel", "dtel"])
    with pytest.raises(ValueError, match=r"^There is no stream"):
        plan_of([], ["dtel"])
    with pytest.raises(ValueError, match=r"'delay' must be a number of rows .* Got -1"):
        plan_of(["sea"], ["dtel"], protocol="delayed", options={"delay": -1})
    plan = plan_of(["sea"], ["dtel"], range(2), "delayed", {"delay": 100, "classes": (1, 2)})
    assert plan.options == {"delay": 100, "classes": [1, 2]} and plan.title == ""


@pytest.mark.parametrize("name", ["cart", "stump", "mlp", "sklearn.svm.SVC", "sklearn.svm:SVC"])
def test_learners_without_partial_fit(name):
    with pytest.raises(ValueError, match=f"{name} has no partial_fit"):
        plan_of(["sea"], [name])


def test_strings_that_resemble_keys():
    text = 'title = """\n[learners]\nseeds = 3\n"""\nx = [\n  [3]\n]\nseeds = 1\n[learners]\na = 1'
    assert line_of(("x",), text) == 5
    assert line_of(("learners", "a"), text) == 10
