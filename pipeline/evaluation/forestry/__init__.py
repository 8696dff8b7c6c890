"""Whether the answers are those that a forester expects."""
