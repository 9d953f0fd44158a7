"""AutoClassifier: online model selection among candidates that learn every row.

Rows are numbered from 1. Every trained candidate first predicts a row (one that raises
NotFittedError counts as untrained), then every candidate learns it. The evaluation after every
`eval_interval`-th row decays the counts, drops candidates, selects the leader and sets the voting
weights. A candidate is dropped if both its decayed accuracy and its accuracy over all rows are too
far below the best accuracy of the same kind.

Rows count with their weights. Decisions: no candidate predicts the first row. A candidate that
raises any other error is dropped at once, together with its counts; the leader is selected at the
next evaluation. If all candidates fail at the same row, the error is raised. With every row, a
candidate receives the ensemble's classes so far, including the row's, and the weight if its
`partial_fit` accepts one.

With `chunk_size` above 1, rows are buffered until a chunk is complete (rows of weight 0 are
absent). Then each candidate in turn predicts all of them and learns them in one call. `n_rows`
counts rows that were learned. There is an evaluation after every chunk, whatever `eval_interval`;
its decay depends on the number of rows in the chunk, and the window, also that for dropping, is at
least three chunks. A candidate that accepts weights receives those of the chunk unless all are 1.
`flush` treats the buffered rows as a chunk.
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
        """Return a probability for each class, 0 for unknown ones; None if untrained."""
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
        self.chunk_size, self.buffer = chunk_size, []
        self.leaders, self.dropped = [], {}
        for number, (name, learner) in enumerate(learners.items(), 1):
            model = clone(learner)
            if model.get_params().get("random_state", 0) is None:
                model.set_params(random_state=self.seed())
            self.candidates.append(Candidate(number, name, model))

    def learn_one(self, x, y, w=1.0):
        if w > 0 and self.chunk_size > 1:
            self.classes = sorted({*self.classes, y})
            self.buffer.append((np.asarray(x, dtype=float), y, w))
            if len(self.buffer) == self.chunk_size:
                self.flush()
        elif w > 0:
            self.n_rows += 1
            self.classes = sorted({*self.classes, y})
            self._learn(np.asarray(x, dtype=float), y, w)
        return self

    def flush(self):
        chunk, self.buffer = self.buffer, []
        if chunk:
            self.n_rows += len(chunk)
            self._update_all(lambda candidate: self._learn_chunk(candidate, chunk))
            self._evaluate(len(chunk))

    def _learn_chunk(self, candidate, chunk):
        for x, y, w in chunk:
            predicted = candidate.proba_one(x, self.classes)
            if predicted is not None:
                candidate.new_tries += w
                candidate.new_hits += w * (self.classes[first_max(predicted)] == y)
        candidate.learn_many(chunk, self.classes)

    def _update_all(self, update):
        errors = []
        for candidate in list(self.candidates):
            try:
                update(candidate)
            except Exception as error:
                errors.append(error)
                self._remove(candidate, f"{type(error).__name__}: {error}")
        if not self.candidates:
            raise errors[-1]

    def _learn(self, x, y, w):
        def update(candidate):
            predicted = candidate.proba_one(x, self.classes)
            if predicted is not None:
                candidate.new_tries += w
                candidate.new_hits += w * (self.classes[first_max(predicted)] == y)
            candidate.learn_one(x, y, w, self.classes)

        self._update_all(update)
        if self.n_rows % self.eval_interval == 0:
            self._evaluate(self.eval_interval)

    def reach(self):
        return self.window if self.chunk_size == 1 else max(self.window, 3 * self.chunk_size)

    def _evaluate(self, n):
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
        no_leader = self.leader not in self.candidates
        if no_leader or behind[self.leader] - behind[first] > self.tolerance:
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
                    self._remove(candidate, "drop_threshold")

    def _remove(self, candidate, why):
        self.candidates.remove(candidate)
        self.dropped[candidate.name] = why
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
