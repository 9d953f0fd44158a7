"""Load every compiled module as the library does, before pytest loads one as a file for its doctest."""

from importlib import import_module

from driftlearn._compiled import compiled

for name in compiled():
    import_module(name)
