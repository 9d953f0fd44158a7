"""Version of the package, in a file of its own so that the build reads it without imports."""

__version__ = "0.2.0"
