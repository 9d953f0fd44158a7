"""Grbovic and Vucetic 2011: IBoost against AdaBoost on a window and online ensembles."""
