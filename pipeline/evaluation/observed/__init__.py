"""Evaluation of any models on a table of outcomes, and their recalibration."""
