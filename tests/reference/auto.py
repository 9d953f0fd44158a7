"""A tournament of learners that all learn every row (AutoClassifier).

Rows count from 1. A row is first shown to every player that has learned something (one that raises
NotFittedError has not), then learned by every player. The look after every `eval_interval`-th row
fades the counts, drops candidates, names the leader and sets the voices. Dropped is who is
too far behind by the faded counts and by those of all rows, each against the best by that count.

Rows count with their weights. Decisions: nobody is asked at the first row. A player that raises
anything else leaves at once, with its counts; who leads is settled at the next look. All fail at
one row: the error is raised. The ensemble's classes so far, with the row's, go to a player with
every row, the weight where it takes one.

`chunk_size` above 1: rows wait until there are so many (those of weight 0 are absent). Then each
player in turn is asked about all of them, and learns them in one call. `n_rows` counts rows that
were learned. There is a look after every chunk, whatever `eval_interval`; it fades by the rows of
the chunk, and the window is at least three chunks, for leaving too. The weights of a chunk go to a
player that takes them unless all are 1. `flush`: those that wait are a chunk.
"""

from __future__ import annotations

import math
from inspect import signature

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from tests.reference.online_bases import OnlineReference, first_max, first_min


class Candidate:
    def __init__(self, number, name, model):
        self.number, self.name, self.model = number, name, model
        self.hits = self.tries = 0.0
        self.new_hits = self.new_tries = 0
        self.all_hits = self.all_tries = 0
        self.voting_weight = 1.0
        self.learned = False
        self.weighs = "sample_weight" in signature(model.partial_fit).parameters

    def proba_one(self, x, classes):
        """A probability for each class, 0 if the model does not know it; None before it learned."""
        if not self.learned:
            return None
        try:
            if hasattr(self.model, "predict_proba"):
                predicted = self.model.predict_proba(x.reshape(1, -1))[0].tolist()
                known = dict(zip(self.model.classes_.tolist(), predicted))
            else:
                known = {self.model.predict(x.reshape(1, -1)).tolist()[0]: 1.0}
        except NotFittedError:
            return None
        return [known.get(c, 0.0) for c in classes]

    def learn_one(self, x, y, w, classes):
        weight = {"sample_weight": [w]} if self.weighs else {}
        self.model.partial_fit(x.reshape(1, -1), [y], classes=classes, **weight)
        self.learned = True

    def learn_many(self, chunk, classes):
        X, y, w = (list(column) for column in zip(*chunk))
        weight = {"sample_weight": w} if self.weighs and {*w} != {1.0} else {}
        self.model.partial_fit(np.array(X), y, classes=classes, **weight)
        self.learned = True

    @property
    def accuracy(self):
        return self.hits / self.tries if self.tries else math.nan


class AutoReference(OnlineReference):
    def __init__(
        self,
        learners,
        chunk_size=1,
        combine="vote",
        window=500,
        eval_interval=100,
        tolerance=0.02,
        drop_threshold=0.15,
        random_state=0,
    ):
        super().__init__(random_state)
        self.combine, self.window, self.eval_interval = combine, window, eval_interval
        self.tolerance, self.drop_threshold = tolerance, drop_threshold
        self.candidates, self.leader = [], None
        self.chunk_size, self.waiting = chunk_size, []
        self.leaders, self.left = [], {}
        for number, (name, learner) in enumerate(learners.items(), 1):
            model = clone(learner)
            if model.get_params().get("random_state", 0) is None:
                model.set_params(random_state=self.seed())
            self.candidates.append(Candidate(number, name, model))

    def learn_one(self, x, y, w=1.0):
        if w > 0 and self.chunk_size > 1:
            self.classes = sorted({*self.classes, y})
            self.waiting.append((np.asarray(x, dtype=float), y, w))
            if len(self.waiting) == self.chunk_size:
                self.flush()
        elif w > 0:
            self.n_rows += 1
            self.classes = sorted({*self.classes, y})
            self._learn(np.asarray(x, dtype=float), y, w)
        return self

    def flush(self):
        chunk, self.waiting = self.waiting, []
        if chunk:
            self.n_rows += len(chunk)
            self._play_all(lambda candidate: self._play(candidate, chunk))
            self._look(len(chunk))

    def _play(self, candidate, chunk):
        for x, y, w in chunk:
            predicted = candidate.proba_one(x, self.classes)
            if predicted is not None:
                candidate.new_tries += w
                candidate.new_hits += w * (self.classes[first_max(predicted)] == y)
        candidate.learn_many(chunk, self.classes)

    def _play_all(self, play):
        errors = []
        for candidate in list(self.candidates):
            try:
                play(candidate)
            except Exception as error:
                errors.append(error)
                self._leave(candidate, f"{type(error).__name__}: {error}")
        if not self.candidates:
            raise errors[-1]

    def _learn(self, x, y, w):
        def play(candidate):
            predicted = candidate.proba_one(x, self.classes)
            if predicted is not None:
                candidate.new_tries += w
                candidate.new_hits += w * (self.classes[first_max(predicted)] == y)
            candidate.learn_one(x, y, w, self.classes)

        self._play_all(play)
        if self.n_rows % self.eval_interval == 0:
            self._look(self.eval_interval)

    def reach(self):
        return self.window if self.chunk_size == 1 else max(self.window, 3 * self.chunk_size)

    def _look(self, n):
        fade = 1 - min(1, n / self.reach())
        for candidate in self.candidates:
            candidate.all_hits += candidate.new_hits
            candidate.all_tries += candidate.new_tries
            candidate.hits = fade * candidate.hits + candidate.new_hits
            candidate.tries = fade * candidate.tries + candidate.new_tries
            candidate.new_hits = candidate.new_tries = 0
        accuracies = [candidate.accuracy for candidate in self.candidates if candidate.tries]
        if accuracies:
            best = max(accuracies)
            behind = {p: best - p.accuracy if p.tries else math.inf for p in self.candidates}
            if self.drop_threshold is not None and self.n_rows >= self.reach():
                self._drop(behind)
            self._choose(behind)
            for candidate in self.candidates:
                if self.combine == "best":
                    candidate.voting_weight = float(candidate is self.leader)
                else:
                    candidate.voting_weight = math.exp(-behind[candidate] / self.tolerance)

    def _choose(self, behind):
        first = self.candidates[first_min([behind[candidate] for candidate in self.candidates])]
        nobody = self.leader not in self.candidates
        if nobody or behind[self.leader] - behind[first] > self.tolerance:
            if first is not self.leader:
                self.leaders.append((self.n_rows, first.name))
            self.leader = first

    def _drop(self, behind):
        safe = sorted(self.candidates, key=behind.get)[:2]
        best = max(p.all_hits / p.all_tries for p in self.candidates if p.all_tries)
        for candidate in list(self.candidates):
            tried = candidate.tries >= self.reach() / 2
            if candidate not in safe and tried:
                in_all = best - candidate.all_hits / candidate.all_tries
                if min(behind[candidate], in_all) > self.drop_threshold:
                    self._leave(candidate, "hopeless")

    def _leave(self, candidate, why):
        self.candidates.remove(candidate)
        self.left[candidate.name] = why
        if not any(other.voting_weight for other in self.candidates):
            for other in self.candidates:
                other.voting_weight = 1.0

    def score_one(self, x):
        votes = [0.0] * len(self.classes)
        for candidate in self.candidates:
            predicted = candidate.proba_one(x, self.classes)
            if predicted is not None and candidate.voting_weight:
                votes = [vote + candidate.voting_weight * p for vote, p in zip(votes, predicted)]
        return votes
