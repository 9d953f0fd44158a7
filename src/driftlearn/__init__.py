"""Classifiers that keep learning while your data changes.

Public classes are imported on first use, so that ``import driftlearn`` and ``driftlearn --help``
are fast. Type checkers read ``__init__.pyi``.
"""

from driftlearn import _command_start  # noqa: F401 - first, for Ctrl-C during imports
from driftlearn.utils import compiled as _compiled  # noqa: F401 - installs the import hook
from driftlearn.utils.lazy import attach
from driftlearn.utils.version import __version__ as __version__

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "inspection.inspection": "inspect",
        "io": "load",
        "preprocessing.pipeline": "IncrementalPipeline make_pipeline",
        "preprocessing.table_encoder": "TableEncoder",
        "utils.show_versions": "show_versions",
    },
)
__all__.append("__version__")
