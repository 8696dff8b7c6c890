"""The columns of the grid in file order: unit, meaning, origin, method, bounds and storage of each.

The texts are in the metadata of ``data/grid.arrow``: editing one changes the bytes and the checksum of the grid.
"""

from pipeline.grid.columns.definitions.climate import CLIMATE_COLUMNS
from pipeline.grid.columns.definitions.column import Column
from pipeline.grid.columns.definitions.lapse import LAPSE_COLUMNS
from pipeline.grid.columns.definitions.site import SITE_COLUMNS
from pipeline.grid.columns.definitions.terrain import TERRAIN_COLUMNS

COLUMNS: tuple[Column, ...] = TERRAIN_COLUMNS + CLIMATE_COLUMNS + SITE_COLUMNS + LAPSE_COLUMNS
NAMES = tuple(column.name for column in COLUMNS)
