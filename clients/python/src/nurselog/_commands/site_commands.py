"""Commands about one site, or about the service."""

from __future__ import annotations

from typing import Annotated, cast

import typer

from nurselog._commands import terminal
from nurselog._commands.ending import show
from nurselog._commands.options import (
    AllSpecies,
    Conditions,
    Elevation,
    Horizons,
    Include,
    Json,
    Latitude,
    Longitude,
    Methods,
    PrecipitationChange,
    Warming,
    site_options,
)
from nurselog.types import PlantingMethod


def species(as_json: Json = False) -> None:
    """List the species and their codes."""
    show(lambda client: client.species(), terminal.species_table, as_json)


def usage(as_json: Json = False) -> None:
    """Show today's requests of your key and its limit."""
    show(lambda client: client.usage(), terminal.usage_table, as_json)


def model(as_json: Json = False) -> None:
    """Show the models in use: version, origin of the outcomes, features, scores."""
    show(lambda client: client.model(), terminal.model_tables, as_json)


def site(
    latitude: Latitude,
    longitude: Longitude,
    species_code: Annotated[str, typer.Argument(metavar="SPECIES", help='A code of "nurselog species".')],
    method: Annotated[str | None, typer.Argument(help="manual or drone_seeded; both are compared without it.")] = None,
    horizon: Horizons = None,
    elevation_m: Elevation = None,
    condition: Conditions = None,
    warming_c: Warming = None,
    precipitation_change_percent: PrecipitationChange = None,
    include: Include = None,
    as_json: Json = False,
) -> None:
    """Predict survival at one site."""
    options = site_options(horizon, elevation_m, condition, warming_c, precipitation_change_percent, include)
    if method is None:
        show(
            lambda client: client.compare(latitude, longitude, species_code, **options),
            terminal.comparison_tables,
            as_json,
        )
    else:
        # The service says what is wrong with another method.
        planting_method = cast("PlantingMethod", method)
        show(
            lambda client: client.predict(latitude, longitude, species_code, planting_method, **options),
            terminal.prediction_tables,
            as_json,
        )


def rank(
    latitude: Latitude,
    longitude: Longitude,
    species_code: Annotated[
        list[str] | None, typer.Option("--species", metavar="CODE", help="Only this one; may be repeated.")
    ] = None,
    method: Methods = None,
    all_species: AllSpecies = False,
    horizon: Horizons = None,
    elevation_m: Elevation = None,
    condition: Conditions = None,
    warming_c: Warming = None,
    precipitation_change_percent: PrecipitationChange = None,
    include: Include = None,
    as_json: Json = False,
) -> None:
    """Rank species and planting methods at one site, best first."""
    options = site_options(horizon, elevation_m, condition, warming_c, precipitation_change_percent, include)
    show(
        lambda client: client.rank(
            latitude,
            longitude,
            # The service says what is wrong with another method.
            planting_methods=cast("list[PlantingMethod]", method) or None,
            species_codes=species_code or None,
            native_only=False if all_species else None,
            **options,
        ),
        terminal.ranking_tables,
        as_json,
    )
