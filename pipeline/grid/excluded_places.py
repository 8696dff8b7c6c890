"""Lakes and city cores, which plots 5 km apart can miss, kept out of the grid by name."""

import json
from pathlib import Path

import numpy as np

from pipeline.grid.projection import great_circle_km

_PLACES = Path(__file__).with_name("excluded_places.json")
_STEPS_A_LEG = 12


def in_excluded_place(latitude, longitude):
    """Boolean [N] for degrees [N]: nearer to the middle line of a listed place than its reach."""
    inside = np.zeros(np.shape(latitude), dtype=bool)
    for place in json.loads(_PLACES.read_text(encoding="utf-8"))["places"]:
        for point in _along(np.array(place["line"])):
            inside |= great_circle_km(latitude, longitude, *point) < place["reach_km"]
    return inside


def _along(line):
    legs = np.arange(len(line))
    steps = np.linspace(0, legs[-1], legs[-1] * _STEPS_A_LEG + 1)
    return np.column_stack([np.interp(steps, legs, line[:, axis]) for axis in (0, 1)])
