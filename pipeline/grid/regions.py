"""Coverage: the outline of each state with its inland marine waters and a narrow strip along the open coast."""

import json

import shapely
from shapely import Polygon, box
from shapely.ops import unary_union

from pipeline.grid.projection import in_degrees, in_kilometres
from pipeline.sources.outlines import FIPS

NAMES = {"US-OR": "Oregon", "US-WA": "Washington"}

# The outline is generalized: public plot coordinates on the shore lie up to this far outside it.
COAST_TOLERANCE_KM = 2.0

# Turning points (latitude, longitude) of the boundary with Canada from Point Roberts to the Pacific, 1846 and
# 1908 treaties; the ring is closed through Washington's own land so that it encloses all waters in between.
_BOUNDARY_AT_SEA = [
    (49.0021, -123.3221),
    (48.8310, -123.0080),
    (48.7670, -123.0089),
    (48.6933, -123.2683),
    (48.5478, -123.2191),
    (48.4230, -123.1146),
    (48.2837, -123.2485),
    (48.2268, -123.5411),
    (48.2993, -123.9206),
    (48.4939, -124.7267),
]
_CLOSED_THROUGH_LAND = [(48.3200, -124.5500), (47.0500, -123.2000), (47.0500, -122.2000), (49.0021, -122.2000)]
# Waters (latitude, longitude) whose mouth is wider than the strip along the coast, closed through the states' own land.
_WILLAPA_BAY = [(46.745, -124.115), (46.65, -124.06), (46.36, -124.04), (46.36, -123.88), (46.75, -123.72)]
_COLUMBIA = [
    (46.275, -124.03),
    (46.235, -124.02),
    (46.12, -123.90),
    (46.12, -123.40),
    (46.27, -123.40),
    (46.32, -123.70),
    (46.32, -124.00),
]
_PRECISION_DEG = 1e-5
_NORTH_DEG = 49.0021
_SOUTH_DEG = 41.998


def build_regions(outlines):
    """Return ``{"US-OR": MultiPolygon, "US-WA": MultiPolygon}`` in degrees; they share a border and no area."""
    land = {region: outlines.polygon(fips) for region, fips in FIPS.items()}
    california = outlines.polygon("06")
    strip = {region: _coastal_strip(outlines.outer_border(fips)) for region, fips in FIPS.items()}

    waters = [_polygon(_BOUNDARY_AT_SEA + _CLOSED_THROUGH_LAND), _polygon(_WILLAPA_BAY)]
    canada = _canadian_side(land["US-WA"])
    washington = unary_union([land["US-WA"], *waters, strip["US-WA"].difference(canada)])
    washington = _five_decimals(washington.difference(land["US-OR"]))
    south = box(-130, 30, -110, _SOUTH_DEG)
    beyond = unary_union([california, south])
    oregon = unary_union([land["US-OR"], strip["US-OR"].difference(beyond), _polygon(_COLUMBIA)])
    oregon = _five_decimals(shapely.difference(oregon, washington, grid_size=_PRECISION_DEG))
    # Once more, so that corners of one on an edge of the other are corners of both.
    washington = _five_decimals(shapely.difference(washington, oregon, grid_size=_PRECISION_DEG))
    return {"US-OR": oregon, "US-WA": washington}


def _polygon(turning_points):
    return Polygon([(lon, lat) for lat, lon in turning_points])


def _coastal_strip(border):
    strip = in_kilometres(border).buffer(COAST_TOLERANCE_KM, quad_segs=4).simplify(0.1)
    return in_degrees(strip)


def _canadian_side(washington):
    """Return the area north of the 49th parallel and north of the boundary at sea."""
    at_sea = [(lon, lat) for lat, lon in _BOUNDARY_AT_SEA]
    sea = Polygon([*at_sea, (-124.7267, 49.5), (-123.3221, 49.5)])
    # West of Cape Flattery the boundary continues out to sea along the middle of the strait.
    west = box(-126, 48.4939, -124.7267, 50)
    return unary_union([box(-130, _NORTH_DEG, -116, 50), sea, west]).difference(washington)


def _five_decimals(shape):
    parts = shapely.get_parts(shapely.set_precision(shape, _PRECISION_DEG))
    # Holes inside the strip are bays, such as Grays Harbor, and belong to the state.
    return shapely.normalize(shapely.MultiPolygon([shapely.Polygon(p.exterior) for p in parts]))


def read_regions(path):
    """Read ``{region: MultiPolygon}`` in degrees from a file that :func:`write_regions` wrote."""
    features = json.loads(path.read_text(encoding="utf-8"))["features"]
    return {feature["properties"]["region"]: shapely.geometry.shape(feature["geometry"]) for feature in features}


def write_regions(regions, path):
    """Write GeoJSON with one feature per region, in the order of ``regions``."""
    features = [
        {
            "type": "Feature",
            "properties": {"region": region, "name": NAMES[region]},
            "geometry": {"type": "MultiPolygon", "coordinates": _coordinates(shape)},
        }
        for region, shape in regions.items()
    ]
    text = json.dumps({"type": "FeatureCollection", "features": features}, separators=(",", ":"))
    path.write_text(text + "\n", encoding="utf-8")


def _coordinates(shape):
    def ring(r):
        return [[round(x, 5), round(y, 5)] for x, y in r.coords]

    return [[ring(p.exterior)] for p in shape.geoms]
