"""Outcomes of planted and seeded trees, observed or simulated."""
