"""Comparison of the models with real plantings and sown seeds: aggregates (`data/`), predictions, scores, reports."""
