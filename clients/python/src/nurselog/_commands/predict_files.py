"""The work of `nurselog predict`: from a file of sites to a file of answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
from rich.console import Console

from nurselog._client import Client
from nurselog._commands.progress import progress_bar
from nurselog._files.formats import PIPE, CsvStyle, files_of, output_format, refuse_overwriting
from nurselog._files.partial import PartialOutput
from nurselog._files.reading import Part, Source, after, divided, first_rows, open_source
from nurselog._files.summary import Summary
from nurselog._files.writing import check_writable, pipe_csv, write_file
from nurselog._table.calls import without_rows
from nurselog._table.columns import with_models
from nurselog.errors import InvalidRequestError, NurselogError

# The most rows whose answers are lost for each request in flight if a run ends early.
_PART_ROWS = 20_000


@dataclass(frozen=True)
class Job:
    """A file to predict. `options` are those of `Client.predict_tables`."""

    source: Path
    output: Path
    options: dict[str, Any]
    encoding: str | None
    layer: str | None
    crs: str | None
    style: CsvStyle = field(default_factory=CsvStyle)

    def identity(self) -> dict[str, object]:
        """What must be the same for a run to continue another."""
        options = {name: value for name, value in self.options.items() if name != "concurrency"}
        stats = {path: path.stat() for path in files_of(self.source)}
        return {
            "source": [[str(path.resolve()), stat.st_size, stat.st_mtime_ns] for path, stat in stats.items()],
            "options": options,
            "encoding": self.encoding,
            "layer": self.layer,
            "crs": self.crs,
            "separator": self.style.separator,
        }


class UnfinishedError(Exception):
    """A run that ended early but kept answered rows; its cause is the error."""


def predict_file(job: Job, *, resume: bool, console: Console) -> Summary:
    """Predicts the rows of a file and writes them with their answers.

    Args:
        job: What to do.
        resume: Whether to continue an earlier run of the same job.
        console: Where the progress is shown if it is a terminal.

    Raises:
        InvalidRequestError: The file cannot be read, lacks columns, has columns that the output format cannot have,
            is the output, or the job cannot be resumed. Nothing was sent.
        OSError: The output cannot be written; the answered rows are kept.
        NurselogError: The service refused or could not be reached; UnfinishedError where rows were answered before.
        UnfinishedError: The run ended early.
    """
    output_format(job.output)
    refuse_overwriting(job.source, job.output)
    if resume and PIPE in (job.source, job.output):
        raise InvalidRequestError("A pipe cannot be resumed.")
    source = open_source(job.source, job.encoding, job.layer, job.crs, job.style.separator)
    parts = source.parts()
    first = next(parts)
    _check_columns(job, first)
    parts = chain([first], parts)
    if job.output == PIPE:
        summary = Summary()
        answered = _answered(job, source, parts, 0, summary, console)
        pipe_csv(answered, job.style, byte_order_mark=source.byte_order_mark)
        return summary
    identity = {} if job.source == PIPE else job.identity()
    partial = PartialOutput(job.output, identity)
    partial.start(resume=resume)
    try:
        try:
            for table in _answered(job, source, parts, partial.rows, Summary(), console):
                partial.add(table)
        finally:
            partial.close()
    except (NurselogError, KeyboardInterrupt, SystemExit, OSError) as error:
        named = OSError(f"{job.output} cannot be written: {error}") if isinstance(error, OSError) else error
        if partial.rows == 0 or job.source == PIPE:
            partial.remove()
            if named is error:
                raise
            raise named from error
        raise _with_remark(named, partial) from error
    summary = Summary()
    for table in partial.tables():
        summary.add(table)
    try:
        write_file(
            job.output,
            (with_models(table, summary.models) for table in partial.tables()),
            job.options["latitude"],
            job.options["longitude"],
            job.style,
            byte_order_mark=source.byte_order_mark,
        )
    except (OSError, KeyboardInterrupt, SystemExit) as error:
        if job.source == PIPE:
            raise
        raise _with_remark(error, partial) from error
    partial.remove()
    return summary


def _with_remark(error: BaseException, partial: PartialOutput) -> Exception:
    """What to raise for an error after which answered rows are kept."""
    remark = partial.remark()
    return OSError(f"{error}. {remark}") if isinstance(error, OSError) else UnfinishedError(remark)


def _check_columns(job: Job, part: Part) -> None:
    """Refuses, before anything is sent, columns that cannot be predicted or that the output cannot have."""
    table = without_rows(first_rows(part, 0), **job.options)
    check_writable(job.output, table, job.options["latitude"], job.options["longitude"], job.style)


def _answered(
    job: Job, source: Source, parts: Iterator[Part], done: int, summary: Summary, console: Console
) -> Iterator[pa.Table]:
    """The parts after `done` rows with their answers."""
    with (
        Client() as client,
        progress_bar("rows", console) as progress,
    ):
        task = progress.add_task("rows", total=source.rows(), completed=done)
        parts = divided(after(parts, done), lambda: min(client._table_limits.next_rows, _PART_ROWS))
        for table in _with_last_answers(client, parts, job.options):
            summary.add(table)
            progress.update(task, advance=table.num_rows, total=source.rows())
            yield table
        progress.update(task, total=done + summary.rows)


def _with_last_answers(client: Client, parts: Iterator[Part], options: dict[str, Any]) -> Iterator[pa.Table]:
    """The answered parts; before an error is raised, the answered rows of the part that failed."""
    try:
        yield from client.predict_tables(parts, **options)
    except NurselogError as error:
        if error.answered is not None:
            yield error.answered
        raise
