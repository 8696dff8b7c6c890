"""State outlines from the Census topology in the npm package us-atlas.

Decoded here because GDAL and other readers of TopoJSON return polygons only: the borders that states share, which the
coast and the Columbia are found by, are in the arcs.
"""

import json

import numpy as np
from shapely import MultiLineString, MultiPolygon, Polygon, make_valid
from shapely.ops import unary_union

FIPS = {"US-OR": "41", "US-WA": "53"}


class StateOutlines:
    """Polygons of states and the borders between them, in degrees of longitude and latitude.

    TopoJSON (https://github.com/topojson/topojson-specification): arcs are quantized and delta-encoded, a
    geometry lists arcs by index, ``~index`` is an arc reversed, and neighbouring states share an arc.
    """

    def __init__(self, path):
        topology = json.loads(path.read_text(encoding="utf-8"))
        scale, shift = topology["transform"]["scale"], topology["transform"]["translate"]
        self._arcs = [np.cumsum(arc, axis=0) * scale + shift for arc in topology["arcs"]]
        self._states = {geometry["id"]: geometry for geometry in topology["objects"]["states"]["geometries"]}

    def polygon(self, fips):
        """Return the state as a valid MultiPolygon."""
        parts = [
            Polygon(self._ring(rings[0]), [self._ring(hole) for hole in rings[1:]])
            for rings in _polygons(self._states[fips])
        ]
        shape = make_valid(unary_union(parts), method="structure")
        return shape if isinstance(shape, MultiPolygon) else MultiPolygon([shape])

    def outer_border(self, fips):
        """Return the border of a state that no other state shares: coast and border with another country."""
        shared = {arc for other, geometry in self._states.items() if other != fips for arc in _arc_indices(geometry)}
        own = sorted(_arc_indices(self._states[fips]) - shared)
        return MultiLineString([self._arcs[index] for index in own])

    def shared_border(self, fips, other_fips):
        """Return the border between two states as a MultiLineString."""
        shared = sorted(_arc_indices(self._states[fips]) & _arc_indices(self._states[other_fips]))
        return MultiLineString([self._arcs[index] for index in shared])

    def _ring(self, indices):
        pieces = [self._arcs[i] if i >= 0 else self._arcs[~i][::-1] for i in indices]
        return np.concatenate([pieces[0]] + [piece[1:] for piece in pieces[1:]])


def _polygons(geometry):
    return [geometry["arcs"]] if geometry["type"] == "Polygon" else geometry["arcs"]


def _arc_indices(geometry):
    return {i if i >= 0 else ~i for polygon in _polygons(geometry) for ring in polygon for i in ring}
