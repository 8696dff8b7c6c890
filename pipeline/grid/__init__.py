"""The grid of points: where they are, their columns and the files in ``data/``."""
