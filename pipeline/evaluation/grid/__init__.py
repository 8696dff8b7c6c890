"""Errors of the grid, ``data/README.md`` and the maps of its columns."""
