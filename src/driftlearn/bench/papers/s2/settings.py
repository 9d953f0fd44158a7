"""Where the settings of the tables come from."""

from driftlearn.bench.papers.setting import Setting

# fmt: off
SETTINGS = (
    Setting("stream OCR", "schedule", "printed", "Table 4"),
    Setting("stream gas", "data", "ours",
            "Table 7 is of private data; public gases in its schedule"),
    Setting("stream alcohol", "data", "ours", "Table 7 is of private data; public alcohols"),
    Setting("Learn++", "estimator, estimator.estimator", "printed",
            "Section 3: a network of one hidden layer"),
    *(Setting("Learn++", f"{path}hidden_layer_size, {path}goal", "chosen",
              "Section 3 gives ranges, 20 to 50 nodes and 0.1 to 0.01; network and goal were "
              "chosen where Tables 5 and 6 come near")
      for path in ("estimator.", "estimator.estimator.")),
    *(Setting("Learn++", f"{path}scaling, {path}solver, {path}learning_rate, {path}momentum, "
              f"{path}max_iter, {path}init", "ours", "not stated")
      for path in ("estimator.", "estimator.estimator.")),
    Setting("Learn++", "n_per_chunk, estimator.n_per_chunk", "printed", "Section 3"),
    *(Setting(f"{kind} {base}", "estimator", "ours",
              "Section 4 speaks of any supervised classifier")
      for kind in ("Learn++", "Learn++.MT") for base in ("NB", "CART", "SVM")),
    Setting("Learn++", "composite, estimator.composite", "printed",
            'Section 2: "the ensemble decision of the first t hypotheses generated thus far"'),
    Setting("Learn++", "estimator.ties", "ours", "Section 3.1 does not say which prefix wins"),
    Setting("Learn++", "sample_size, replacement, error_floor", "ours",
            "Section 2: a subset drawn by D, of a size that is not stated"),
    Setting("Learn++.NC", "estimator", "ours", "not in this paper: for comparison"),
)
# fmt: on
