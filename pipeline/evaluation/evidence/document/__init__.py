"""Results of the comparison: docs/evidence.md with plots and list, section of the card, rows of the manifest."""
