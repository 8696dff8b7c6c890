"""The calls with tables without input and output: the pieces to ask for, and what becomes of their answers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, Generic, Literal

import pyarrow as pa

from nurselog._calls.arguments import check_type, checked_progress
from nurselog._calls.batches import checked_concurrency
from nurselog._table.columns import with_models
from nurselog._table.exchange import TableLimits
from nurselog._table.frames import Adapter, Frame, adapt
from nurselog._table.query import TableQuery, table_query
from nurselog._table.sites import OTHER_DECIMAL, SiteColumns, quoting_cells, sites_of
from nurselog.errors import NurselogError


class TableCall(Generic[Frame]):
    """A table as pieces of a size that the service takes, answered in their order."""

    def __init__(
        self,
        adapter: Adapter,
        columns: SiteColumns,
        query: TableQuery,
        concurrency: int,
        progress: Callable[[int, int], object] | None,
    ) -> None:
        """Reads the columns that are sent."""
        self._adapter, self._columns, self._sites = adapter, columns, sites_of(adapter, columns)
        self.query, self.concurrency = query, checked_concurrency(concurrency)
        self._progress = checked_progress(progress)
        self._answers: list[pa.Table] = []
        self._done = 0

    def pieces(self, limits: TableLimits) -> Iterator[pa.Table]:
        """The sites in order, in pieces whose size is decided when each is taken."""
        start = 0
        while start < self._sites.num_rows:
            rows = limits.next_rows
            yield self._sites.slice(start, rows)
            start += rows

    def add(self, answer: pa.Table) -> None:
        """Takes the answer to the next piece."""
        self._answers.append(answer)
        self._done += answer.num_rows
        self._progress(self._done, self._sites.num_rows)

    def finish(self) -> Frame:
        """The first rows of the frame, as many as were answered, with their answers."""
        parts = (answer.replace_schema_metadata(None) for answer in self._answers)
        whole = pa.concat_tables([self.query.schema.empty_table(), *parts])
        whole = with_models(whole, [answer.schema.metadata[b"model"] for answer in self._answers])
        framed: Frame = self._adapter.with_answer(quoting_cells(whole, self._adapter, self._columns))
        return framed

    def fail(self, error: NurselogError) -> None:
        """Adds the answered rows to the error of a piece: those of earlier pieces, and the first ones of this piece."""
        if error._answers is not None:
            self._answers.append(error._answers)
        if self._answers:
            error.answered = self.finish()


class TablesCall(Generic[Frame]):
    """Tables of an iterator, each of which is a piece."""

    def __init__(
        self, frames: Iterable[Frame], columns: SiteColumns, query: TableQuery, concurrency: int, categories: bool
    ) -> None:
        """Takes no frame yet."""
        self._frames, self._columns, self._categories = frames, columns, categories
        self._waiting: deque[Adapter] = deque()
        self.query, self.concurrency = query, checked_concurrency(concurrency)

    def pieces(self, _: TableLimits) -> Iterator[pa.Table]:
        """The sites of each frame; large ones are divided where they are sent."""
        # A column of a part may have no numbers, but the first part is refused if they have the other decimal sign.
        refused: str | None = OTHER_DECIMAL
        for frame in self._frames:
            adapter = adapt(frame, categories=self._categories, decimal=self._columns.decimal)
            sites = sites_of(adapter, self._columns, refused)
            refused = None
            self._waiting.append(adapter)
            yield sites

    def finish(self, answer: pa.Table) -> Frame:
        """The next frame with its answer."""
        adapter = self._waiting.popleft()
        framed: Frame = adapter.with_answer(quoting_cells(answer, adapter, self._columns))
        return framed

    def fail(self, error: NurselogError) -> None:
        """Adds the answered rows of a frame to its error."""
        if error._answers is not None:
            error.answered = self.finish(error._answers)


def predict_table(
    frame: Frame,
    *,
    latitude: str = "latitude",
    longitude: str = "longitude",
    species_code: str = "species_code",
    planting_method: str = "planting_method",
    elevation_m: str | float | None = None,
    vegetation_control: str | float | None = None,
    overstory_cover: str | float | None = None,
    seeds_per_spot: str | float | None = None,
    horizons: Sequence[int] | None = None,
    include: Sequence[Literal["intervals"]] | None = None,
    warming_c: float | None = None,
    precipitation_change_percent: float | None = None,
    categories: bool = True,
    decimal: str = ".",
    concurrency: int = 4,
    progress: Callable[[int, int], object] | None = None,
) -> TableCall[Frame]:
    """Predicts survival for each row of a table, and returns the table with the columns of the answer.

    The rows keep their order, their index and all their columns, which are not sent unless they are named here. A row
    that cannot be answered, such as one without coordinates, has `error_code` and `error_message`; the other columns of
    the answer are empty in it.

    Args:
        frame: A pandas, polars or geopandas DataFrame, or a pyarrow Table or RecordBatch. A LazyFrame of polars comes
            back as a DataFrame; any other stream of Arrow, such as a relation of DuckDB or a RecordBatchReader, as a
            pyarrow Table. The geometry of a geopandas frame, in any reference system, is used in place of the columns
            of coordinates: points, and of other geometries the representative point, which is inside a polygon.
        latitude: The column of degrees north.
        longitude: The column of degrees east.
        species_code: The column of the code of the species, or a code for all rows, such as "PSME".
        planting_method: The column of the method, or "manual" or "drone_seeded" for all rows.
        elevation_m: The column of the site's own elevation in metres, or a number for all rows; empty cells are none.
        vegetation_control: The same for the control of competing vegetation, from 0 (none) to 1 (complete).
        overstory_cover: The same for the cover of trees that stand above the planting, percent.
        seeds_per_spot: The same for the viable seeds of a pod, 1 to 10,000; without effect for `manual`.
        horizons: Years after planting, of 1, 3 and 5; by default all.
        include: ["intervals"] adds the bounds of each survival as `low_…` and `high_…`.
        warming_c: Degrees Celsius of a changed climate.
        precipitation_change_percent: Percent of precipitation of a changed climate.
        categories: Whether the texts of the answer are categories (dictionaries) or plain strings, which parts of a
            larger data set can share.
        decimal: The decimal sign of numbers that are texts: "." or ",".
        concurrency: The most pieces of the table in flight at a time.
        progress: Called with the number of answered rows and the number of all rows.

    Raises:
        InvalidRequestError: A column is missing, of a wrong type, or named like one of the answer. Nothing was sent.
        NurselogError: A piece failed after all retries; one subclass for each error code. Its `answered` is the table
            up to the first row without an answer.
        TypeError: `frame` is none of these, or another argument is of a wrong type.
    """
    columns, query = _columns_and_query(locals())
    return TableCall(
        adapt(frame, categories=categories, decimal=columns.decimal), columns, query, concurrency, progress
    )


def predict_tables(
    frames: Iterable[Frame],
    *,
    latitude: str = "latitude",
    longitude: str = "longitude",
    species_code: str = "species_code",
    planting_method: str = "planting_method",
    elevation_m: str | float | None = None,
    vegetation_control: str | float | None = None,
    overstory_cover: str | float | None = None,
    seeds_per_spot: str | float | None = None,
    horizons: Sequence[int] | None = None,
    include: Sequence[Literal["intervals"]] | None = None,
    warming_c: float | None = None,
    precipitation_change_percent: float | None = None,
    categories: bool = True,
    decimal: str = ".",
    concurrency: int = 4,
) -> TablesCall[Frame]:
    """Predicts survival for the parts of a table that is larger than the memory, one after the other.

    Arguments and errors are those of `predict_table`, except that a column without numbers is refused only if the first
    part has numbers with the other decimal sign in it: later parts may have numbers. `answered` of an error has the
    answered rows of its part. Parts are taken from `frames` as they are needed: at most one more than `concurrency` are
    held at a time. Parts of 10,000 to 50,000 rows are a good size.

    Returns:
        An iterator of the parts with the columns of the answer, in their order.
    """
    check_type("frames", frames, Iterable, "an iterable of frames")
    columns, query = _columns_and_query(locals())
    return TablesCall(frames, columns, query, concurrency, categories)


def without_rows(frame: Frame, **options: Any) -> Frame:  # noqa: ANN401
    """The columns of a part of `predict_tables` with those of the answer. Nothing is sent.

    Raises:
        InvalidRequestError: As of `predict_tables`.
    """
    call = predict_tables([frame], **options)
    for _ in call.pieces(TableLimits()):
        pass
    return call.finish(call.query.schema.empty_table())


def _columns_and_query(options: Mapping[str, Any]) -> tuple[SiteColumns, TableQuery]:
    """The columns and the query in the arguments of a call, by name."""
    columns = SiteColumns(**{column.name: options[column.name] for column in fields(SiteColumns)})
    named = ("horizons", "include", "warming_c", "precipitation_change_percent")
    return columns, table_query(*(options[name] for name in named))
