"""A crontab run of thirty days, five of them broken: each broken day is reported, no other is."""

import json

import pytest

from tests.ops.alerts.days import Clock, column, flipped, misspelled, renamed, run, write
from tests.ops.alerts.receiver import Receiver

MISSING = "no file"
#: The broken days, and the alerts about each.
BROKEN = {
    11: (MISSING, {"files"}),
    14: (renamed("price", "Price"), {"schema", "drift"}),
    18: (column("pieces", "{} pcs".format), {"schema", "drift"}),
    22: (flipped, {"baseline"}),
    26: (misspelled, {"schema"}),
}


@pytest.mark.parametrize("learner", ["naive-bayes", "hoeffding"])
def test_thirty_days_of_cron(tmp_path, monkeypatch, learner):
    clock, days, state = Clock(monkeypatch), tmp_path / "days", tmp_path / "model"
    with Receiver() as receiver:
        heard, codes = {}, {}
        for day in range(30):
            change = BROKEN.get(day, (None,))[0]
            if change != MISSING:
                write(days, day, change)
            words = ["learn", days, "--state", state, "-q"]
            words += [] if day else ["--target", "label", "-l", learner, "--kind", "id=drop"]
            done = run(*words)
            codes[day] = done.exit_code
            if day == 0:
                rules = ["--files-every", "1d", "--labels-every", "1d", "--exit-on", "all"]
                assert run("alerts", state, "--webhook", receiver.url, *rules).exit_code == 0
            new = [each for each in receiver.alerts if each["status"] == "new"]
            heard[day] = {each["alert"] for each in new}
            receiver.alerts.clear()
            clock.forward(days=1)
    assert heard == {day: BROKEN[day][1] if day in BROKEN else set() for day in range(30)}
    assert codes == {day: 6 if day in BROKEN else 0 for day in range(30)}
    found = json.loads(run("alerts", state, "--json").stdout)
    assert found["open"] == found["undelivered"] == [], "every condition has ended"
