"""How the rows of a table get their answers: pieces, and what is asked again after a failure. No input and output."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import httpx
import pyarrow as pa

from nurselog._calls.batches import MAX_BATCH_SITES
from nurselog._calls.exchange import Outcome, RetryPolicy, address_of, error_of_response, error_without_response
from nurselog._calls.operations import other_type, unexpected
from nurselog._table.columns import conform
from nurselog.errors import BatchTooLargeError, ConnectionFailedError, NurselogError, PayloadTooLargeError

_ARROW_STREAM = "application/vnd.apache.arrow.stream"

# Uncompressed: about 100 bytes a row arrive faster than they are compressed and decompressed.
_HEADERS = {"Content-Type": _ARROW_STREAM, "Accept": _ARROW_STREAM, "Accept-Encoding": "identity"}

PIECE_ROWS = 50_000
"""The most rows of a request: several in flight keep the service busy, and a failure costs little."""

# A tier with a limit on batches refuses this size, so that its limit is known before larger pieces are made.
_FIRST_ROWS = MAX_BATCH_SITES + 1


class TableLimits:
    """How many rows a request may have, learned from refusals. Shared by the calls of a client."""

    def __init__(self) -> None:
        """Assumes the tier without limits, and tries a small piece first."""
        self.rows = PIECE_ROWS
        self.is_known = False

    @property
    def next_rows(self) -> int:
        """The rows of the next piece."""
        return self.rows if self.is_known else min(_FIRST_ROWS, self.rows)

    def lower(self, error: NurselogError, rows: int, size: int) -> bool:
        """Learns from the refusal of a piece of `rows` rows and `size` bytes; False if fewer rows would not help."""
        limit: Any = None
        if isinstance(error, BatchTooLargeError):
            limit = error.details.get("tier_limit")
        elif isinstance(error, PayloadTooLargeError):
            limit_bytes = error.details.get("limit_bytes")
            fitting = rows * limit_bytes // size if isinstance(limit_bytes, int) else rows
            limit = min(fitting, rows // 2)
        if not isinstance(limit, int) or not 0 < limit < rows:
            return False
        self.rows = min(self.rows, limit)
        return True


@dataclass(frozen=True)
class TableRequest:
    """One request of a table."""

    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Reply:
    """A response or the reason why there is none, and the bytes of the table that arrived."""

    outcome: Outcome
    content: bytes | bytearray = b""


Step: TypeAlias = tuple[float, TableRequest]
"""Seconds to wait, and the request to send then."""


def table_exchange(
    sites: pa.Table, path: str, schema: pa.Schema, limits: TableLimits, policy: RetryPolicy
) -> Generator[Step, Reply, pa.Table]:
    """Asks for all rows of `sites`, and after a failure for those without an answer.

    A piece that is too large is sent in parts. Complete record batches of a truncated response are kept, and the count
    of attempts starts again after them.

    Yields:
        What to send and when; its reply is sent to the generator.

    Returns:
        A row of the columns of `schema` for each row of `sites`, in their order.

    Raises:
        NurselogError: The final error, with the answers that arrived before it.
    """
    answers = [schema.empty_table()]
    done = attempt = 0
    delay_s = 0.0
    while done < sites.num_rows:
        piece = sites.slice(done, limits.rows)
        request = table_request(piece, path)
        reply = yield delay_s, request
        gained, error = _read(reply, piece.num_rows, schema)
        done += gained.num_rows
        if gained.num_rows > 0:
            limits.is_known = True
            answers.append(gained)
            attempt = 0
        if error is None or limits.lower(error, piece.num_rows, len(request.body)):
            delay_s = 0.0
            continue
        next_delay_s = policy.delay_s(attempt, error)
        if next_delay_s is None:
            if done > 0:
                error._answers = _joined(answers)
            raise error
        delay_s = next_delay_s
        attempt += 1
    return _joined(answers)


def table_request(sites: pa.Table, path: str) -> TableRequest:
    """The request for the rows of a table."""
    # A slice keeps the dictionary of the whole table: each is encoded again with its own values.
    columns = [
        column.cast(pa.string()).dictionary_encode() if pa.types.is_dictionary(column.type) else column
        for column in sites.columns
    ]
    table = pa.table(columns, sites.schema.names).combine_chunks()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return TableRequest(path, _HEADERS, sink.getvalue().to_pybytes())


def _joined(answers: Sequence[pa.Table]) -> pa.Table:
    metadata = answers[-1].schema.metadata
    return pa.concat_tables([answer.replace_schema_metadata(metadata) for answer in answers])


def _read(reply: Reply, rows: int, schema: pa.Schema) -> tuple[pa.Table, NurselogError | None]:
    """The rows that arrived whole, and the error if they are not all."""
    empty, response = schema.empty_table(), reply.outcome
    if isinstance(response, httpx.RequestError):
        return empty, error_without_response(response)
    if response.status_code != 200:
        return empty, error_of_response(response)
    if (error := other_type(response, _ARROW_STREAM)) is not None:
        return empty, error
    batches = _complete_batches(reply.content)
    try:
        answer = conform(pa.Table.from_batches(batches), schema) if batches else empty
    except (KeyError, pa.ArrowInvalid, pa.ArrowNotImplementedError) as reason:
        return empty, unexpected(response, f"It is not the table that was asked for: {reason}.")
    if answer.num_rows > rows:
        return empty, unexpected(response, f"It has {answer.num_rows} rows for {rows} sites.")
    if answer.num_rows == rows:
        return answer, None
    end = f"the connection ended after {answer.num_rows} of {rows} rows"
    return answer, ConnectionFailedError(
        f"No whole response from {address_of(response.url)}: {end}.",
        request_id=response.headers.get("x-request-id"),
    )


def _complete_batches(content: bytes | bytearray) -> Sequence[pa.RecordBatch]:
    """The record batches of a stream up to where it breaks off."""
    batches: list[pa.RecordBatch] = []
    try:
        with pa.ipc.open_stream(pa.py_buffer(content)) as reader:
            while True:
                batches.append(reader.read_next_batch())
    except (StopIteration, pa.ArrowInvalid, OSError):
        return batches
