"""Version of the package, in a separate file that the build can read without imports."""

__version__ = "0.2.0"
