"""Where the grid has points: a triangular lattice on forest land, without water and city centres.

Whether land is forest is kriged from the forest status of the inventory's plots. The inventory has a plot on every 24
square kilometres of either state, forested or not, so the share of forest around a place is observed, not modelled:
fields, towns, lakes and sagebrush are plots without forest.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import shapely

from pipeline.grid.kriging import Variogram, ordinary
from pipeline.grid.projection import great_circle_km, in_kilometres, to_degrees, to_plane
from pipeline.sources.outlines import FIPS

SPACING_KM = 3.7
MIN_FOREST_SHARE = 0.5

# A smoother variogram classifies 0.4 % more of the left-out plots correctly, but smooths over towns and valley floors.
_FOREST_VARIOGRAM = Variogram(range_km=8, nugget=0.3, km_per_100m=0.0, neighbours=24)
# Lakes and city centres that plots 5 km apart can miss.
_EXCLUDED_PLACES = Path(__file__).with_name("excluded_places.json")
_STEPS_PER_LEG = 12
# West of its turn into Washington the Columbia is the state line; half its width, and where the line leaves the river.
_COLUMBIA_HALF_WIDTH_KM = 1.2
_COLUMBIA_EAST_END_DEG = -119.0


def place_points(inputs):
    """Return a frame of latitude and longitude (degrees) and region, ordered by latitude, then longitude."""
    land = {region: inputs.outlines.polygon(fips) for region, fips in FIPS.items()}
    latitude, longitude, region = lattice(land)
    dry = ~(
        inputs.terrain.is_sea(latitude, longitude)
        | in_excluded_place(latitude, longitude)
        | _on_columbia(inputs.outlines, latitude, longitude)
    )
    points = pd.DataFrame({"latitude": latitude, "longitude": longitude, "region": region})[dry]
    flat = np.column_stack([*to_plane(latitude[dry], longitude[dry]), np.zeros(dry.sum())])
    share = forest_share(inputs.plots["forested"].to_numpy(), inputs.plot_sites.xyz, flat)
    return points[share >= MIN_FOREST_SHARE].reset_index(drop=True)


def _on_columbia(outlines, latitude, longitude):
    border = outlines.shared_border(*FIPS.values())
    river = in_kilometres(shapely.intersection(border, shapely.box(-125, 45, _COLUMBIA_EAST_END_DEG, 47)))
    return shapely.dwithin(shapely.points(*to_plane(latitude, longitude)), river, _COLUMBIA_HALF_WIDTH_KM)


def lattice(land):
    """Place a triangular lattice of equal spacing in ``land``, ``{region: MultiPolygon}`` in degrees.

    Returns ``(latitude, longitude, region)``, each [N]: degrees rounded to 5 decimals and the index of the region,
    ordered by latitude, then longitude.
    """
    west, south, east, north = shapely.total_bounds(list(land.values()))
    edge = shapely.segmentize(shapely.box(west, south, east, north), 0.1).exterior.coords
    x_edge, y_edge = to_plane(*np.array(edge).T[::-1])
    rows = np.arange(y_edge.min(), y_edge.max(), SPACING_KM * np.sqrt(3) / 2)
    columns = np.arange(x_edge.min(), x_edge.max(), SPACING_KM)
    x, y = np.meshgrid(columns, rows)
    x = x + (np.arange(len(rows)) % 2 * SPACING_KM / 2)[:, None]
    latitude, longitude = (np.round(degrees.ravel(), 5) for degrees in to_degrees(x, y))
    region = np.full(latitude.shape, -1)
    for index, shape in enumerate(land.values()):
        shapely.prepare(shape)
        region[shapely.contains_xy(shape, longitude, latitude)] = index
    order = np.lexsort((longitude, latitude))
    order = order[region[order] >= 0]
    return latitude[order], longitude[order], region[order]


def in_excluded_place(latitude, longitude):
    """Return a boolean [N] for degrees [N]: nearer to the line of a listed place than its ``reach_km``."""
    inside = np.zeros(np.shape(latitude), dtype=bool)
    for place in json.loads(_EXCLUDED_PLACES.read_text(encoding="utf-8"))["places"]:
        for point in _along(np.array(place["line"])):
            inside |= great_circle_km(latitude, longitude, *point) < place["reach_km"]
    return inside


def _along(line):
    legs = np.arange(len(line))
    steps = np.linspace(0, legs[-1], legs[-1] * _STEPS_PER_LEG + 1)
    return np.column_stack([np.interp(steps, legs, line[:, axis]) for axis in (0, 1)])


def forest_share(forested, xyz, target_xyz, exclude_km=0.0):
    """Return the estimated share of forest land around targets, [M], from booleans [N] at plots."""
    return ordinary(xyz, forested.astype(float), target_xyz, _FOREST_VARIOGRAM, exclude_km)
