"""Figures of docs/evidence.md."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from pipeline.evaluation.evidence.predictions import Comparison
from pipeline.evaluation.evidence.scores import MIN_TREES, values
from pipeline.evaluation.evidence.stands import Stand
from pipeline.evaluation.figures import save_png

COLOURS = ("#1b6ca8", "#c8553d", "#3a7d44", "#8e5ea2", "#7f7f7f")
_INTERVAL_COLOUR = "#c9c9c9"


def plot_observed(comparisons: Sequence[Comparison], groups: dict[str, str], path: Path) -> None:
    """Draw observed against predicted survival with intervals, one panel per whole year, one colour per group.

    `groups` names the group of a source; sources without one are drawn in the last colour.
    """
    figure = Figure(figsize=(9, 3.4), dpi=90, layout="constrained")
    names = [*dict.fromkeys(groups.values()), "published levels"]
    for axes, year in zip(figure.subplots(1, 3, sharey=True), (1, 3, 5), strict=True):
        axes.plot([0, 1], [0, 1], color="#555555", linewidth=0.8)
        for comparison in comparisons:
            planting, predicted = comparison.planting, comparison.predicted
            if planting.trees is not None and planting.trees < MIN_TREES:
                continue
            name = groups.get(planting.source, names[-1])
            for census in values(planting.censuses):
                if census.year != year:
                    continue
                if predicted.interval is not None:
                    ends = predicted.interval[:, year - 1]
                    axes.plot(ends, [census.survival] * 2, color=_INTERVAL_COLOUR, linewidth=0.6, zorder=0)
                colour = COLOURS[names.index(name)]
                axes.plot(predicted.survival[year - 1], census.survival, "o", markersize=3, color=colour)
        axes.set(xlim=(0, 1), ylim=(0, 1), title=f"year {year}", xlabel="predicted, with 80 % interval")
    figure.axes[0].set_ylabel("observed")
    for name, colour in zip(names, COLOURS, strict=False):
        figure.axes[-1].plot([], [], "o", markersize=3, color=colour, label=name)
    figure.axes[-1].legend(fontsize=7, loc="lower right")
    save_png(figure, path)


def plot_elevation(
    found: Sequence[Stand],
    clear: Sequence[Stand],
    elevations: dict[tuple[str, str], float],
    source: str,
    path: Path,
) -> None:
    """Draw the survival of a source's stands against their elevation, one panel per species, in years 1 and 3."""
    species = sorted({stand.species_code for stand in found if stand.source == source})
    figure = Figure(figsize=(9, 3.2), dpi=90, layout="constrained")
    for axes, code in zip(figure.subplots(1, len(species), sharey=True, squeeze=False)[0], species, strict=True):
        for year, colour in ((1, COLOURS[0]), (3, COLOURS[1])):
            for stands, marker in ((found, "o"), (clear, "^")):
                chosen = [s for s in stands if (s.source, s.species_code, s.year) == (source, code, year)]
                height = [elevations[s.source, s.place] for s in chosen]
                label = f"observed, year {year}" + ("" if marker == "o" else ", clear plots")
                axes.plot(height, [s.observed for s in chosen], marker, color=colour, markersize=5, label=label)
                if marker == "o":
                    order = sorted(zip(height, chosen, strict=True), key=lambda pair: pair[0])
                    line = [s.predicted for _, s in order]
                    axes.plot(sorted(height), line, "-x", color=colour, linewidth=1, label=f"predicted, year {year}")
        axes.set(title=code, xlabel="elevation, m", ylim=(0, 1), xlim=(500, 1800))
    figure.axes[0].set_ylabel("survival")
    figure.axes[len(species) // 2].legend(fontsize=6, loc="lower left")
    save_png(figure, path)
