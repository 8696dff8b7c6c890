"""Maps of predictions: survival of six species by both methods, and the gap between the methods."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from shapely import MultiPolygon

from pipeline.evaluation.figures import draw_land, save_png
from pipeline.evaluation.graph import GraphModel
from pipeline.evaluation.plausibility import SPREAD, method_gap, survival_everywhere
from pipeline.grid.arrow_file import Grid
from pipeline.grid.projection import to_plane
from pipeline.outcomes.periods import METHODS
from pipeline.outcomes.species import all_species, species_codes

MAPPED_SPECIES = ("PSME", "TSHE", "PISI", "PIPO", "JUOC", "ABLA")
Regions = dict[str, MultiPolygon]


def map_survival(grid: Grid, regions: Regions, models: dict[str, GraphModel], path: Path) -> None:
    """Draw five-year survival, a row a method, a column a species."""
    rows = {f", {method}": survival_everywhere(grid, models[method])[:, :, -1] for method in METHODS}
    _map_species(grid, regions, rows, ("viridis", 1.0, "survival to year 5"), path)


def map_gap(grid: Grid, regions: Regions, models: dict[str, GraphModel], path: Path) -> None:
    """Draw manual less drone-seeded five-year survival of six species."""
    gap = {"": method_gap(grid, models)[:, :, -1]}
    _map_species(grid, regions, gap, ("magma", 0.35, "manual less drone_seeded, year 5"), path)


def _map_species(
    grid: Grid, regions: Regions, rows: dict[str, np.ndarray], scale: tuple[str, float, str], path: Path
) -> None:
    """Draw rows of values [species, points] by title; the scale is colours, highest value and label."""
    colours, highest, label = scale
    x, y = to_plane(grid.latitude[::SPREAD], grid.longitude[::SPREAD])
    figure = Figure(figsize=(16.5, 0.5 + 2.75 * len(rows)), dpi=90, layout="constrained")
    axes = figure.subplots(len(rows), len(MAPPED_SPECIES), squeeze=False)
    for row, (title, values) in zip(axes, rows.items(), strict=True):
        for panel, code in zip(row, MAPPED_SPECIES, strict=True):
            species = species_codes().index(code)
            draw_land(panel, regions)
            points = panel.scatter(x, y, c=values[species], s=0.7, cmap=colours, vmin=0.0, vmax=highest, linewidths=0)
            panel.set_title(f"{all_species()[species].common_name}{title}", fontsize=9)
    figure.colorbar(points, ax=axes, label=label, shrink=0.8, pad=0.01)
    save_png(figure, path)
