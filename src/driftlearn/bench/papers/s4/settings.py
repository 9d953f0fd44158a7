"""Where the settings of the tables come from."""

from driftlearn.bench.papers.setting import Setting

# fmt: off
SETTINGS = (
    *(
        setting for stream in ("stream experiment", "stream Gaussian classes") for setting in (
            Setting(stream, "counts", "printed", "Table 1"),
            Setting(stream, "means", "printed", "Section 3.1"),
            Setting(stream, "sds", "chosen",
                    "printed are variances that contradict the Bayes performance of 93.1 beside "
                    "them; deviations near which it is 93"),
        )
    ),
    Setting("stream 1:", "counts, means", "ours", "future work: class 1 rare throughout"),
    Setting("stream OCR", "schedule", "printed", "Tables 4 and 6"),
    Setting("ARTMAP", "vigilance", "chosen", "not stated; 0 comes near the printed digits"),
    Setting("ARTMAP", "max_categories", "ours", "no bound is mentioned"),
    Setting("ARTMAP", "bounds", "ours", "the range of the features"),
    Setting("SMOTE", "estimator", "ours", "the network of Learn++.UDNC"),
    Setting("Learn++.UDNC", "n_per_chunk", "printed", "Section 3"),
    Setting("Learn++.UDNC", "estimator, estimator.hidden_layer_size, estimator.goal", "printed",
            "Sections 3.1 and 3.2: 20 hidden nodes, error goal 0.05"),
    Setting("Learn++.UDNC", "estimator.activation, estimator.output", "chosen",
            "Section 3.1 has logistic units, Section 3.2 sigmoidal ones; on the digits tanh units "
            "and linear outputs come nearer than logistic ones"),
    Setting("Learn++.UDNC", "estimator.solver, estimator.init, estimator.scaling, "
            "estimator.learning_rate, estimator.max_iter", "ours", "not stated"),
    Setting("Learn++.UDNC", "composite", "printed", 'Section 2: "of the current subensemble"'),
    Setting("Learn++.UDNC", "transfer", "printed", "Section 2; the scan has a power"),
    Setting("Learn++.UDNC, no transfer", "transfer", "ours", "a control"),
    Setting("Learn++.UDNC with SMOTE", "oversample", "ours", "future work"),
)
# fmt: on
