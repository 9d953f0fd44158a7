"""Definitions of `comparison.py`: streams, libraries, and the learners that we share with them.

Every ensemble has ten members, every Hoeffding tree the same grace period, confidence and tie
threshold, every chunk 250 rows. Where our defaults differ from MOA's, ours are set to MOA's: which
member is replaced and when members are tested in ADWIN and leveraging bagging, label votes in DWM,
the number of features per split in forests, the detectors of random patches. Random choices of ours
use another seed in every round.
"""

MEMBERS, CHUNK = 10, 250
STREAMS = {
    "SEA, 3 features": "SEA(n_rows=50_000, noise=0.1, random_state=0)",
    "RBF, 10 features": "RBF(n_rows=50_000, random_state=0)",
    "electricity": 'load("electricity")',
    "covertype": 'load("covertype")',  # its first rows
}
# data for a single call of fit: number of rows, and the stream whose first rows they are
TABLES = {
    "200 x 3": (200, "SEA, 3 features"),
    "1,000 x 8": (1_000, "electricity"),
    "1,000 x 54": (1_000, "covertype"),
}

OURS, BEFORE = "driftlearn", "before"  # BEFORE: an earlier commit of ours, if requested
# what each library can do; the first is what it is compared in where the other side has chunks
WAYS = {
    "driftlearn": ("chunks", "rows", "calls", "fit", "kernel"),
    "scikit-learn": ("chunks", "fit", "kernel"),
    "stream-learn": ("chunks",),
    "capymoa": ("rows", "file", "chunks"),
    "river": ("calls",),
}
WAYS[BEFORE] = WAYS[OURS]
# measured once: MOA called from Python (for its accuracy only), and the earlier commit
ONCE = {("capymoa", "chunks"), *((BEFORE, way) for way in WAYS[BEFORE])}
WORDS = {
    "chunks": f"chunks of {CHUNK}",
    "rows": "row by row, compiled",
    "file": "row by row, compiled, reading a file",
    "calls": "one call per row",
    "fit": "public fit",
    "kernel": "without validation",
}
# each row of the page shows one of these modes of ours, compared with the modes of others
COMPARED = {
    "chunks": ("chunks", "rows", "file"),
    "rows": ("rows", "file", "calls"),
    "calls": ("calls",),
    "fit": ("fit",),
    "kernel": ("kernel",),
}

_OUR = {
    "NB": "GaussianNBClassifier()",
    "HT": "HoeffdingTreeClassifier()",
    "CART": "CARTClassifier()",
}
_MOA = {"NB": "bayes.NaiveBayes", "HT": "trees.HoeffdingTree -g 100 -c 0.01 -t 0.05"}
_RIVER = {
    "NB": "naive_bayes.GaussianNB()",
    "HT": "tree.HoeffdingTreeClassifier(grace_period=100, delta=0.01, tau=0.05)",
}
_TREE = "DecisionTreeClassifier(min_samples_split=10, random_state=0)"
_SKLEARN = {"NB": "GaussianNB()", "CART": _TREE}


def _moa(kind, options="-s 10", of="-l"):
    """Return an ensemble of MOA for each of its base learners."""
    return {base: f"meta.{kind} {of} ({text}) {options}" for base, text in _MOA.items()}


def _river(kind):
    return {
        base: f"ensemble.{kind}(model={text}, n_models={MEMBERS}, seed=0)"
        for base, text in _RIVER.items()
    }


def _stream_learn(kind, options=f"n_estimators={MEMBERS}"):
    return {base: f"{kind}({text}, {options})" for base, text in _SKLEARN.items()}


def _ours(kind, options=""):
    """Return an ensemble of ours for each base learner."""
    return {
        base: f"{kind}Classifier({text}, n_estimators={MEMBERS}, {options}random_state=0)"
        for base, text in _OUR.items()
    }


_AS_MOA = 'replace="worst", error="after", '
_KINDS = {  # ensemble: its base learners, ours, and those of other libraries
    "online bagging": (
        ("NB", "HT"),
        _ours("OnlineBagging"),
        {
            "capymoa": _moa("OzaBag"),
            "river": _river("BaggingClassifier"),
            "stream-learn": {"NB": _stream_learn("OnlineBagging")["NB"]},
        },
    ),
    "ADWIN bagging": (
        ("NB", "HT"),
        _ours("ADWINBagging", _AS_MOA),
        {"capymoa": _moa("OzaBagAdwin"), "river": _river("ADWINBaggingClassifier")},
    ),
    "leveraging bagging": (
        ("NB", "HT"),
        _ours("LeveragingBagging", _AS_MOA),
        {"capymoa": _moa("LeveragingBag"), "river": _river("LeveragingBaggingClassifier")},
    ),
    "OnlineBoost": (
        ("NB", "HT"),
        _ours("OnlineBoost", "restart_delta=None, "),  # the others have no detector either
        {"capymoa": _moa("OzaBoost"), "river": _river("AdaBoostClassifier")},
    ),
    "OCB": (("HT",), _ours("OCB"), {"capymoa": _moa("OCBoost")}),
    "DWM": (
        ("NB", "HT"),
        _ours("DWM", 'vote="majority", '),
        {
            "capymoa": _moa("DynamicWeightedMajority", f"-e {MEMBERS}"),
            "stream-learn": {"NB": _stream_learn("DWM", "p=50")["NB"]},
        },
    ),
    "OAUE": (
        ("HT",),
        _ours("OAUE"),
        {"capymoa": _moa("OnlineAccuracyUpdatedEnsemble", f"-n {MEMBERS} -f")},
    ),
    "SEA": (("NB", "CART"), _ours("SEA"), {"stream-learn": _stream_learn("SEA")}),
    "AWE": (
        ("NB", "CART", "HT"),
        _ours("AWE", f"n_stored={MEMBERS}, "),
        {
            "capymoa": _moa("AccuracyWeightedEnsemble", f"-n {MEMBERS} -r {MEMBERS} -c {CHUNK}"),
            "stream-learn": _stream_learn("AWE", f"n_estimators={MEMBERS}, n_splits=10"),
        },
    ),
    "AUE2": (
        ("NB", "HT"),
        _ours("AUE2"),
        {
            "capymoa": _moa("AccuracyUpdatedEnsemble", f"-n {MEMBERS} -c {CHUNK}"),
            "stream-learn": {"NB": _stream_learn("AUE")["NB"]},
        },
    ),
    "Learn++.NSE": (
        ("NB",),
        _ours("LearnPPNSE", 'prune="age", '),
        {"capymoa": _moa("LearnNSE", f"-p {CHUNK} -e {MEMBERS} -s AGE")},
    ),
}
_NAMES = {"NB": "naive Bayes", "HT": "Hoeffding trees", "CART": "CART"}


def _learners():
    """Return for each learner of the table its constructor in every library that has it."""
    found = {
        "naive Bayes": {
            "driftlearn": _OUR["NB"],
            "scikit-learn": _SKLEARN["NB"],
            "capymoa": _MOA["NB"],
            "river": _RIVER["NB"],
        },
        "Hoeffding tree": {
            "driftlearn": _OUR["HT"],
            "capymoa": _MOA["HT"],
            "river": _RIVER["HT"],
        },
        "Hoeffding adaptive tree": {
            "driftlearn": "HoeffdingAdaptiveTreeClassifier()",
            "capymoa": "trees.HoeffdingAdaptiveTree -g 100 -c 0.01 -t 0.05",
            "river": _RIVER["HT"].replace("Tree", "AdaptiveTree").replace(")", ", seed=0)"),
        },
        "CART": {"driftlearn": _OUR["CART"], "scikit-learn": _TREE},
    }  # fmt: skip
    for kind, (bases, ours, others) in _KINDS.items():
        for base in bases:
            texts = {library: each[base] for library, each in others.items() if base in each}
            found[f"{kind}, {_NAMES[base]}"] = {OURS: ours[base], **texts}
    found["adaptive random forest"] = {
        "driftlearn": "AdaptiveRandomForestClassifier(HoeffdingTreeClassifier(grace_period=50, "
        f"max_features=0.6), n_estimators={MEMBERS}, random_state=0)",
        "capymoa": f"meta.AdaptiveRandomForest -s {MEMBERS}",
        "river": f"forest.ARFClassifier(n_models={MEMBERS}, max_features=0.6, seed=0)",
    }
    found["random patches"] = {
        "driftlearn": f"StreamingRandomPatchesClassifier(n_estimators={MEMBERS}, "
        "warning_delta=0.0001, drift_delta=0.00001, random_state=0)",
        "capymoa": f"meta.StreamingRandomPatches -s {MEMBERS}",
        "river": f"ensemble.SRPClassifier(n_models={MEMBERS}, seed=0)",
    }
    return {learner: {**texts, BEFORE: texts[OURS]} for learner, texts in found.items()}


LEARNERS = _learners()
# CART cannot be updated; it is retrained on every chunk
ONE_TABLE = ("CART",)
# trained in chunks; one row per call would only fill the buffer
BY_CHUNKS = ("SEA", "AWE", "AUE2", "Learn++.NSE")
