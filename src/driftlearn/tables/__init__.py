"""Readers of tables: CSV, Parquet and data frames; column types and missing values."""
