"""Ditzler, Muhlbaier and Polikar (2010): Learn++.UDNC with new and rare classes."""
