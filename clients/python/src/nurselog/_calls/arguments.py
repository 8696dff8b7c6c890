"""Checks of arguments from which a call itself makes something. The service names those that are sent to it as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from numbers import Real
from typing import Any

import numpy as np

COLUMN_NAME = (str, Real, tuple, date, np.generic)
"""Types of the name of a column: in pandas it need not be a text."""

YEARS = "a list of years, such as [1, 5]"
"""What is wanted as `horizons`."""

INCLUDE = 'a list, such as ["intervals"]'
"""What is wanted as `include`."""


def check_type(name: str, value: object, kinds: type | tuple[type, ...], wanted: str) -> None:
    """Raises TypeError for a value of another type; the message says what is wanted."""
    if not isinstance(value, kinds):
        raise wrong_type(name, value, wanted)


def checked_list(name: str, value: object, wanted: str) -> list[Any] | None:
    """The values of a list, an array or the like, or None; raises TypeError for all else, also for a text."""
    if value is None:
        return None
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise wrong_type(name, value, wanted)
    return list(value)


def checked_progress(progress: Callable[[int, int], object] | None) -> Callable[[int, int], object]:
    """The function, or one that does nothing; raises TypeError for what cannot be called."""
    if progress is None:
        return lambda _, __: None
    if not callable(progress):
        raise wrong_type("progress", progress, "a function of two numbers")
    return progress


def wrong_type(name: str, value: object, wanted: str) -> TypeError:
    """The error that names an argument, what is wanted, and the value."""
    return TypeError(f"{name} must be {wanted}, not {' '.join(repr(value).split()):.80}")
