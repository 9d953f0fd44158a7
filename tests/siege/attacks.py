"""The classes of attack, by name, with the promises that they attack."""

import sys

from tests.siege import changing, disk, faults, hostile, learners, servers, services
from tests.siege.siege import Attack


def not_linux():
    return "" if sys.platform.startswith("linux") else "needs /proc of Linux"


SERVING, KEYED, DAILY = "docs/serving.rst", "docs/keyed.rst", "docs/daily-job.rst"
SOURCES, FILES, POLICY = "docs/sources.rst", "docs/model-files.rst", "SECURITY.md"
_ATTACKS = [
    Attack("kill", services.killed, "After ``kill -9``, the same command learns the log on top of "
           "the saved model.", SERVING, 500, 2, services.acknowledge_before_writing, not_linux),
    Attack("kill-keyed", services.killed_keyed, "no row is lost or learned twice, and the model "
           "has the same bytes as without a crash", SERVING, 500, 2,
           services.acknowledge_before_writing, not_linux),
    Attack("slow", services.slow, "the number of connections, the time to receive a request and "
           "the time in which a client must read a response are limited", POLICY, 1_000, 12,
           services.keep_slow_connections, not_linux),
    Attack("connections", services.connections, "maximum number of open connections", SERVING,
           10_000, 50, services.keep_connections, not_linux),
    Attack("requests", services.requests, "Every request, whatever it contains, is answered with "
           "a status and a sentence.", POLICY, 20_000, 400, services.leak, not_linux),
    Attack("disk", disk.failing, "Model and position are saved together", DAILY, 400, 9,
           disk.do_not_sync, faults.missing),
    Attack("disk-service", disk.failing_service, "Acknowledged means on disk.", SERVING, 200, 8,
           disk.do_not_sync, faults.missing),
    Attack("clock", services.clock, "the model has the same bytes as without a crash", SERVING, 50,
           1, services.use_time_of_day, faults.missing),
    Attack("vanish", services.vanish, "If the state folder is removed, replaced or unmounted, "
           "nothing is acknowledged until it is back.", SERVING, 12, 2,
           services.write_to_removed_files, not_linux),
    Attack("stores", hostile.stores, "A damaged store is rejected.", POLICY, 1_000, 40,
           hostile.trust_stores),
    Attack("logs", hostile.logs, "If earlier entries are damaged, the service reports it and does "
           "not start.", SERVING, 2_000, 60, hostile.trust_logs),
    Attack("models", hostile.models, "Damaged files are rejected.", FILES, 2_000, 60,
           hostile.trust_models),
    Attack("tables", hostile.tables, "CSV files are read in constant memory.", POLICY, 2_000, 30,
           hostile.stop_reading, not_linux),
    Attack("changing", changing.files, "If a file has become shorter, or if rows that were learned "
           "have changed, an error is reported at the start and nothing is learned", DAILY, 100, 3,
           changing.look_late),
    Attack("redis", servers.redis, "no row is lost or learned twice",
           SOURCES, 20, 1, servers.forget_rows, servers.no_redis),
    Attack("nats", servers.nats, "no row is lost or learned twice",
           SOURCES, 20, 1, servers.forget_rows, servers.no_nats),
    Attack("interrupts", learners.interrupts, "each row before the interrupt is learned completely "
           "or not at all", POLICY, 2_000, 20, learners.learn_in_part),
    Attack("threads", learners.threads, "They see the model from before or after the training "
           "call, never a mixture.", POLICY, 100, 3, learners.learn_in_part),
    Attack("results", learners.stores, "A damaged store is reported by name and never shows wrong "
           "numbers.", POLICY, 400, 25, learners.name_no_store),
]  # fmt: skip
ATTACKS = {attack.name: attack for attack in _ATTACKS}
