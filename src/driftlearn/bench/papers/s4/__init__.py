"""Ditzler, Muhlbaier and Polikar 2010: Learn++.UDNC where new classes come and some are rare."""
