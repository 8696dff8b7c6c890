"""Commands that write files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
import typer

from nurselog._client import Client
from nurselog._commands.ending import (
    FAILED_ROWS,
    FAILURE,
    INTERRUPTED,
    RETRIES,
    TERMINATED,
    ErrorConsole,
    complain,
    discard_output,
    fail,
    report,
)
from nurselog._commands.options import (
    AllSpecies,
    Conditions,
    Crs,
    Decimal,
    DecimalSign,
    Encoding,
    Horizons,
    Layer,
    Methods,
    PrecipitationChange,
    Separator,
    Warming,
    column_or_number,
    conditions,
    csv_style,
    given,
    scenario,
)
from nurselog._commands.plan_files import check_output, check_writable, read_units, write_plan
from nurselog._commands.predict_files import Job, UnfinishedError, predict_file
from nurselog._commands.raster_files import is_raster, predict_raster_file, raster_options, refuse_table_options
from nurselog._commands.surface_files import bbox_of, surface_format, write_surface
from nurselog.errors import InvalidRequestError, NurselogError
from nurselog.plans import to_geodataframe


def predict(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="CSV, Parquet, GeoPackage, GeoJSON or Shapefile (also .zip), or a raster; - reads CSV."
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="CSV, Parquet, GeoPackage or GeoJSON, or GeoTIFF of a raster; - writes CSV.",
        ),
    ],
    latitude: Annotated[str, typer.Option(metavar="COLUMN", help="Degrees north.")] = "latitude",
    longitude: Annotated[str, typer.Option(metavar="COLUMN", help="Degrees east.")] = "longitude",
    species: Annotated[
        str, typer.Option(metavar="COLUMN|CODE", help="The species of each row, or of all rows.")
    ] = "species_code",
    method: Annotated[
        str, typer.Option(metavar="COLUMN|METHOD", help="manual or drone_seeded, of each row or of all rows.")
    ] = "planting_method",
    elevation_m: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN|NUMBER|RASTER|none",
            help="Elevation of the site in metres; of the cells of a raster by default its values.",
        ),
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
    encoding: Encoding = None,
    decimal: Decimal = DecimalSign.POINT,
    separator: Separator = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Most requests in flight at a time.")] = 4,
    resume: Annotated[bool, typer.Option("--resume", help="Continue a run that was interrupted.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 4 if any row was not answered.")] = False,
) -> None:
    """Predict survival at the sites of a file, and write them with the answers.

    All columns are kept. A geometry that is not a point is predicted at its representative point.

    A raster becomes a GeoTIFF (-o survival.tif) with a band for each method and horizon: --species names one, --method
    one or else both are predicted. The values of its cells are their elevations, unless --elevation-m says otherwise.
    """
    common: dict[str, Any] = {
        "horizons": horizon or None,
        "include": include or None,
        "warming_c": warming_c,
        "precipitation_change_percent": precipitation_change_percent,
        "concurrency": concurrency,
    }
    practice = {
        "vegetation_control": column_or_number(vegetation_control),
        "overstory_cover": column_or_number(overstory_cover),
        "seeds_per_spot": column_or_number(seeds_per_spot),
    }
    console = ErrorConsole()
    try:
        if is_raster(source) or is_raster(output):
            if resume:
                raise InvalidRequestError("A raster cannot be resumed.")
            if is_raster(source) and is_raster(output):
                refuse_table_options(
                    latitude=latitude != "latitude",
                    longitude=longitude != "longitude",
                    layer=layer is not None,
                    crs=crs is not None,
                    encoding=encoding is not None,
                    decimal=decimal != DecimalSign.POINT,
                    separator=separator is not None,
                )
            cells = raster_options(source, species, method, elevation_m, practice)
            summary = predict_raster_file(source, output, {**common, **cells}, console)
        else:
            columns = {
                "latitude": latitude,
                "longitude": longitude,
                "species_code": species,
                "planting_method": method,
                "elevation_m": column_or_number(elevation_m),
                "decimal": decimal.value,
            }
            options = {**common, **practice, **columns}
            job = Job(source, output, options, encoding, layer, crs, csv_style(decimal, separator))
            summary = predict_file(job, resume=resume, console=console)
    except UnfinishedError as unfinished:
        complain(str(unfinished))
        cause = unfinished.__cause__
        if isinstance(cause, NurselogError):
            fail(cause)
        raise typer.Exit(TERMINATED if isinstance(cause, SystemExit) else INTERRUPTED) from None
    except NurselogError as error:
        fail(error)
    except BrokenPipeError:
        # The reader of the pipe has ended.
        discard_output()
        raise typer.Exit(FAILURE) from None
    except (OSError, pa.ArrowException) as error:
        complain(str(error))
        raise typer.Exit(FAILURE) from None
    if (warning := summary.warning()) is not None:
        complain(warning)
    failed = summary.failed.total()
    if failed > 0:
        report(summary.table())
    report(f"{summary}. {'' if str(output) == '-' else f'Written to {output}.'}".rstrip())
    has_no_cells = summary.unit == "cells" and summary.rows == 0
    if has_no_cells:
        two_files = isinstance(column_or_number(elevation_m), str) and elevation_m != "none"
        both = " both in the raster and in the elevations: do the files state the right reference systems?"
        complain(f"No cell has data{both if two_files else '.'}")
    if has_no_cells or (failed > 0 and (strict or failed == summary.rows)):
        raise typer.Exit(FAILED_ROWS)


def plan(
    source: Annotated[
        Path, typer.Argument(metavar="FILE", help="Polygons: GeoPackage, GeoJSON, Shapefile (also .zip), Parquet.")
    ],
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
    target_per_ha: Annotated[
        float | None, typer.Option(help="Living trees a hectare wanted at the horizon: adds what to order.")
    ] = None,
    basis: Annotated[str | None, typer.Option(help="mean or low: the survival that the order counts on.")] = None,
    condition: Conditions = None,
    warming_c: Warming = None,
    precipitation_change_percent: PrecipitationChange = None,
    prefix: Annotated[str, typer.Option(metavar="TEXT", help="Stands before the names of the added columns.")] = "",
    layer: Layer = None,
    crs: Crs = None,
    encoding: Encoding = None,
    decimal: Decimal = DecimalSign.POINT,
    separator: Separator = None,
) -> None:
    """Compare species and planting methods for the planting units of a file, and write a row for each option."""
    costs = {"manual": cost_manual, "drone_seeded": cost_drone_seeded}
    options: dict[str, Any] = {
        "species_codes": species or None,
        "planting_methods": method or None,
        "horizon": horizon,
        "native_only": not all_species,
        "costs": given(costs) or None,
        "conditions": conditions(condition) or None,
        "scenario": scenario(warming_c, precipitation_change_percent) or None,
        "target_per_ha": target_per_ha,
        "basis": basis,
    }
    style = csv_style(decimal, separator)
    answer: Any  # has `models`, too, if they changed
    unfinished: NurselogError | None = None
    try:
        check_output(output, source)
        units = read_units(source, layer, id_column, crs, encoding)
        check_writable(units, output, prefix, style)
        try:
            with Client(retries=RETRIES) as client:
                answer = client.plan(units, id_column=id_column, **options)
        except NurselogError as error:
            if error.answered is None:
                raise
            answer, unfinished = error.answered, error
        write_plan(to_geodataframe(answer, units, id_column, prefix), output, style)
    except NurselogError as error:
        fail(error)
    except ValueError as error:
        fail(InvalidRequestError(f"{source.name}: {error}."))
    except OSError as error:
        complain(str(error))
        raise typer.Exit(FAILURE) from None
    if "models" in answer:
        versions = ", ".join(model["version"] for model in answer["models"])
        complain(f"The models changed before all units were planned: {versions}. Start anew for a plan of one version.")
    failed = sum("error" in unit for unit in answer["units"])
    missing = f", {len(units) - len(answer['units'])} not answered" if unfinished is not None else ""
    planned = len(answer["units"]) - failed
    report(f"{planned} unit{'s' if planned != 1 else ''} planned, {failed} failed{missing}: {output}")
    if unfinished is not None:
        fail(unfinished)
    if failed > 0 and failed == len(answer["units"]):
        raise typer.Exit(FAILED_ROWS)


def surface(
    species_code: Annotated[str, typer.Argument(metavar="SPECIES", help='A code of "nurselog species".')],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="GeoTIFF (.tif), CSV, GeoJSON, Arrow or JSON.")
    ],
    bbox: Annotated[
        str | None, typer.Option(metavar="WEST,SOUTH,EAST,NORTH", help="In degrees; by default everywhere.")
    ] = None,
    max_points: Annotated[
        int | None, typer.Option(help="Of files but GeoTIFF: where there are more, those of a coarser lattice.")
    ] = None,
    include: Annotated[list[str] | None, typer.Option(help="intervals, in a GeoTIFF.")] = None,
    vegetation_control: Annotated[float | None, typer.Option(help="From 0, none, to 1, complete.")] = None,
    overstory_cover: Annotated[float | None, typer.Option(help="Percent of trees that stand above.")] = None,
    seeds_per_spot: Annotated[float | None, typer.Option(help="Viable seeds of a pod.")] = None,
    warming_c: Warming = None,
    precipitation_change_percent: PrecipitationChange = None,
    decimal: Decimal = DecimalSign.POINT,
    separator: Separator = None,
) -> None:
    """Write the survival of a species at the data points, as a file for maps."""
    options: dict[str, Any] = {
        "max_points": max_points,
        "include": include or None,
        "vegetation_control": vegetation_control,
        "overstory_cover": overstory_cover,
        "seeds_per_spot": seeds_per_spot,
        "scenario": scenario(warming_c, precipitation_change_percent) or None,
    }
    try:
        kind = surface_format(output)
        options["bbox"] = None if bbox is None else bbox_of(bbox)
        with Client(retries=RETRIES) as client:
            content = client.surface_file(species_code, kind, **options)
        write_surface(content, output, csv_style(decimal, separator))
    except NurselogError as error:
        fail(error)
    except OSError as error:
        complain(str(error))
        raise typer.Exit(FAILURE) from None
