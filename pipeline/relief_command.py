"""``python -m pipeline relief``: builds the shaded relief of the planner's map."""

from dataclasses import replace

from pmtiles.tile import Compression, TileType, zxy_to_tileid
from pmtiles.writer import write

from pipeline.grid.relief.elevation_fit import SEA_LEVEL
from pipeline.grid.relief.hillshade import MAX_ZOOM, MIN_ZOOM, hillshade, tiles
from pipeline.sources.manifest import PROJECT
from pipeline.sources.terrain_tiles import read_elevation_model, read_terrain_tiles

RELIEF = PROJECT / "web" / "base-map" / "relief.pmtiles"
# Height of a grey level of the tiles, rounded: the fits of the two states differ too little to be seen.
_METRES_PER_LEVEL = 19.8


def run(sources, elevation_file=None, output=RELIEF):
    """Write the tiles as PMTiles version 3. The same sources give the same bytes.

    ``elevation_file`` takes the place of the terrain tiles.
    """
    if elevation_file:
        levels = read_elevation_model(elevation_file)
        metres, sea = levels.values, levels.values <= 0
    else:
        levels = read_terrain_tiles(sources)
        metres, sea = levels.values * _METRES_PER_LEVEL, levels.values <= SEA_LEVEL
    shade = replace(levels, values=hillshade(metres, levels.north, levels.cell_deg))
    land = replace(levels, values=1.0 - sea)
    pictures = sorted((zxy_to_tileid(zoom, x, y), picture) for zoom, x, y, picture in tiles(shade, land))
    rows, columns = levels.values.shape
    with write(output) as writer:
        for tile_id, picture in pictures:
            writer.write_tile(tile_id, picture)
        writer.finalize(
            {
                "tile_type": TileType.WEBP,
                "tile_compression": Compression.NONE,
                "min_zoom": MIN_ZOOM,
                "max_zoom": MAX_ZOOM,
                "min_lon_e7": round(levels.west * 1e7),
                "max_lat_e7": round(levels.north * 1e7),
                "max_lon_e7": round((levels.west + columns * levels.cell_deg) * 1e7),
                "min_lat_e7": round((levels.north - rows * levels.cell_deg) * 1e7),
                "center_zoom": MIN_ZOOM,
                "center_lon_e7": 0,
                "center_lat_e7": 0,
            },
            {"name": "Shaded relief", "attribution": "Terrain: Viewfinder Panoramas"},
        )
