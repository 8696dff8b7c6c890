"""The call with a raster without requests: the sites to ask for, and what becomes of their answers."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from numbers import Real
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from types import NoneType, TracebackType
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

import numpy as np
import pyarrow as pa

from nurselog._calls.arguments import INCLUDE, YEARS, check_type, checked_list, checked_progress
from nurselog._calls.batches import checked_concurrency
from nurselog._files.formats import output_suffix
from nurselog._files.summary import Summary
from nurselog._table.columns import HORIZONS
from nurselog._table.exchange import TableLimits
from nurselog._table.query import TableQuery, table_query
from nurselog.errors import InvalidRequestError, error_from_object
from nurselog.types import PlantingMethod, ServedModel

if TYPE_CHECKING:
    from xarray import DataArray
else:
    DataArray = Any  # need not be installed; the signature of `predict_raster` is evaluated

Array = TypeVar("Array")

SUFFIXES = (".tif", ".tiff")

_METHODS: tuple[PlantingMethod, ...] = ("manual", "drone_seeded")

_CACHE_BYTES = 64 * 1024 * 1024

# Errors of what all cells have in common: the first answer with one ends the call.
_FATAL_CODES = frozenset({"invalid_species", "invalid_method"})


@dataclass(frozen=True)
class Band:
    """A band of the output, with the method and the column of the answer that its values come from."""

    name: str
    method: PlantingMethod
    column: str


def _environment() -> AbstractContextManager[object]:
    """GDAL with a small cache. A thread has one stack of these: none may be held where other tasks may run."""
    import rasterio

    environment: AbstractContextManager[object] = rasterio.Env(GDAL_CACHEMAX=_CACHE_BYTES)
    return environment


class RasterCall(Generic[Array]):
    """A raster as tables of sites, one for each window. As a context it holds the files open."""

    def __init__(
        self,
        template: object,
        elevation_m: object,
        output: Path | None,
        species_code: str,
        bands: Sequence[Band],
        query: TableQuery,
        concurrency: int,
        progress: Callable[[int, int], object] | None,
    ) -> None:
        """Opens nothing yet."""
        self._template, self._elevation_m, self._output = template, elevation_m, output
        self._species_code, self._bands = species_code, bands
        self._methods = list(dict.fromkeys(band.method for band in bands))
        self._progress = checked_progress(progress)
        self._done = 0
        self._waiting: deque[Any] = deque()
        self.query, self.concurrency = query, checked_concurrency(concurrency)
        self._summary = Summary(unit="cells")

    def __enter__(self) -> RasterCall[Array]:
        """Opens the rasters and a temporary file beside the output."""
        try:
            from nurselog._raster import cells, reading, writing
        except ImportError:
            raise InvalidRequestError('Rasters need: pip install "nurselog[raster]".') from None
        with _environment(), ExitStack() as opened:
            if self._output is not None:
                output_suffix(self._output, SUFFIXES)
            parent = None if self._output is None else self._output.parent
            folder = Path(opened.enter_context(TemporaryDirectory(dir=parent, prefix=".nurselog.")))
            template = reading.open_raster(self._template, folder, opened)
            reading.refuse_overwriting(self._output, self._template, template)
            elevation = self._elevation_m
            if reading.is_same(elevation, self._template):
                elevation = template
            elif elevation is not None and not isinstance(elevation, float):
                elevation = reading.open_raster(elevation, folder, opened)
                reading.refuse_overwriting(self._output, self._elevation_m, elevation)
            if elevation is not None and not isinstance(elevation, float):
                reading.check_elevations(self._elevation_m, elevation)
                elevation = reading.on_cells_of(template, elevation, opened)
            self._cells = cells.cells_of(template, elevation)
            self._size = template.width * template.height
            self._file = writing.BandsFile(folder, template, [band.name for band in self._bands])
            opened.callback(self._file.close)
            self._opened = opened.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Closes and removes what was opened."""
        with _environment():
            self._opened.close()

    def pieces(self, _: TableLimits) -> Iterator[pa.Table]:
        """The sites of each window that has any; large ones are divided where they are sent."""
        while (cells := self._read()) is not None:
            if cells.latitude.size == 0:
                self._advance(cells)
                continue
            self._waiting.append(cells)
            yield cells.sites(self._species_code, self._methods)

    def add(self, answer: pa.Table) -> None:
        """Writes the answer to the next window.

        Raises:
            NurselogError: The service does not know the species or the method.
        """
        cells = self._waiting.popleft()
        count = cells.latitude.size
        self._summary.add(answer.slice(0, count))
        for code in _FATAL_CODES & self._summary.failed.keys():
            raise error_from_object({"code": code, "message": self._summary.first[code][1]})
        values = np.full((len(self._bands), *cells.has_data.shape), np.nan, np.float32)
        for index, band in enumerate(self._bands):
            column = answer.column(band.column).slice(self._methods.index(band.method) * count, count)
            values[index][cells.has_data] = column.to_numpy().astype(np.float64).round(4)
        with _environment():
            self._file.write(cells.window, values)
        self._advance(cells)

    def finish(self, model: ServedModel) -> Array:
        """The answers to all windows."""
        tags = {
            "species_code": self._species_code,
            "model_version": model["version"],
            "model_digest": model["digest"],
            "outcomes": model["outcomes"],
            "caution": model["caution"],
            "cells_answered": str(self._summary.rows - self._summary.failed.total()),
            "cells_failed": json.dumps(self._failed()),
            **self.query.options,
        }
        models = [{**json.loads(model), "cells": cells} for model, cells in self._summary.models.items()]
        if {each["version"] for each in models} - {model["version"]}:
            tags["models"] = json.dumps(models)
            for name in ("model_version", "model_digest", "outcomes"):
                del tags[name]
        with _environment():
            bands: Any = self._file.finish(self._output, tags, self._template)
        array: Array = bands
        return array

    def _read(self) -> Any:  # noqa: ANN401 - Cells, whose module needs rasterio
        """The cells of the next window; None after the last."""
        with _environment():
            return next(self._cells, None)

    def _failed(self) -> dict[str, dict[str, object]]:
        summary = self._summary
        return {code: {"cells": cells, "example": summary.first[code][1]} for code, cells in summary.failed.items()}

    def _advance(self, cells: Any) -> None:  # noqa: ANN401 - Cells, whose module needs rasterio
        self._done += cells.has_data.size
        self._progress(self._done, self._size)


def predict_raster(
    template: object,
    species_code: str,
    planting_method: PlantingMethod | None = None,
    *,
    output: str | Path | None = None,
    elevation_m: object = None,
    vegetation_control: float | None = None,
    overstory_cover: float | None = None,
    seeds_per_spot: float | None = None,
    horizons: Sequence[int] | None = None,
    include: Sequence[Literal["intervals"]] | None = None,
    warming_c: float | None = None,
    precipitation_change_percent: float | None = None,
    concurrency: int = 4,
    progress: Callable[[int, int], object] | None = None,
) -> RasterCall[DataArray]:
    """Predicts survival at the centre of each cell of a raster, of any size.

    The raster is read, predicted and written in windows: a file of any size needs less than 1 GB of memory. A returned
    array without `output` needs 4 bytes more for each cell of each band.

    If the models change meanwhile, `attrs` and the tags of the file have, in place of `model_version`, `model_digest`
    and `outcomes`, the JSON list `models` of those that answered, each with its number of `cells`.

    If a window has no answer after all retries, such as when the quota is used up, the call ends without a file or an
    array, and the requests before it have been counted. With a limited quota, predict a large raster in parts, each
    with an output of its own.

    Args:
        template: A path, a dataset of rasterio, or a DataArray of xarray, in any reference system. Cells without data
            in its first band are not predicted.
        species_code: A code of `species()`, such as "PSME".
        planting_method: "manual" or "drone_seeded"; by default both.
        output: A file to write, which ends in .tif: a cloud-optimised GeoTIFF. It replaces one that exists, but
            cannot be a file that `template` or `elevation_m` is read from.
        elevation_m: Elevations in metres, which move the climate of each cell from that of its data point: a raster,
            which may be `template` itself, or a number. A raster with other cells than `template` is interpolated.
            Cells without data in it are not predicted.
        vegetation_control: Control of competing vegetation, from 0 (none) to 1 (complete).
        overstory_cover: Cover of trees that stand above the planting, percent.
        seeds_per_spot: Viable seeds of a pod, 1 to 10,000.
        horizons: Years after planting, of 1, 3 and 5; by default all.
        include: ["intervals"] adds the bounds of each survival.
        warming_c: Degrees Celsius of a changed climate.
        precipitation_change_percent: Percent of precipitation of a changed climate.
        concurrency: The most windows in flight at a time.
        progress: Called with the number of finished cells and the number of all cells.

    Returns:
        A DataArray with the cells of `template` and the dimension `band`: "manual_1", "manual_3" and so on, then, with
        intervals, "low_manual_1", "high_manual_1" and so on. NaN where nothing could be predicted;
        `attrs["cells_failed"]` has the reasons. With `output` its values are read from the file as they are needed.

    Raises:
        InvalidRequestError: A raster cannot be read, has no reference system or has elevations in feet or of an
            unclear scale, or `output` is a file that one of them is read from. Nothing was sent.
        NurselogError: A window failed after all retries, and nothing is kept; one subclass for each error code.
        OSError: `output` cannot be written.
        TypeError: An argument is of a wrong type.
    """
    practice = {
        "vegetation_control": vegetation_control,
        "overstory_cover": overstory_cover,
        "seeds_per_spot": seeds_per_spot,
    }
    check_type("species_code", species_code, str, 'a code, such as "PSME"')
    check_type("planting_method", planting_method, (str, NoneType), '"manual", "drone_seeded" or None')
    check_type("output", output, (str, PathLike, NoneType), "the path of a file")
    horizons, include = checked_list("horizons", horizons, YEARS), checked_list("include", include, INCLUDE)
    query = table_query(horizons, include, warming_c, precipitation_change_percent, practice)
    methods = _METHODS if planting_method is None else (planting_method,)
    years = sorted(set(HORIZONS if horizons is None else horizons))
    bands = _bands(methods, years, "intervals" in (include or []))
    columns = [*dict.fromkeys(band.column for band in bands), "error_code", "error_message"]
    needed = TableQuery(query.path, pa.schema([query.schema.field(name) for name in columns]), query.options)
    elevation = float(elevation_m) if isinstance(elevation_m, Real) else elevation_m
    path = None if output is None else Path(output)
    return RasterCall(template, elevation, path, species_code, bands, needed, concurrency, progress)


def _bands(methods: Sequence[PlantingMethod], horizons: Sequence[int], intervals: bool) -> list[Band]:
    """Survival, then the bounds of each."""
    both = [(method, horizon) for method in methods for horizon in horizons]
    bounds = ("low", "high") if intervals else ()
    return [
        *(Band(f"{method}_{horizon}", method, f"survival_{horizon}") for method, horizon in both),
        *(
            Band(f"{bound}_{method}_{horizon}", method, f"{bound}_{horizon}")
            for method, horizon in both
            for bound in bounds
        ),
    ]
