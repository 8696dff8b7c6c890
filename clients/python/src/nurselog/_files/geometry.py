"""Geometries in tables of Arrow: which columns they are, and which of them is the active one."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from nurselog._files.formats import geopandas, pandas_types

_EXTENSION = b"ARROW:extension:name"
_ACTIVE = b"nurselog_geometry"


def arrow_table(frame: Any) -> pa.Table:  # noqa: ANN401 - geopandas is optional
    """A frame of geopandas as a table with a note of its active geometry, which need not be the first."""
    table = pa.table(frame.to_arrow(index=False, geometry_encoding="WKB"))
    return table.replace_schema_metadata({**(table.schema.metadata or {}), _ACTIVE: frame.geometry.name.encode()})


def geometry_names(schema: pa.Schema) -> list[str]:
    """The columns of geometries."""
    return [field.name for field in schema if _is_geometry(field)]


def geographic_frame(table: pa.Table) -> Any:  # noqa: ANN401 - geopandas is optional
    """A table with geometries as a frame of geopandas with the same active geometry."""
    active = (table.schema.metadata or {}).get(_ACTIVE)
    return geopandas().GeoDataFrame.from_arrow(
        table, geometry=None if active is None else active.decode(), to_pandas_kwargs=pandas_types(json=True)
    )


def free_name(wanted: str, names: list[str]) -> str:
    """A name that no column has, in upper or lower case."""
    taken = {name.lower() for name in names}
    while wanted in taken:
        wanted += "_"
    return wanted


def _is_geometry(field: pa.Field) -> bool:
    # The name is in the metadata unless a library registered the type.
    name = (field.metadata or {}).get(_EXTENSION, b"").decode() or getattr(field.type, "extension_name", "")
    return bool(name.startswith("geoarrow."))
