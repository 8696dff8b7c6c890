"""What a run reports at its end: rows of a table, or cells of a raster, by error code."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc
from rich.table import Table

from nurselog.errors import printable


@dataclass
class Summary:
    """Counts of the rows or cells of a run. `first` has the position, from 1, and message of the first of each code."""

    rows: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    first: dict[str, tuple[int, str]] = field(default_factory=dict)
    unit: Literal["rows", "cells"] = "rows"
    models: Counter[bytes] = field(default_factory=Counter)
    """Rows by the models that answered them, as JSON."""

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
        model = (answered.schema.metadata or {}).get(b"model")
        if model is not None and answered.num_rows > 0:
            self.models[model] += answered.num_rows

    def __str__(self) -> str:
        """One line."""
        failed = self.failed.total()
        unit = self.unit.removesuffix("s") if self.rows == 1 else self.unit
        return f"{self.rows:,} {unit}: {self.rows - failed:,} answered, {failed:,} failed"

    def warning(self) -> str | None:
        """A warning if several models answered the rows or cells; else None."""
        if len(self.models) < 2:
            return None
        versions = ", ".join(f"{json.loads(model)['version']} ({n:,} {self.unit})" for model, n in self.models.items())
        return (
            f"The models changed before all {self.unit} were answered: {versions}. "
            "Start anew for answers of one version."
        )

    def table(self) -> Table:
        """The failed rows by code."""
        positions = ["first row"] if self.unit == "rows" else []
        table = Table("error", self.unit, *positions, "its message")
        for code, rows in self.failed.most_common():
            row, message = self.first[code]
            table.add_row(printable(code), f"{rows:,}", *(f"{row:,}" for _ in positions), printable(message))
        return table
