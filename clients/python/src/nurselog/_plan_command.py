"""Files of planting units for the command `nurselog plan`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nurselog.errors import ConfigurationError

if TYPE_CHECKING:
    from geopandas import GeoDataFrame

_DRIVERS = {".gpkg": "GPKG", ".geojson": "GeoJSON"}
_WRITTEN = (".csv", ".parquet", *_DRIVERS)


def check_output(path: Path) -> None:
    """Raises ConfigurationError where the file cannot be of its name's format."""
    if path.suffix.lower() not in _WRITTEN:
        raise ConfigurationError(f"{path.name} must end in one of {', '.join(_WRITTEN)}.")


def read_units(path: Path, layer: str | None, id_column: str | None) -> GeoDataFrame:
    """The units of a file: GeoPackage, GeoJSON, Shapefile, zipped or not, or Parquet.

    Raises:
        ConfigurationError: geopandas is not installed, the file cannot be read, or has no such column.
    """
    try:
        import geopandas
    except ImportError:
        raise ConfigurationError("Files of units need geopandas: pip install 'nurselog[geo]'.") from None
    try:
        if path.suffix.lower() == ".parquet":
            units = geopandas.read_parquet(path)
        else:
            units = geopandas.read_file(path, layer=layer)
    except Exception as error:  # each format has errors of its own
        raise ConfigurationError(f"{path} cannot be read: {error}") from error
    if id_column is not None and id_column not in units.columns:
        raise ConfigurationError(f"{path.name} has no column {id_column}: it has {', '.join(units.columns)}.")
    return units


def write_plan(table: GeoDataFrame, path: Path) -> None:
    """Writes the table in the format of the file's name, into CSV without geometries.

    Raises:
        OSError: The file cannot be written.
    """
    suffix = path.suffix.lower()
    try:
        if suffix == ".csv":
            table.drop(columns=table.geometry.name).to_csv(path, index=False)
        elif suffix == ".parquet":
            table.to_parquet(path)
        else:
            table.to_file(path, driver=_DRIVERS[suffix])
    except Exception as error:  # each format has errors of its own
        raise OSError(f"{path} cannot be written: {error}") from error
