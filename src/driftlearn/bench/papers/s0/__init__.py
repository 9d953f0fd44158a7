"""Karnick, Muhlbaier and Polikar 2008: Learn++.NSE against its newest member alone."""
