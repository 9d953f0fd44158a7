"""Grbovic and Vucetic (2011): IBoost compared with AdaBoost on a window and online ensembles."""
