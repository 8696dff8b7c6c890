"""Maps of predictions: survival of six species by both methods, and the gap between the methods."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from shapely import MultiPolygon

from pipeline.evaluation.figures import save_png
from pipeline.evaluation.graph import GraphModel
from pipeline.evaluation.lattice_map import draw_block_means, draw_outline
from pipeline.grid.arrow_file import Grid
from pipeline.grid.lattice import nodes_of
from pipeline.models.features import FEATURE_NAMES
from pipeline.outcomes.periods import METHODS
from pipeline.outcomes.species import all_species, species_codes

MAPPED_SPECIES = ("PSME", "TSHE", "PISI", "PIPO", "JUOC", "ABLA")
Regions = dict[str, MultiPolygon]
# Nodes on the side of a block, which is then about as large as a pixel.
BLOCK_NODES = 4


def map_survival(grid: Grid, regions: Regions, models: dict[str, GraphModel], path: Path) -> None:
    """Draw five-year survival, with a row per method and a column per species."""
    rows = {f", {method}": _survival(grid, models[method]) for method in METHODS}
    _map_species(grid, regions, rows, ("viridis", 1.0, "survival to year 5"), path)


def map_gap(grid: Grid, regions: Regions, models: dict[str, GraphModel], path: Path) -> None:
    """Draw manual minus drone-seeded five-year survival of six species."""
    manual, drone_seeded = (_survival(grid, models[method]) for method in METHODS)
    _map_species(grid, regions, {"": manual - drone_seeded}, ("magma", 0.35, "manual less drone_seeded, year 5"), path)


def _survival(grid: Grid, model: GraphModel) -> np.ndarray:
    """Return five-year survival [species, points] of the mapped species."""
    features = grid.features(FEATURE_NAMES)
    rows = (np.full(len(features), species_codes().index(code)) for code in MAPPED_SPECIES)
    return np.stack([model.survival(features, species)[:, -1] for species in rows])


def _map_species(
    grid: Grid, regions: Regions, rows: dict[str, np.ndarray], scale: tuple[str, float, str], path: Path
) -> None:
    """Draw rows of values [mapped species, points] by title; the scale is colours, highest value and label."""
    colours, highest, label = scale
    row, column = nodes_of(grid.latitude, grid.longitude)
    figure = Figure(figsize=(16.5, 0.6 + 2.75 * len(rows)), dpi=90, layout="constrained")
    figure.get_layout_engine().set(h_pad=0.12)
    axes = figure.subplots(len(rows), len(MAPPED_SPECIES), squeeze=False)
    for panels, (title, of_species) in zip(axes, rows.items(), strict=True):
        for panel, code, values in zip(panels, MAPPED_SPECIES, of_species, strict=True):
            draw_outline(panel, regions)
            image = draw_block_means(panel, row, column, values, BLOCK_NODES, cmap=colours, vmin=0.0, vmax=highest)
            panel.set_title(f"{all_species()[species_codes().index(code)].common_name}{title}", fontsize=9)
    figure.colorbar(image, ax=axes, label=label, shrink=0.8, pad=0.01)
    save_png(figure, path)
