"""Files of planting units for the command `nurselog plan`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nurselog._files.formats import CsvStyle, geopandas, output_suffix, read_layer, refuse_overwriting
from nurselog._files.writing import replacing, write_layer
from nurselog.errors import InvalidRequestError

if TYPE_CHECKING:
    from geopandas import GeoDataFrame

_WRITTEN = (".csv", ".parquet", ".gpkg", ".geojson")


def check_output(path: Path, source: Path) -> None:
    """Raises InvalidRequestError as `output_suffix` and `refuse_overwriting` do."""
    output_suffix(path, _WRITTEN)
    refuse_overwriting(source, path)


def read_units(path: Path, layer: str | None, id_column: str | None, crs: str | None) -> GeoDataFrame:
    """The units of a file: GeoPackage, GeoJSON, Shapefile, zipped or not, or Parquet.

    Raises:
        InvalidRequestError: geopandas is not installed, the file cannot be read, it has no such column, no geometries,
            several layers while `layer` names none, or no coordinate reference system while `crs` names none.
    """
    library = geopandas()
    try:
        units = library.read_parquet(path) if path.suffix.lower() == ".parquet" else read_layer(path, layer)
        has_geometries = isinstance(units, library.GeoDataFrame)
        if has_geometries and units.crs is None and crs is not None:
            units = units.set_crs(crs)
    except InvalidRequestError as error:
        raise InvalidRequestError(f"{path} cannot be read: {error.message}") from None
    except Exception as error:  # each format has errors of its own
        raise InvalidRequestError(f"{path} cannot be read: {error}") from error
    if not has_geometries:
        raise InvalidRequestError(f"{path.name} has no geometries: planting units are polygons.")
    if units.crs is None:
        raise InvalidRequestError(f"{path.name} has no coordinate reference system: name it, such as --crs EPSG:26910.")
    if id_column is not None and id_column not in units.columns:
        raise InvalidRequestError(f"{path.name} has no column {id_column}: it has {', '.join(units.columns)}.")
    return units


def write_plan(table: GeoDataFrame, path: Path, style: CsvStyle) -> None:
    """Writes the table in the format of the file's name, into CSV without geometries.

    Raises:
        OSError: The file cannot be written.
    """
    suffix = path.suffix.lower()
    with replacing(path) as unfinished:
        if suffix == ".csv":
            table.drop(columns=table.geometry.name).to_csv(
                unfinished, index=False, sep=style.written_separator, decimal=style.decimal
            )
        elif suffix == ".parquet":
            table.to_parquet(unfinished)
        else:
            write_layer(unfinished, suffix.removeprefix("."), table)
