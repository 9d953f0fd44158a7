"""OOB and UOB: bagging by over- and undersampling (Wang, Minku & Yao 2015, 2016 for many classes).

Decisions: the size of a class is its share of the rows with exponential forgetting, whatever the
weights of the rows; it starts at 0 and is updated with the row before the row's rate is computed. A
member of OOB learns a row Poisson(largest size / size of its class) times, a member of UOB
Poisson(smallest size / size of its class) times; a class without rows is not the smallest. The rest
is online bagging.
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
