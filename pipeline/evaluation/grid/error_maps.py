"""Maps of errors: the estimate at a place that was left out minus the observation there, for each column."""

import numpy as np
from matplotlib.figure import Figure

from pipeline.evaluation.figures import draw_land, save_png, unit_label
from pipeline.evaluation.grid.scores import figure as figure_text

# Blue and red differ for colour-blind readers, too; white, an error of 0, differs from the grey of the land.
_COLOURS = "RdBu_r"
_LIMIT_PERCENTILE = 98
_FEW_PLACES = 1000


def draw_error_maps(errors, regions, directory):
    """Write a PNG file for each of the :class:`.Errors`, named by its column; ``regions`` as in ``draw_land``."""
    for error in errors:
        unit = unit_label(error.unit)
        values = error.values
        limit = np.percentile(np.abs(values), _LIMIT_PERCENTILE)
        figure = Figure(figsize=(6.6, 6), dpi=90, layout="constrained")
        axes = figure.subplots()
        draw_land(axes, regions)
        image = axes.scatter(
            error.x,
            error.y,
            c=values,
            s=25 if len(values) < _FEW_PLACES else 7,
            cmap=_COLOURS,
            vmin=-limit,
            vmax=limit,
            linewidths=0.3 if len(values) < _FEW_PLACES else 0,
            edgecolors="black",
        )
        rmse = figure_text(np.sqrt((values**2).mean()))
        axes.set_title(f"Error of {error.column}, RMSE {rmse} ({unit})\n{len(values):,} {error.places}", fontsize=9)
        figure.colorbar(image, ax=axes, shrink=0.75, extend="both", label=f"estimated minus observed, {unit}")
        save_png(figure, directory / f"{error.column}.png")
