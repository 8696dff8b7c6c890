"""Evaluation of the grid and of the models."""
