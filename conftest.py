"""Load every kernel as the library does, before pytest loads one as a file for its doctest."""

from importlib import import_module

from driftlearn.kernels import compiled

for name in compiled():
    import_module(f"driftlearn.kernels.{name}")
