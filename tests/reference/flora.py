"""FLORA2 and FLORA3 (Widmer and Kubat 1996), two classes, nominal attributes.

An item is a conjunction of conditions (feature, value) with the number of rows of each class that
it matches in the window; the counts are always exactly the window's. ADES are the items that match
only positive rows, NDES those that match only negative rows, PDES those that match both; an item
that matches no row is removed. The positive class is the second one in sorted order. This
implementation does not store counts but takes them from the window each time.

Decisions:

* A row joins the window. The items that match only rows of its class are its own items. If none of
  them matches the row, one is generalized to match it: the item that loses the fewest conditions
  (ties: the first) among those that then match no row of the other class in the window and have a
  condition left. Own items that it covers are removed. If there is no such item, the row itself
  becomes an item, unless an item with these conditions exists.
* Then the window is adjusted: the coverage N / S is that of ADES, S counts conditions; S = 0 is
  neither low nor high. Accuracy is the share of correct predictions, made before learning, in the
  last `accuracy_window` rows; it is falling if it is lower than at the previous row. Drift is
  suspected only above `min_window` rows, and the window never shrinks below this size.
* Above `max_items` items, the item that matches the fewest rows (ties: the oldest) is removed.
* Only ADES determine the prediction. While only one class has occurred, it is predicted, and
  coverage is not used.
* FLORA3 stores the present items whenever the window is stable; a stored concept with the same
  ADES is replaced and moves to the end. When drift is suspected, after old rows are dropped, the
  stored concept that is correct for most rows of the window is recounted and learns the rows that
  it does not describe. It replaces the present items if its coverage is greater. Row weights have
  no effect, except that rows of weight 0 are absent.
"""

from __future__ import annotations

from tests.reference.online_bases import OnlineReference, first_min


def conditions(x):
    """Return the conditions (feature, value) that hold for a row; an item is a subset of them."""
    return frozenset((feature, float(value)) for feature, value in enumerate(x))


class FLORA2Reference(OnlineReference):
    def __init__(
        self,
        low_coverage=1.2,
        high_coverage=4.0,
        accuracy=0.7,
        accuracy_window=20,
        forget=0.2,
        min_window=20,
        max_window=500,
        max_items=200,
    ):
        super().__init__()
        self.low, self.high, self.accuracy = low_coverage, high_coverage, accuracy
        self.accuracy_window, self.forget = accuracy_window, forget
        self.min_window, self.max_window, self.max_items = min_window, max_window, max_items
        self.window, self.items, self.results, self.before = [], [], [], None
        self.come = set()
        self.n_drifts = self.n_bounded = 0
        self.branches = set()

    def count(self, item, label):
        return sum(item <= x for x, y in self.window if y == label)

    def counts(self, item):
        """Return how many positive and negative rows of the window an item matches."""
        positive, negative = self.roles()
        return (self.count(item, positive), self.count(item, negative))

    def roles(self):
        """Return the positive and the negative class; None for a class that has not occurred."""
        negative, positive, *_ = [*sorted(self.come), None, None]
        return positive, negative

    def own(self, items, label):
        """Return the items that match only rows of this class."""
        rows = set(self.window)
        return [item for item in items if {y for x, y in rows if item <= x} == {label}]

    def ades(self):
        return self.own(self.items, self.roles()[0])

    def ndes(self):
        return self.own(self.items, self.roles()[1])

    def pdes(self):
        return [item for item in self.items if all(self.counts(item))]

    def alive(self, items):
        rows = set(self.window)
        return [item for item in items if any(item <= x for x, _ in rows)]

    def learn(self, x, y, w, guess):
        x = conditions(x)
        if self.come:
            self.results = [*self.results, self.predicted(x) == y][-self.accuracy_window :]
        self.come.add(y)
        if len(self.come) > 2:
            raise ValueError(f"two classes, not {sorted(self.come)}")
        self.window.append((x, y))
        self.items = self.described(self.items, x, y)
        branch, L = self.adjustment()
        self.branches.add(branch)
        self.window = self.window[L:]
        self.items = self.alive(self.items)
        self.remember(branch)
        while len(self.items) > self.max_items:
            del self.items[first_min([sum(self.counts(item)) for item in self.items])]
            self.n_bounded += 1

    def described(self, items, x, y):
        """Return the items after learning a row of the window."""
        own = self.own(items, y)
        if any(item <= x for item in own):
            return items
        best, fewest = None, None
        for item in own:
            G = item & x
            dropped = len(item) - len(G)
            covers = any(row >= G for row, label in self.window if label != y)
            if G and not covers and (best is None or dropped < fewest):
                best, fewest = G, dropped
        if best is not None:
            return [it for it in items if not (it in own and best <= it)] + [best]
        return items if x in items else [*items, x]

    def coverage(self, items):
        """Return N / S of the ADES among these items, 0 without any; None without positive rows."""
        positive = self.roles()[0]
        rows = [x for x, y in self.window if y == positive]
        if not rows:
            return None
        ades = self.own(items, positive)
        N = sum(any(item <= x for item in ades) for x in rows)
        return N / sum(len(item) for item in ades) if ades else 0.0

    def adjustment(self):
        n, coverage = len(self.window), self.coverage(self.items)
        branch, L = "grow", 0
        if self.results:
            right = sum(self.results) / len(self.results)
            falling = self.before is not None and right < self.before
            self.before = right
            low = coverage is not None and coverage < self.low
            if n > self.min_window and (low or (right < self.accuracy and falling)):
                branch, L = "drift", max(1, int(self.forget * n))
                self.n_drifts += 1
            elif coverage is not None and coverage > 2 * self.high and right > self.accuracy:
                branch, L = "shrink", 2
            elif coverage is not None and coverage > self.high and right > self.accuracy:
                branch, L = "keep", 1
        return branch, max(min(L, max(0, n - self.min_window)), n - self.max_window)

    def remember(self, branch):
        """Do nothing: FLORA2 stores no concepts."""

    def predicted(self, x):
        positive, negative = self.roles()
        if positive is None:
            return negative
        return positive if any(item <= x for item in self.ades()) else negative

    def score_one(self, x):
        predicted = self.predicted(conditions(x))
        return [float(predicted == label) for label in self.classes]


class FLORA3Reference(FLORA2Reference):
    def __init__(self, *args, max_concepts=10, **kwargs):
        super().__init__(*args, **kwargs)
        self.max_concepts, self.store = max_concepts, []
        self.n_returns = self.n_forgotten = 0

    def remember(self, branch):
        if branch in ("shrink", "keep"):
            ades = self.ades()
            if ades:
                same = [(a, all_) for a, all_ in self.store if set(a) != set(ades)]
                self.store = [*same, (ades, list(self.items))]
                self.n_forgotten += max(0, len(self.store) - self.max_concepts)
                self.store = self.store[-self.max_concepts :]
        if branch == "drift" and self.store:
            self.compare()

    def compare(self):
        positive = self.roles()[0]
        fits = [
            [any(item <= x for item in ades) == (y == positive) for x, y in self.window]
            for ades, _ in self.store
        ]
        fits = [sum(right) if right[-1] else -1 for right in fits]
        if max(fits) < 0:
            return
        best = fits.index(max(fits))
        items = self.alive(self.store[best][1])
        for x, y in self.window:
            items = self.described(items, x, y)
        theirs, ours = self.coverage(items), self.coverage(self.items)
        if theirs is not None and theirs > ours:
            self.items = items
            self.store.append(self.store.pop(best))
            self.n_returns += 1
