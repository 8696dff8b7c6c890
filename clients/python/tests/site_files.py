"""Files of sites for `nurselog predict`."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from frames import table

PLANTED = ["--species", "PSME", "--method", "manual"]
"""Options for a file that has columns of coordinates alone."""


def write_sites(path: Path, rows: int) -> pd.DataFrame:
    """Writes the sites of `table` as CSV."""
    sites = table(rows).reset_index(drop=True).drop(columns="seen")
    sites.to_csv(path, index=False)
    return sites


def texts(path: Path) -> pd.DataFrame:
    """A CSV file as it is."""
    return pd.read_csv(path, dtype=str, keep_default_na=False)
