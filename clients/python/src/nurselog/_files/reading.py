"""Files of sites as parts in order. CSV and Parquet are read as they are needed; others are held in memory."""

from __future__ import annotations

import codecs
import csv
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from nurselog._files.formats import PIPE, input_format, other_encoding, read_geoparquet, read_layer
from nurselog._files.geometry import arrow_table
from nurselog._table.frames import LocatedTable, coordinates_of
from nurselog.errors import InvalidRequestError

_PART_ROWS = 50_000
_PART_BYTES = 4 * 1024 * 1024
_DELIMITERS = ",;\t"

Part: TypeAlias = pa.Table | LocatedTable


class Source(Protocol):
    """A file of sites."""

    byte_order_mark: bool

    def rows(self) -> int | None:
        """The number of rows, estimated if the file must be read to count them; None if nothing is known."""

    def parts(self) -> Iterator[Part]:
        """The rows in order."""


def open_source(
    path: Path, encoding: str | None, layer: str | None, crs: str | None, separator: str | None = None
) -> Source:
    """Opens a file by its name.

    Args:
        path: A file, or PIPE.
        encoding: Of the text of a CSV file or a shapefile; by default what the shapefile states, or else utf-8.
        layer: Of a file with several layers.
        crs: The coordinate reference system of a geographic file that does not state it.
        separator: Of the columns of a CSV file; by default the one that its header has most of.

    Raises:
        InvalidRequestError: The file cannot be read.
    """
    kind = input_format(path)
    try:
        if kind == "csv":
            return _CsvSource(path, encoding or "utf-8", separator)
        if kind == "parquet":
            file = pyarrow.parquet.ParquetFile(path)
            is_geographic = b"geo" in (file.schema_arrow.metadata or {})
            if not is_geographic:
                return _ParquetSource(file)
            return _MemorySource(read_geoparquet(path), crs)
        frame = read_layer(path, layer, encoding)
        return _MemorySource(frame, crs)
    except InvalidRequestError as error:
        raise InvalidRequestError(f"{path} cannot be read: {error.message}") from None
    except Exception as error:  # of several libraries, without a common class
        raise InvalidRequestError(f"{path} cannot be read: {error}") from None


def after(parts: Iterator[Part], rows: int) -> Iterator[Part]:
    """The parts without the first `rows` rows of them all."""
    for part in parts:
        skipped = min(rows, count(part))
        rows -= skipped
        if skipped == 0 or skipped < count(part):
            yield _slice(part, skipped, count(part) - skipped)


def divided(parts: Iterator[Part], rows: Callable[[], int]) -> Iterator[Part]:
    """The parts divided into smaller ones; `rows` is called for the most rows of each."""
    for part in parts:
        start = 0
        while start < count(part) or start == 0:
            size = rows()
            yield _slice(part, start, size)
            start += size


def first_rows(part: Part, rows: int) -> Part:
    """The first rows of a part; with 0, a part with its columns and no rows."""
    return _slice(part, 0, rows)


def count(part: Part) -> int:
    """The number of rows."""
    return int((part.table if isinstance(part, LocatedTable) else part).num_rows)


class _CsvSource:
    """Reads every column as text, so that cells of the file are written as they were read."""

    def __init__(self, path: Path, encoding: str, separator: str | None) -> None:
        self._path, self._encoding = path, encoding
        self._file: Any = sys.stdin.buffer if path == PIPE else path.open("rb")
        self._size = None if path == PIPE else path.stat().st_size
        self._read_rows = 0
        header = self._header()
        self._delimiter = separator or max(_DELIMITERS, key=re.sub('"[^"]*"', "", header).count)
        try:
            self._names = next(csv.reader([header], delimiter=self._delimiter), [])
        except csv.Error:
            raise InvalidRequestError(
                "its header is not CSV: end lines with LF or CRLF, and close every quote."
            ) from None
        if not self._names:
            raise InvalidRequestError("it is empty; a header line with the names of the columns is needed.")

    def rows(self) -> int | None:
        if self._size is None or self._read_rows == 0:
            return None
        return int(self._read_rows * self._size / self._file.tell())

    def parts(self) -> Iterator[pa.Table]:
        # A missing cell is null, and written as one; "" is a text.
        types = {name: pa.string() for name in self._names}
        convert = pa.csv.ConvertOptions(
            column_types=types, strings_can_be_null=True, null_values=[""], quoted_strings_can_be_null=False
        )
        schema = pa.schema([(name, pa.string()) for name in self._names])
        if not self._file.peek(1):
            yield schema.empty_table()
            return
        if self._size is not None:
            self._file = self._native_file()
        try:
            reader = pa.csv.open_csv(
                self._file,
                pa.csv.ReadOptions(column_names=self._names, block_size=_PART_BYTES, encoding=self._encoding),
                pa.csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True),
                convert,
            )
            # A pipe cannot be read again for a check, and the batch after one may be long in coming.
            for batch in reader if self._size is None else self._without_open_quote(reader, self._size):
                self._read_rows += batch.num_rows
                yield pa.Table.from_batches([batch])
            if self._read_rows == 0:
                # Blank lines are no rows.
                yield schema.empty_table()
        except (pa.ArrowInvalid, pa.ArrowKeyError, UnicodeDecodeError) as error:
            raise InvalidRequestError(f"{self._path} cannot be read: {self._reason(error)}") from None

    def _without_open_quote(self, batches: Iterable[pa.RecordBatch], size: int) -> Iterator[pa.RecordBatch]:
        """The batches; refuses a last quote that is not closed, for pyarrow takes all lines after it for one cell."""
        for batch, following in pairwise(chain(batches, [None])):
            if following is None and batch.num_rows > 0 and "\n" in (batch.columns[-1][-1].as_py() or ""):
                with self._path.open("rb") as file:
                    file.seek(max(size - _PART_BYTES, 0))
                    is_closed = file.read().rstrip().endswith(b'"')
                if not is_closed:
                    row = self._read_rows + batch.num_rows
                    raise InvalidRequestError(f"{self._path} cannot be read: a quote is not closed, in row {row:,}.")
            yield batch

    def _native_file(self) -> pa.NativeFile:
        """The same file at the same position, as a file of pyarrow.

        A thread of pyarrow may still read it when Python exits. Reading a Python file then would abort the process.
        """
        native = pa.OSFile(os.fsencode(self._path))
        native.seek(self._file.tell())
        self._file.close()
        return native

    def _header(self) -> str:
        if "\n".encode(self._encoding).removeprefix(codecs.BOM_UTF8) != b"\n":
            raise InvalidRequestError(f"lines of {self._encoding} cannot be told apart: save the file as UTF-8.")
        line: bytes = self._file.readline(1024 * 1024)
        self.byte_order_mark = self._is_utf_8() and line.startswith(codecs.BOM_UTF8)
        while line in (b"\n", b"\r\n"):  # blank lines are no rows
            line = self._file.readline(1024 * 1024)
        while line.count(b'"') % 2 == 1 and (more := self._file.readline(1024 * 1024)):
            line += more
        try:
            return line.decode(self._encoding).removeprefix("\ufeff").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise InvalidRequestError(self._reason(error)) from None

    def _is_utf_8(self) -> bool:
        return codecs.lookup(self._encoding).name in ("utf-8", "utf-8-sig")

    def _reason(self, error: Exception) -> str:
        if "UTF8" in str(error) or "codec" in str(error):
            return other_encoding(self._encoding)
        return str(error)


class _ParquetSource:
    byte_order_mark = False

    def __init__(self, file: pyarrow.parquet.ParquetFile) -> None:
        self._file = file

    def rows(self) -> int:
        return int(self._file.metadata.num_rows)

    def parts(self) -> Iterator[pa.Table]:
        if self.rows() == 0:
            yield self._file.schema_arrow.empty_table()
        for batch in self._file.iter_batches(_PART_ROWS):
            yield pa.Table.from_batches([batch])


class _MemorySource:
    """A frame of geopandas, or of pandas for a layer without geometries."""

    byte_order_mark = False

    def __init__(self, frame: Any, crs: str | None) -> None:  # noqa: ANN401 - geopandas is optional
        self._whole: Part
        if not hasattr(frame, "geometry"):
            self._whole = pa.Table.from_pandas(frame, preserve_index=False)
            self._rows = len(frame)
            return
        if frame.crs is None:
            if crs is None:
                raise InvalidRequestError("it has no coordinate reference system: name it, such as --crs EPSG:26910.")
            frame = frame.set_crs(crs)
        self._whole, self._rows = LocatedTable(arrow_table(frame), *coordinates_of(frame.geometry)), len(frame)

    def rows(self) -> int:
        return self._rows

    def parts(self) -> Iterator[Part]:
        for start in range(0, max(self._rows, 1), _PART_ROWS):
            yield _slice(self._whole, start, _PART_ROWS)


def _slice(part: Part, start: int, rows: int) -> Part:
    if isinstance(part, LocatedTable):
        return LocatedTable(
            part.table.slice(start, rows), part.latitude.slice(start, rows), part.longitude.slice(start, rows)
        )
    return part.slice(start, rows)
