"""Muhlbaier, Topalis and Polikar 2004: Learn++.MT and Learn++ where data sets bring new classes."""
