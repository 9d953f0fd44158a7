"""Helpers without knowledge of learners: files, locks, text, tables, arguments."""
