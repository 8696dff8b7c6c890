"""Tables of docs/evidence.md that no model changes: seeds, assumptions, what is left out, and sources."""

import numpy as np
import pandas as pd

from pipeline.evaluation.evidence import seeds
from pipeline.evaluation.evidence.places import read_places
from pipeline.evaluation.evidence.plantings import DATA, left_out_lines
from pipeline.evaluation.model_card.text import markdown_table


def emergence_table() -> str:
    """Return the emergence of seeds by species and source."""
    emergence = seeds.part("emergence")
    rows = [
        [
            entry.species_code,
            entry.of,
            entry.source,
            f"{entry.seeds:,.0f}",
            f"{entry.germinants:,.0f}",
            f"{entry.rate:.1%}",
            f"{entry.lowest:.1%} to {entry.highest:.1%}",
            "-" if "greenhouse" in entry.of else "yes" if emergence.holds(entry.rate) else "no",
        ]
        for entry in seeds.emergence()
    ]
    header = ["species", "seeds", "source", "number", "germinants", "emerged", "places", "in the range"]
    return markdown_table(header, rows)


def part_text(name: str) -> str:
    """Return a part of the simulation with the 80 % range of its prior."""
    part = seeds.part(name)
    return f"{part.central:.3g} ({part.low:.3f} to {part.high:.3f})"


def germinant_table() -> str:
    """Return the survival of single germinants."""
    table, survival = seeds.germinants(), seeds.part("germinant_survival")
    rows = []
    for row in table.to_dict("records"):
        held = "-" if row["years"] != 1 else "yes" if survival.holds(row["survival"]) else "no"
        alive = [f"{row['years']:g}", f"{row['survival']:.2f}", held]
        rows.append([row["species_code"], row["source"], row["place"], *alive, row["remark"]])
    return markdown_table(["species", "source", "place", "year", "alive of emerged", "in the range", "remark"], rows)


def places_table() -> str:
    """Return the places that are not known exactly."""
    rows = []
    for place in read_places():
        if isinstance(place["note"], str):
            within = "-" if np.isnan(place["radius_km"]) else f"{place['radius_km']:g} km"
            rows.append([place["source"], place["place"], within, place["note"]])
    return markdown_table(["source", "place", "within", "how it is known"], rows)


def practices_table() -> str:
    """Return the practice that each treatment is assumed to be."""
    table = pd.read_csv(DATA / "treatments.csv", keep_default_na=False)
    columns = ["source", "treatment", "vegetation_control", "overstory_cover", "seeds_per_spot", "reason"]
    rows = [[str(row[name]) or "-" for name in columns] for row in table.to_dict("records")]
    return markdown_table(columns, rows)


def left_out_table() -> str:
    """Return the lines that are not compared, with the reason."""
    lines = left_out_lines()
    rows = []
    for row in lines.to_dict("records"):
        low, high = row["survival_low"], row["survival_high"]
        level = f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"
        years = "-" if pd.isna(row["years"]) else f"{row['years']:g}"
        rows.append([row["source"], row["place"], row["species_code"], years, level, row["left_out"]])
    return markdown_table(["source", "place", "species", "year", "survival", "why"], rows)


def sources_table() -> str:
    """Return every source with its citation and licence."""
    table = pd.read_csv(DATA / "sources.csv", keep_default_na=False)
    rows = [
        [row["source"], row["citation"], row["licence"], row["note"], str(row["trees_of_source"])]
        for row in table.to_dict("records")
    ]
    return markdown_table(["source", "citation", "licence", "note", "trees in the whole source"], rows)
