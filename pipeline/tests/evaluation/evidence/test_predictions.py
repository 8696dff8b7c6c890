"""The inputs of the shipped models at the places of plantings."""

import numpy as np
import pytest

from pipeline.evaluation.evidence.check import EvidenceError
from pipeline.evaluation.evidence.outside import OutsidePlaces
from pipeline.evaluation.evidence.places import PlaceReader, outside_places, read_places
from pipeline.evaluation.evidence.plantings import Planting, read_plantings
from pipeline.evaluation.evidence.predictions import compare_plantings, yearly
from pipeline.models.artefacts import read_artefacts
from pipeline.sources.manifest import PROJECT

MODELS = PROJECT / "models"
RAINIER = "AileneKane/mora_transplant"


@pytest.fixture(scope="module")
def reader(whole_grid):
    features = [feature for feature in read_artefacts(MODELS).manifest["features"] if "default" not in feature] + [
        {"name": "vegetation_control", "default": 0.5}
    ]
    return PlaceReader(whole_grid, features, OutsidePlaces(whole_grid))


@pytest.fixture(scope="module")
def comparisons(whole_grid):
    return compare_plantings(whole_grid, read_artefacts(MODELS), read_plantings())


def planting(source, place, **practice):
    return Planting(source, place, "ABAM", "manual", "", 10, (), practice)


def column(reader, name):
    return [feature["name"] for feature in reader._features].index(name)


def test_a_stand_has_its_own_elevation_and_the_climate_there(reader, whole_grid):
    inputs = reader.inputs(planting(RAINIER, "PARA"))
    point = whole_grid.nearest(46.77606, -121.73205)
    rise = (1603 - whole_grid.columns["elevation"][point]) / 1000
    assert inputs.found == "grid"
    assert inputs.features[0, column(reader, "elevation")] == 1603
    warmer = whole_grid.columns["temperature_min_january"][point]
    lapse = whole_grid.columns["lapse_temperature_min_january"][point]
    assert inputs.features[0, column(reader, "temperature_min_january")] == pytest.approx(warmer + lapse * rise)
    rain = whole_grid.columns["precipitation_annual"][point]
    grown = np.exp(whole_grid.columns["lapse_precipitation_annual"][point] * rise)
    assert inputs.features[0, column(reader, "precipitation_annual")] == pytest.approx(rain * grown)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"elevation_m": 2100}, "elevation_m must be within 1000 m of the nearest grid point's {metres} m, not 2100$"),
        ({"longitude": 122.03}, r"nearest grid point to latitude 44.12, longitude 122.03 is \d,\d{{3}} km away:"),
        ({"longitude": 122.03, "radius_km": 5}, "no grid point lies within its radius_km and elevations: correct"),
        ({"radius_km": 5, "elevation_low": 4000, "elevation_high": 4100}, "no grid point lies within its radius_km"),
    ],
)
def test_a_place_that_cannot_be_where_it_is_said_to_be_is_refused_by_line(whole_grid, monkeypatch, cells, message):
    place = dict.fromkeys(("radius_km", "elevation_m", "elevation_low", "elevation_high"), np.nan)
    place |= {"line": 7, "source": "Own", "place": "Ridge", "latitude": 44.12, "longitude": -122.03} | cells
    monkeypatch.setattr("pipeline.evaluation.evidence.places.read_places", lambda: [place])
    reader = PlaceReader(whole_grid, read_artefacts(MODELS).manifest["features"], OutsidePlaces(whole_grid))
    metres = f"{whole_grid.columns['elevation'][whole_grid.nearest(44.12, -122.03)]:.0f}"
    with pytest.raises(EvidenceError, match=f"line 7: 'Own', 'Ridge': .*{message.format(metres=metres)}"):
        reader.inputs(planting("Own", "Ridge"))


def test_practice_comes_from_the_treatment_or_is_the_default_and_has_no_error(reader):
    last = column(reader, "vegetation_control")
    stated, not_stated = (
        reader.inputs(planting(RAINIER, "PARA", **practice)) for practice in ({"vegetation_control": 1.0}, {})
    )
    assert (stated.features[0, last], not_stated.features[0, last]) == (1.0, 0.5)
    assert stated.errors[0, last] == 0


def test_inputs_have_the_order_of_the_manifest_wherever_its_practice_stands(reader, whole_grid):
    reordered = PlaceReader(whole_grid, reader._features[::-1], OutsidePlaces(whole_grid))
    of_manifest, of_reverse = (each.inputs(planting(RAINIER, "PARA")) for each in (reader, reordered))
    assert (of_reverse.features[:, ::-1] == of_manifest.features).all()
    assert (of_reverse.errors[:, ::-1] == of_manifest.errors).all()


def test_a_place_outside_the_grid_has_the_climate_of_its_own_elevation_and_wide_errors(reader):
    north = reader.inputs(planting("tcharris2/MTP_Fd_Regen", "John Prince stand 1"))
    south = reader.inputs(planting("tcharris2/MTP_Fd_Regen", "Twobit stand 1"))
    assert north.found == south.found == "climate"
    january = column(reader, "temperature_min_january")
    # 54.7 N at 880 m against 49.5 N at 630 m.
    assert north.features[0, january] < south.features[0, january] - 5
    assert north.features[0, column(reader, "elevation")] == 880
    assert north.errors[0, column(reader, "soil_water_capacity")] > 20


def test_a_place_known_to_kilometres_is_read_at_points_of_its_circle_and_elevations(reader, whole_grid):
    inputs = reader.inputs(planting("Helgerson et al. 1989", "near Medford"))
    assert inputs.found == "circle"
    assert len(inputs.features) > 20
    assert inputs.features[:, column(reader, "elevation")].max() <= 650


def test_every_place_is_compared_and_has_a_planting(comparisons, whole_grid):
    compared = {(c.planting.source, c.planting.place) for c in comparisons}
    assert compared == {(p.source, p.place) for p in read_plantings()}
    climates = OutsidePlaces(whole_grid)
    assert all(climates.has(place["source"], place["place"]) for place in outside_places(whole_grid))
    assert len(read_places()) >= len(compared)


def test_intervals_hold_the_prediction_and_survival_never_rises(comparisons):
    for comparison in comparisons:
        low, high = comparison.predicted.interval
        survival = comparison.predicted.survival
        assert (low <= survival + 1e-9).all()
        assert (survival <= high + 1e-9).all()
        assert (np.diff(survival) <= 1e-9).all()


def test_survival_to_year_2_uses_the_hazard_of_years_2_and_3():
    first, second, third, *_ = yearly(np.array([[0.9, 0.9 * 0.81, 0.5]]))[0]
    assert second / first == pytest.approx(0.9)
    assert third / second == pytest.approx(0.9)
