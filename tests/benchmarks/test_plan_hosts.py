"""The capacity plan at a small scale: measurements, simulation, page."""

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))


@pytest.fixture
def costs():
    from plan_costs import Costs

    return Costs("any", 10, call=1e-3, row=1e-5, stream=1e-5, load=2e-3, save=1e-3, renewal=0.0,
                 start=1.0, stored=1e3, disk=2e3, held=1e4, counted=1e4, row_bytes=500.0,
                 process=1e8)  # fmt: skip


HOST = {"cores": 4, "memory": 2**30, "disk": 2**33, "busy": 0.5, "every": 1.0, "save": 10.0,
        "down": 5.0}  # fmt: skip


def test_batches_cost_calls_rows_loads_and_saves(costs):
    from plan_simulation import Process

    process = Process(costs, keys=1, known=False)
    assert process.batch(500) == pytest.approx(1e-3 + 500 * 2e-5)
    assert process.save() == pytest.approx(1e-3) and process.save() == 0.0
    process.die()
    assert process.batch(1) == pytest.approx(1e-3 + 2e-5 + 2e-3)
    tight = Process(costs, keys=50, memory=3 * costs.counted, known=False)
    tight.batch(800)
    assert tight.most_held == 3 and tight.calls > 40
    assert tight.saves == tight.calls - 3 and tight.loads == 0
    tight.batch(100)
    assert tight.loads == tight.calls - tight.hits - 50 and tight.hits == 3


def test_shares_follow_the_law(costs):
    from plan_simulation import Process

    drawn = Process(costs, keys=1_000, zipf=1.0).draw(100_000)
    first, second = ((drawn == k).mean() for k in (0, 1))
    assert first == pytest.approx(2 * second, rel=0.1) and drawn.max() < 1_000
    even = Process(costs, keys=10).draw(10_000)
    assert min((even == k).mean() for k in range(10)) > 0.08


def test_a_file_is_learned_in_batches_that_grow(costs):
    from plan_simulation import Process, all_at_once

    process = Process(costs, keys=100, memory=1e9, known=False)
    seconds, batch = all_at_once(process, 5_000, batch=2_000)
    assert batch == 2_000 and process.rows == 5_000 and process.saves == 100
    assert seconds == pytest.approx(process.calls * 1e-3 + 5_000 * 2e-5 + 100 * 1e-3)


def test_a_process_that_dies_learns_rows_again_and_catches_up(costs):
    from plan_simulation import Process, served

    how = {"every": 1.0, "save": 10.0}
    calm = served(Process(costs, 10), 1_000, 60, **how)
    assert calm["recovery"] is None and calm["replayed"] == 0
    assert calm["busy"] == pytest.approx(1_000 * 2e-5 + 10 * 1e-3 + 1e-3, rel=0.2)
    dying = served(Process(costs, 10), 1_000, 60, **how, dies=19.0, down=5.0)
    assert 7_000 <= dying["replayed"] <= 9_000
    assert 6.0 < dying["recovery"] < 9.0
    busy = served(Process(costs, 10), 20_000, 200, **how, dies=19.0, down=5.0)
    assert busy["recovery"] > dying["recovery"] + 3


def test_more_rows_need_more_hosts_and_more_memory_fewer(costs):
    from plan_simulation import plan

    few, many = (plan(costs, 10_000, rate, HOST) for rate in (500, 20_000))
    assert few["hosts"] == 1 and many["hosts"] > 2 and many["processes"] > few["processes"]
    assert many["hosts"] == -(-many["processes"] // 4)
    tight = plan(costs, 10_000, 20_000, {**HOST, "memory": 4.2e8})
    assert tight["hits"] < many["hits"] == 1.0 and tight["row"] > many["row"]
    full = plan(costs, 100_000, 10, {**HOST, "disk": 9e7})
    assert full["hosts"] == 3 and full["disk"] <= 9e7


def test_the_page_comes_from_one_command(tmp_path, capsys):
    pytest.importorskip("pyarrow")
    import plan_hosts

    page = tmp_path / "planning.rst"
    words = "--learner naive-bayes --keys 2000 --rate 300 --rows 5 --patience 0.05 --size 500 5 4GB"
    plan_hosts.main(["--page", str(page), *words.split()])
    assert capsys.readouterr().out == f"{page}\n"
    text = page.read_text()
    rows = [line.split() for line in text.splitlines() if line.startswith("    naive-bayes")]
    price, plan, check = rows
    assert all(float(value.replace(",", "")) > 0 for value in price[1:] if value != "us")
    assert plan[1:3] == ["2,000", "300"] and int(plan[3]) == 1 and float(plan[5]) > 1
    assert check[1:4] == ["500", "2,500", "4GB"]
    numbers = [float(value.replace(",", "")) for value in check[4:]]
    assert all(number > 0 for number in numbers)
    assert 0.5 < numbers[3] / numbers[2] < 2  # memory is mostly that of the process
    assert not re.search(r"\{\w+\}", text) and text.startswith(".. This page was written by")
