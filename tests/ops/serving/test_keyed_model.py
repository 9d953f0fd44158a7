"""Service with a model for each key: states equal those of ``learn --key``, also after errors."""

import json
import shutil
import threading
from contextlib import closing
from dataclasses import replace

import pytest

from driftlearn.ops.checkpoint.saved_model import STORE
from driftlearn.ops.keyed import KeyedLearner, KeyedModels, KeyStore
from driftlearn.ops.serving.keyed_model import KeyedModel, SavedStates, check_keyed
from driftlearn.ops.serving.request_rows import RequestError
from tests.keyed_services import learned, n_rows, rows, ticket, writing
from tests.services import keyed_rows, learn_keyed, make_keyed_state, stored, until, write_csv

N = 300  # rows learned by the state folder of these tests


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make_keyed_state(tmp_path_factory.mktemp("made") / "models", N, learner="naive-bayes")


@pytest.fixture
def folder(made, tmp_path):
    return shutil.copytree(made, tmp_path / "models")


WAYS = [
    {"learner": "hoeffding:grace_period=20"},
    {"learner": "naive-bayes", "idle": "40"},
    {"learner": "naive-bayes", "idle": "2d", "time": "day"},
    {"learner": "awe:n_estimators=3", "chunk": 15},
]


@pytest.mark.parametrize("way", WAYS, ids=["rows", "idle", "times", "chunks"])
def test_the_bits_of_learn(tmp_path, way):
    """Requests of any size, saving, reopening and memory limits do not change the stored bytes."""
    begun = make_keyed_state(tmp_path / "begun", N, n_keys=20, **way)
    more = keyed_rows(750, seed=5, n_keys=30)
    replica = shutil.copytree(begun, tmp_path / "replica")
    learn_keyed(replica, write_csv(tmp_path / "more.csv", more))
    whole = shutil.copytree(begun, tmp_path / "whole")
    with writing(whole) as writer:
        learned(writer, more)
        writer._save()
    assert stored(whole) == stored(replica)
    done = 0
    sizes = iter([1, 1, 120, 7, 92, 3, 1, 50, 200] * 10)
    while done < len(more):
        with writing(begun, memory=done % 7 * 40_000 + 1) as writer:
            for _ in range(2):
                several = []
                while len(several) < 3 and done < len(more):
                    size = next(sizes)
                    several.append(more[done : done + size])
                    done += size
                learned(writer, *several)
                writer._copy()
            writer._save()
    assert stored(begun) == stored(replica)


def test_rare_new_labels_are_held_back(folder, tmp_path):
    """A label is learned from its fifth row on, however rows are split, as by `learn --key`."""
    more = keyed_rows(40, seed=5)
    for i in (3, 4, 10, 20, 30, 31):
        more[i]["label"] = "maybe"
    replica = shutil.copytree(folder, tmp_path / "replica")
    learn_keyed(replica, write_csv(tmp_path / "more.csv", more))
    with writing(folder) as writer:
        found = learned(writer, more[:4], more[4:11])
        writer._save()
    with writing(folder) as writer:
        reader = writer.reader
        warns = replace(reader, settings={**reader.settings, "on_schema_change": "warn"})
        (change,) = warns.changes(rows(*more[3:5]))
        assert change.problem == "new label" and change.count == 2
        assert reader.changes(rows(*more[3:5])) == []  # without a policy
        found += learned(writer, more[11:])
        writer._save()
    assert [each["learned"] for each in found] == [3, 5, 28] and found[2]["rows"] == 29
    one, other = stored(folder), stored(replica)
    assert [one[name] for name in ("about", "states")] == [
        other[name] for name in ("about", "states")
    ]


def test_predictions_are_those_of_the_models(folder, made):
    requested = [{**row, "device": key} for row, key in
             zip(keyed_rows(20, 3, labels=False), ["d1", "d2", "new", "d3"] * 5)]  # fmt: skip
    with closing(KeyStore(made / STORE, read_only=True)) as store:
        models = KeyedModels(store=store)
        table = {
            name: [row[name] for row in requested] for name in requested[0] if name != "device"
        }
        predicted = models.predict([row["device"] for row in requested], table)
    with writing(folder) as writer:
        found = writer.reader.predict(rows(*requested))
        assert [(each["label"], each["votes"]) for each in found] == [*zip(*predicted[:2])]
        assert {each["votes"] for each in found} > {"own"}
        labelled = [{**row, "label": "no"} for row in requested]
        assert writer.reader.predict(rows(*labelled)) == found


def test_rows_are_predicted_before_training(folder, made):
    more = keyed_rows(60, 4)
    with closing(KeyStore(made / STORE, read_only=True)) as store:
        models, predicted = KeyedModels(store=store), []
        for row in more:
            table = {
                name: [value] for name, value in row.items() if name not in ("device", "label")
            }
            predicted.append(models.learn([row["device"]], table, [row["label"]]))
    with writing(folder) as writer:
        answers = learned(writer, more[:1], more[1:40], more[40:])
    found = [each for answer in answers for each in answer["predictions"]]
    assert [(each["label"], each["votes"]) for each in found] == [
        (label, who) for each in predicted for label, who in zip(*each)
    ]
    for answer, part in zip(answers, (more[:1], more[1:40], more[40:])):
        right = sum(a["label"] == b["label"] for a, b in zip(answer["predictions"], part))
        expected = {"rows": len(part), "learned": len(part), "tested": len(part), "right": right}
        assert expected.items() <= answer.items()


def test_labels_that_are_numbers(tmp_path):
    numbered = [{**row, "label": int(row["label"] == "yes")} for row in keyed_rows(100)]
    learn_keyed(tmp_path / "a", write_csv(tmp_path / "a.csv", numbered), learner="naive-bayes")
    with writing(tmp_path / "a") as writer:
        (answer,) = learned(writer, numbered[:20])
        assert {each["label"] for each in answer["predictions"]} == {0, 1}
        assert {each["label"] for each in writer.reader.predict(rows(*numbered[:20]))} == {0, 1}


def test_a_reader_does_not_change(folder):
    requested = rows(*keyed_rows(60, 3, labels=False, n_keys=10))
    with writing(folder) as writer:
        reader = writer.reader
        before = reader.predict(requested)
        learned(writer, *(keyed_rows(200, seed, n_keys=10) for seed in range(3)))
        assert reader.predict(requested) == before and reader.n_rows == N
        writer._copy()
        after = writer.reader.predict(requested)
        assert writer.reader.n_rows == N + 600 and after != before
        assert writer.reader.facts().keys == 10 and reader.facts().keys == 7
        writer._save()
        assert reader.predict(requested)  # may have more rows than it had before
        assert writer.reader.predict(requested) == after
        writer._copy()
        assert not writer.reader.changed and writer.reader.predict(requested) == after


def test_readers_see_what_left_memory(folder):
    """Readers also see states that are only in the open transaction."""
    with writing(folder, memory=1) as writer:
        learned(writer, keyed_rows(200, 1, n_keys=10))
        writer._copy()
        assert len(writer._model.models.states) == 1
        requested = rows(*keyed_rows(60, 3, labels=False, n_keys=10))
        table = {name: values for name, values in requested.columns.items() if name != "device"}
        predicted = writer._model.models.predict(requested.columns["device"], table)
        found = writer.reader.predict(requested)
        assert [(each["label"], each["votes"]) for each in found] == [*zip(*predicted[:2])]
        writer._save()
        writer._copy()
        assert not writer.reader.changed and writer.reader.predict(requested) == found
        assert writer.reader.saved.most == 1 == len(writer.reader.saved._loaded)


def test_expired_keys_start_again(tmp_path):
    """An expired key is predicted by the shared models again."""
    folder = make_keyed_state(tmp_path / "a", N, learner="naive-bayes", idle="40")
    with writing(folder) as writer:
        learned(writer, [{**row, "device": "old"} for row in keyed_rows(30, 1)])
        learned(writer, [{**row, "device": "d1"} for row in keyed_rows(60, 2)])
        writer._save()
        writer._copy()
        facts = writer.reader.facts()
        assert facts.keys == 1 == len(writer._model.models) and facts.events["expired"] >= 7
        (predicted,) = writer.reader.predict(rows({**keyed_rows(1)[0], "device": "old"}))
        assert predicted["votes"] != "own"


def test_it_is_saved_when_too_much_changed(folder):
    with writing(folder, memory=2**20) as writer:
        learned(writer, keyed_rows(100, 1, n_keys=5))
        assert not writer._model.is_full
        learned(writer, keyed_rows(100, 1, n_keys=50))
        assert writer._model.is_full
        writer.start()
        until(lambda: writer.log.size == 0)
        writer.stop()
        assert not writer._model.is_full and n_rows(folder) == N + 200


def test_a_rejected_request_changes_nothing(tmp_path):
    """A learner for two classes rejects a request with a third one; other requests are learned."""
    folder = make_keyed_state(tmp_path / "a", N, learner="flora2", new_label_rows=1)
    replica = shutil.copytree(folder, tmp_path / "replica")
    bad = [*keyed_rows(4, 1), {**keyed_rows(1)[0], "label": "perhaps"}, *keyed_rows(2, 2)]
    with writing(folder) as writer:
        tickets = [ticket(keyed_rows(3, 5)), ticket(bad, "k"), ticket(keyed_rows(3, 6))]
        writer._commit(tickets)
        with pytest.raises(RequestError, match=r"and none of them was: Row 4: ") as refused:
            tickets[1].answer.result(0)
        assert refused.value.status == 422
        assert [each.answer.result(0)["sequence"] for each in tickets[::2]] == [1, 3]
        writer._save()
    with writing(replica) as writer:
        learned(writer, keyed_rows(3, 5), keyed_rows(3, 6))
        writer._save()
    assert stored(folder) == stored(replica)


def test_a_kill_loses_no_request(folder, tmp_path):
    """Unsaved requests are learned from the log; learned requests are not learned again."""
    replica = shutil.copytree(folder, tmp_path / "replica")
    with writing(folder, memory=1) as writer:
        writer._commit([ticket(keyed_rows(30, 1), "a")])
        writer._save()
        writer._commit([ticket(keyed_rows(30, 2), "b"), ticket(keyed_rows(30, 3))])
    assert n_rows(folder) == N + 30
    with writing(folder) as writer:
        assert writer.replayed == 2 and writer.reader.n_rows == N + 90 == n_rows(folder)
        again = [ticket(keyed_rows(30, seed), key) for seed, key in ((1, "a"), (2, "b"))]
        writer._commit(again)
        assert all(each.answer.result(0)["repeated"] for each in again)
    with writing(replica) as writer:
        learned(writer, *(keyed_rows(30, seed) for seed in (1, 2, 3)))
        writer._save()
    assert stored(folder) == stored(replica)


def test_many_threads_predict_during_training(folder):
    """Readers use states from memory and store during frequent saves, and never older ones."""
    requested = rows(*keyed_rows(10, 3, labels=False, n_keys=40))
    problems, counts = [], []
    with writing(folder, memory=1_000_000, save_seconds=0.01) as writer:
        done = threading.Event()

        def read():
            last = n = 0
            while not done.is_set():
                reader = writer.reader
                try:
                    predicted = reader.predict(requested)
                    if reader.n_rows < last or any(each["label"] is None for each in predicted):
                        problems.append(predicted)
                except Exception as problem:
                    problems.append(problem)
                last, n = reader.n_rows, n + 1
            counts.append(n)

        threads = [threading.Thread(target=read) for _ in range(4)]
        writer.start()
        for thread in threads:
            thread.start()
        for seed in range(10):
            each = ticket(keyed_rows(20, seed, n_keys=40))
            assert writer.submit(each.rows, "", each.body).result(300)["learned"] == 20
        done.set()
        for thread in threads:
            thread.join()
        writer.stop()
    assert not problems and min(counts) > 0 and n_rows(folder) == N + 200


def test_a_loaded_state_is_taken_again(folder, monkeypatch):
    loads = []
    plain = KeyedLearner.loads
    monkeypatch.setattr(KeyedLearner, "loads", lambda *a: loads.append(1) or plain(*a))
    one = rows({**keyed_rows(1, labels=False)[0], "device": "d1"})
    with writing(folder) as writer:
        assert writer.reader.predict(one) == writer.reader.predict(one)
        assert len(loads) == 1
        learned(writer, [{**row, "device": "d1"} for row in keyed_rows(40, 5)])
        assert len(loads) == 2  # loaded by the writer
        writer._save()
        writer._copy()
        writer.reader.predict(one)
        assert len(loads) == 3  # the state has changed
        learned(writer, [{**row, "device": "d1"} for row in keyed_rows(40, 6)])
        writer._copy()
        writer._save()
        writer._copy()
        assert not writer.reader.changed
        last = writer.reader.predict(one)
        assert len(loads) == 3  # the cached copy of the saved state is used
    with writing(folder) as writer:
        assert writer.reader.predict(one) == last


def test_files_may_come_between(folder, tmp_path):
    with writing(folder) as writer:
        writer._commit([ticket(keyed_rows(3), "a")])
        writer._save()
    learn_keyed(folder, write_csv(tmp_path / "more.csv", keyed_rows(5, 8)))
    with writing(folder) as writer:
        again, new = ticket(keyed_rows(3), "a"), ticket(keyed_rows(2), "b")
        writer._commit([again, new])
        assert again.answer.result(0)["repeated"] and new.answer.result(0)["sequence"] == 2
        assert writer._model.models.counts["learned"] == N + 10


@pytest.mark.parametrize("damage", [b"[]", b"{", b'{"sequence": -1}'])
def test_damaged_positions_are_reported(folder, damage):
    with closing(KeyStore(folder / STORE)) as store:
        store.put_about("served", damage)
        store.commit()
        with pytest.raises(ValueError, match="position of the service in the state folder is da"):
            KeyedModel(store, SavedStates(folder / STORE))


def test_a_folder_that_cannot_be_served(folder, tmp_path):
    check_keyed(folder)
    (tmp_path / "empty").mkdir()
    KeyStore(tmp_path / "empty" / STORE).close()
    with pytest.raises(ValueError, match=r"empty has no trained models yet"):
        check_keyed(tmp_path / "empty")
    (tmp_path / "own").mkdir()
    models = KeyedModels("naive-bayes", tmp_path / "own" / STORE)
    models.learn(["a"] * 2, {"x": [1.0, 2.0]}, ["y", "n"])
    models.commit()
    with pytest.raises(ValueError, match="has no settings for the key and label columns"):
        check_keyed(tmp_path / "own")
    (folder / "spark").mkdir()
    about = {"on": "spark://local[2]", "files": ["days"], "id": "7"}
    (folder / "spark" / "run.json").write_text(json.dumps(about))
    with pytest.raises(ValueError, match=r"an unfinished run on spark://local\[2\] over days"):
        check_keyed(folder)
