"""Files of older versions: where their classes are now, and how their states are translated.

Format 2 is that of 0.1.0. Format 3 has the same structure; modules, classes and attributes have
other names.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

#: Modules of 0.1.0 below ``driftlearn`` that hold stored classes, and where they are now.
MODULES = {
    "_history": "ensemble.history",
    "_row_classifier": "compat._row_classifier",
    "_schema": "io.schema",
    "auto.auto_classifier": "model_selection.auto_classifier",
    "auto.named_learners": "model_selection.nested_params",
    "auto.player": "model_selection.candidate",
    "base.chunk_classifier": "ensemble.chunk_classifier",
    "base.committee": "ensemble.committee",
    "base.fixed_model": "ensemble._fixed_model",
    "base.foreign_model": "base.external_model",
    "base.given": "tables.passthrough",
    "base.history": "ensemble.history",
    "base.online_classifier": "ensemble.online_classifier",
    "base.recoded": "base.base_learners",
    "baselines._blind": "dummy._blind",
    "baselines.majority": "dummy.majority",
    "baselines.no_change": "dummy.no_change",
    "baselines.refit": "dummy.refit",
    "capymoa": "compat.capymoa",
    "chunk.aue2": "ensemble.chunk.aue2",
    "chunk.awe": "ensemble.chunk.awe",
    "chunk.dic": "ensemble.chunk.dic",
    "chunk.dtel": "ensemble.chunk.dtel",
    "chunk.dynse": "ensemble.chunk.dynse",
    "chunk.learnpp_family": "ensemble.chunk.learnpp_family",
    "chunk.learnpp_nse": "ensemble.chunk.learnpp_nse",
    "chunk.learnpp_udnc": "ensemble.chunk.learnpp_udnc",
    "chunk.sea": "ensemble.chunk.sea",
    "chunk.smote": "ensemble.chunk.smote",
    "chunk.tix": "ensemble.chunk.tix",
    "engines.adaptive_tree_model": "tree._adaptive_tree_model",
    "engines.adaptive_window": "drift._adwin_window",
    "engines.answer_window": "ensemble.weighted._answer_window",
    "engines.boosted_committee": "ensemble.boosting._boosted_committee",
    "engines.boosted_engine": "ensemble.boosting._boosted_engine",
    "engines.coded_model": "ensemble.bagging._output_codes",
    "engines.crew": "ensemble._batch_engine",
    "engines.cumulative_sum": "drift._cumulative_sum",
    "engines.engine": "base._engine",
    "engines.error_detector": "drift._error_detector",
    "engines.error_rate": "drift._error_rate",
    "engines.fixed_models": "ensemble.boosting._fixed_models",
    "engines.fixed_tree": "tree._fixed_tree",
    "engines.foreign_models": "ensemble.boosting._external_models",
    "engines.hoeffding_model": "tree._hoeffding_model",
    "engines.hoeffding_nodes": "tree._hoeffding_nodes",
    "engines.leaf_arrays": "tree._leaf_arrays",
    "engines.logistic_model": "linear_model._logistic_model",
    "engines.mistake_distance": "drift._mistake_distance",
    "engines.naive_bayes": "naive_bayes._naive_bayes",
    "engines.online_committee": "ensemble._online_committee",
    "engines.online_model": "base._online_model",
    "engines.row_window": "ensemble._row_window",
    "engines.sampled_window": "drift._sampled_window",
    "engines.split_window": "drift._split_window",
    "engines.subspace_model": "forest._subspace_model",
    "keeping.kept": "ops.checkpoint.saved_model",
    "keeping.record": "ops.checkpoint.record",
    "keeping.waiting": "ops.checkpoint.waiting_rows",
    "kernels.gini_search": "tree._gini_search",
    "keyed.engine_run": "ops.keyed.engine_run",
    "keyed.key_record": "ops.keyed.key_record",
    "keyed.key_state": "ops.keyed.key_state",
    "keyed.population": "ops.keyed.shared_models",
    "keyed.spark": "ops.keyed.spark",
    "keyed.supervisor": "ops.keyed.bytewax_run",
    "keyed.voices": "ops.keyed.model_weights",
    "learners._one_model": "base.one_model",
    "learners.artmap": "neural_network.fuzzy_artmap",
    "learners.boosting": "ensemble.boosting.adaboost",
    "learners.cart": "tree.cart",
    "learners.gaussian_nb": "naive_bayes.gaussian_nb",
    "learners.hoeffding_adaptive_tree": "tree.hoeffding_adaptive_tree",
    "learners.hoeffding_tree": "tree.hoeffding_tree",
    "learners.logistic": "linear_model.logistic",
    "learners.mlp_goal": "neural_network.mlp_goal",
    "learners.stump": "tree.stump",
    "online.ace": "ensemble.weighted.ace",
    "online.adaptive_random_forest": "forest.adaptive_random_forest",
    "online.adwin_bagging": "ensemble.bagging.adwin_bagging",
    "online.background_bagging": "forest.adaptive_random_forest",
    "online.boosted_classifier": "ensemble.boosting._boosted_classifier",
    "online.ddd": "ensemble.bagging.ddd",
    "online.dwm": "ensemble.weighted.dwm",
    "online.flb": "ensemble.boosting.flb",
    "online.flc": "ensemble.boosting.flc",
    "online.flora": "rules.flora",
    "online.flora_description": "rules._flora_description",
    "online.iboost": "ensemble.boosting.iboost",
    "online.learning_ocb": "ensemble.boosting._learning_ocb",
    "online.leveraging_bagging": "ensemble.bagging.leveraging_bagging",
    "online.nsonline_boost": "ensemble.boosting.nsonline_boost",
    "online.oaue": "ensemble.weighted.oaue",
    "online.ocb": "ensemble.boosting.ocb",
    "online.online_bagging": "ensemble.bagging.online_bagging",
    "online.online_boost": "ensemble.boosting.online_boost",
    "online.oob": "ensemble.bagging.oversampling_bagging",
    "online.probability_stumps": "ensemble.boosting._probability_stumps",
    "online.random_patches": "forest.streaming_random_patches",
    "online.rcd": "ensemble.weighted.rcd",
    "online.stagger": "rules.stagger",
    "online.weighted_majority": "ensemble.weighted.weighted_majority",
    "online.windowed_adaboost": "ensemble.boosting.windowed_adaboost",
    "online.winnow": "linear_model.winnow",
    "papers.s1.streams_and_learners": "bench.papers.s1.streams_and_learners",
    "papers.s2.streams_and_learners": "bench.papers.s2.streams_and_learners",
    "persist._rebuild": "io._rebuild",
    "preprocess._columns": "preprocessing._columns",
    "preprocess._knowledge": "preprocessing._knowledge",
    "preprocess.pipeline": "preprocessing.pipeline",
    "preprocess.refitted": "preprocessing.refitted",
    "preprocess.surprises": "preprocessing.surprises",
    "preprocess.table_encoder": "preprocessing.table_encoder",
    "river": "compat.river",
    "sources.table_file": "ops.sources.table_file",
    "workbench.dask_worker": "bench.workbench.dask_worker",
    "_compiled": "utils.compiled",
    "_demo": "cli._demo_page",
    "_layout": "utils._layout",
    "_screen": "utils.terminal",
    "_table": "utils.table",
    "_types": "utils.typing",
    "base.foreign_trainer": "ensemble._foreign_trainer",
    "base.interrupts": "utils.interrupts",
    "base.member_training": "ensemble._member_training",
    "base.stopped": "ensemble._stopped",
    "chunk.attempts": "ensemble.chunk.attempts",
    "chunk.learnpp": "ensemble.chunk.learnpp",
    "chunk.learnpp_mt": "ensemble.chunk.learnpp_mt",
    "chunk.learnpp_nc": "ensemble.chunk.learnpp_nc",
    "chunk.learnpp_ud": "ensemble.chunk.learnpp_ud",
    "engines.adaptive_node": "tree._adaptive_node",
    "engines.borrowed": "ensemble._pointer_list",
    "engines.coordinate_sums": "ensemble.boosting._coordinate_sums",
    "engines.hoeffding_leaves": "tree._hoeffding_leaves",
    "engines.poisson_table": "ensemble.bagging._poisson_table",
    "engines.turns": "ensemble._task_queue",
    "keeping.keeper": "ops.checkpoint.learn_run",
    "keeping.labels": "ops.checkpoint.label_file",
    "keeping.out": "ops.checkpoint.prequential_output",
    "keeping.predicting": "ops.checkpoint.predict",
    "keeping.show": "ops.checkpoint.progress",
    "keeping.tables": "ops.checkpoint.tables",
    "keeping.units": "ops.checkpoint.chunks",
    "kernels.grow_tree": "tree._grow_tree",
    "kernels.packed_trees": "tree._packed_trees",
    "kernels.sorted_columns": "tree._sorted_columns",
    "keyed.bytewax": "ops.keyed.bytewax",
    "keyed.clock": "ops.keyed.clock",
    "keyed.dask": "ops.keyed.dask",
    "keyed.engine": "ops.keyed.training",
    "keyed.heard": "ops.keyed.source_accuracy",
    "keyed.inspecting": "ops.keyed.inspection",
    "keyed.key_cache": "ops.keyed.key_cache",
    "keyed.key_store": "ops.keyed.key_store",
    "keyed.keyed_learner": "ops.keyed.keyed_learner",
    "keyed.keyed_models": "ops.keyed.keyed_models",
    "keyed.local": "ops.keyed.local_run",
    "keyed.predictions": "ops.keyed.prediction_file",
    "keyed.reader": "ops.keyed.reader",
    "keyed.rows": "ops.keyed.rows",
    "keyed.sample": "ops.keyed.sample",
    "keyed.saved_pupils": "ops.keyed.recoverable_states",
    "keyed.settings": "ops.keyed.settings",
    "keyed.spark_files": "ops.keyed.spark_source",
    "keyed.spark_run": "ops.keyed.spark_run",
    "learners._network": "neural_network._network",
    "online.draws": "ensemble._uniform_draws",
    "online.evolving_loss": "ensemble.boosting._evolving_loss",
    "online.watch": "ensemble.boosting._watch",
    "persist._codec": "io._codec",
    "persist._files": "io._files",
    "persist._graph": "io._graph",
    "persist._limits": "io._limits",
    "persist._names": "io._names",
    "preprocess._asked": "preprocessing._asked",
    "preprocess._frames": "tables.frames",
    "sinks.file_sink": "ops.sinks.file_sink",
    "sinks.kafka_sink": "ops.sinks.kafka_sink",
    "sinks.redis_sink": "ops.sinks.redis_sink",
    "sinks.sink": "ops.sinks.sink",
    "sources._messages": "ops.sources._messages",
    "sources.files": "ops.sources.files",
    "sources.kafka_log": "ops.sources.kafka_log",
    "sources.log_source": "ops.sources.log_source",
    "sources.nats_log": "ops.sources.nats_log",
    "sources.redis_log": "ops.sources.redis_log",
    "sources.server": "ops.sources.server",
    "sources.source": "ops.sources.source",
}
#: Classes that were renamed, by their current module and former name.
CLASSES: dict[str, str] = {
    "driftlearn.ops.checkpoint.saved_model:Kept": (
        "driftlearn.ops.checkpoint.saved_model:SavedModel"
    ),
    "driftlearn.ops.checkpoint.waiting_rows:Waiting": (
        "driftlearn.ops.checkpoint.waiting_rows:WaitingRows"
    ),
    "driftlearn.model_selection.candidate:Player": "driftlearn.model_selection.candidate:Candidate",
    "driftlearn.ensemble.bagging._output_codes:CodedModel": (
        "driftlearn.ensemble.bagging._output_codes:OutputCodeModel"
    ),
    "driftlearn.forest.adaptive_random_forest:BackgroundBagging": (
        "driftlearn.forest.adaptive_random_forest:AdaptiveRandomForest"
    ),
    "driftlearn.evaluate._members:Lookout": "driftlearn.evaluate._members:MemberLog",
    "driftlearn.ensemble.history:MemberNotes": "driftlearn.ensemble.history:MemberInfo",
    "driftlearn.base.external_model:ForeignModel": "driftlearn.base.external_model:ExternalModel",
    "driftlearn.base.base_learners:Recoded": "driftlearn.base.base_learners:LabelEncodedModel",
    "driftlearn.ensemble.boosting._external_models:ForeignModels": (
        "driftlearn.ensemble.boosting._external_models:ExternalModels"
    ),
    "driftlearn.ops.keyed.model_weights:Voices": "driftlearn.ops.keyed.model_weights:ModelWeights",
    "driftlearn.ops.keyed.shared_models:Population": (
        "driftlearn.ops.keyed.shared_models:SharedModels"
    ),
    "driftlearn.tables.passthrough:Given": "driftlearn.tables.passthrough:PassthroughRows",
}


def current_name(name: str) -> str:
    """Return the current ``package.module:Class`` of a class that an older file names.

    Examples
    --------
    >>> current_name("driftlearn.learners.cart:CARTClassifier")
    'driftlearn.tree.cart:CARTClassifier'
    """
    module, _, inside = name.partition(":")
    moved = MODULES.get(module.removeprefix("driftlearn."))
    if moved is not None and module.startswith("driftlearn."):
        name = f"driftlearn.{moved}:{inside}"
    return CLASSES.get(name, name)


#: Options of the default learner in spec texts of 0.1.0, such as ``auto:look_every=50``.
OPTIONS = {
    "learners": "candidates",
    "answer": "combine",
    "look_every": "eval_interval",
    "hopeless": "drop_threshold",
}


def current_spec(text: str) -> str:
    """Return the current spec of a learner that a store of 0.1.0 names.

    Examples
    --------
    >>> current_spec("auto:look_every=50,answer=leader")
    'auto:eval_interval=50,combine=best'
    """
    name, colon, options = text.partition(":")
    if name != "auto" or not colon:
        return text
    for former, current in OPTIONS.items():
        options = re.sub(rf"\b{former}=", f"{current}=", options)
    return f"{name}:{options.replace('combine=leader', 'combine=best')}"


def renamed(**names: str) -> Callable[[dict[str, Any]], None]:
    """Return an upgrade that renames entries of a state: the former name, then the current one.

    The order of entries stays, so that an upgraded state is stored with the same bytes as others.

    Examples
    --------
    >>> state = {"leads": 3}
    >>> renamed(leads="best")(state)
    >>> state
    {'best': 3}
    """

    def rename(state: dict[str, Any]) -> None:
        entries = [(names.get(name, name), value) for name, value in state.items()]
        state.clear()
        state.update(entries)

    return rename


def _committee(state: dict[str, Any]) -> None:
    if type(state.get("numbers")) is dict:
        renamed(born="created_at")(state["numbers"])


def _online_committee(state: dict[str, Any]) -> None:
    renamed(met="member_classes", seen="seen_classes", things="objects")(state)
    columns = state.get("columns")
    if isinstance(columns, (list, tuple)):
        state["columns"] = type(columns)("created_at" if c == "born" else c for c in columns)


def _adaptive_random_forest(state: dict[str, Any]) -> None:
    renamed(background="background_models", background_met="background_classes")(state)
    committee: Any = state.get("committee")
    current = {"right": "n_correct", "seen": "n_tested"}
    if type(getattr(committee, "columns", None)) is tuple:
        committee.columns = tuple(current.get(c, c) for c in committee.columns)


def _saved_model(state: dict[str, Any]) -> None:
    events = state.get("events")
    for event in events if isinstance(events, list) else ():
        if type(event) is dict and "what" in event:
            kind = event.pop("what")
            event["kind"] = "schema" if kind == "surprise" else kind


def _auto_classifier(state: dict[str, Any]) -> None:
    renamed(
        learners="candidates",
        answer="combine",
        look_every="eval_interval",
        hopeless="drop_threshold",
        players_="candidate_list_",
        led_="leader_changes_",
    )(state)
    if state.get("combine") == "leader":
        state["combine"] = "best"
    numbers = state.pop("ids_", ()), state.pop("voices_", ())
    for candidate, number, weight in zip(state.get("candidate_list_", ()), *numbers):
        candidate.id, candidate.weight = int(number), float(weight)


def _result(state: dict[str, Any]) -> None:
    for data in state["data"].values():
        renamed(learnt="trained")(data)


#: How the state of a class in a file of format 2 becomes a state of today, by current class name.
UPGRADES: dict[str, Callable[[dict[str, Any]], None]] = {
    "driftlearn.model_selection.auto_classifier:AutoClassifier": _auto_classifier,
    "driftlearn.model_selection.candidate:Candidate": renamed(
        learner="classifier",
        hits="correct",
        tries="tested",
        new_hits="new_correct",
        new_tries="new_tested",
        all_hits="total_correct",
        all_tries="total_tested",
    ),
    "driftlearn.base.external_model:ExternalModel": renamed(
        told="received", weighs="takes_weights", saved="carry", blank="template"
    ),
    "driftlearn.ensemble.bagging.ddd:DDD": renamed(right="n_correct", seen="n_tested"),
    "driftlearn.ensemble.committee:Committee": _committee,
    "driftlearn.ensemble._online_committee:OnlineCommittee": _online_committee,
    "driftlearn.forest.adaptive_random_forest:AdaptiveRandomForest": _adaptive_random_forest,
    "driftlearn.ops.checkpoint.saved_model:SavedModel": _saved_model,
    "driftlearn.ops.checkpoint.waiting_rows:WaitingRows": renamed(
        said="predicted", places="locations", early="early_labels"
    ),
    "driftlearn.ops.checkpoint.record:Record": renamed(
        counts="class_counts",
        seen="class_tested",
        found="class_right",
        marks="span_starts",
        files="file_starts",
        chunks="chunk_starts",
    ),
    "driftlearn.dummy.refit:RefitClassifier": renamed(kept_="buffer_"),
    "driftlearn.ops.keyed.key_state:KeyState": renamed(voices="weights"),
    "driftlearn.ops.keyed.shared_models:SharedModels": renamed(
        model="global_model", borrow="pool_size", shelf="model_pool"
    ),
    "driftlearn.evaluate._result:Result": _result,
    "driftlearn.evaluate._run:Run": renamed(lookouts="member_logs"),
    "driftlearn.evaluate._run:Step": renamed(learnt="trained"),
    "driftlearn.ensemble.chunk.tix:TIXClassifier": renamed(doubt_="smoothing_"),
}


def upgrade(kind: type, state: Any) -> None:
    """Translate, in place, a state from a file of format 2."""
    function = UPGRADES.get(f"{kind.__module__}:{kind.__qualname__}")
    if function is not None and type(state) is dict:
        function(state)
