"""Write the files of driftlearn 0.1.0 that later versions must load.

Run once, with 0.1.0 on the path, next to ``test_files_of_0_1_0.py``, from which the rows come::

    git worktree add ../old v0.1.0
    OMP_NUM_THREADS=1 PYTHONPATH=../old/src python make_files_of_0_1_0.py

It writes ``files_of_0_1_0/``: zips of models, state folders, keyed stores and a result store, and
``expected.json`` with the outputs of 0.1.0 after loading them. At the end it lists the classes that
occur in no file, and the option values that occur in no model.
"""

# ruff: noqa: I001 - the modules of 0.1.0 are not there
import gzip
import json
import os
import pkgutil
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import warnings
import zipfile
import zlib
from contextlib import closing
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import sklearn
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Perceptron, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline as sklearn_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer, RobustScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

import driftlearn as dl
from driftlearn import drift, streams
from driftlearn.auto import default_learners
from driftlearn.base.recoded import Recoded
from driftlearn.evaluate import concepts, delayed, holdout, prequential, repeat
from driftlearn.papers.s1.streams_and_learners import TransferTwice
from driftlearn.papers.s2.streams_and_learners import Wine
from driftlearn.persist import _small, dumps, dumps_small, loads, save
from driftlearn.persist._files import unpack
from driftlearn.preprocess import Frozen, Refitted, TableEncoder, make_pipeline

recipe = import_module("test_files_of_0_1_0")  # rows and summaries, as in the tests

OUT = Path(__file__).parent / "files_of_0_1_0"
MOST = 380_000  # bytes of a file
SLOW = 0.05  # seconds of training: above, a clone is trained on 60 rows or not at all
KEY = "a key of at least 16 bytes for tests"

TREE = DecisionTreeClassifier(max_depth=3, random_state=7)
FOREST = RandomForestClassifier(2, max_depth=3, random_state=7)
SGD = SGDClassifier(loss="log_loss", random_state=7)
NB, CART = dl.GaussianNBClassifier(), dl.CARTClassifier(max_depth=3)
LOGISTIC = dl.LogisticClassifier()
HOEFFDING = dl.HoeffdingTreeClassifier(grace_period=20, delta=0.2)


def variants():
    """Yield class name, suffix, parameters and kind of rows of every model but pipelines."""
    C = dict
    chunk = C(chunk_size=40)
    boost = C(n_per_chunk=2, **chunk)
    background = C(warning_delta=0.4, drift_delta=0.2)
    learn_pp = [
        ("", C(**boost)),
        ("tree", C(estimator=TREE, **boost)),
        ("mlp", C(estimator=dl.MLPGoalClassifier(max_iter=20), n_per_chunk=1, chunk_size=50)),
        ("all", C(composite="all", initial="uniform", ties="last", on_weak="drop", **boost)),
        ("weights", C(resampling=False, error_floor=0.1, early_stop=True, on_weak="raise",
                      estimator=CART, max_retries=5, **boost)),
        ("sample", C(replacement=False, sample_size=0.5, validation_share=0.2, **boost)),
    ]  # fmt: skip
    table = {
        "ACE": [
            ("", C(chunk_size=40, window_size=20)),
            ("chunk", C(chunk_size=40, window_size=20, restart="chunk", vote="majority", alpha=0.01,
                        estimator=NB, online=LOGISTIC, n_estimators=3)),
            ("never", C(chunk_size=50, window_size=10, restart="never", estimator=TREE,
                        online=GaussianNB(), power=1.0)),
            ("drift", C(chunk_size=30, window_size=20, alpha=0.3, estimator=dl.StumpClassifier())),
        ],
        "ADWINBagging": [
            ("", C(delta=0.3), "turning"),
            ("worst", C(delta=0.3, replace="worst", vote="majority", error="after", estimator=NB)),
            ("foreign", C(delta=0.3, estimator=GaussianNB())),
            ("jobs", C(n_jobs=2, estimator=HOEFFDING, class_weight="balanced")),
        ],
        "AUE2": [
            ("", chunk),
            ("incremental", C(estimator=NB, **chunk)),
            ("foreign", C(estimator=GaussianNB(), **chunk)),
            ("all", C(estimator=LOGISTIC, n_estimators=None, **chunk)),
            ("sparse", C(estimator=SGD, **chunk), "sparse"),
            ("sparse waiting", C(estimator=SGD, chunk_size=90), "sparse"),
        ],
        "AWE": [
            ("", C(n_folds=3, **chunk)),
            ("tree", C(estimator=TREE, n_stored=2, n_folds=2, **chunk)),
            ("neighbors", C(estimator=KNeighborsClassifier(3), n_folds=2, n_jobs=2, **chunk)),
        ],
        "AdaptiveRandomForest": [
            ("", background, "turning"),
            ("defaults", C(n_estimators=10)),
            ("majority", C(vote="majority", rate=2.0, estimator=HOEFFDING, **background)),
            ("bayes", C(estimator=NB, class_weight="balanced", **background)),
            ("foreign", C(estimator=GaussianNB(), **background)),
            ("adaptive", C(estimator=dl.HoeffdingAdaptiveTreeClassifier(grace_period=20))),
            ("holes", background, "holes"),
        ],
        "Auto": [
            ("", C(look_every=20, window=60)),
            ("chunks", C(chunk_size=40, answer="leader", tolerance=0.05, learners={
                "trees": dl.AUE2Classifier(n_estimators=2), "bayes": NB,
                "forest": dl.RefitClassifier(FOREST)})),
            ("own", C(look_every=30, window=50, hopeless=0.02, learners={
                "bayes": NB, "last": dl.NoChangeClassifier(), "most": dl.MajorityClassifier(),
                "wrong": LOGISTIC, "foreign": GaussianNB()})),
            ("stay", C(look_every=7, hopeless=None, class_weight="balanced", answer="leader",
                       learners={"bayes": NB, "last": dl.NoChangeClassifier(), "tree": HOEFFDING}),
             "turning"),
            ("vote", C(look_every=7, hopeless=None, window=30, tolerance=0.2,
                       learners={"bayes": NB, "last": dl.NoChangeClassifier(), "tree": HOEFFDING}),
             "turning"),
            ("waiting", C(chunk_size=90, learners={"bayes": NB, "dtel": dl.DTELClassifier(
                n_estimators=3)})),
        ],
        "Boosting": [
            ("", {}),
            ("m2", C(method="m2", resample=True, estimator=CART)),
            ("arc", C(method="arc-x4", estimator=TREE)),
        ],
        "CART": [
            ("", {}),
            ("small", C(max_depth=2, min_samples_leaf=5, min_samples_split=20)),
            ("holes", {}, "holes"),
            ("ints", C(class_weight={7: 2.0}), "ints"),
        ],
        "DDD": [
            ("", {}),
            ("adwin", C(detector="adwin", vote="majority", low=0.5, high=0.2, estimator=NB),
             "turning"),
            ("ddm", C(detector="ddm", multiplier=2.0, estimator=GaussianNB())),
            ("ddm two", C(detector="ddm", multiplier=3.0, high=0.3), "turning"),
        ],
        "DIC": [
            ("", C(n_folds=2, **chunk)),
            ("dv", C(selection="dv", drop="count", n_folds=2, estimator=TREE, **chunk)),
            ("ds", C(selection="ds", nominal_features=[0, 2], n_neighbors=3, **chunk), "words"),
        ],
        "DTEL": [
            ("", chunk),
            ("disagreement", C(diversity="disagreement", vote="soft", n_transfers=1, **chunk)),
            ("fault", C(diversity="double_fault", estimator=CART, class_weight="balanced",
                        chunk_size=30)),
            ("entropy", C(diversity="entropy", estimator=NB, **chunk)),
            ("forest", C(estimator=FOREST, **chunk)),
            ("foreign", C(estimator=GaussianNB(), **chunk)),
            ("twice", C(estimator=TransferTwice(), **chunk)),
            ("holes", chunk, "holes"),
            ("calls", {}),
        ],
        "DWM": [
            ("", C(period=20)),
            ("windowed", C(variant="windowed", window_size=40, period=20, vote="majority",
                           estimator=HOEFFDING)),
            ("fixed", C(online_update=False, period=15, beta=0.7, theta=0.6, estimator=NB,
                        n_estimators=6)),
            ("foreign", C(period=20, estimator=SGD)),
        ],
        "DYNSE": [
            ("", chunk),
            ("union", C(selection="knora-u", prune="accuracy", slack=1, **chunk)),
            ("ola", C(selection="ola", n_window=2, nominal_features=[1], **chunk), "words"),
            ("lca", C(selection="lca", estimator=TREE, n_neighbors=4, **chunk)),
        ],
        "FLB": [
            ("", C(block_size=30, n_estimators=20, n_per_block=2)),
            ("distance", C(block_size=30, n_estimators=20, stump_proba="distance", slope=1.0,
                           change_level=None)),
            ("cart", C(block_size=30, n_estimators=20, estimator=CART, change_level=0.3),
             "turning"),
            ("tree", C(block_size=30, n_estimators=20, estimator=TREE, n_per_block=2)),
        ],
        "FLC": [
            ("", C(n_estimators=4), "turning"),
            ("sd", C(n_estimators=4, detector="sd", window_size=60, k_sd=1.5, min_sub=10,
                     restart_on_change=True, vote="majority", estimator=NB)),
            ("foreign", C(n_estimators=3, replace_worst_on_change=False, delta=0.3,
                          estimator=GaussianNB())),
        ],
        "FLORA2": [("", {}, "words"), ("numbers", C(max_window=50, min_window=5), "two")],
        "FLORA3": [("", {}, "words"), ("short", C(max_concepts=2, max_window=30), "words")],
        "FuzzyARTMAP": [
            ("", {}),
            ("bounds", C(bounds=[[0] * 4, [1] * 4], vigilance=0.6, match_increment=-0.001,
                         learning_rate=0.5, max_categories=20, shuffle=False, epochs=2)),
            ("generator", C(random_state=np.random.default_rng(7))),
        ],
        "GaussianNB": [
            ("", {}),
            ("density", C(constant="density", var_smoothing=1e-3), "constant"),
            ("match", {}, "constant"),
            ("holes", C(class_weight="balanced"), "holes"),
            ("bools", {}, "bools"),
        ],
        "HoeffdingAdaptiveTree": [
            ("", C(grace_period=10, delta=0.3, min_width=20, drift_delta=0.3), "turning"),
            ("wait", C(grace_period=10, delta=0.3, min_width=20, drift_delta=0.3,
                       alternates="wait", leaf_prediction="nb", switch_alpha=0.3), "turning"),
            ("words", C(grace_period=10, delta=0.3, leaf_prediction="majority", max_depth=3,
                        nominal_features=[0, 1, 2, 3], max_nodes=30), "words"),
            ("holes", C(grace_period=10, delta=0.3, drift_delta=0.4, min_width=10), "holes"),
        ],
        "HoeffdingTree": [
            ("", C(grace_period=10, delta=0.3)),
            ("majority", C(grace_period=10, delta=0.3, leaf_prediction="majority", max_depth=2,
                           max_features="sqrt")),
            ("bayes", C(grace_period=10, delta=0.3, leaf_prediction="nb", max_features=0.5,
                        max_nodes=None, max_bytes=None, tie_threshold=0.3)),
            ("words", C(grace_period=10, delta=0.3, nominal_features=[0, 1, 2, 3]), "words"),
            ("holes", C(grace_period=10, delta=0.3, max_bytes=4_000), "holes"),
        ],
        "IBoost": [
            ("", {}),
            ("adwin", C(window_size="adwin", min_window=10, max_window=90, delta=0.3, period=5)),
            ("batch", C(update="batch", loss="exponential", rule="printed", step=0.1,
                        weight_clip=3.0, add="always", n_estimators=10, window_size=50, period=7)),
            ("literal", C(convention="literal", loss="exponential", update_when="before_add",
                          remove_negative=False, resample=True, window_size=50, n_estimators=10,
                          period=3)),
            ("never", C(update_when="never", add="never", window_size=50, period=3)),
            ("online", C(estimator=NB, n_estimators=10, window_size=40, period=5)),
            ("foreign", C(estimator=TREE, n_estimators=10, window_size=40, period=10)),
        ],
        "LearnPP": [*learn_pp, ("hypothesis", C(vote="hypothesis", **boost))],
        "LearnPPMT": learn_pp[:3],
        "LearnPPNC": learn_pp[:2],
        "LearnPPUD": learn_pp[:2],
        "LearnPPUDNC": [*learn_pp[:2], ("smote", C(transfer=None, oversample="smote", **boost))],
        "LearnPPNSE": [
            ("", C(n_estimators=None, **chunk)),
            ("printed", C(weighting="printed", prune="age", n_estimators=3,
                          use_distribution="resample", **chunk)),
            ("last", C(weighting="last", prune="error", n_estimators=3,
                       use_distribution="sample_weight", **chunk)),
            ("age", C(weighting="age", slope=0.8, crossing=3, error_floor=0.05, estimator=TREE,
                      n_estimators=None, **chunk)),
            ("uniform", C(weighting="uniform", estimator=MLPClassifier(
                (5,), max_iter=20, random_state=7), max_retries=0, n_estimators=None, **chunk)),
            ("pipeline", C(estimator=sklearn_pipeline(StandardScaler(), LogisticRegression()),
                           n_estimators=None, **chunk)),
        ],
        "LeveragingBagging": [
            ("", C(delta=0.3), "turning"),
            ("codes", C(codes=True, vote="majority", draws="half", error="after")),
            ("soft codes", C(codes=True, estimator=NB, draws="subag")),
            ("wt", C(draws="wt", replace="worst", delta=0.3, estimator=LOGISTIC), "turning"),
            ("me", C(draws="me", rate=2.0, estimator=GaussianNB())),
        ],
        "Logistic": [("", {}), ("one", C(rates=[0.05], class_weight={"spam": 3.0}))],
        "MLPGoal": [
            ("", C(max_iter=20, hidden_layer_size=5)),
            ("scg", C(max_iter=10, solver="scg", activation="tanh", output="linear",
                      init="nguyen-widrow", scaling=None, hidden_layer_size=4)),
        ],
        "Majority": [("", {}), ("window", C(window=30))],
        "NSOnlineBoost": [
            ("", C(n_estimators=4)),
            ("majority", C(n_estimators=4, vote="majority", window_size=40, maturity=30,
                           estimator=NB)),
            ("foreign", C(n_estimators=2, window_size=30, period=20, estimator=GaussianNB())),
        ],
        "NoChange": [("", {})],
        "OAUE": [
            ("", C(window_size=40)),
            ("nonlinear", C(window_size=40, weighting="nonlinear", estimator=NB)),
            ("foreign", C(window_size=50, estimator=SGD)),
        ],
        "OCB": [
            ("", {}),
            ("fixed", C(members="fixed", init_size=50, n_estimators=5, order=2)),
            ("online", C(members="fixed", init_size=50, n_estimators=3, estimator=NB)),
            ("foreign", C(members="fixed", init_size=50, n_estimators=3, estimator=TREE)),
            ("learning", C(estimator=GaussianNB(), order=0, smoothing=1.0)),
        ],
        "OOB": [("", {}), ("majority", C(vote="majority", theta=0.5, estimator=GaussianNB()))],
        "OnlineBagging": [
            ("", {}),
            ("majority", C(vote="majority", estimator=NB)),
            ("foreign", C(estimator=Perceptron(random_state=7))),
            ("pipeline", C(estimator=make_pipeline(StandardScaler(), NB))),
            ("chunks", C(estimator=dl.AUE2Classifier(n_estimators=2, chunk_size=30))),
            ("state", C(random_state=np.random.RandomState(7))),
        ],
        "OnlineBoost": [
            ("", C(n_estimators=4), "turning"),
            ("never", C(n_estimators=4, restart_delta=None, vote="majority", estimator=NB)),
            ("restart", C(n_estimators=4, restart_delta=0.3, estimator=GaussianNB())),
        ],
        "RCD": [
            ("", C(buffer_size=30, check_every=50, n_permutations=19), "turning"),
            ("eddm", C(detector="eddm", compare="rows", buffer_size=30, min_rows=10, alpha=0.2,
                       check_every=None, n_permutations=19, estimator=NB), "turning"),
            ("foreign", C(buffer_size=20, check_every=30, min_rows=10, n_permutations=19,
                          estimator=GaussianNB())),
        ],
        "Refit": [
            ("", C(n_chunks=2, **chunk)),
            ("classes", C(n_chunks=2, class_rows=10, estimator=TREE, **chunk)),
            ("waiting", C(chunk_size=90, estimator=NB)),
        ],
        "SEA": [
            ("", chunk),
            ("dtel", C(variant="dtel", vote="hard", delay=True, **chunk)),
            ("street", C(quality="street", estimator=TREE, delay=True, **chunk)),
        ],
        "SMOTE": [("", C(estimator=CART, **chunk)), ("tree", C(estimator=TREE, n_neighbors=2,
                                                               **chunk))],
        "STAGGER": [("", {}, "words"), ("small", C(max_elements=10, max_size=2), "words")],
        "StreamingRandomPatches": [
            ("", background, "turning"),
            ("root", C(subspace="sqrt", vote="majority", estimator=NB, **background)),
            ("two", C(subspace=2, estimator=GaussianNB())),
            ("whole", C(subspace=None, **background)),
        ],
        "Stump": [("", {}), ("holes", C(class_weight="balanced"), "holes")],
        "TIX": [
            ("", chunk),
            ("recursive", C(recursive=True, estimator=TREE, n_estimators=3, **chunk)),
            ("bayes", C(estimator=NB, n_estimators=2, **chunk)),
        ],
        "UOB": [("", {}), ("jobs", C(n_jobs=2, estimator=LOGISTIC))],
        "WeightedMajority": [
            ("", {}),
            ("learners", C(estimators=[("bayes", NB), ("foreign", GaussianNB()),
                                       ("tree", HOEFFDING)], variant="wml")),
            ("random", C(estimators=[("bayes", NB), ("line", LOGISTIC)], variant="wmr",
                         beta=0.8)),
        ],
        "WindowedAdaBoost": [
            ("", C(window_size=50, n_estimators=5, period=10)),
            ("resample", C(window_size=50, n_estimators=3, period=20, resample=True,
                           estimator=CART)),
            ("bayes", C(window_size=50, n_estimators=3, period=20, estimator=NB)),
        ],
        "Winnow": [
            ("", {}, "words"),
            ("winnow1", C(variant="winnow1", promotion=1.5, threshold=2.0), "words"),
            ("balanced", C(variant="balanced", complements=False), "two"),
        ],
    }  # fmt: skip
    for name, several in table.items():
        for suffix, params, *kind in several:
            yield name, suffix, params, *kind


def pipelines():
    """Yield name, object and kind of rows of pipelines and of transformers."""
    encoder = partial(TableEncoder, on_surprise="note")
    few = {"n_estimators": 2, "random_state": 7}
    forest = dl.AdaptiveRandomForestClassifier(**few, warning_delta=0.4, drift_delta=0.2)
    logarithm = FunctionTransformer(np.log1p)
    yield "Pipeline", make_pipeline(encoder(), NB), "table"
    onehot = encoder(
        "onehot", max_categories=3, missing="indicator", scale=True, window=50,
        date_parts=["year", "month", "day", "weekday", "hour", "age"],
    )  # fmt: skip
    yield "Pipeline-onehot", make_pipeline(onehot, LOGISTIC), "table"
    frequency = encoder("frequency", missing="mean", kinds={"size": "category", "price": "drop"})
    yield "Pipeline-frequency", make_pipeline(frequency, HOEFFDING), "table"
    yield "Pipeline-trees", make_pipeline(encoder(max_categories=3), forest), "table"
    chunks = dl.DTELClassifier(**few, chunk_size=90)
    yield "Pipeline-chunks", make_pipeline(encoder(missing="native"), chunks), "table"
    foreign = dl.OnlineBaggingClassifier(GaussianNB(), 2, random_state=7)
    foreign = make_pipeline(encoder(missing="mean"), StandardScaler(), foreign)
    yield "Pipeline-foreign", foreign, "table"
    frozen = Frozen(RobustScaler(), rows=60)
    refitted = Refitted(StandardScaler(), every=50, rows=70)
    steps = make_pipeline(StandardScaler(), frozen, refitted, Normalizer(), NB)
    yield "Pipeline-steps", steps, "numbers"
    auto = dl.AutoClassifier({"bayes": NB, "tree": HOEFFDING}, look_every=20, window=50)
    yield "Pipeline-auto", make_pipeline(logarithm, auto), "numbers"
    yield "Pipeline-waiting", make_pipeline(Frozen(RobustScaler(), rows=230), NB), "numbers"
    yield (
        "Pipeline-table-waiting",
        make_pipeline(encoder(), Frozen(RobustScaler(), 220), NB),
        "table",
    )
    yield "TableEncoder", encoder(scale=True), "table"
    yield "Frozen", Frozen(RobustScaler(), rows=150), "numbers"
    yield "Refitted", Refitted(RobustScaler(), every=60), "numbers"


def small(name, params):
    """Return a public learner with few members and a seed."""
    model = getattr(dl, f"{name}Classifier")(**params)
    given = model.get_params(deep=False)
    if "n_estimators" in given and "n_estimators" not in params:
        foreign = type(params.get("estimator")).__module__.startswith("sklearn.")
        model.set_params(n_estimators=2 if foreign else 3)
    if "random_state" in given and "random_state" not in params:
        model.set_params(random_state=7)
    return model


def all_models():
    """Yield name, model and kind of rows of all models."""
    for name, suffix, params, *kind in variants():
        model = small(name, params)
        two = not get_tags(model).classifier_tags.multi_class
        yield (
            f"{name}{suffix and '-'}{suffix}",
            model,
            kind[0] if kind else "two" if two else "numbers",
        )
    yield from pipelines()


# The classes in a file


def document_of(content):
    """Return the JSON document of a file."""
    if content.startswith(_small.MAGIC):
        return _small.unpack(content, "it", None)[0]["tree"]
    return unpack(content, "it", None, None)[0]["tree"]


def classes_in(content):
    """Return the names of all classes in a file."""
    found = set()

    def walk(node):
        if isinstance(node, dict):
            for key, value in node.items():
                if key in ("new", "restore", "call", "restorer", "class") and isinstance(
                    value, str
                ):
                    found.add(value)
                walk(value)
        elif isinstance(node, list):
            for each in node:
                walk(each)

    walk(document_of(content))
    return found


def values_in(content):
    """Return all attributes in a file that are strings, booleans or None."""
    found = set()

    def walk(node):
        if isinstance(node, dict):
            for key, value in node.items():
                if isinstance(value, str | bool) or value is None:
                    found.add((key, value))
                walk(value)
        elif isinstance(node, list):
            for each in node:
                walk(each)

    walk(document_of(content))
    return found


STORED, VALUES = set(), set()


class Archive:
    """Files that are written to one or more zips; the classes in them are recorded."""

    def __init__(self, name):
        self.name = name
        self.contents = {}

    def add(self, name, content):
        """Add a file."""
        if content.startswith(_small.MAGIC) or name.endswith(".npz"):
            STORED.update(classes_in(content))
            VALUES.update(values_in(content))
        self.contents[name] = content

    def write(self):
        """Write the zips, each of limited size, in place of earlier ones."""
        for path in [OUT / f"{self.name}.zip", *OUT.glob(f"{self.name}-*.zip")]:
            path.unlink(missing_ok=True)
        parts, size = [[]], 0
        for name, content in self.contents.items():
            n = len(zlib.compress(content, 9)) + 200
            if size + n > MOST:
                parts.append([])
                size = 0
            parts[-1].append(name)
            size += n
        for k, names in enumerate(parts, 1):
            number = f"-{k}" if len(parts) > 1 else ""
            path = OUT / f"{self.name}{number}.zip"
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
                for name in names:
                    info = zipfile.ZipInfo(name)
                    info.compress_type = zipfile.ZIP_DEFLATED
                    archive.writestr(info, self.contents[name])


def has_sklearn(content):
    """Return whether a file contains objects of scikit-learn."""
    return any(name.startswith("sklearn") for name in classes_in(content))


def saved(thing, **how):
    """Return the content of the file of an object."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "it.npz")
        save(thing, path, compress=True, **how)
        return path.read_bytes()


def needed_by(name):
    """Return the optional package that a model needs, or an empty string."""
    return "imblearn" if "smote" in name.lower() else ""


def summary_or_none(model, X):
    """Return the summary of an output; None while rows are buffered."""
    try:
        return recipe.summary_of(recipe.output_of(model, X))
    except Exception as problem:
        assert "not fitted" in str(problem) or "not learned" in str(problem), problem
        return None


def inspected(name, model):
    """Return the numbers that `driftlearn.inspect` finds, without sizes; None if it fails."""
    try:
        tables = dl.inspect(model).to_dict()["tables"]
    except Exception as problem:
        print("not inspected:", name, repr(problem)[:100])
        return None
    rows = [row for table in tables.values() for row in table]
    numbers = [
        value
        for row in rows
        for key, value in row.items()
        if key not in ("size", "bytes") and not isinstance(value, bool)
        if isinstance(value, int | float) and value == value
    ]
    return numbers[:24]


def parameters_of(model):
    """Return the parameters of a learner that are plain values, as texts."""
    if not hasattr(model, "get_params") or hasattr(model, "steps"):
        return None
    plain = (str, bool, int, float, list, tuple, dict, type(None))
    params = model.get_params(deep=False).items()
    skipped = ("estimators", "learners", "estimator", "online", "transformer", "random_state")
    return {key: repr(v) for key, v in params if type(v) in plain and key not in skipped}


def clone_of(unfitted, content, X, y, is_fast):
    """Return what a clone of a loaded model predicts after training; None if it is not the same.

    A random state that is an object has moved on in the file, and rows may still be buffered.
    """
    n = len(y) - recipe.LATER - recipe.ASKED if is_fast else 3 * recipe.CALL
    trained = [
        recipe.train(clone(model), X, y, slice(0, n)) for model in (unfitted, loads(content))
    ]
    first, second = (summary_or_none(model, X) for model in trained)
    return {"rows": n, "answer": first} if first is not None and first == second else None


def make_models():
    """Write all models; return their outputs."""
    known = {}
    archives = {name: Archive(name) for name in ("models", "small")}
    for name, model, kind in all_models():
        unfitted = clone(model)
        X, y = recipe.rows_of(kind)
        begun = time.process_time()
        recipe.train(model, X, y, recipe.FIRST)
        is_fast = time.process_time() - begun < SLOW
        content, little = saved(model), dumps_small(model)
        archives["models"].add(f"{name}.npz", content)
        is_foreign = has_sklearn(content)
        if not is_foreign:
            archives["small"].add(f"{name}.small", little)
        about = {
            "rows": kind,
            "sklearn": is_foreign,
            "small": not is_foreign,
            "needs": needed_by(name),
            "parameters": parameters_of(loads(content)),
        }
        going = []
        for copy in (loads(content), loads(little), model):
            first = summary_or_none(copy, X)
            recipe.train(copy, X, y, recipe.MORE)
            going.append([first, summary_or_none(copy, X), inspected(name, copy)])
        if any(each != going[0] for each in going):
            raise RuntimeError(f"{name} continues differently after loading: {going}")
        about["first"], about["later"], about["inspected"] = going[0]
        is_cheap = is_fast or not is_foreign
        about["clone"] = clone_of(unfitted, content, X, y, is_fast) if is_cheap else None
        if about["clone"] is None:
            print("no test of a clone:", name)
        known[name] = about
    for archive in archives.values():
        archive.write()
    return known


# Other objects


def detectors():
    """Yield name, detector and further arguments of `update`."""
    yield "ADWIN", drift.ADWIN(delta=0.05), []
    yield "BlockTest", drift.BlockTest(level=0.2, min_blocks=3), [30]
    yield "DDM", drift.DDM(), []
    yield "DeviationWindow", drift.DeviationWindow(), []
    yield "EDDM", drift.EDDM(), []
    yield "KSWIN", drift.KSWIN(), []
    yield "PageHinkley", drift.PageHinkley(threshold=2.0), []


def make_detectors(archive):
    """Save detectors; return their outputs."""
    known = {}
    for name, detector, more in detectors():
        for error in recipe.errors(150).tolist():
            detector.update(error, *more)
        known[name] = {"sklearn": False, "more": more}
        archive.add(f"{name}.npz", saved(detector))
        archive.add(f"{name}.small", dumps_small(detector))
        known[name]["found"] = recipe.found_by(detector, more)
    return known


def all_streams():
    """Yield streams and the number of rows to compare; some read files of the working folder."""
    some = {"n_rows": 200, "random_state": 7}
    yield streams.SEA(**some), 60
    yield streams.SEA(ramp=50, noise=0.1, **some), 200
    yield streams.Checkerboard(n_steps=4, per_class=10, rate="rising", random_state=7), 60
    yield streams.GaussianClasses(((20, 10, 5, 0), (5, 10, 20, 5)), random_state=7), 60
    for kind in (streams.ROT, streams.CIR, streams.SIN, streams.STA):
        yield kind(**some), 60
    yield streams.s1_stream("SEA200A", 7), 60
    yield streams.RBF(**some), 60
    yield streams.LED(drift_at=[50], **some), 60
    yield streams.Agrawal(function=2, perturbation=0.1, **some), 60
    yield streams.AssetNegotiation(**some), 60
    yield streams.Hyperplane(n_moving=3, segment=50, **some), 60
    yield streams.Mixed(**some), 60
    yield streams.RandomTree(**some), 60
    yield streams.Sine(function=2, **some), 60
    yield streams.Waveform(**some), 60
    yield streams.PokerHands(drift_at=[30], **some), 60
    series = np.cumsum(np.random.default_rng(7).normal(size=160)).tolist()
    yield streams.Laser(ramp=10, lags=4, holdout=20, series=series, random_state=7), 60
    sines = [streams.Sine(function=k, **some) for k in (1, 2)]
    yield streams.Drifting(sines, [50], "sigmoid", 20, n_rows=200, random_state=7), 100
    yield streams.LabelNoise(streams.SEA(**some), 0.2, random_state=7), 60
    yield streams.MissingValues(streams.SEA(**some), 0.2, random_state=7), 60
    yield streams.IrrelevantFeatures(streams.SEA(**some), 2, random_state=7), 60
    ratios = ((1, 5), (5, 1))
    yield streams.ClassImbalance(streams.SEA(**some), ratios, [40], 10, random_state=7), 60
    yield streams.ClassRuns(streams.SEA(**some), 30, random_state=7), 60
    X, y = recipe.rows_of("two")
    arrays = streams.from_arrays(X[:80], y[:80], drifts=[30], holdout=10)
    yield arrays, 60
    plain = streams.from_arrays(X[:80], y[:80], holdout=10)
    yield streams.RandomRows(plain, n_rows=100, random_state=7), 60
    counts = ((20, 5), (5, 20))
    yield streams.ClassSchedule(streams.from_arrays(X, y), counts, (5, 5), random_state=7), 40
    yield streams.from_csv("rows.csv", target="label", drifts=[10]), 40
    yield streams.from_parquet("rows.parquet", target="label"), 40
    yield streams.load("wine"), 60
    yield Wine(random_state=7), 60


def make_streams(archive):
    """Save streams; return their outputs."""
    import pandas

    known = {}
    X, y = recipe.rows_of("two")
    with TemporaryDirectory() as folder:
        before = os.getcwd()
        os.chdir(folder)
        frame = pandas.DataFrame(X[:50], columns=list("abcd")).assign(label=y[:50])
        frame.to_csv("rows.csv", index=False)
        frame.to_parquet("rows.parquet")
        for stream, n in all_streams():
            kind = type(stream).__name__
            name = f"stream-{kind}-{1 + sum(each.split('-')[1] == kind for each in known)}"
            content = saved(stream)
            found, labels = loads(content).take(n)
            known[name] = {
                "sklearn": False,
                "needs": {"CSVStream": "pandas", "ParquetStream": "pyarrow"}.get(kind, ""),
                "n": n,
                "X": recipe.summary_of(found),
                "y": recipe.digest_of(labels),
            }
            archive.add(f"{name}.npz", content)
        for name in ("rows.csv", "rows.parquet"):
            archive.add(name, Path(name).read_bytes())
        os.chdir(before)
    return known


def all_results():
    """Yield names and results, of each protocol."""
    sea = streams.SEA(n_rows=240, random_state=7)
    learners = {
        "dtel": dl.DTELClassifier(n_estimators=2, random_state=7),
        "forest": dl.AdaptiveRandomForestClassifier(n_estimators=2, random_state=7),
        "auto": dl.AutoClassifier({"bayes": NB, "tree": HOEFFDING}, look_every=40),
        "bayes": GaussianNB(),
    }
    yield "prequential", prequential(learners, sea, chunk_size=40, memory_every=2, baselines=True)
    yield "holdout", holdout(learners["forest"], sea, every=60, test_size=30, random_state=7)
    yield "delayed", delayed(learners["forest"], sea, 20, chunk_size=20)
    yield "concepts", concepts(learners["forest"], sea, chunk_size=20, test_size=30)
    make = partial(streams.SEA, n_rows=240)
    X, y = recipe.rows_of("numbers")
    rows = streams.from_arrays(X, y, chunk_size=50)
    yield "labels", prequential({"learn++": dl.LearnPPMTClassifier(n_per_chunk=2)}, rows)
    yield (
        "repeated",
        repeat(
            prequential, NB, lambda seed: make(random_state=seed), seeds=range(2), chunk_size=60
        ),
    )


def make_results(archive):
    """Save results in both file formats; return their values."""
    known = {}
    for name, result in all_results():
        name = f"result-{name}"
        with TemporaryDirectory() as folder:
            result.save(Path(folder, "it.json"))
            text = Path(folder, "it.json").read_bytes()
        archive.add(f"{name}.json", text)
        archive.add(f"{name}.npz", saved(result))
        known[name] = {"sklearn": False, **recipe.known_of_result(result)}
    return known


def make_objects():
    """Write objects other than models; return their outputs."""
    import pandas
    import polars

    archive = Archive("objects")
    known = {
        "detectors": make_detectors(archive),
        "streams": make_streams(archive),
        "results": make_results(archive),
    }
    things = recipe.plain_objects()
    archive.add("plain.npz", saved(things))
    archive.add("plain.small", dumps_small(things))
    assert recipe.comparable(loads(dumps(things))) == recipe.comparable(recipe.plain_objects())
    X, y = recipe.rows_of("numbers")
    model = recipe.train(dl.GaussianNBClassifier(), X, y, recipe.FIRST)
    archive.contents["signed.npz"] = saved(model, key=KEY)
    known["signed"] = {"key": KEY, "first": recipe.summary_of(recipe.output_of(model, X))}
    codes = np.searchsorted(np.unique(y), y)[:100]
    recoded = Recoded(DecisionTreeClassifier(max_depth=2).fit(X[:100], codes), np.unique(y))
    archive.add("recoded.npz", saved(recoded))
    known["recoded"] = recipe.summary_of(recipe.output_of(recoded, X))
    frame = pandas.DataFrame(
        {
            "x": [0.1, np.nan, 3.0],
            "n": [1, 2, 3],
            "word": ["a", None, "c"],
            "kind": pandas.Categorical(["u", "v", None], ["v", "u"], ordered=True),
            "day": pandas.to_datetime(["2024-01-01", None, "2024-03-01"]),
            "flag": [True, False, True],
        },
        index=[3, 5, 9],
    )
    archive.add("pandas.npz", saved(frame))
    other = polars.DataFrame({"x": [0.1, None, 3.0], "n": [1, 2, 3], "word": ["a", None, "c"]})
    archive.add("polars.npz", saved(other))
    known["frames"] = {
        "version": pandas.__version__,
        "pandas": frame.to_csv(),
        "dtypes": [str(kind) for kind in frame.dtypes],
        "polars": other.write_csv(),
    }
    names = [name for name in dl.__all__ if name.endswith("Classifier")]
    fresh = {name: getattr(dl, name)() for name in names if name != "SMOTEClassifier"}
    fresh |= {"default_learners": [*default_learners().values(), *default_learners(50).values()]}
    fresh |= {"encoders": [TableEncoder(), TableEncoder(on_surprise="stop")]}
    archive.add("unfitted.npz", saved(fresh))
    archive.write()
    return known


# State folders and keyed stores

COLOURS = ["red", "green", "blue", "odd"]
INTERRUPTED = """
import sys
from driftlearn.cli import main
from driftlearn.keeping.keeper import Keeper

def stop(keeper, seconds):
    if keeper.kept.record.n_rows >= 60:
        raise KeyboardInterrupt

Keeper._maybe_save = stop
main(sys.argv[1:])
"""


def lines(n_keys=0, n=400, seed=21):
    """Return rows of a table with drift in the middle; the concept depends on the key."""
    rng = np.random.default_rng(seed)
    found = []
    start = np.datetime64("2024-02-27T21:00")
    for i in range(n):
        price, size = round(float(rng.normal(10, 2)), 3), round(float(rng.random()), 4)
        colour, place = COLOURS[rng.choice(4, p=[0.5, 0.3, 0.15, 0.05])], int(rng.integers(1, 6))
        key = int(rng.integers(n_keys)) if n_keys else 0
        turned = (key % 3 == 1) != (i > n // 2 and key % 2 == 0)
        label = "yes" if (size > 0.5) != turned else "no"
        if key % 3 == 2:
            label = "yes" if colour == "red" else "maybe"
        row = {
            "id": f"r{i}",
            "when": str(start + np.timedelta64(97 * i, "m")),
            "price": "" if rng.random() < 0.05 else price,
            "size": size,
            "colour": "" if rng.random() < 0.05 else colour,
            "zip": f"0{place}",
            "member": "true" if rng.random() < 0.5 else "false",
            "label": label if rng.random() > 0.03 else "no",
        }
        found.append(({"shop": f"s{key}"} if n_keys else {}) | row)
    return found


def write(path, rows, *, without=(), sep=",", broken=None):
    """Write rows to a file; a malformed line may follow the row `broken` of a CSV file."""
    names = [name for name in rows[0] if name not in without]
    text = [sep.join(names)]
    for k, row in enumerate(rows):
        text.append(sep.join(str(row[name]) for name in names))
        if k == broken:
            text.append(sep.join(["too", "many", *names]))
    content = ("\n".join(text) + "\n").encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".gz":
        content = gzip.compress(content, mtime=0)
    if path.suffix == ".parquet":
        import pandas

        pandas.DataFrame(rows).replace({"": None, "dear": None})[names].to_parquet(path)
        return
    path.write_bytes(content)


def command(*words, script=None, ends=0):
    """Run a command in a process of its own."""
    begin = ["-m", "driftlearn"] if script is None else ["-c", script]
    done = subprocess.run(
        [sys.executable, *begin, *map(str, words)], capture_output=True, text=True, check=False
    )
    if ends is not None and done.returncode != ends:
        raise RuntimeError(f"{words}\n{done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


class Case:
    """A folder with input files, a model trained on them, and later files.

    Parameters
    ----------
    root : Path
        The folder of all cases.
    name : str
        Its name.
    words : list of str
        Options of the first ``driftlearn learn``, besides files and state folder.
    later : list of str
        Options of the second one.
    """

    def __init__(self, root, name, words, later=()):
        self.here = root / name
        self.words, self.later = words, later
        for each in ("days", "later", "expected"):
            (self.here / each).mkdir(parents=True)

    def path(self, *parts):
        """Return a path in the folder."""
        return self.here.joinpath(*parts)

    def learn(self, **how):
        """Train on the first files; write down both commands."""
        state = ["--state", "{here}/model"]
        first = ["learn", "{here}/days", *self.words, *state]
        later = ["learn", "{here}/days", *state, "--out", "{here}/out.csv", *self.later]
        text = json.dumps({"first": first, "later": later}, indent=1)
        self.path("case.json").write_text(text)
        command(*(word.replace("{here}", str(self.here)) for word in [*first, "-q"]), **how)


def state_folder_cases(root):
    """Make state folders with one model."""
    rows = lines()
    rows[120]["price"] = "dear"
    target = ["--target", "label"]
    labels = ["--labels", "{here}/labels.csv"]
    specs = {
        "auto": (["--drop", "id"], [], {}),
        "arf": (["-l", "arf:n_estimators=3", "--kind", "zip=category", "--na", "odd", "--time",
                 "when", "--sep", ";", "--on-error", "skip"], [], {}),
        "labels": (["-l", "hoeffding:grace_period=10", "--by", "id", "--wait", "100", *labels],
                   labels, {}),
        "delay": (["-l", "naive-bayes", "--delay", "25", "--drop", "id", "--drop", "when"], [], {}),
        "chunk": (["-l", "dtel:n_estimators=4", "--chunk", "50", "--drop", "id"], [], {}),
        "every": (["-l", "learn++.nse", "--every", "1d", "--time", "when", "--drop", "id"], [], {}),
        "file": (["-l", "awe:n_estimators=3", "--chunk", "file", "--drop", "id"], [], {}),
        "options": (["-l", "auto:hopeless=0.4,look_every=50,answer=leader", "--drop", "id"],
                    [], {}),
        "sklearn": (["-l", "leveraging-bagging:n_estimators=2,estimator=sklearn.naive_bayes:"
                     "GaussianNB", "--drop", "id"], [], {}),
        "stopped": (["-l", "logistic", "--drop", "id"], ["--on-error", "skip"], {"ends": 2}),
        "interrupted": (["-l", "aue2:n_estimators=3", "--chunk", "20", "--drop", "id"], [],
                        {"script": INTERRUPTED, "ends": None}),
        "parquet": (["-l", "oaue:n_estimators=3", "--drop", "id"], [], {}),
        "packed": (["-l", "iboost:n_estimators=5", "--drop", "id"], [], {}),
        "service": (["-l", "hoeffding:grace_period=10", "--drop", "id"], [], {}),
    }  # fmt: skip
    for name, (words, later, how) in specs.items():
        case = Case(root, name, [*target, *words], later)
        ending = {"parquet": "parquet", "packed": "csv.gz"}.get(name, "csv")
        how_written = {"sep": ";"} if name == "arf" else {}
        if name == "labels":
            how_written = {"without": ["label"]}
            some = [{"id": row["id"], "label": row["label"]} for row in rows]
            write(case.path("labels.csv"), [*some[0:120:2], *some[200:215]])
            more = [*some[0:120:2], *some[200:215], *some[121:240:2]]
            write(case.path("later", "labels.csv"), more)
        write(case.path("days", f"1.{ending}"), rows[:80], **how_written)
        broken = {"broken": 30} if name in ("stopped", "arf") else {}
        write(case.path("days", f"2.{ending}"), rows[80:150], **how_written, **broken)
        if ending == "csv" and name not in ("stopped", "interrupted", "file"):
            write(case.path("days", "3.csv"), rows[150:190], **how_written)
        write(case.path("later", f"3.{ending}"), rows[150:220], **how_written)
        write(case.path("later", f"4.{ending}"), rows[220:260], **how_written)
        write(case.path("ask.csv"), rows[300:330], **{"without": ["label"], **how_written})
        case.learn(**how)
        if name == "service":
            serve_and_kill(case, rows[260:300])


def keyed_cases(root):
    """Make state folders with a model for each key."""
    base = ["--target", "label", "--key", "shop", "--drop", "id", "--kind", "price=number"]
    many, few = lines(10, 3_000), lines(4, 400, seed=22)
    specs = {
        "default": ([], many, 2_400),
        "bayes-idle": (["-l", "naive-bayes", "--idle", "100"], lines(30, 500, seed=23), 400),
        "chunks-time": (["-l", "aue2:n_estimators=2", "--chunk", "20", "--idle", "3d", "--time",
                         "when"], lines(8, 400, seed=24), 320),
        "auto-options": (["-l", "auto:hopeless=0.3,look_every=20,window=60"],
                         lines(2, 120, seed=25), 80),
        "forest": (["-l", "arf:n_estimators=2", "--memory", "1MB"], few, 300),
        "leveraging": (["-l", "leveraging-bagging:estimator=naive-bayes,n_estimators=2,"
                        "replace=worst"], few, 300),
        "sklearn": (["-l", "oaue:estimator=sklearn.naive_bayes:GaussianNB,n_estimators=2"],
                    few, 200),
        "service": (["-l", "hoeffding:grace_period=10"], few, 300),
    }  # fmt: skip
    for name, (words, rows, n) in specs.items():
        case = Case(root, name, [*base, *words, "--on-error", "skip"], ["--on-error", "skip"])
        rows = [{**row} for row in rows]
        for k, column, value in ((11, "shop", ""), (17, "label", ""), (23, "price", "dear"),
                                 (n + 5, "price", "dear"), (31, "when", "soon")):  # fmt: skip
            if k < len(rows):
                rows[k][column] = value
        half = n // 2
        write(case.path("days", "1.csv"), rows[:half], broken=40)
        write(case.path("days", "2.csv"), rows[half:n])
        more = [{**row} for row in rows[n : n + len(rows) // 5]]
        for row in more[1:25]:  # a key that starts with the stored settings
            row["shop"] = "later"
        write(case.path("later", "3.csv"), more)
        ask = [{**row} for row in rows[-30:]]
        ask[3]["shop"] = ask[9]["shop"] = "new"
        write(case.path("ask.csv"), ask, without=["label"])
        case.learn()
        if name == "service":
            serve_and_kill(case, [each for each in rows[half:] if each["shop"] and each["label"]])


def serve_and_kill(case, rows):
    """Train by a service, and kill it while the rows are only in its write-ahead log."""
    port = recipe.free_port()
    words = ["serve", "--state", case.path("model"), "--port", port, "--save", "1000"]
    process = subprocess.Popen([sys.executable, "-m", "driftlearn", *map(str, words)])
    requests = []
    try:
        for k in range(4):
            some = [typed(row) for row in rows[7 * k : 7 * k + 7]]
            requests.append({"rows": some, "key": f"request {k}"})
            if k < 3:
                recipe.ask(port, "/learn", requests[-1])
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert case.path("model", "write-ahead.log").stat().st_size > 1_000
    case.path("requests.json").write_text(json.dumps(requests[2:]))


def typed(row):
    """Return a row of a CSV file with values for JSON."""
    found = {name: None if value == "" else value for name, value in row.items()}
    return {**found, "member": row["member"] == "true"}


def make_folders(name, make):
    """Write a zip of state folders with the outputs of 0.1.0."""
    with TemporaryDirectory() as folder:
        root = Path(folder, "made")
        root.mkdir()
        make(root)
        for path in sorted(root.rglob("*.sqlite")):
            record_keyed_store(path)
        for path in sorted(root.rglob("model.npz")):
            STORED.update(classes_in(path.read_bytes()))
        archive = Archive(name)
        for path in sorted(root.rglob("*")):
            if path.is_file():
                archive.contents[str(path.relative_to(root))] = path.read_bytes()
        archive.write()
        copy = recipe.unpacked(name, Path(folder, "copied"))
        shutil.rmtree(root)
        for case in sorted(copy.iterdir()):
            for each, text in outcomes(case).items():
                archive.contents[f"{case.name}/expected/{each}"] = text.encode()
        archive.write()


def outcomes(case):
    """Return the outputs of 0.1.0 for a state folder, by file name."""
    found = {}

    def predict(moment):
        recipe.predicted(case)
        found[f"{moment}.csv"] = (case / "predicted.csv").read_text()
        for name, words in recipe.inspections(case, moment).items():
            found[name] = recipe.invoke("inspect", case / "model", "--json", *words)

    predict("first")
    if case.name == "service":
        recipe.learn_by_service(case)
    else:
        recipe.learn_later(case)
        found["out.csv"] = (case / "out.csv").read_text()
    predict("later")
    return found


def record_keyed_store(path):
    """Record the classes in a keyed store."""
    with closing(sqlite3.connect(path)) as base:
        contents = [row[0] for row in base.execute("SELECT state FROM states")]
        contents += [row[0] for row in base.execute("SELECT value FROM about")]
    for content in contents:
        if isinstance(content, bytes) and content[:3] in (b"dls", b"PK\x03"):
            STORED.update(classes_in(content))


# A result store

PLAN = """title = "SEA and others"
seeds = 2
options = {chunk_size = 100}

[streams]
SEA = "sea:n_rows=400"
hard = {name = "sea", n_rows = 400, noise = 0.2}

[learners]
dtel = "dtel:n_estimators=3"
bayes = "naive-bayes"
forest = {name = "leveraging-bagging", n_estimators = 2, estimator = "hoeffding"}
"""
RUNS = (
    ["run", "plan.toml"],
    ["run", "-s", "SEA=sea:n_rows=300", "-l", "dtel=dtel:n_estimators=2", "-l", "auto",
     "--protocol", "delayed", "--delay", "20", "--every", "60", "--title", "SEA, labels late"],
    ["run", "-s", "led:n_rows=300", "-l", "winnow", "--chunk-size", "50", "--title", "LED"],
    ["run", "-s", "rot:n_rows=300", "-l", "sklearn.naive_bayes:MultinomialNB", "-l", "naive-bayes",
     "--chunk-size", "50", "--title", "one learner fails"],
    ["reproduce", "S4", "--item", "tables 2 and 3", "--stream", "experiment 1", "--quick"],
    ["reproduce", "S1", "--table", "III", "--stream", "SEA200A", "--quick"],
    ["run", "-s", "sea:n_rows=4000000", "-l", "oaue", "--chunk-size", "1000", "--title", "killed"],
)  # fmt: skip
FAILS, KILLED = 3, 6


def make_store():
    """Write a zip of a result store with the outputs of 0.1.0."""
    archive = Archive("store")
    before = os.getcwd()
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("plan.toml").write_text(PLAN)
        how = ["--store", "runs.sqlite", "--on", "serial", "--quiet"]
        for k, words in enumerate(RUNS):
            if k == KILLED:
                kill_when_begun([*words, *how])
            else:
                command(*words, *how, ends=1 if k == FAILS else 0)
        shutil.rmtree("runs.sqlite.work")
        shown = ["--json", "--store", "runs.sqlite"]
        copy = Path("copy")
        copy.mkdir()
        for path in sorted(Path().glob("*.sqlite*")):
            archive.contents[path.name] = path.read_bytes()
            shutil.copy(path, copy)
        archive.contents["plan.toml"] = PLAN.encode()
        os.chdir(copy)
        known = {
            "runs": json.loads(command("runs", *shown)),
            "run": {
                str(run): json.loads(command("runs", run, *shown))
                for run in range(1, len(RUNS) + 1)
            },
            "both": json.loads(command("runs", "1", "2", *shown)),
        }
        archive.contents["expected.json"] = json.dumps(known).encode()
        command("export", "expected.csv", "--store", "runs.sqlite")
        archive.contents["expected.csv"] = Path("expected.csv").read_bytes()
        record_result_store("runs.sqlite")
        os.chdir(before)
    archive.write()


def kill_when_begun(words):
    """Start a run, and kill it when some of its chunks are stored."""
    process = subprocess.Popen([sys.executable, "-m", "driftlearn", *words])
    found = 0
    while not found:
        time.sleep(0.2)
        assert process.poll() is None
        with closing(sqlite3.connect("runs.sqlite")) as base:
            (found,) = base.execute(
                "SELECT count(*) FROM chunks JOIN cells ON cell = key WHERE status = 'begun'"
            ).fetchone()
    process.send_signal(signal.SIGKILL)
    process.wait()


def record_result_store(path):
    """Record the classes in a result store."""
    with closing(sqlite3.connect(path)) as base:
        for (content,) in base.execute("SELECT histories FROM cells WHERE histories NOTNULL"):
            STORED.update(classes_in(content))


# Coverage

WHY = {
    "SeededMeans": "only the check suite uses it",
    "HoeffdingLeaves": "its arrays are part of the state of HoeffdingTreeModel",
    "HoeffdingNodes": "its arrays are part of the state of HoeffdingTreeModel",
    "LeafArrays": "its arrays are part of the state of HoeffdingTreeModel",
    "Digits": "needs a data set; its state is that of Wine",
    "Vapours": "needs a data set; its state is that of Wine",
    "Validated": "0.1.0 saves it but cannot load it: it has no _parameter_constraints",
    "TableFile": "0.1.0 cannot save it: it holds a FileSource, which has no STATE",
}


def stored_classes():
    """Return all classes that declare a `STATE`, by name."""
    for module in pkgutil.walk_packages(dl.__path__, "driftlearn."):
        if not module.name.endswith("__main__"):
            try:
                import_module(module.name)
            except ImportError as problem:
                print(f"not imported: {module.name}: {problem}")
    found, left = {}, [object]
    while left:
        for kind in type.__subclasses__(left.pop()):
            name = f"{kind.__module__}:{kind.__qualname__}"
            if isinstance(kind.__module__, str) and name not in found:
                found[name] = kind
                left.append(kind)
    return {
        name: kind
        for name, kind in found.items()
        if name.startswith("driftlearn.") and hasattr(kind, "STATE")
    }


def report():
    """Print the classes in no file, and the option values in no model."""
    kinds = stored_classes()
    print(f"{len(STORED & kinds.keys())} of {len(kinds)} classes with a STATE are in files")
    for name in sorted(kinds.keys() - STORED):
        kind = kinds[name]
        heirs = [each for each in STORED & kinds.keys() if issubclass(kinds[each], kind)]
        why = f"base class of {len(heirs)} that are" if heirs else WHY.get(kind.__name__, "UNKNOWN")
        print(f"  not in a file: {name}: {why}")
    print("not of driftlearn:", *sorted(each for each in STORED if not each.startswith("drift")))
    for name in dl.__all__:
        rules = getattr(getattr(dl, name), "_parameter_constraints", {})
        for option, allowed in rules.items():
            for rule in allowed if isinstance(allowed, list) else ():
                for value in getattr(rule, "options", ()):
                    if (option, value) not in VALUES:
                        print(f"  no {name} has {option}={value!r}")


def main():
    """Write all files."""
    warnings.simplefilter("ignore")
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir()
    known = {
        "driftlearn": dl.__version__,
        "numpy": np.__version__,
        "scikit-learn": sklearn.__version__,
        "rounding": recipe.rounding(),
        "models": make_models(),
        **make_objects(),
    }
    text = json.dumps(known, indent=1, sort_keys=True)
    (OUT / "expected.json").write_text(text + "\n")
    make_folders("state_folder", state_folder_cases)
    make_folders("keyed", keyed_cases)
    make_store()
    report()
    sizes = {path.name: path.stat().st_size for path in sorted(OUT.iterdir())}
    print(sizes, sum(sizes.values()))
    assert max(sizes.values()) < 400_000 and sum(sizes.values()) < 2_500_000


if __name__ == "__main__":
    main()
