"""STAGGER (Schlimmer and Granger 1986), two classes, nominal attributes.

Elements are atoms (feature = value) and AND, OR, NOT of elements. Each has four counts: rows that
it matches and does not match, by class. LS = p(matched | positive) / p(matched | negative), LN is
the same for "not matched"; a half is added to each count. The positive class is the second one in
sorted order; its odds are the prior odds times LS of every voting element that matches and LN of
every voting element that does not match.

Decisions:

* All counts decay by `fading` at every row (1: never, as in the paper). An atom is created when its
  value is first seen, with the counts that it would have, while there are fewer than `max_atoms`.
* A composite is on trial for `trial` rows. Then it is established if it is better than its parts,
  else it is removed. An established composite is removed when it is no longer better. AND: LS
  greater than either part's; OR: LN less than either's; NOT: LS greater than its part's. Composites
  of a removed element are removed too.
* Voting: atoms and established composites that are not a part of an established composite.
* Commission (negative predicted as positive): AND of the matched voter with the largest LS and the
  unmatched one with the smallest LN; NOT of the unmatched one with the largest LN, if > 1.
  Omission: OR of the matched and the unmatched voter with the largest LS; NOT of the matched one
  with the smallest LS, if < 1. Ties: the first. New elements start without counts; the row is not
  counted for them.
* Not created: elements of more than `max_size` atoms, NOT of NOT, elements that exist. At
  `max_elements` composites, the oldest one that is not part of another (nor of the new one) is
  removed first.
* Log odds are rounded to nine decimals, so that ties are exact. Row weights have no effect.
"""

from __future__ import annotations

import math

from tests.reference.online_bases import OnlineReference

H = 0.5


class Element:
    def __init__(self, kind, parts, made, unmatched):
        self.kind, self.parts, self.made = kind, parts, made
        self.matched, self.unmatched = {}, dict(unmatched)
        self.established = kind == "atom"

    def matches(self, x):
        if self.kind == "atom":
            feature, value = self.parts
            return x[feature] == value
        predicted = [part.matches(x) for part in self.parts]
        return {"and": all(predicted), "or": any(predicted), "not": not predicted[0]}[self.kind]

    def of(self):
        """Return its parts that are elements."""
        return [] if self.kind == "atom" else self.parts

    def size(self):
        return sum(part.size() for part in self.of()) or 1

    def text(self):
        if self.kind == "atom":
            return f"x{self.parts[0]}={self.parts[1]!r}"
        if self.kind == "not":
            return f"not {self.parts[0].text()}"
        return "(" + f" {self.kind} ".join(part.text() for part in self.parts) + ")"

    def fade(self, fading, labels):
        for counts in (self.matched, self.unmatched):
            for label in labels:
                counts[label] = counts.get(label, 0.0) * fading

    def see(self, x, y):
        counts = self.matched if self.matches(x) else self.unmatched
        counts[y] += 1.0

    def ratio(self, counts, positive, negative):
        shares = []
        for label in (positive, negative):
            rows = self.matched.get(label, 0.0) + self.unmatched.get(label, 0.0)
            shares.append((counts.get(label, 0.0) + H) / (rows + 1.0))
        return shares[0] / shares[1]

    def LS(self, roles):
        return self.ratio(self.matched, *roles)

    def LN(self, roles):
        return self.ratio(self.unmatched, *roles)

    def better(self, roles):
        if self.kind == "or":
            return all(self.LN(roles) < part.LN(roles) for part in self.parts)
        return all(self.LS(roles) > part.LS(roles) for part in self.parts)


class STAGGERReference(OnlineReference):
    def __init__(self, fading=0.96, trial=20, max_atoms=100, max_elements=50, max_size=4):
        super().__init__()
        self.fading, self.trial, self.max_atoms = fading, trial, max_atoms
        self.max_elements, self.max_size = max_elements, max_size
        self.elements, self.totals = [], {}
        self.n_made = self.n_dropped = self.n_pushed = 0
        self.happened = set()

    def roles(self):
        """Return the positive and the negative class, after both have occurred."""
        come = sorted(self.totals)
        return (come[1], come[0]) if len(come) == 2 else None

    def atoms(self):
        return [e for e in self.elements if e.kind == "atom"]

    def composites(self):
        return [e for e in self.elements if e.kind != "atom"]

    def voting(self):
        used = [part for e in self.elements if e.established for part in e.of()]
        return [e for e in self.elements if e.established and e not in used]

    def learn(self, x, y, w, guess):
        x = [float(value) + 0.0 for value in x]
        guess = self.predicted(x)
        for feature, value in enumerate(x):
            known = any(e.parts == (feature, value) for e in self.atoms())
            if not known and len(self.atoms()) < self.max_atoms:
                self.elements.append(Element("atom", (feature, value), self.n_rows, self.totals))
        self.totals.setdefault(y, 0.0)
        if len(self.totals) > 2:
            raise ValueError(f"two classes, not {sorted(self.totals)}")
        for label in self.totals:
            self.totals[label] *= self.fading
        self.totals[y] += 1.0
        for e in self.elements:
            e.fade(self.fading, self.totals)
            e.see(x, y)
        if self.roles():
            self.judge()
            if guess is not None and guess != y:
                self.search(x, y)

    def judge(self):
        roles, left = self.roles(), []
        for e in self.composites():
            due = e.established or self.n_rows == e.made + self.trial
            if any(part in left for part in e.parts) or (due and not e.better(roles)):
                self.happened.add("pruned" if e.established else "failed")
                left.append(e)
            elif due:
                e.established = True
                self.happened.add(f"established {e.kind}")
        self.drop(left)

    def drop(self, left):
        self.elements = [e for e in self.elements if e not in left]
        self.n_dropped += len(left)

    def search(self, x, y):
        roles, V = self.roles(), self.voting()
        on, off = [e for e in V if e.matches(x)], [e for e in V if not e.matches(x)]

        def largest(some, measure):
            return max(some, key=measure, default=None)  # the first on ties

        def LS(e):
            return e.LS(roles)

        def LN(e):
            return e.LN(roles)

        e1 = largest(on, LS)
        if y == roles[1]:
            kind, e2 = "and", min(off, key=LN, default=None)
            e3 = largest([e for e in off if LN(e) > 1.0], LN)
        else:
            kind, e2 = "or", largest(off, LS)
            e3 = min([e for e in on if LS(e) < 1.0], key=LS, default=None)
        self.make(kind, [e1, e2])
        self.make("not", [e3])

    def make(self, kind, parts):
        if any(part not in self.elements for part in parts):  # None, or just removed
            return
        new = Element(kind, parts, self.n_rows, {})
        there = [(e.kind, {*map(id, e.parts)}) for e in self.composites()]
        if new.size() > self.max_size or (kind == "not" and parts[0].kind == "not"):
            return
        if (kind, {*map(id, parts)}) in there:
            return
        if len(self.composites()) >= self.max_elements:
            used = [part for e in [*self.elements, new] for part in e.of()]
            free = [e for e in self.composites() if e not in used]
            if not free:
                return
            self.n_pushed += 1
            self.drop(free[:1])
        self.elements.append(new)
        self.n_made += 1
        self.happened.add(f"made {kind}")

    def odds(self, x):
        """Return the log odds of the positive class."""
        roles = self.roles()
        L = math.log((self.totals[roles[0]] + H) / (self.totals[roles[1]] + H))
        for e in self.voting():
            L += math.log(e.LS(roles) if e.matches(x) else e.LN(roles))
        return round(L, 9)

    def predicted(self, x):
        roles = self.roles()
        if roles is None:
            return next(iter(self.totals), None)
        return roles[0] if self.odds(x) > 0 else roles[1]

    def score_one(self, x):
        roles = self.roles()
        if roles is None:
            return [float(label in self.totals) for label in self.classes]
        p = 1 / (1 + math.exp(-min(max(self.odds(x), -500.0), 500.0)))
        return [{roles[0]: p, roles[1]: 1 - p}.get(label, 0.0) for label in self.classes]
