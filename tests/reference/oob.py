"""Bagging by over- and undersampling (OOB, UOB; Wang, Minku & Yao 2015, 2016 for many classes).

Decisions: the size of a class is its share of the rows with exponential forgetting, whatever the
rows weigh; it begins at 0 and takes the row in before its rate is found. OOB learns a row
Poisson(largest size / size of its class) times, UOB Poisson(smallest / that) times, where a class
that has not come is not the smallest. The rest is online bagging.
"""

from __future__ import annotations

from tests.reference.bagging import OnlineBaggingReference


class OOBReference(OnlineBaggingReference):
    reference = max

    def __init__(self, make, n_estimators=10, theta=0.9, vote="soft", random_state=0):
        super().__init__(make, n_estimators, vote, random_state)
        self.theta, self.sizes = theta, {}

    def rate(self, y):
        self.sizes.setdefault(y, 0.0)
        for c in self.sizes:
            self.sizes[c] = self.theta * self.sizes[c] + (1.0 - self.theta) * (c == y)
        return type(self).reference(self.sizes.values()) / self.sizes[y]


class UOBReference(OOBReference):
    reference = min
