"""The record of unfinished work: answered rows beside the output, as streams of Arrow one after the other.

The whole record batches of a truncated stream are kept: the next run cuts off the rest and appends another stream.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa

from nurselog.errors import InvalidRequestError

_JOB = b"nurselog_job"
_END_OF_STREAM = b"\xff\xff\xff\xff\x00\x00\x00\x00"


class PartialOutput:
    """Answered rows of a job that is not finished.

    Args:
        output: The file that will be written.
        job: What identifies the job: its input and options.
    """

    def __init__(self, output: Path, job: Mapping[str, object]) -> None:
        """Opens nothing yet."""
        self.path = output.with_name(f"{output.name}.partial")
        self._job = json.dumps(job, sort_keys=True).encode()
        self._writer: pa.ipc.RecordBatchStreamWriter | None = None
        self._schema: pa.Schema
        self.rows = 0

    def start(self, *, resume: bool) -> None:
        """Starts an empty file or, with `resume`, continues after the rows of an earlier run.

        Raises:
            InvalidRequestError: The earlier run had another input or other options.
        """
        end = 0
        if resume and self.path.exists():
            for batch, position in self._batches():
                self.rows += batch.num_rows
                end = position
        self._file = self.path.open("r+b" if end else "wb")
        self._file.truncate(end)
        self._file.seek(end)
        if end:
            self._file.write(_END_OF_STREAM)

    def add(self, table: pa.Table) -> None:
        """Adds answered rows, in a stream of their own if other models answered them."""
        table = table.replace_schema_metadata({**(table.schema.metadata or {}), _JOB: self._job})
        if self._writer is not None and table.schema.metadata != self._schema.metadata:
            self._writer.close()
            self._writer = None
        if self._writer is None:
            self._schema = table.schema
            self._writer = pa.ipc.new_stream(self._file, self._schema)
        # Of an empty chunk of a slice, the texts of the whole file would be written.
        self._writer.write_table(table.combine_chunks())
        self._file.flush()
        self.rows += table.num_rows

    def close(self) -> None:
        """Closes the file; its rows stay."""
        if self._writer is not None:
            self._writer.close()
        self._file.close()

    def tables(self) -> Iterator[pa.Table]:
        """The rows in order, after `close`; a table without rows if there are none.

        Raises:
            OSError: Rows that were added are not in the file any more.
        """
        rows = 0
        tables = (pa.Table.from_batches([batch]) for batch, _ in self._batches())
        for table in tables if self.rows > 0 else [self._schema.empty_table()]:
            rows += table.num_rows
            metadata = {name: value for name, value in table.schema.metadata.items() if name != _JOB}
            yield table.replace_schema_metadata(metadata)
        if rows != self.rows:
            raise OSError(
                f"{self.path} has {rows:,} of {self.rows:,} answered rows: does another run write the same output?"
            )

    def remark(self) -> str:
        """The message for a run that ends without its output."""
        return f"{self.rows:,} answered rows are kept: --resume continues."

    def remove(self) -> None:
        """Removes the file."""
        self.path.unlink(missing_ok=True)

    def _batches(self) -> Iterator[tuple[pa.RecordBatch, int]]:
        """The whole record batches, each with the position of its end in the file."""
        with pa.OSFile(os.fsencode(self.path)) as file:
            while file.tell() < file.size():
                try:
                    reader = pa.ipc.open_stream(file)
                    if (reader.schema.metadata or {}).get(_JOB) != self._job:
                        raise InvalidRequestError(
                            f"{self.path} has rows of another input or other options: "
                            "run without --resume to start anew."
                        )
                    while True:
                        try:
                            batch = reader.read_next_batch()
                        except StopIteration:
                            break
                        yield batch, file.tell()
                except (pa.ArrowInvalid, OSError):
                    return
