"""Lodgepole pine stands on steep, poor ground as well as in cold basins (Burns and Honkala 1990)."""

import numpy as np
import pytest
from scipy.special import logit

from pipeline.models.features import FEATURE_NAMES
from pipeline.outcomes.periods import METHODS
from pipeline.outcomes.species import species_codes

PLACE = {
    "elevation": (1450, 150),
    "precipitation_annual": (700, 100),
    "vpd_max": (10.5, 0.7),
    "temperature_min_january": (-7, 1),
}
"""Inputs of the place, and how far from them the grid points lie whose medians are its other inputs."""
EAST_OF = -121


def survival_of(species, grid, graph, **changes):
    """Return survival to year 5 at the place with these inputs changed."""
    near = grid.longitude > EAST_OF
    for name, (value, distance) in PLACE.items():
        near &= np.abs(grid.columns[name] - value) < distance
    usual = {name: np.median(grid.columns[name][near]) for name in FEATURE_NAMES}
    inputs = usual | {name: value for name, (value, _) in PLACE.items()} | changes
    row = np.array([[inputs[name] for name in FEATURE_NAMES]], dtype=np.float32)
    return float(graph.survival(row, np.array([species_codes().index(species)]))[0, -1])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("other", ["PSME", "LAOC"])
def test_on_steep_thin_soil_of_high_cold_ground_it_outlives_trees_of_deeper_soils(whole_grid, graphs, method, other):
    poor = {"slope": 25, "soil_water_capacity": 90}
    pine, compared = (survival_of(code, whole_grid, graphs[method], **poor) for code in ("PICO", other))
    assert pine > compared


@pytest.mark.parametrize("method", METHODS)
def test_thin_soil_costs_it_no_more_than_douglas_fir(whole_grid, graphs, method):
    costs = []
    for code in ("PICO", "PSME"):
        deep, thin = (
            survival_of(code, whole_grid, graphs[method], slope=25, soil_water_capacity=water) for water in (150, 90)
        )
        costs.append(logit(deep) - logit(thin))
    assert costs[0] <= costs[1] + 0.1


@pytest.mark.parametrize("method", METHODS)
def test_it_is_at_its_best_on_level_ground_of_cold_basins(whole_grid, graphs, method):
    level, steep = (survival_of("PICO", whole_grid, graphs[method], slope=slope) for slope in (1, 25))
    assert level > steep + 0.05
