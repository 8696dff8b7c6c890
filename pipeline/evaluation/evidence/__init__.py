"""Real plantings and sown seeds beside the models: the aggregates (`data/`), their predictions, scores and reports."""
