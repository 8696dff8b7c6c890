"""Polygons and places of GeoJSON files, and the ecoregions of an R data file, in degrees of longitude and latitude."""

import json
import warnings

import pandas as pd
import rdata
import shapely
from shapely.geometry import shape

from pipeline.sources.manifest import SourceError


def read_shapes(path):
    """Return ``[(properties, geometry), ...]`` of a GeoJSON file."""
    try:
        features = json.loads(path.read_text(encoding="utf-8"))["features"]
        return [(feature["properties"], shape(feature["geometry"])) for feature in features]
    except (ValueError, KeyError) as error:
        raise SourceError(f"{path}: is not GeoJSON (damaged or truncated?): {error}") from error


def read_ecoregions(path):
    """Return a frame of ``code`` (EPA level III), ``name`` and ``geometry``, one row per region, by code."""
    with warnings.catch_warnings():
        # The R classes of simple features are read as the nested lists that they are.
        warnings.simplefilter("ignore")
        table = rdata.read_rda(path)["omernik"]
    regions = pd.DataFrame(
        {
            "code": table["US_L3CODE"].astype(int),
            "name": table["US_L3NAME"].astype(str),
            "geometry": [_multipolygon(parts) for parts in table["geometry"]],
        }
    )
    return regions.sort_values("code").reset_index(drop=True)


def _multipolygon(parts):
    polygons = [shapely.Polygon(rings[0], list(rings[1:])) for rings in parts]
    return shapely.make_valid(shapely.union_all([shapely.make_valid(polygon) for polygon in polygons]))
