"""``models/model-card.md`` and its figures."""
