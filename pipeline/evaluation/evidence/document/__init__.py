"""What the comparison says: docs/evidence.md with its plots and list, the card's section, the manifest's rows."""
