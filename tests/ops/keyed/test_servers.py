"""Keys with rows from a real Redis server; positions are in the store."""

import pytest

from tests.servers import RedisServer, fill

pytest.importorskip("redis", reason="redis is not installed")

from driftlearn.ops.keyed.settings import Request, run

GIVEN = {"target": "label", "key": "device", "learner": "naive-bayes"}
ROWS = [
    {"device": f"d{i % 5}", "x": i % 7, "label": "yes" if i % 7 > 3 else "no"} for i in range(600)
]


def states(models):
    return {each.key: models.store.state(each.key) for each in models.store.keys("key")}


@pytest.mark.skipif(not RedisServer.is_installed(), reason="redis-server is not installed")
def test_keys_from_a_stream(tmp_path):
    with RedisServer(tmp_path) as server, server.client() as client:
        fill(client, "rows", ROWS[:400])
        once, twice = (Request(tmp_path / name, [server.url("rows")], GIVEN) for name in "ab")
        first = run(twice)
        assert first.record.n_rows == 400
        first.store.close()
        fill(client, "rows", ROWS[400:], first=400)
        then, all_at_once = run(twice), run(once)
        assert then.record.n_rows == 600 and len(then) == 5
        assert states(then) == states(all_at_once)
        (at,) = then.store.positions().values()
        assert at["rows"] == 600
        for models in (then, all_at_once):
            models.store.close()
