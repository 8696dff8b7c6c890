"""The formats of files by their names."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Literal
from zipfile import BadZipFile, ZipFile

import pyarrow as pa

from nurselog.errors import InvalidRequestError

Format = Literal["csv", "parquet", "gpkg", "geojson", "shp"]


@dataclass(frozen=True)
class CsvStyle:
    """How CSV is written and read; with `separator` None it is read with the most frequent one of its header."""

    separator: str | None = None
    decimal: str = "."

    @property
    def written_separator(self) -> str:
        """The separator that is written: with decimal commas a semicolon, as spreadsheets expect, unless it is set."""
        return self.separator or (";" if self.decimal == "," else ",")


PIPE = Path("-")
"""Standard input or output."""

_FORMATS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".gpkg": "gpkg",
    ".geojson": "geojson",
    ".shp": "shp",
    ".zip": "shp",
}
_SHAPEFILES = (".shp", ".zip")
_OF_SHAPEFILE = (".dbf", ".prj", ".cpg")
_INTEGERS = ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
_OUTPUT_SUFFIXES = (".csv", ".parquet", ".gpkg", ".geojson")


def input_format(path: Path) -> Format:
    """The format of a file to read; a pipe has CSV.

    Raises:
        InvalidRequestError: The name ends with none of the known suffixes.
    """
    return "csv" if path == PIPE else _FORMATS[_suffix(path, _FORMATS, "read")]


def output_format(path: Path) -> Format:
    """The format of a file to write; a pipe gets CSV.

    Raises:
        InvalidRequestError: As of `output_suffix`.
    """
    return "csv" if path == PIPE else _FORMATS[output_suffix(path, _OUTPUT_SUFFIXES)]


def output_suffix(path: Path, suffixes: Iterable[str]) -> str:
    """The suffix of a file to write, in lower case.

    Raises:
        InvalidRequestError: It is none of `suffixes`, or the folder of the file is missing.
    """
    suffix = _suffix(path, suffixes, "written")
    if not path.parent.is_dir():
        raise InvalidRequestError(f"{path} cannot be written: there is no folder {path.parent}.")
    return suffix


def refuse_overwriting(source: Path, output: Path) -> None:
    """Refuses an output that is the file to read, by whatever path: a GeoPackage would lose its other layers.

    Raises:
        InvalidRequestError: The two are the same file.
    """
    if PIPE not in (source, output) and source.exists() and output.exists() and source.samefile(output):
        raise InvalidRequestError(f"{output} cannot be written: the input is read from it. Name another output.")


def files_of(source: Path) -> list[Path]:
    """The file to read and those beside it that hold some of its content.

    These are the attributes of a shapefile, and the edits of a GeoPackage that is open in QGIS.
    """
    beside = [source.with_name(f"{source.name}-wal")]
    if source.suffix.lower() == ".shp":
        named = (path for path in source.parent.iterdir() if path.stem == source.stem)
        beside += [path for path in named if path.suffix.lower() in _OF_SHAPEFILE]
    return [source, *(path for path in sorted(beside) if path.exists())]


def geopandas() -> Any:  # noqa: ANN401 - geopandas is optional
    """The library for geographic files.

    Raises:
        InvalidRequestError: It is not installed.
    """
    try:
        return import_module("geopandas")
    except ImportError:
        raise InvalidRequestError('Files with geometries need: pip install "nurselog[geo]".') from None


def read_geoparquet(path: Path) -> Any:  # noqa: ANN401 - geopandas is optional
    """The frame of a Parquet file with geometries; an index that has a name is a column, as it is in the file."""
    frame = geopandas().read_parquet(path, to_pandas_kwargs=pandas_types())
    return frame if frame.index.names == [None] else frame.reset_index()


def read_layer(path: Path, layer: str | None, encoding: str | None) -> Any:  # noqa: ANN401 - geopandas is optional
    """The frame of a layer of a geographic file.

    Args:
        path: A file, zipped or not.
        layer: Its name; by default the only layer with geometries, beside which there may be tables such as styles.
        encoding: Of the texts of a shapefile; by default what it states, or else utf-8.

    Raises:
        InvalidRequestError: There are several layers, and none is named, or the texts have another encoding.
    """
    source = _only_shapefile(path) if path.suffix.lower() == ".zip" else path
    # GeoJSON has one layer, and is read as a whole to list it.
    if layer is None and path.suffix.lower() != ".geojson":
        layers = geopandas().list_layers(source)
        names = layers["name"][layers["geometry_type"].notna()].tolist() or layers["name"].tolist()
        if len(names) > 1:
            raise InvalidRequestError(f"it has the layers {', '.join(names)}: name one, such as --layer {names[0]}.")
        layer = next(iter(names), None)
    options = {"layer": layer, "use_arrow": True, "arrow_to_pandas_kwargs": pandas_types()}
    if path.suffix.lower() not in _SHAPEFILES:
        return _with_lines_for_curves(partial(geopandas().read_file, source), options)
    expected = encoding or "utf-8"
    if encoding is None and _states_encoding(source, layer):
        expected = "utf-8, which its .cpg states"
    else:  # the name as GDAL has it
        options["encoding"] = codecs.lookup(expected).name.upper().replace("ISO8859", "ISO-8859").replace("_", "-")
    try:
        frame = geopandas().read_file(source, **options)
        pa.Table.from_pandas(frame.select_dtypes("string")).validate(full=True)
    except (UnicodeDecodeError, pa.ArrowInvalid):
        raise InvalidRequestError(other_encoding(expected)) from None
    return frame


def _with_lines_for_curves(read: Callable[..., Any], options: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """The frame that is read, in which curved geometries have straight lines in place of arcs."""
    try:
        return read(**options)
    except (import_module("shapely").GEOSException, NotImplementedError):
        # pyogrio converts them only without Arrow, where integers with missing values would become floats.
        straight = read(layer=options["layer"], columns=[])
        return geopandas().GeoDataFrame(read(**options, ignore_geometry=True), geometry=straight.geometry)


def other_encoding(encoding: str) -> str:
    """The message for texts that have another encoding."""
    return f"its text is not {encoding}; --encoding names another, such as cp1252."


def _states_encoding(source: Path | str, layer: str | None) -> bool:
    """Whether GDAL knows the encoding of a shapefile, by its `.cpg` or its header."""
    return bool(import_module("pyogrio").read_info(source, layer=layer)["encoding"] == "UTF-8")


def _only_shapefile(path: Path) -> Path | str:
    """The shapefile of a zip, also in a folder, where GDAL does not look; the zip itself if it has others."""
    try:
        with ZipFile(path) as archive:
            names = [name for name in archive.namelist() if name.lower().endswith(".shp")]
    except (OSError, BadZipFile):
        return path
    found = [name for name in names if not name.startswith("__MACOSX/")]
    return f"/vsizip/{path}/{found[0]}" if len(found) == 1 else path


def pandas_types(*, json: bool = False) -> dict[str, Any]:
    """Arguments with which Arrow becomes a frame that keeps integers and booleans although some are missing.

    With `json` it keeps columns of JSON, too, which pyogrio then writes as such.
    """
    import pandas as pd

    kinds = {getattr(pa, name.lower())(): getattr(pd, f"{name}Dtype")() for name in _INTEGERS}
    if json:
        kinds[pa.json_()] = pd.ArrowDtype(pa.json_())
    return {"types_mapper": {**kinds, pa.bool_(): pd.BooleanDtype()}.get}


def _suffix(path: Path, suffixes: Iterable[str], verb: str) -> str:
    suffix = path.suffix.lower()
    if suffix not in suffixes:
        raise InvalidRequestError(f"{path} cannot be {verb}: its name must end with {', '.join(suffixes)}.")
    return suffix
