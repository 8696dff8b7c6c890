"""Maps of what the models say: survival of six species by both methods, and the gap between the methods."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from pipeline.evaluate_graph import GraphModel
from pipeline.evaluate_sense import method_gap, survival_everywhere
from pipeline.hazard_features import METHODS
from pipeline.hazard_grid import Grid
from pipeline.model_card_plots import save
from pipeline.species import all_species, species_codes

MAPPED_SPECIES = ("PSME", "TSHE", "PISI", "PIPO", "JUOC", "ABLA")
# One degree of latitude is this much longer than one of longitude at 45.5 degrees.
ASPECT = 1 / np.cos(np.radians(45.5))


def map_survival(grid: Grid, models: dict[str, GraphModel], path: Path) -> None:
    """Draw five-year survival, a row a method, a column a species."""
    figure, axes = plt.subplots(len(METHODS), len(MAPPED_SPECIES), figsize=(18, 6.6), layout="constrained")
    for row, method in zip(axes, METHODS, strict=True):
        survival = survival_everywhere(grid, models[method])[:, :, -1]
        for axis, code in zip(row, MAPPED_SPECIES, strict=True):
            species = species_codes().index(code)
            points = _draw(axis, grid, survival[species], "viridis", (0.0, 1.0))
            axis.set_title(f"{all_species()[species].common_name}, {method}", fontsize=9)
    figure.colorbar(points, ax=axes, label="survival to year 5", shrink=0.8)
    save(figure, path)


def map_gap(grid: Grid, models: dict[str, GraphModel], path: Path) -> None:
    """Draw manual less drone-seeded five-year survival of six species."""
    gap = method_gap(grid, models)[:, :, -1]
    figure, axes = plt.subplots(1, len(MAPPED_SPECIES), figsize=(18, 3.6), layout="constrained")
    for axis, code in zip(axes, MAPPED_SPECIES, strict=True):
        species = species_codes().index(code)
        points = _draw(axis, grid, gap[species], "magma", (0.0, 0.35))
        axis.set_title(all_species()[species].common_name, fontsize=9)
    figure.colorbar(points, ax=axes, label="manual - drone-seeded, year 5", shrink=0.8)
    save(figure, path)


def _draw(axis: plt.Axes, grid: Grid, values: np.ndarray, colors: str, limits: tuple[float, float]):
    axis.set_aspect(ASPECT)
    axis.set_xticks([])
    axis.set_yticks([])
    return axis.scatter(
        grid.longitude,
        grid.latitude,
        c=values,
        s=1.2,
        marker="s",
        cmap=colors,
        vmin=limits[0],
        vmax=limits[1],
        linewidths=0,
    )
