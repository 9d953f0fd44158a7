"""The documentation site: ``make docs``."""

from driftlearn import __version__

project = "driftlearn"
copyright = "2026, the driftlearn developers"
release = __version__
extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc"]
autosummary_generate = True
numpydoc_show_class_members = False
templates_path = []
exclude_patterns = ["_build"]
html_theme = "pydata_sphinx_theme"
html_title = "driftlearn"
html_theme_options = {"show_toc_level": 2, "navigation_with_keys": False}
html_show_sourcelink = False
# scikit-learn's inherited docstrings refer to its own user guide.
suppress_warnings = ["ref.ref"]
