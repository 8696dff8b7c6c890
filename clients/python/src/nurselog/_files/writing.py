"""Writing answered rows to a file, which appears under its name when it is whole."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from nurselog._files.column_types import with_texts_of_uuids, with_types_of_gdal
from nurselog._files.formats import PIPE, CsvStyle, geopandas, output_format, pandas_types
from nurselog._files.geometry import free_name, geographic_frame, geometry_names
from nurselog._table.columns import ANSWER_NAMES, MODEL_KEYS, without_dictionaries
from nurselog._table.frames import WGS_84, coordinates_of, in_wgs_84
from nurselog._table.sites import numbers_of
from nurselog.errors import InvalidRequestError, NurselogError

# An empty text differs from a missing one by its quotes.
_TO_QUOTE = r'^$|["\r\n{}]'

_COORDINATE_DECIMALS = 7  # about a centimetre

# Each row group has a record of all columns: a row group for each small request would fill the file with them.
_ROW_GROUP_ROWS = 20_000

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def check_writable(path: Path, table: pa.Table, latitude: str, longitude: str, style: CsvStyle) -> None:
    """Checks that a table can be written in the format of a file, by writing it to a temporary folder.

    Args:
        path: See `write_file`, or PIPE.
        table: The columns, without rows.
        latitude: See `write_file`.
        longitude: See `write_file`.
        style: See `write_file`.

    Raises:
        InvalidRequestError: The format cannot have such columns.
    """
    with TemporaryDirectory(prefix="nurselog.") as folder:
        try:
            _write(Path(folder) / ("out.csv" if path == PIPE else path.name), iter([table]), latitude, longitude, style)
        except InvalidRequestError as error:
            raise InvalidRequestError(f"{path} cannot be written: {error.message}") from None
        except Exception as error:  # each format has errors of its own
            raise InvalidRequestError(f"{path} cannot be written: {one_line(error)}") from None


def write_file(
    path: Path,
    tables: Iterator[pa.Table],
    latitude: str,
    longitude: str,
    style: CsvStyle,
    *,
    byte_order_mark: bool = False,
) -> None:
    """Writes tables, of which there is at least one.

    Args:
        path: A file whose name tells its format.
        tables: Parts with the same columns.
        latitude: The column of degrees north, for a geographic file of a table without a geometry.
        longitude: The column of degrees east.
        style: How CSV is written, and the decimal sign of these columns where they are texts.
        byte_order_mark: Whether CSV begins with one, as spreadsheets mark UTF-8.

    Raises:
        OSError: The file cannot be written.
    """
    with replacing(path) as unfinished:
        _write(unfinished, tables, latitude, longitude, style, byte_order_mark=byte_order_mark)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary file of the same name to write, which replaces `path` at the end unless there is an error.

    Raises:
        OSError: The file cannot be written.
    """
    try:
        with TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
            unfinished = Path(folder) / path.name
            yield unfinished
            unfinished.replace(path)
    except NurselogError:
        raise
    except Exception as error:  # each format has errors of its own
        raise OSError(f"{path} cannot be written: {one_line(error)}") from error


def pipe_csv(tables: Iterable[pa.Table], style: CsvStyle, *, byte_order_mark: bool) -> None:
    """Writes CSV to standard output, each table as it comes."""
    if sys.stdout is None:
        raise OSError("Standard output is closed.")
    write_csv(sys.stdout.buffer, tables, style, byte_order_mark=byte_order_mark)


def _write(
    path: Path,
    tables: Iterator[pa.Table],
    latitude: str,
    longitude: str,
    style: CsvStyle,
    *,
    byte_order_mark: bool = False,
) -> None:
    first = next(tables)
    rest = chain([first], tables)
    kind = output_format(path)
    if kind == "csv":
        with path.open("wb") as file:
            write_csv(file, rest, style, byte_order_mark=byte_order_mark)
    elif kind == "parquet" and not geometry_names(first.schema):
        with pa.parquet.ParquetWriter(path, first.schema) as writer:
            for group in _row_groups(rest):
                writer.write_table(group)
    else:
        _write_geographic(path, kind, pa.concat_tables(rest), latitude, longitude, style)


def _row_groups(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The tables joined into groups of at least `_ROW_GROUP_ROWS` rows; the last may have fewer."""
    group: list[pa.Table] = []
    for table in tables:
        group.append(table)
        if sum(each.num_rows for each in group) >= _ROW_GROUP_ROWS:
            yield pa.concat_tables(group).unify_dictionaries()
            group = []
    if group:
        yield pa.concat_tables(group).unify_dictionaries()


def one_line(error: Exception) -> str:
    """The message of an error without line breaks."""
    texts = error.args if isinstance(error, pa.ArrowInvalid) else [error]  # these would be shown as a tuple
    return " ".join(" ".join(map(str, texts)).split())


def write_csv(file: BinaryIO, tables: Iterable[pa.Table], style: CsvStyle, *, byte_order_mark: bool = False) -> None:
    """Writes tables as CSV.

    A geometry becomes the columns `latitude` and `longitude` of its point, or `latitude_` and `longitude_` if there is
    a column of one of these names.
    """
    file.write(_BYTE_ORDER_MARK if byte_order_mark else b"")
    for number, table in enumerate(tables):
        plain = with_texts_of_uuids(
            without_dictionaries(_with_coordinates(table) if geometry_names(table.schema) else table)
        )
        if number == 0:
            names = pa.table([[name] for name in plain.schema.names], plain.schema.names)
            file.write(_csv_lines(names, style))
        file.write(_csv_lines(plain, style))
        file.flush()


def _csv_lines(table: pa.Table, style: CsvStyle) -> bytes:
    """The rows as CSV that quotes only where it is needed, which pyarrow's own writer does not."""
    if table.num_columns == 0:  # of units that have a geometry alone
        return b""
    cells = (_csv_cells(table.column(index), name, style) for index, name in enumerate(table.schema.names))
    lines = _joined(style.written_separator, *cells)
    ended = _joined("\n", lines, _scalar(""))
    return b"".join(
        chunk.buffers()[2][: pc.sum(pc.binary_length(chunk)).as_py()] for chunk in ended.chunks if len(chunk) > 0
    )


def _csv_cells(column: pa.ChunkedArray, name: str, style: CsvStyle) -> pa.ChunkedArray:
    refusal = InvalidRequestError(f"CSV cannot have the column {name!r} of {column.type}: drop it, or write Parquet.")
    # Bytes would be cast as far as they happen to be UTF-8, the others to numbers without a unit.
    if any(name in str(column.type) for name in ("binary", "duration", "pandas.period")):
        raise refusal
    try:
        texts = column.cast(pa.large_string())
    except pa.ArrowNotImplementedError:
        raise refusal from None
    if pa.types.is_floating(column.type) or pa.types.is_decimal(column.type):
        texts = pc.replace_substring(texts, ".", style.decimal)
    needs_quotes = pc.match_substring_regex(texts, _TO_QUOTE.format(re.escape(style.written_separator)))
    if not pc.any(needs_quotes).as_py():
        return texts
    quoted = _joined("", _scalar('"'), pc.replace_substring(texts, '"', '""'), _scalar('"'))
    return pc.if_else(needs_quotes, quoted, texts)


def _joined(separator: str, *texts: pa.ChunkedArray | pa.Scalar) -> pa.ChunkedArray:
    return pc.binary_join_element_wise(*texts, _scalar(separator), null_handling="replace", null_replacement="")


def _scalar(text: str) -> pa.Scalar:
    return pa.scalar(text, pa.large_string())


def _write_geographic(path: Path, kind: str, table: pa.Table, latitude: str, longitude: str, style: CsvStyle) -> None:
    plain = _with_doubles(without_dictionaries(table))
    if kind != "parquet":
        plain = with_types_of_gdal(plain)
    if geometry_names(table.schema):
        frame = geographic_frame(plain)
    else:
        x, y = (numbers_of(plain.column(name), name, style.decimal) for name in (longitude, latitude))
        points = geopandas().GeoSeries.from_xy(x.to_numpy(), y.to_numpy(), crs=WGS_84)
        points[(points.x + points.y).isna()] = None
        # The index that pandas noted in a Parquet file stays a column: it would give the points to other rows.
        columns = plain.to_pandas(ignore_metadata=True, **pandas_types(json=True))
        name = free_name("geometry", plain.schema.names)
        frame = geopandas().GeoDataFrame(columns.assign(**{name: points}), geometry=name)
    if kind == "parquet":
        unnamed = path.with_name("without_models.parquet")
        frame.to_parquet(unnamed, index=False)
        _copy_parquet(unnamed, path, table.schema.metadata or {})
    else:
        write_layer(path, kind, frame)


def _copy_parquet(source: Path, target: Path, metadata: Mapping[bytes, bytes]) -> None:
    """Copies Parquet with the models of the metadata, which geopandas does not write."""
    models = {name: value for name, value in metadata.items() if name in MODEL_KEYS}
    with pa.parquet.ParquetFile(source) as file:
        schema = file.schema_arrow.with_metadata({**file.schema_arrow.metadata, **models})
        with pa.parquet.ParquetWriter(target, schema) as writer:
            for group in range(file.num_row_groups):
                writer.write_table(file.read_row_group(group))


def write_layer(path: Path, kind: str, frame: Any) -> None:  # noqa: ANN401 - geopandas is optional
    """Writes a frame of geopandas as GeoPackage or as GeoJSON, which is in WGS 84.

    Raises:
        InvalidRequestError: The frame has several geometries, or names of columns that differ only in case.
    """
    geometries = frame.columns[frame.dtypes == "geometry"]
    if len(geometries) > 1:
        raise InvalidRequestError(
            f"its format has one geometry, and the columns {', '.join(geometries)} have them: drop all but one of "
            "these, or write Parquet."
        )
    if same := _same_but_for_case([str(name) for name in frame.columns]):
        raise InvalidRequestError(f"in its format {' and '.join(same)} are one column: rename or drop one.")
    if kind == "geojson":
        frame.set_geometry(in_wgs_84(frame.geometry)).to_file(path, driver="GeoJSON", index=False, use_arrow=True)
    else:
        # A column with the name of the feature id would become the id and be lost as a column.
        names = [str(name) for name in frame.columns if name != frame.geometry.name]
        options = {"FID": free_name("fid", names), "GEOMETRY_NAME": free_name("geom", names)}
        frame.to_file(path, driver="GPKG", index=False, layer=path.stem, use_arrow=True, layer_options=options)


def _same_but_for_case(names: list[str]) -> list[str]:
    """The first names that differ only in case, which GDAL takes for one; none if there are none."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(name.lower(), []).append(name)
    return next((group for group in groups.values() if len(group) > 1), [])


def _with_coordinates(table: pa.Table) -> pa.Table:
    frame = geographic_frame(table)
    names = ["latitude", "longitude"]
    while not set(names).isdisjoint(table.schema.names):
        names = [f"{name}_" for name in names]
    for name, values in zip(names, coordinates_of(frame.geometry), strict=True):
        rounded = np.round(values.to_numpy(), _COORDINATE_DECIMALS)  # pyarrow's may differ from it in the last digit
        table = table.append_column(name, pa.array(rounded, from_pandas=True))
    geometries = geometry_names(table.schema)
    return table.select([name for name in table.schema.names if name not in geometries])


def _with_doubles(table: pa.Table) -> pa.Table:
    """The answer's probabilities as doubles of 4 decimals.

    Geographic files lack float32, or show it with more decimals.
    """
    for index, field in enumerate(table.schema):
        if field.name in ANSWER_NAMES and field.type == pa.float32():
            rounded = pc.round(table.column(index).cast(pa.float64()), 4)
            table = table.set_column(index, pa.field(field.name, pa.float64()), rounded)
    return table
