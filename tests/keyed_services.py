"""Writer over keyed models, in this process."""

import json
from contextlib import closing, contextmanager
from functools import partial

from driftlearn.ops.checkpoint.saved_model import STORE
from driftlearn.ops.keyed import KeyedModels, KeyStore
from driftlearn.ops.serving.keyed_model import KeyedModel, SavedStates
from driftlearn.ops.serving.request_rows import parse_rows
from driftlearn.ops.serving.writer import Ticket, Writer


@contextmanager
def writing(folder, memory=2**30, save_seconds=1_000):
    """Yield a writer whose thread is not started."""
    path = folder / STORE
    with closing(KeyStore(path)) as store, closing(SavedStates(path)) as shown:
        opened = partial(KeyedModel, store, shown, memory)
        writer = Writer(folder, opened, save_seconds=save_seconds)
        try:
            yield writer
        finally:
            if writer._thread.ident is None:  # otherwise it was stopped
                writer.log.close()


def ticket(rows, key=""):
    body = json.dumps(rows).encode()
    return Ticket(parse_rows(body), key, body)


def rows(*several):
    return parse_rows(json.dumps([*several]).encode())


def learned(writer, *several):
    """Train on requests together; return their responses."""
    tickets = [ticket(each) for each in several]
    writer._commit(tickets)
    return [each.answer.result(0) for each in tickets]


def n_rows(folder):
    with closing(KeyStore(folder / STORE, read_only=True)) as store:
        return KeyedModels(store=store).counts["learned"]
