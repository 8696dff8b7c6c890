"""Builds the grid in ``data/`` and the models in ``models/`` from public sources; the service does not need it."""
