"""The progress of a command in a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text


def progress_bar(unit: str, console: Console) -> Progress:
    """A bar with the count and the rate of rows or cells, if the console is a terminal."""
    return Progress(
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.completed:,.0f} " + unit),
        _Rate(unit),
        TimeRemainingColumn(compact=True, elapsed_when_finished=True),
        console=console,
        disable=not console.is_terminal,
        transient=False,
    )


class _Rate(ProgressColumn):
    """Rows or cells a second."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self._unit = unit

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f} {self._unit}/s")
