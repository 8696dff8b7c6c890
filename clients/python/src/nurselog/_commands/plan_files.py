"""Files of planting units for the command `nurselog plan`."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from nurselog._files.column_types import with_json_of_mixed_values, with_types_of_gdal
from nurselog._files.formats import CsvStyle, geopandas, output_suffix, read_geoparquet, read_layer, refuse_overwriting
from nurselog._files.geometry import arrow_table, geographic_frame, geometry_names
from nurselog._files.writing import one_line, replacing, write_csv, write_layer
from nurselog.errors import InvalidRequestError
from nurselog.plans import refuse_answer_names

if TYPE_CHECKING:
    from geopandas import GeoDataFrame

_WRITTEN = (".csv", ".parquet", ".gpkg", ".geojson")


def check_output(path: Path, source: Path) -> None:
    """Raises InvalidRequestError as `output_suffix` and `refuse_overwriting` do."""
    output_suffix(path, _WRITTEN)
    refuse_overwriting(source, path)


def read_units(
    path: Path, layer: str | None, id_column: str | None, crs: str | None, encoding: str | None
) -> GeoDataFrame:
    """The units of a file: GeoPackage, GeoJSON, Shapefile, zipped or not, or Parquet.

    Raises:
        InvalidRequestError: geopandas is not installed, the file cannot be read, it has no such column, no geometries,
            several layers while `layer` names none, or no coordinate reference system while `crs` names none.
    """
    library = geopandas()
    try:
        units = read_geoparquet(path) if path.suffix.lower() == ".parquet" else read_layer(path, layer, encoding)
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


def check_writable(units: GeoDataFrame, path: Path, prefix: str, style: CsvStyle) -> None:
    """Checks that a plan of the units can be written, by writing the units to a temporary folder beside it.

    Raises:
        InvalidRequestError: The format of the file cannot have a column of the units.
        OSError: The file cannot be written.
        ValueError: The units have a column that the plan would add.
    """
    # In these formats, names that differ only in case are the same.
    refuse_answer_names(units, prefix, any_case=path.suffix.lower() in (".gpkg", ".geojson"))
    try:
        with TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
            _write(units, Path(folder) / path.name, style)
    except InvalidRequestError as error:
        raise InvalidRequestError(f"{path} cannot be written: {error.message}") from None
    except OSError as error:
        raise OSError(f"{path} cannot be written: {one_line(error)}") from None
    except Exception as error:  # each format has errors of its own
        raise InvalidRequestError(f"{path} cannot be written: {one_line(error)}") from None


def write_plan(table: GeoDataFrame, path: Path, style: CsvStyle) -> None:
    """Writes the table in the format of the file's name, into CSV without geometries.

    Raises:
        OSError: The file cannot be written.
    """
    with replacing(path) as unfinished:
        _write(table, unfinished, style)


def _write(table: GeoDataFrame, path: Path, style: CsvStyle) -> None:
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        table.to_parquet(path, index=False)
        return
    plain = arrow_table(with_json_of_mixed_values(table))
    if suffix == ".csv":
        with path.open("wb") as file:
            write_csv(file, [plain.drop_columns(geometry_names(plain.schema))], style)
    else:
        write_layer(path, suffix.removeprefix("."), geographic_frame(with_types_of_gdal(plain)))
