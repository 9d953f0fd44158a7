"""Test suite, in folders of the same names as the packages."""
