"""Changed files with a model per key: the same reports and exit codes here and on engines."""

import json
import shutil

import pytest

from driftlearn.ops.checkpoint.saved_model import STORE
from driftlearn.ops.keyed import KeyStore
from tests.cli.test_changed_tables import HEAD, N, orders, run, without, write

GIVEN = "--target", "label", "--key", "shop", "--learner", "naive-bayes"
PACKAGES = {"dask": ("distributed", "pyarrow"), "bytewax:2": ("bytewax",),
            "spark://local[2]": ("pyspark", "pandas", "pyarrow", "google.protobuf")}  # fmt: skip


@pytest.fixture(scope="module", params=["local", *PACKAGES])
def on(request):
    """Return a value of --on; that of dask is the address of a cluster."""
    for package in PACKAGES.get(request.param, ()):
        pytest.importorskip(package, reason=f"{package} is not installed")
    if request.param.startswith("spark") and shutil.which("java") is None:
        pytest.skip("there is no Java runtime")
    if request.param != "dask":
        yield request.param
        return
    from driftlearn.bench.workbench.dask_executor import local_cluster

    with local_cluster(2) as executor:
        yield executor._client.scheduler.address


def learn(on, state, *files, code=0):
    """Run the command; return the JSON and the lines of standard error."""
    done = run("learn", *map(str, files), "--state", str(state), "--on", on, "--json")
    assert done.exit_code == code, done.output
    return json.loads(done.stdout), done.stderr.splitlines()


def stored(state):
    """Return the states, positions and counts of a state folder."""
    store = KeyStore(state / STORE, read_only=True)
    names = ("labels", "learner", "stream", "settings")
    found = [store.state(each.key) for each in store.keys()]  # noqa: SIM118
    found += [store.positions(), store.quarantined(), *map(store.about, names)]
    store.close()
    return found


def changed_rows(seed):
    """Return rows with two new labels, of which one is frequent, and rows without a key."""
    rows = orders(N, seed)
    for i in (3, 5):
        rows[i][-1] = "YES"
    for i in range(20, 40):
        rows[i][-1] = "late"
    for i in (7, 8, 9):
        rows[i][0] = ""
    return rows


def test_changes_are_reported_once(on, tmp_path):
    """Two changed files are reported with the counts of both, by the policy of the state."""
    days, state = tmp_path / "days", tmp_path / "state"
    days.mkdir()
    for day in range(3):
        write(days / f"{day}.csv", HEAD, orders(N, day))
    first, lines = learn(on, state, days, *GIVEN)
    assert first["schema"]["changes"] == [] and not [x for x in lines if "warning" in x]
    for day in (3, 4):
        write(days / f"{day}.csv", *without("price", HEAD, changed_rows(day)))
    before = stored(state)
    found, lines = learn(on, state, days, "--on-schema-change", "stop", code=5)
    assert found["schema"]["policy"] == "stop" and found["exit code"] == 5
    assert any("no column 'price'" in line for line in lines)
    assert stored(state)[:-1] == before[:-1]
    assert not [path for path in state.iterdir() if path.is_dir()]

    found, lines = learn(on, state, days, "--on-schema-change", "warn", code=4)
    changes = {each["problem"]: each for each in found["schema"]["changes"]}
    assert {*changes} == {"missing column", "new label", "no key"}
    counts = {name: (each["count"], each["rows"], each["files"]) for name, each in changes.items()}
    assert counts["missing column"] == (2 * N, 2 * N, 2) and counts["no key"] == (6, 2 * N, 2)
    assert counts["new label"][0] in (24, 44)  # in the second file, a frequent label is known
    assert "'YES' (2 rows, did you mean 'yes'?)" in changes["new label"]["text"]
    for each in changes.values():
        assert f"warning: {each['text']}" in lines
    reasons = [each.reason for each in stored(state)[-5]]
    assert reasons.count("the key is missing") == 6
    assert sum("the label 'YES' is new and rare" in reason for reason in reasons) == 4
    assert json.loads(stored(state)[-4])["seen"] == {"YES": 4}
    assert sum("'late'" in reason for reason in reasons) in (4, 8)  # engines count by file

    rows = orders(N, 5)
    rows[3][-1] = "YES"
    write(days / "5.csv", HEAD, rows)
    learn(on, state, days, code=4)
    assert json.loads(stored(state)[-4]) == {"known": ["YES", "late", "no", "yes"], "seen": {}}
    write(days / "6.csv", HEAD, rows[::-1])
    assert learn(on, state, days)[0]["counts"]["quarantined"] == len(reasons)


def test_predictions_report_changes(on, tmp_path):
    """`predict --on` has the reports and exit codes of a prediction here."""
    if not on.startswith("tcp"):
        pytest.skip("predict supports dask only")
    write(tmp_path / "0.csv", HEAD, orders(N, 0))
    learn("local", tmp_path / "state", tmp_path / "0.csv", *GIVEN)
    for k in (1, 2):
        write(tmp_path / f"{k}.csv", *without("price", HEAD, orders(N, k)))
    files, state, out = (str(tmp_path / name) for name in ("*.csv", "state", "out"))
    words = ["predict", files, "--state", state, "--on", on, "--out", out, "--json"]
    for policy, code in (("stop", 5), ("warn", 4), ("note", 0)):
        done = run(*words, "--on-schema-change", policy)
        found = json.loads(done.stdout)
        assert done.exit_code == found["exit code"] == code, done.output
        (change,) = found["schema"]["changes"]
        assert (change["problem"], change["count"], change["files"]) == ("missing column", 2 * N, 2)
        assert "no column 'price'" in done.stderr
        assert len([*(tmp_path / "out").iterdir()]) == (1 if policy == "stop" else 3)


def test_copies_are_skipped(on, tmp_path):
    """State and data that were copied together do not learn twice; --again does."""
    days, state = tmp_path / "days", tmp_path / "state"
    days.mkdir()
    for day in range(2):
        write(days / f"{day}.csv", HEAD, orders(N, day))
    shutil.copy(days / "0.csv", days / "copy.csv")
    _, lines = learn(on, state, days, *GIVEN)
    assert any("copy.csv is a copy of " in line and "add --again" in line for line in lines)
    other = tmp_path / "other"
    shutil.copytree(tmp_path / "days", other / "days")
    shutil.copytree(state, other / "state")
    found, lines = learn(on, other / "state", other / "days")
    assert found["counts"]["rows"] == 2 * N
    assert any("files are copies of files that were read" in line for line in lines)
    write(other / "days" / "3.csv", HEAD, orders(N, 3))
    assert learn(on, other / "state", other / "days")[0]["counts"]["rows"] == 3 * N
    (other / "more").mkdir()
    shutil.copy(days / "0.csv", other / "more" / "x.csv")
    found, _ = learn(on, other / "state", other / "more", "--again")
    assert found["counts"]["rows"] == 4 * N


def test_unsuitable_columns_are_named(on, tmp_path):
    """Numeric targets are refused; leaking columns and identifiers are noted."""
    rows = [[*row, f"id{i}", row[-1] + "!"] for i, row in enumerate(orders(3 * N, 7))]
    write(tmp_path / "0.csv", [*HEAD, "id", "outcome"], rows)
    done = run("learn", str(tmp_path / "0.csv"), "--target", "price", "--key", "shop",
               "--state", str(tmp_path / "numbers"), "--on", on)  # fmt: skip
    assert done.exit_code == 2 and "distinct numeric values" in done.stderr
    found, lines = learn(on, tmp_path / "state", tmp_path / "0.csv", *GIVEN)
    assert len(found["notes"]) == 3 and {*found["notes"]} <= {*lines}
    assert any("'outcome' alone predicts 100.0%" in line for line in lines)
    assert any("nearly all values of column 'id' are distinct" in line for line in lines)


def test_a_file_without_key_or_labels_is_reported(on, tmp_path):
    write(tmp_path / "0.csv", HEAD, orders(N, 0))
    learn(on, tmp_path / "state", tmp_path / "0.csv", *GIVEN)
    write(tmp_path / "1.csv", ["Shop_id", *HEAD[1:]], orders(N, 1))
    found, lines = learn(on, tmp_path / "state", tmp_path / "1.csv", code=4)
    (change,) = [x for x in found["schema"]["changes"] if x["problem"] == "missing column"]
    assert change["column"] == "shop" and "did you mean 'Shop_id'" in change["text"]
    assert found["counts"]["quarantined"] == N and f"warning: {change['text']}" in lines
