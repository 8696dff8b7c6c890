"""Survival that models predict for plantings, year by year, with the interval that the service answers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.evaluation.evidence.example import known_sources
from pipeline.evaluation.evidence.outside import OutsidePlaces
from pipeline.evaluation.evidence.places import PlaceReader
from pipeline.evaluation.evidence.plantings import Planting
from pipeline.evaluation.graph import GraphModel, IntervalGraph
from pipeline.grid.arrow_file import Grid
from pipeline.models.artefacts import ModelArtefacts, ModelsError

INTERVAL = (0.1, 0.9)
CONDITIONING, SHOWN = "conditioning", "shown"


@dataclass(frozen=True)
class Predicted:
    """Survival [years], its draws [draws, years] and interval [2, years] for years 1 to 5; None without intervals.

    `found` says how the place was read; see :class:`.Inputs`. `beyond` names the features that lie outside the 1st to
    the 99th percentile of the training sites, where the models extrapolate.
    """

    survival: np.ndarray
    draws: np.ndarray | None
    interval: np.ndarray | None
    found: str
    beyond: tuple[str, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """A planting and the survival that the models predict for it.

    `use` is that of the row in the manifest: conditioning if the models know the outcome, held_out, or shown.
    """

    planting: Planting
    predicted: Predicted
    use: str = SHOWN


def unseen(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Return the comparisons that test the models, which do not know these plantings."""
    return [comparison for comparison in comparisons if comparison.use != CONDITIONING]


def compare_plantings(grid: Grid, models: ModelArtefacts, plantings: list[Planting]) -> list[Comparison]:
    """Return the plantings with their predictions.

    Left out are those of methods or species that the models lack. EvidenceError names a place that is neither on the
    grid nor of a known climate.
    """
    manifest = models.manifest
    reader = PlaceReader(grid, manifest["features"], OutsidePlaces(grid))
    _check_features(grid, models)
    known = known_sources(grid, manifest["provenance"])
    graphs, interval_graphs = {}, {}
    for method, entry in manifest["methods"].items():
        graphs[method] = GraphModel(models.graph(method))
        if "intervals" in entry:
            interval_graphs[method] = IntervalGraph(models.directory / entry["intervals"]["file"])
    compared = []
    for planting in plantings:
        if planting.method not in graphs or planting.species_code not in manifest["species"]:
            continue
        inputs, use = reader.inputs(planting), CONDITIONING if planting.source in known else SHOWN
        beyond = _beyond(manifest["features"], inputs.features.mean(axis=0))
        species = np.full(len(inputs.features), manifest["species"].index(planting.species_code))
        survival = yearly(graphs[planting.method].survival(inputs.features, species).astype(np.float64)).mean(axis=0)
        graph = interval_graphs.get(planting.method)
        if graph is None:
            compared.append(Comparison(planting, Predicted(survival, None, None, inputs.found, beyond), use))
            continue
        draws = graph.draws(inputs.features, species, inputs.errors).astype(np.float64)
        draws = yearly(draws.transpose(0, 2, 1).reshape(-1, draws.shape[1]))
        low, high = np.quantile(draws, INTERVAL, axis=0)
        # The service widens an interval that does not hold the answered value.
        interval = np.stack([np.minimum(low, survival), np.maximum(high, survival)])
        compared.append(Comparison(planting, Predicted(survival, draws, interval, inputs.found, beyond), use))
    return compared


def _beyond(features: list[dict], means: np.ndarray) -> tuple[str, ...]:
    return tuple(
        feature["label"]
        for feature, value in zip(features, means, strict=True)
        if "training" in feature and not feature["training"]["p1"] <= value <= feature["training"]["p99"]
    )


def yearly(survival: np.ndarray) -> np.ndarray:
    """Return survival [rows, 5] to years 1 to 5 from that to years 1, 3 and 5: the hazard is equal within a period."""
    first, third, fifth = survival.T
    return np.column_stack([first, np.sqrt(first * third), third, np.sqrt(third * fifth), fifth])


def _check_features(grid: Grid, models: ModelArtefacts) -> None:
    for feature in models.manifest["features"]:
        if "default" not in feature and feature["name"] not in grid.columns:
            path = models.directory / "manifest.json"
            raise ModelsError(f"{path}: feature {feature['name']} is no column of the grid and has no default")
