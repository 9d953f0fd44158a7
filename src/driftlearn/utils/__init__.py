"""General helpers that do not depend on learners: files, locks, text, tables, arguments."""
