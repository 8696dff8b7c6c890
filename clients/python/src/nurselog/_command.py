"""The command `nurselog`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeVar, cast

import pyarrow as pa
import typer
from rich.console import Console, RenderableType

from nurselog import _terminal
from nurselog._client import Client
from nurselog._command_options import (
    AllSpecies,
    Conditions,
    Crs,
    Elevation,
    Horizons,
    Include,
    Json,
    Latitude,
    Layer,
    Longitude,
    Methods,
    PrecipitationChange,
    Warming,
    column_or_number,
    given,
    scenario,
    site_options,
)
from nurselog._plan_command import check_output, read_units, write_plan
from nurselog._predict_command import Job, UnfinishedError, predict_file
from nurselog.errors import ConfigurationError, ConnectionFailedError, InvalidRequestError, NurselogError
from nurselog.plans import refuse_answer_names, to_geodataframe
from nurselog.types import PlantingMethod

FAILURE, USAGE, TEMPORARY, FAILED_ROWS, INTERRUPTED = 1, 2, 3, 4, 130
"""Exit codes; TEMPORARY is for what may succeed later."""

# Fewer than in programs: somebody waits.
_RETRIES = 2

_TEMPORARY_STATUSES = frozenset({408, 429, 502, 503, 504})

_EPILOG = (
    "NURSELOG_URL and NURSELOG_API_KEY name the service and your key. "
    "Exit codes: 1 refused, 2 wrong usage or settings, 3 not reachable, overloaded or out of quota, "
    "4 a file was written in which no row or unit was answered, or with --strict any row was not."
)

# Local variables, among them the key, would be printed with an unexpected error.
app = typer.Typer(
    help="Predict the survival of planted trees with a nurselog service.",
    epilog=_EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)

_Answer = TypeVar("_Answer")


@app.command()
def species(as_json: Json = False) -> None:
    """List the species and their codes."""
    _show(lambda client: client.species(), _terminal.species_table, as_json)


@app.command()
def usage(as_json: Json = False) -> None:
    """Show today's requests of your key and its limit."""
    _show(lambda client: client.usage(), _terminal.usage_table, as_json)


@app.command()
def model(as_json: Json = False) -> None:
    """Show what serves: version, origin of the outcomes, features, scores."""
    _show(lambda client: client.model(), _terminal.model_tables, as_json)


# Without ignore_unknown_options a western longitude, such as -122.03, would be an unknown option.
@app.command(context_settings={"ignore_unknown_options": True})
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
        _show(
            lambda client: client.compare(latitude, longitude, species_code, **options),
            _terminal.comparison_tables,
            as_json,
        )
    else:
        # The service says what is wrong with another method.
        planting_method = cast("PlantingMethod", method)
        _show(
            lambda client: client.predict(latitude, longitude, species_code, planting_method, **options),
            _terminal.prediction_tables,
            as_json,
        )


# See `site` for ignore_unknown_options.
@app.command(context_settings={"ignore_unknown_options": True})
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
    _show(
        lambda client: client.rank(
            latitude,
            longitude,
            # The service says what is wrong with another method.
            planting_methods=cast("list[PlantingMethod]", method) or None,
            species_codes=species_code or None,
            native_only=False if all_species else None,
            **options,
        ),
        _terminal.ranking_tables,
        as_json,
    )


@app.command()
def predict(
    source: Annotated[
        Path, typer.Argument(metavar="FILE", help="CSV, Parquet, GeoPackage, GeoJSON or Shapefile; - reads CSV.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="CSV, Parquet, GeoPackage or GeoJSON; - writes CSV.")
    ],
    latitude: Annotated[str, typer.Option(metavar="COLUMN", help="Degrees north.")] = "latitude",
    longitude: Annotated[str, typer.Option(metavar="COLUMN", help="Degrees east.")] = "longitude",
    species: Annotated[
        str, typer.Option(metavar="COLUMN|CODE", help="The species, or one for all rows.")
    ] = "species_code",
    method: Annotated[
        str, typer.Option(metavar="COLUMN|METHOD", help="manual or drone_seeded, or one for all rows.")
    ] = "planting_method",
    elevation_m: Annotated[
        str | None, typer.Option(metavar="COLUMN|NUMBER", help="Elevation of the site in metres.")
    ] = None,
    vegetation_control: Annotated[
        str | None, typer.Option(metavar="COLUMN|NUMBER", help="From 0, none, to 1, complete.")
    ] = None,
    overstory_cover: Annotated[
        str | None, typer.Option(metavar="COLUMN|NUMBER", help="Percent of trees that stand above.")
    ] = None,
    seeds_per_spot: Annotated[str | None, typer.Option(metavar="COLUMN|NUMBER", help="Viable seeds of a pod.")] = None,
    horizon: Horizons = None,
    include: Annotated[list[str] | None, typer.Option(help="intervals.")] = None,
    warming_c: Warming = None,
    precipitation_change_percent: PrecipitationChange = None,
    layer: Layer = None,
    crs: Crs = None,
    encoding: Annotated[str, typer.Option(help="The encoding of a CSV file.")] = "utf-8",
    concurrency: Annotated[int, typer.Option(min=1, help="Requests in flight at the most.")] = 4,
    resume: Annotated[bool, typer.Option("--resume", help="Continue a run that was interrupted.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 4 if any row was not answered.")] = False,
) -> None:
    """Predict survival at the sites of a file, and write them with the answers.

    All columns are kept. Of geometries, points are used and the representative points of others.
    """
    options: dict[str, Any] = {
        "latitude": latitude,
        "longitude": longitude,
        "species_code": species,
        "planting_method": method,
        "elevation_m": column_or_number(elevation_m),
        "vegetation_control": column_or_number(vegetation_control),
        "overstory_cover": column_or_number(overstory_cover),
        "seeds_per_spot": column_or_number(seeds_per_spot),
        "horizons": horizon or None,
        "include": include or None,
        "warming_c": warming_c,
        "precipitation_change_percent": precipitation_change_percent,
        "concurrency": concurrency,
    }
    console = Console(stderr=True, markup=False, highlight=False, emoji=False)
    try:
        summary = predict_file(Job(source, output, options, encoding, layer, crs), resume=resume, console=console)
    except UnfinishedError as unfinished:
        _complain(str(unfinished))
        if not isinstance(unfinished.__cause__, NurselogError):
            raise typer.Exit(INTERRUPTED) from None
        _fail(unfinished.__cause__)
    except NurselogError as error:
        _fail(error)
    except BrokenPipeError:
        # Who reads has seen enough.
        _discard_output()
        raise typer.Exit(FAILURE) from None
    except (OSError, pa.ArrowException) as error:
        _complain(str(error))
        raise typer.Exit(FAILURE) from None
    failed = summary.failed.total()
    if failed > 0:
        console.print(summary.table())
    console.print(f"{summary}. {'' if str(output) == '-' else f'Written to {output}.'}".rstrip(), soft_wrap=True)
    if failed > 0 and (strict or failed == summary.rows):
        raise typer.Exit(FAILED_ROWS)


@app.command()
def plan(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="Polygons: GeoPackage, GeoJSON, Shapefile, Parquet.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="CSV, GeoPackage, GeoJSON or Parquet.")
    ],
    id_column: Annotated[str | None, typer.Option("--id", metavar="COLUMN", help="Unique ids of the units.")] = None,
    species: Annotated[list[str] | None, typer.Option(metavar="CODE", help="May be repeated; by default all.")] = None,
    method: Methods = None,
    horizon: Annotated[int, typer.Option(help="1, 3 or 5 years.")] = 5,
    all_species: AllSpecies = False,
    cost_manual: Annotated[float | None, typer.Option(help="Cost of a planted tree.")] = None,
    cost_drone_seeded: Annotated[float | None, typer.Option(help="Cost of a sown spot.")] = None,
    warming_c: Warming = None,
    precipitation_change_percent: PrecipitationChange = None,
    layer: Layer = None,
    crs: Crs = None,
) -> None:
    """Compare species and planting methods for the planting units of a file, and write a row for each option."""
    costs = {"manual": cost_manual, "drone_seeded": cost_drone_seeded}
    options: dict[str, Any] = {
        "species_codes": species or None,
        "planting_methods": method or None,
        "horizon": horizon,
        "native_only": not all_species,
        "costs": given(costs) or None,
        "scenario": scenario(warming_c, precipitation_change_percent) or None,
    }
    try:
        check_output(output)
        units = read_units(source, layer, id_column, crs)
        refuse_answer_names(units)
        with Client(retries=_RETRIES) as client:
            answer = client.plan(units, id_column=id_column, **options)
        write_plan(to_geodataframe(answer, units, id_column), output)
    except NurselogError as error:
        _fail(error)
    except ValueError as error:
        _fail(ConfigurationError(f"{source.name}: {error}."))
    except OSError as error:
        _complain(str(error))
        raise typer.Exit(FAILURE) from None
    failed = sum("error" in unit for unit in answer["units"])
    typer.echo(f"{len(answer['units']) - failed} units planned, {failed} failed: {output}", err=True)
    if failed > 0 and failed == len(answer["units"]):
        raise typer.Exit(FAILED_ROWS)


def _show(ask: Callable[[Client], _Answer], render: Callable[[_Answer], RenderableType], as_json: bool) -> None:
    """Prints the answer; ends the command with an exit code if there is none."""
    try:
        with Client(retries=_RETRIES) as client:
            answer = ask(client)
    except NurselogError as error:
        _fail(error)
    try:
        if as_json:
            typer.echo(json.dumps(answer, ensure_ascii=False, indent=2))
        else:
            Console(markup=False, highlight=False, emoji=False).print(render(answer))
    except BrokenPipeError:
        # Who reads has seen enough.
        _discard_output()
        raise typer.Exit(FAILURE) from None
    except OSError as error:
        _discard_output()
        _complain(f"The answer cannot be written: {error}")
        raise typer.Exit(FAILURE) from None


def _discard_output() -> None:
    """Python would fail again when it flushes standard output."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(message: str) -> None:
    Console(stderr=True, markup=False, highlight=False, emoji=False, soft_wrap=True).print(f"nurselog: {message}")


def _fail(error: NurselogError) -> NoReturn:
    _complain(str(error))
    # Without a status it was found here, before anything was sent.
    is_usage = isinstance(error, InvalidRequestError) and error.status is None
    if isinstance(error, ConfigurationError) or is_usage:
        raise typer.Exit(USAGE)
    is_temporary = isinstance(error, ConnectionFailedError) or error.status in _TEMPORARY_STATUSES
    raise typer.Exit(TEMPORARY if is_temporary else FAILURE)
