"""Karnick, Muhlbaier and Polikar (2008): Learn++.NSE and a single classifier."""
