"""The documentation site: ``make docs``."""

import inspect
import sys
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extensions"))

from glossary import write_glossary  # noqa: E402
from learner_pages import tell  # noqa: E402
from mistakes import write_mistakes  # noqa: E402
from numpydoc.docscrape_sphinx import SphinxDocString  # noqa: E402
from sklearn.base import BaseEstimator  # noqa: E402

from driftlearn import __version__  # noqa: E402

project = "driftlearn"
copyright = "2026, the driftlearn developers"
release = __version__
extensions = [
    "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "sphinx_gallery.gen_gallery",
]  # fmt: skip
autosummary_generate = True
numpydoc_show_class_members = False
autodoc_typehints = "none"  # the docstrings tell the types
autodoc_mock_imports = ["bytewax", "pyspark"]  # engines that the documentation can do without
toc_object_entries_show_parents = "hide"
templates_path = ["_templates"]
exclude_patterns = ["_build", "gallery/GALLERY_HEADER.rst"]
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": "/",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "abort_on_example_error": True,
    "matplotlib_animations": False,
    "doc_module": ("driftlearn",),
    "backreferences_dir": "gallery/uses",
    "reset_modules": ("matplotlib",),
}
html_theme = "pydata_sphinx_theme"
html_title = "driftlearn"
html_static_path = ["_static"]
html_css_files = ["driftlearn.css"]
html_js_files = ["driftlearn.js"]
html_extra_path = ["llms.txt"]
html_favicon = "_static/favicon.svg"
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 7,
    "logo": {
        "image_light": "_static/logo.svg",
        "image_dark": "_static/logo-dark.svg",
        "text": "driftlearn",
    },
}
html_sidebars = {"**": ["sections"]}
html_show_sourcelink = False
# scikit-learn's inherited docstrings refer to its own user guide and glossary.
suppress_warnings = ["ref.ref", "ref.term", "config.cache"]

#: What is worth telling of methods that other libraries give a class.
INHERITED = ("get_params", "set_params", "score", "fit_transform", "set_output")


def documented(fullname):
    """Return the methods of a class, and the properties that its docstring does not tell of."""
    module, _, name = fullname.rpartition(".")
    kind = getattr(import_module(module), name)
    one = kind
    if issubclass(kind, BaseEstimator):
        with suppress(TypeError):  # one that has to be told something
            one = kind()
    methods, properties = [], []
    for member, value in inspect.getmembers(kind):
        home = next((c.__module__ for c in kind.__mro__ if member in vars(c)), "")
        ours = home.startswith("driftlearn") or member in INHERITED
        if member.startswith("_") or not ours or not inspect.getdoc(value):
            continue
        if isinstance(value, property | cached_property):
            if member not in (kind.__doc__ or ""):
                properties.append(member)
        elif inspect.isroutine(value) and hasattr(one, member):  # CART has no partial_fit
            methods.append(member)
    return methods, properties


autosummary_context = {"documented": documented}


# What a class says of an attribute stands, not the first line of the property's docstring.
_told = SphinxDocString._process_param
SphinxDocString._process_param = lambda self, param, desc, _: _told(self, param, desc, False)


def setup(app):
    write_glossary()
    write_mistakes()
    app.connect("autodoc-process-docstring", tell, priority=400)  # before numpydoc reads it
