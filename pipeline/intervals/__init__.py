"""Intervals: where the survival of one planting is expected to lie, given all that is not known of it."""
