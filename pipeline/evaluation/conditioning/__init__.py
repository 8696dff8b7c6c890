"""Worlds conditioned on real plantings: a Markov chain over the deviates of `World`, and what it gains held out."""
