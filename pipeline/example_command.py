"""``python -m pipeline example``: writes a real table of outcomes, to try the commands that read one.

Western redcedars around Puget Sound (Open Redcedar Adaptation Network, CC0), a row per tree.
"""

from pathlib import Path

from pipeline.evaluation.evidence.example import example_table
from pipeline.grid.arrow_file import read_grid
from pipeline.grid.data_files import GRID


def run(output: Path) -> None:
    """Write the table as CSV."""
    table = example_table(read_grid(GRID))
    output.write_bytes(table)
    print(f"wrote {len(table.splitlines()) - 1} trees to {output}")
