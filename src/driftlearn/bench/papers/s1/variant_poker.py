"""A variant of Table V: a million poker hands, of which the data here are a tenth, dealt anew."""

from functools import partial

from driftlearn.bench.papers.claim import Claim, Judged, full_only, ours
from driftlearn.bench.papers.drawing.accuracy_along_streams import courses
from driftlearn.bench.papers.experiment import Experiment
from driftlearn.bench.papers.outcome import Outcome
from driftlearn.bench.papers.s1.claims import best_by, best_share, steadier
from driftlearn.bench.papers.s1.streams_and_learners import BY_CHUNK, LEARNERS, printed
from driftlearn.evaluate._protocols import prequential
from driftlearn.streams._switching import PokerHands

STREAM = "dealt hands"


def dealt(seed: int, n_rows: int = 1_000_000) -> PokerHands:
    """Return hands from a fair deck."""
    return PokerHands(n_rows, random_state=seed)


def above_two(outcome: Outcome) -> Judged:
    """Judge on what share of the chunks DTEL is at least as good as two others."""
    share = best_share(outcome, STREAM, ("Learn++.NSE", "TIX"))
    return {"share of chunks": share - 0.95}, f"{share:.2f}"


POKER = Experiment(
    paper="S1",
    item="variant poker",
    title="PokerHand of Table V at its full length, with hands that are dealt: test then train in "
    "1,000 chunks of 1,000",
    streams={STREAM: dealt},
    learners=LEARNERS,
    protocol=prequential,
    options=BY_CHUNK,
    numbers={STREAM: printed("V")["PokerHand"]},
    claims=full_only(
        *ours(
            "variant",
            best_by(STREAM, "SEA", 0),
            Claim("DTEL above Learn++.NSE and TIX in all chunks but one in twenty", above_two),
            steadier(STREAM, "DTEL", "AUE2"),
        )
    ),
    notes={
        STREAM: "dealt from a fair deck by a generator, as those of the data set are said to be; "
        "no hand is the paper's, and nothing drifts"
    },
    further={"chunk_std": {STREAM: printed("V", "std")["PokerHand"]}},
    figures={"variant poker": partial(courses, over="chunk")},
).with_quick("20,000 of 1,000,000 hands", streams={STREAM: partial(dealt, n_rows=20_000)})
