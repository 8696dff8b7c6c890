import numpy as np
import pytest

from pipeline.grid.columns.canopy import crown_ratio
from pipeline.grid.columns.deficit import climatic_water_deficit, day_length_hours, potential_evapotranspiration
from pipeline.grid.columns.humidity import dew_point_of, saturation_pressure

MEDFORD_TEMPERATURE = np.array([[4.0, 6.2, 8.9, 11.5, 15.6, 19.4, 23.6, 23.3, 19.5, 13.3, 7.0, 3.6]])
MEDFORD_PRECIPITATION = np.array([[64.0, 50, 44, 37, 33, 18, 7, 10, 15, 32, 73, 84]])
LATITUDE = np.array([42.3])


def test_saturation_pressure_is_the_handbook_value_and_has_an_inverse():
    assert saturation_pressure(np.array([0.0, 20.0])) == pytest.approx([6.11, 23.4], rel=0.003)
    temperature = np.linspace(-20, 35, 56)
    assert dew_point_of(saturation_pressure(temperature)) == pytest.approx(temperature)


def test_days_are_twelve_hours_at_the_equator_and_longest_in_northern_summer():
    hours = day_length_hours(np.array([0.0, 45.0]))
    assert hours[0] == pytest.approx(np.full(12, 12.0))
    assert hours[1, 5] == pytest.approx(15.4, abs=0.2)
    assert hours[1, 11] == pytest.approx(8.7, abs=0.2)


def test_potential_evapotranspiration_of_a_mild_summer_dry_climate_is_about_700_mm():
    assert potential_evapotranspiration(MEDFORD_TEMPERATURE, LATITUDE).sum() == pytest.approx(700, rel=0.1)


def test_deficit_is_zero_in_wet_climates_and_nearly_all_demand_without_precipitation():
    wet = np.full((1, 12), 300.0)
    assert climatic_water_deficit(wet, MEDFORD_TEMPERATURE, LATITUDE) == pytest.approx([0.0])
    demand = potential_evapotranspiration(MEDFORD_TEMPERATURE, LATITUDE).sum()
    assert climatic_water_deficit(wet * 0, MEDFORD_TEMPERATURE, LATITUDE)[0] > 0.9 * demand


def test_deficit_falls_with_summer_rain_and_rises_with_heat():
    base = climatic_water_deficit(MEDFORD_PRECIPITATION, MEDFORD_TEMPERATURE, LATITUDE)[0]
    wetter = climatic_water_deficit(MEDFORD_PRECIPITATION * 1.5, MEDFORD_TEMPERATURE, LATITUDE)[0]
    hotter = climatic_water_deficit(MEDFORD_PRECIPITATION, MEDFORD_TEMPERATURE + 2, LATITUDE)[0]
    assert wetter < base < hotter
    assert 200 < base < 500


def test_the_crown_ratio_falls_with_canopy_cover_from_that_of_an_open_grown_tree():
    assert (np.diff(crown_ratio(np.linspace(0, 100, 11))) < 0).all()
    assert crown_ratio(0.0) == 90.0
