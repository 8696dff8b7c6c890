"""Frames of pandas, polars, pyarrow and geopandas behind one interface. Only the libraries of given frames are used."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any, Protocol, TypeVar

import pyarrow as pa

from nurselog._table.columns import without_dictionaries, without_models
from nurselog.errors import InvalidRequestError

Frame = TypeVar("Frame")
"""A `pandas.DataFrame`, `geopandas.GeoDataFrame`, `polars.DataFrame`, `pyarrow.Table` or `pyarrow.RecordBatch`.

`predict_table` also takes a `polars.LazyFrame`, or an object with `__arrow_c_stream__`.
"""

WGS_84 = "EPSG:4326"


@dataclass(frozen=True)
class LocatedTable:
    """A table of Arrow with coordinates that are not among its columns; NaN where there are none."""

    table: pa.Table
    latitude: pa.Array
    longitude: pa.Array


class Adapter(Protocol):
    """The interface through which frames of all libraries are read and extended."""

    names: list[Any]
    rows: int

    def column(self, name: str) -> pa.ChunkedArray | pa.Array:
        """A column that `names` has once, as Arrow."""

    def coordinates(self) -> tuple[pa.Array, pa.Array] | None:
        """Latitudes and longitudes by the frame's geometry, NaN where it is missing or empty; None without one."""

    def with_answer(self, answer: pa.Table) -> Any:  # noqa: ANN401 - the kind of frame that was given
        """The first rows of the frame, as many as the answer has, with its columns added; the frame is unchanged."""


def adapt(frame: object, *, categories: bool = True, decimal: str = ".") -> Adapter:
    """The adapter of a frame. Without `categories` texts of the answer are plain strings.

    Numbers among texts become texts with the sign `decimal`.

    Raises:
        TypeError: It is no frame of a library that this client knows.
    """
    if isinstance(frame, (pa.Table, pa.RecordBatch)):
        return _ArrowFrame(frame, categories)
    if isinstance(frame, LocatedTable):
        return _LocatedFrame(frame, categories)
    # A frame of a library exists only where the library was imported.
    polars, pandas, geopandas = (sys.modules.get(name) for name in ("polars", "pandas", "geopandas"))
    if polars is not None and isinstance(frame, polars.DataFrame):
        return _PolarsFrame(frame, categories)
    if geopandas is not None and isinstance(frame, geopandas.GeoDataFrame):
        return _GeoFrame(frame, categories, decimal)
    if pandas is not None and isinstance(frame, pandas.DataFrame):
        return _PandasFrame(frame, categories, decimal)
    if polars is not None and isinstance(frame, polars.LazyFrame):
        return _PolarsFrame(frame.collect(), categories)
    stream = _opened(frame) if hasattr(frame, "__arrow_c_stream__") else None
    if stream is not None:
        return _ArrowFrame(stream.read_all(), categories)
    raise TypeError(
        "the frame must be a pandas, polars or geopandas DataFrame, a pyarrow Table or RecordBatch, or a stream of "
        f"Arrow, not {type(frame).__module__}.{type(frame).__qualname__}"
    )


def _opened(frame: object) -> pa.RecordBatchReader | None:
    """The stream of a table; None for one of single values, such as that of a Series."""
    try:
        return pa.RecordBatchReader.from_stream(frame)
    except pa.ArrowInvalid:
        return None


class _ArrowFrame:
    def __init__(self, frame: pa.Table | pa.RecordBatch, categories: bool) -> None:
        self._frame, self._categories = frame, categories
        self.names, self.rows = frame.schema.names, frame.num_rows

    def column(self, name: str) -> pa.ChunkedArray | pa.Array:
        return self._frame.column(name)

    def coordinates(self) -> tuple[pa.Array, pa.Array] | None:
        return None

    def with_answer(self, answer: pa.Table) -> pa.Table | pa.RecordBatch:
        if not self._categories:
            answer = without_dictionaries(answer)
        metadata = {**without_models(self._frame), **(answer.schema.metadata or {})}
        schema = pa.schema([*self._frame.schema, *answer.schema], metadata or None)
        frame = self._frame.slice(0, answer.num_rows)
        if isinstance(frame, pa.Table):
            return pa.Table.from_arrays([*frame.columns, *answer.columns], schema=schema)
        columns = [column.combine_chunks() for column in answer.unify_dictionaries().columns]
        return pa.RecordBatch.from_arrays([*frame.columns, *columns], schema=schema)


class _LocatedFrame(_ArrowFrame):
    def __init__(self, frame: LocatedTable, categories: bool) -> None:
        super().__init__(frame.table, categories)
        self._coordinates = frame.latitude, frame.longitude

    def coordinates(self) -> tuple[pa.Array, pa.Array]:
        return self._coordinates


class _PolarsFrame:
    def __init__(self, frame: Any, categories: bool) -> None:  # noqa: ANN401 - polars is optional
        self._frame, self._categories = frame, categories
        self.names, self.rows = frame.columns, frame.height

    def column(self, name: str) -> pa.ChunkedArray | pa.Array:
        column = self._frame.get_column(name)
        try:
            return column.to_arrow()
        except (pa.ArrowException, sys.modules["polars"].exceptions.PolarsError) as error:
            raise InvalidRequestError(f"The column {name!r} of {column.dtype} cannot be read: {error}.") from None

    def coordinates(self) -> None:
        return None

    def with_answer(self, answer: pa.Table) -> Any:  # noqa: ANN401
        answer = answer.unify_dictionaries() if self._categories else without_dictionaries(answer)
        return self._frame.head(answer.num_rows).hstack(sys.modules["polars"].from_arrow(answer))


class _PandasFrame:
    def __init__(self, frame: Any, categories: bool, decimal: str) -> None:  # noqa: ANN401 - pandas is optional
        self._frame, self._categories, self._decimal = frame, categories, decimal
        self.names, self.rows = list(frame.columns), len(frame)

    def column(self, name: str) -> pa.ChunkedArray | pa.Array:
        try:
            return pa.array(self._frame[name], from_pandas=True)
        except (pa.ArrowException, OverflowError):
            # Cells of several types, as spreadsheets have: those that are not a number or code become error rows.
            texts = self._frame[name].map(self._text, na_action="ignore")
            return pa.array(texts.astype("string"), from_pandas=True)

    def _text(self, cell: object) -> str:
        return str(cell).replace(".", self._decimal) if isinstance(cell, (Real, Decimal)) else str(cell)

    def coordinates(self) -> tuple[pa.Array, pa.Array] | None:
        return None

    def with_answer(self, answer: pa.Table) -> Any:  # noqa: ANN401
        answer = answer.unify_dictionaries() if self._categories else without_dictionaries(answer)
        # Without metadata, which in a table made from pandas describes another frame.
        columns = answer.replace_schema_metadata(None).to_pandas(split_blocks=True)
        frame = self._frame.iloc[: answer.num_rows]
        columns.index = frame.index
        return frame.assign(**dict(columns.items()))


class _GeoFrame(_PandasFrame):
    def coordinates(self) -> tuple[pa.Array, pa.Array] | None:
        # Without an active geometry it may have columns of coordinates.
        return None if self._frame.active_geometry_name is None else coordinates_of(self._frame.geometry)


def in_wgs_84(geometry: Any) -> Any:  # noqa: ANN401 - geopandas is optional
    """A GeoSeries in WGS 84. Geometries with Z and M lose M, since geopandas would make both NaN."""
    shapely = sys.modules["shapely"]
    dimensions = shapely.get_coordinate_dimension(geometry.to_numpy())
    if (dimensions == 4).any():
        values = shapely.from_wkb(shapely.to_wkb(geometry.to_numpy(), output_dimension=3))
        geometry = type(geometry)(values, index=geometry.index, name=geometry.name, crs=geometry.crs)
    return geometry.to_crs(WGS_84)


def coordinates_of(geometry: Any) -> tuple[pa.Array, pa.Array]:  # noqa: ANN401 - geopandas is optional
    """Latitudes and longitudes of a GeoSeries: of its points, or the representative points of other geometries.

    Raises:
        InvalidRequestError: It has no coordinate reference system, or geometries without a place in WGS 84.
    """
    if geometry.crs is None:
        raise InvalidRequestError(
            'The frame has no coordinate reference system: name it by set_crs, such as set_crs("EPSG:4326").'
        )
    try:
        if not (geometry.geom_type.dropna() == "Point").all():
            geometry = geometry.representative_point()
        points = geometry.to_crs(WGS_84)
    except Exception as error:  # of pyproj and shapely, without a common class
        raise InvalidRequestError(f"The column {geometry.name!r} has no places in WGS 84: {error}.") from None
    return pa.array(points.y.to_numpy(), pa.float64()), pa.array(points.x.to_numpy(), pa.float64())
