"""The figures on lodgepole pine in the limits of the model card and in docs/simulation.md are those of the models."""

import numpy as np

from pipeline.evaluation.graph import GraphModel
from pipeline.models.artefacts import read_artefacts
from pipeline.sources.manifest import PROJECT

PLACE = {
    "elevation": (1450, 150),
    "precipitation_annual": (700, 100),
    "vpd_max": (10.5, 0.7),
    "temperature_min_january": (-7, 1),
}
"""Inputs of the place, and how far from them the grid points lie whose medians are its other inputs."""
EAST_OF = -121


def test_survival_falls_with_slope_and_thin_soil_as_the_documents_say(whole_grid):
    models = read_artefacts(PROJECT / "models")
    near = whole_grid.longitude > EAST_OF
    for name, (value, distance) in PLACE.items():
        near &= np.abs(whole_grid.columns[name] - value) < distance
    usual = {
        feature["name"]: feature.get("default", np.median(whole_grid.columns.get(feature["name"], near)[near]))
        for feature in models.manifest["features"]
    } | {name: value for name, (value, _) in PLACE.items()}
    graph = GraphModel(models.graph("manual"))
    found = {}
    for species in ("PICO", "PSME", "LAOC"):
        index = np.array([models.manifest["species"].index(species)])
        rows = [usual | changes for changes in ({"slope": 1}, {"slope": 25}, {"slope": 25, "soil_water_capacity": 90})]
        years = [graph.survival(np.array([list(row.values())], dtype=np.float32), index)[0, 2] for row in rows]
        found[species] = [f"{survival:.2f}" for survival in years]
    card = " ".join((PROJECT / "models" / "model-card.md").read_text(encoding="utf-8").split())
    level, steep, thin = found["PICO"]
    assert f"{level} are alive in year 5 on a slope of 1 degree, {steep} on 25 degrees and {thin} on 25" in card
    for name, species in (("Douglas-fir has", "PSME"), ("western larch", "LAOC")):
        level, steep, thin = found[species]
        assert f"{name} {level}, {steep} and {thin}" in card
    simulation = " ".join((PROJECT / "docs" / "simulation.md").read_text(encoding="utf-8").split())
    assert f"{found['PICO'][2]} live in year 5, of Douglas-fir {found['PSME'][2]}" in simulation
