import numpy as np
import pytest
import rasterio
from PIL import Image
from rasterio.transform import from_origin

from pipeline.sources.manifest import SourceError
from pipeline.sources.tables import read_gages, read_hydrologic_units
from pipeline.sources.terrain_tiles import read_elevation_model, read_terrain_tiles

HEADER = "hru_lat,hru_lon,soil_moist_max,cov_type,covden_sum"


class Folder:
    """Sources without checksums: each file is named as its source."""

    def __init__(self, directory):
        self.directory = directory

    def path(self, name):
        return self.directory / name


def test_water_of_hydrologic_units_is_read_in_inches_and_given_in_millimetres(tmp_path):
    (tmp_path / "hydrologic_units").write_text(f"{HEADER}\n44.0,-122.0,4.0,3,0.8\n44.1,-122.1,2.0,1,0.1\n")
    units = read_hydrologic_units(Folder(tmp_path))
    assert units["water_mm"].tolist() == pytest.approx([101.6, 50.8])
    assert units["trees"].tolist() == [1.0, 0.0]


def test_water_in_another_unit_is_rejected(tmp_path):
    (tmp_path / "hydrologic_units").write_text(f"{HEADER}\n44.0,-122.0,101.6,3,0.8\n")
    with pytest.raises(SourceError, match="hydrologic_units: soil_moist_max is not in inches"):
        read_hydrologic_units(Folder(tmp_path))


@pytest.mark.parametrize("text", ["", "hru_lat,hru_lon\n44.0,-122.0\n", f"{HEADER}\n44.0,-122.0,4.0,3,0.8\n44.1,-122"])
def test_a_table_that_is_empty_truncated_or_of_other_columns_is_rejected_by_name(tmp_path, text):
    (tmp_path / "hydrologic_units").write_text(text)
    with pytest.raises(SourceError, match=r"^hydrologic_units: "):
        read_hydrologic_units(Folder(tmp_path))


def test_missing_values_of_basins_leave_the_basin_out(tmp_path):
    header = "LAT_CENT,LONG_CENT,AWCAVE,CLAYAVE,ROCKDEPAVE,DRAIN_SQKM"
    (tmp_path / "gages_basins").write_text(f"{header}\n44.0,-122.0,0.15,20,50,100\n45.0,-121.0,-9999,20,50,100\n")
    basins = read_gages(Folder(tmp_path))
    assert basins["rock_depth_cm"].tolist() == pytest.approx([127.0])


def test_a_terrain_tile_that_is_no_grey_image_is_rejected_by_name(tmp_path):
    (tmp_path / "terrain_19_43").write_bytes(b"not an image")
    with pytest.raises(SourceError, match="terrain_19_43: is not a readable image"):
        read_terrain_tiles(Folder(tmp_path))
    Image.new("RGB", (4, 4)).save(tmp_path / "coloured.png")
    (tmp_path / "coloured.png").replace(tmp_path / "terrain_19_43")
    with pytest.raises(SourceError, match="terrain_19_43: is not an 8-bit grey image"):
        read_terrain_tiles(Folder(tmp_path))


def test_the_mean_grey_level_of_a_cell_is_that_of_the_pixels_in_it(tmp_path):
    # Every tile is dark in its northern and light in its southern half.
    pixels = np.repeat(np.array([40, 120], dtype=np.uint8), 32)[:, None] * np.ones((1, 64), dtype=np.uint8)
    for x in range(19, 23):
        for y in range(43, 48):
            Image.fromarray(pixels).save(tmp_path / f"terrain_{x}_{y}", format="PNG")
    levels = read_terrain_tiles(Folder(tmp_path))
    # The tile 7/20/45 is from 45.089 to 47.040 degrees north and its middle, in Mercator's projection, at 46.073.
    north, south = levels.sample(np.array([46.6, 45.6]), np.array([-122.0, -122.0]))
    assert (north, south) == pytest.approx((40, 120), abs=1e-3)


def write_raster(path, values, west, north, cell_deg, crs="EPSG:4326"):
    rows, columns = values.shape
    profile = {"driver": "GTiff", "height": rows, "width": columns, "count": 1, "dtype": values.dtype, "crs": crs}
    with rasterio.open(path, "w", transform=from_origin(west, north, cell_deg, cell_deg), **profile) as dataset:
        dataset.write(values, 1)


def test_an_elevation_model_of_a_plane_gives_the_elevations_of_the_plane(tmp_path):
    # Cells of the size of the grid's, but half a cell off, so that each of the grid's is the mean of four.
    cell = 1 / 480
    west, north = -125.2 - 1.5 * cell, 49.3 + 1.5 * cell
    latitude = north - (np.arange(3652) + 0.5) * cell
    longitude = west + (np.arange(4324) + 0.5) * cell
    plane = 1000 + 100 * (latitude[:, None] - 45) - 50 * (longitude + 120)
    write_raster(tmp_path / "plane.tif", plane.astype(np.float32), west, north, cell)
    model = read_elevation_model(tmp_path / "plane.tif")
    places = np.array([42.0123, 45.0, 48.9876]), np.array([-124.5, -121.2345, -116.9])
    assert model.sample(*places) == pytest.approx(1000 + 100 * (places[0] - 45) - 50 * (places[1] + 120), abs=0.01)


def test_an_elevation_model_that_does_not_say_where_it_lies_is_rejected(tmp_path):
    write_raster(tmp_path / "lost.tif", np.ones((4, 4), dtype=np.float32), -126, 50, 3.0, crs=None)
    with pytest.raises(SourceError, match=r"lost\.tif: has no coordinate reference system"):
        read_elevation_model(tmp_path / "lost.tif")


def test_an_elevation_model_without_a_part_of_the_states_is_rejected(tmp_path):
    path = tmp_path / "small.dem"
    path.write_text("ncols 2\nnrows 2\nxllcorner -123\nyllcorner 45\ncellsize 0.5\nNODATA_value -9999\n1 2\n3 4\n")
    (tmp_path / "small.prj").write_text('GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],'
                                        'PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]]')  # fmt: skip
    with pytest.raises(SourceError, match="has no elevation at 49"):
        read_elevation_model(path)
