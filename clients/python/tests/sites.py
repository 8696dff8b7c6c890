"""Sites for tests."""

from __future__ import annotations

from typing import Any

SITE: dict[str, Any] = {"latitude": 44.12, "longitude": -122.03, "species_code": "PSME"}
PLANTED: dict[str, Any] = {**SITE, "planting_method": "manual"}


def sites(count: int) -> list[dict[str, Any]]:
    """Sites along a line, identified by their latitude. Those at the end of a long line have no data nearby."""
    return [{**PLANTED, "latitude": 44.12 + position / 10_000} for position in range(count)]


def without_time(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer without the only field that differs between two of the same request."""
    return {name: value for name, value in answer.items() if name != "generated_at"}
