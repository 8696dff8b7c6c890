"""What a run of the command reports at its end: rows by error code."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc
from rich.table import Table


@dataclass
class Summary:
    """Counts of the rows of a run, with the first row of each error code. Rows are counted from 1."""

    rows: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    first: dict[str, tuple[int, str]] = field(default_factory=dict)

    def add(self, answered: pa.Table) -> None:
        """Counts the rows of a part."""
        codes = answered.column("error_code").cast(pa.string())
        for count in pc.value_counts(codes.drop_null()).to_pylist():
            code = count["values"]
            self.failed[code] += count["counts"]
            if code not in self.first:
                position = pc.index(codes, code).as_py()
                self.first[code] = (self.rows + position + 1, answered.column("error_message")[position].as_py())
        self.rows += answered.num_rows

    def __str__(self) -> str:
        """One line."""
        failed = self.failed.total()
        return f"{self.rows:,} rows: {self.rows - failed:,} answered, {failed:,} failed"

    def table(self) -> Table:
        """The failed rows by code."""
        table = Table("error", "rows", "first row", "its message")
        for code, rows in self.failed.most_common():
            row, message = self.first[code]
            table.add_row(code, f"{rows:,}", f"{row:,}", message)
        return table
