"""Files of surfaces for the command `nurselog surface`."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from nurselog._calls.surfaces import SurfaceFormat
from nurselog._files.formats import CsvStyle, output_suffix
from nurselog._files.writing import replacing, write_csv
from nurselog.errors import InvalidRequestError

_FORMATS: dict[str, SurfaceFormat] = {
    ".tif": "tif",
    ".tiff": "tif",
    ".csv": "csv",
    ".geojson": "geojson",
    ".arrow": "arrow",
    ".json": "json",
}


def surface_format(path: Path) -> SurfaceFormat:
    """The format of a file by its name.

    Raises:
        InvalidRequestError: As of `output_suffix`.
    """
    return _FORMATS[output_suffix(path, _FORMATS)]


def bbox_of(text: str) -> tuple[float, float, float, float]:
    """A box from a text: west, south, east and north in degrees.

    Raises:
        InvalidRequestError: The text is not four numbers separated by commas.
    """
    try:
        west, south, east, north = map(float, text.split(","))
    except ValueError:
        raise InvalidRequestError(
            f"--bbox must be west,south,east,north in degrees, such as -122.5,44,-122,44.5, not {text!r}."
        ) from None
    return west, south, east, north


def write_surface(content: bytes, path: Path, style: CsvStyle) -> None:
    """Writes what the service sent: an Arrow stream as an Arrow file, and CSV in the given style.

    Raises:
        OSError: The file cannot be written.
    """
    suffix = path.suffix.lower()
    with replacing(path) as unfinished:
        if suffix == ".arrow":
            table = pa.ipc.open_stream(content).read_all().unify_dictionaries()
            with pa.ipc.new_file(unfinished, table.schema) as writer:
                writer.write_table(table)
        elif suffix == ".csv" and style.written_separator + style.decimal != ",.":
            with unfinished.open("wb") as file:
                write_csv(file, [_with_decimals(content, style.decimal)], style)
        else:
            unfinished.write_bytes(content)


def _with_decimals(content: bytes, decimal: str) -> pa.Table:
    """The cells of CSV as texts, with another decimal sign; no other text of a surface has a point."""
    names = content[: content.index(b"\n")].decode().strip().split(",")
    as_texts = pa.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()))
    table = pa.csv.read_csv(BytesIO(content), convert_options=as_texts)
    return pa.table([pc.replace_substring(column, ".", decimal) for column in table.columns], names)
