import re

import numpy as np
import pandas as pd
import pytest

from pipeline.grid.relief.elevation_fit import check_metres, fit_states
from pipeline.grid.relief.terrain import heat_load, normal_cell_means, slope_and_aspect
from pipeline.sources.manifest import SourceError
from pipeline.sources.raster import Raster


def test_slope_and_aspect_are_those_of_a_plane():
    # The land rises to the west and to the north in turn, and is level at last.
    slope, eastness, northness = slope_and_aspect(np.array([-1.0, 0.0, 0.0]), np.array([0.0, 0.5, 0.0]))
    assert slope == pytest.approx([45.0, np.degrees(np.arctan(0.5)), 0.0])
    assert eastness == pytest.approx([1.0, 0.0, 0.0])
    assert northness == pytest.approx([0.0, -1.0, 0.0])


def test_heat_load_is_that_of_the_published_equation():
    # McCune and Keon (2002), equation 1: exp(-1.467 + 1.582 cos L cos S - 1.5 cos A sin S sin L ...), A folded.
    level = heat_load(np.array([40.0]), np.array([0.0]), np.array([0.0]), np.array([0.0]))
    assert level == pytest.approx([np.exp(-1.467 + 1.582 * np.cos(np.radians(40)))])
    aspect = np.radians([45, 135, 225, 315])
    around = heat_load(np.full(4, 45.0), np.full(4, 30.0), np.sin(aspect), np.cos(aspect))
    north_east, south_east, south_west, north_west = around
    assert south_west == max(around)
    assert north_east == min(around)
    assert south_east == pytest.approx(north_west)


def test_each_state_has_its_own_line_from_grey_levels_to_metres():
    rng = np.random.default_rng(2)
    cells = rng.uniform(5, 200, (50, 50)).astype(np.float32)
    levels = Raster(cells, -123.0, 46.0, 0.1)
    row, column = rng.integers(0, 50, (2, 400))
    region = np.arange(400) // 200
    grey = cells[row, column]
    elevation = np.where(region == 0, 20 * grey - 50, 19 * grey + 10) + rng.normal(0, 5, 400)
    plots = pd.DataFrame(
        {"latitude": 46.0 - row * 0.1, "longitude": -123.0 + column * 0.1, "elevation": elevation, "region": region}
    )
    oregon, washington = fit_states(levels, plots)
    assert oregon.metres_per_level == pytest.approx(20, abs=0.1)
    assert washington.metres_per_level == pytest.approx(19, abs=0.1)
    assert oregon.rmse == pytest.approx(5, abs=1)
    assert 190 <= oregon.places + washington.places <= 200


HILLS_M = np.random.default_rng(4).uniform(0, 2000, (30, 30))


def model_of(values):
    return Raster(values, -123.0, 46.0, 0.1)


@pytest.fixture
def plots():
    """Plots in the middle of the cells of the hills."""
    row, column = (index.ravel() for index in np.indices(HILLS_M.shape))
    return pd.DataFrame(
        {"latitude": 46.0 - row * 0.1, "longitude": -123.0 + column * 0.1, "elevation": HILLS_M.ravel()}
    )


def test_an_elevation_model_that_agrees_with_most_plots_is_accepted(plots):
    plots.loc[:50, "elevation"] = np.nan
    plots.loc[50:100, "elevation"] += 300
    check_metres(model_of(HILLS_M), plots, "model.tif")


@pytest.mark.parametrize(("unit", "times"), [(0.3048, "3.28"), (1000, "0.001"), (0.1, "10")])
def test_an_elevation_model_in_another_unit_is_rejected_by_name(plots, unit, times):
    with pytest.raises(SourceError, match=re.escape(f"model.tif: has {times} times the elevations of the plots")):
        check_metres(model_of(HILLS_M / unit), plots, "model.tif")


def test_an_elevation_model_of_another_place_is_rejected_by_name(plots):
    with pytest.raises(SourceError, match=r"^model\.tif: .* the elevations of the plots"):
        check_metres(model_of(HILLS_M[::-1]), plots, "model.tif")


def test_the_mean_of_a_cell_of_the_normals_is_that_of_the_sixteen_cells_around_its_centre():
    step = 7.5 / 3600
    cells = np.random.default_rng(3).uniform(0, 3000, (40, 40))
    means = normal_cell_means(Raster(cells, -122.0 + step / 2, 45.0 - step / 2, step))
    # Twenty cells down and twelve to the right of the corner of the raster.
    assert means.sample([45.0 - 20 * step], [-122.0 + 12 * step]) == pytest.approx([cells[18:22, 10:14].mean()])
