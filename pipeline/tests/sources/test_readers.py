import json
import zipfile

import numpy as np
import pytest

from pipeline.sources.outlines import StateOutlines
from pipeline.sources.raster import read_raster
from pipeline.sources.spline_surface import read_surface


def test_an_esri_ascii_grid_is_georeferenced_by_its_lower_left_corner(tmp_path):
    path = tmp_path / "grid.dem"
    path.write_text(
        "ncols 3\nnrows 2\nxllcorner -120.0\nyllcorner 45.0\ncellsize 0.5\nNODATA_value -9999\n1 2 3\n4 5 -9999\n"
    )
    raster = read_raster(path)
    assert raster.sample(np.array([45.75, 45.5]), np.array([-119.75, -119.5])) == pytest.approx([1.0, 3.0])
    assert np.isnan(raster.values[1, 2])
    assert raster.filled().values[1, 2] in (3.0, 5.0)


def test_a_zipped_bil_raster_is_georeferenced_by_the_centre_of_its_upper_left_cell(tmp_path):
    path = tmp_path / "raster.zip"
    header = (
        "BYTEORDER I\nNROWS 2\nNCOLS 2\nNBITS 32\nPIXELTYPE FLOAT\n"
        "ULXMAP -120.0\nULYMAP 46.0\nXDIM 0.5\nYDIM 0.5\nNODATA -9999\n"
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("r.hdr", header)
        archive.writestr("r.bil", np.array([1, 2, 3, -9999], dtype="<f4").tobytes())
    raster = read_raster(f"zip://{path}!r.bil")
    assert np.isnan(raster.values[1, 1])
    corners = raster.filled().sample(np.array([46.0, 45.5, 45.75]), np.array([-119.5, -120.0, -120.0]))
    assert corners == pytest.approx([2.0, 3.0, 2.0])


@pytest.mark.parametrize(("transformation", "power"), [(0, 1), (2, 2)])
def test_a_surface_is_a_plane_plus_weighted_distances_to_its_knots(tmp_path, transformation, power):
    knots = np.array([[-120.0, 45.0, 0.5], [-121.0, 46.0, 1.0]])
    plane, weights = [1.0, 0.01, 0.2, 0.5], [2.0, -1.0]
    lines = ["title", f"12 2 2 3 3 0 {transformation} 0 0", "limits", "limits", "limits", "scale"]
    lines += [" ".join(map(str, knots[:, axis])) for axis in range(3)]
    for month in range(12):
        lines += ["0 0 0 0 0 1", " ".join(map(str, [plane[0] + month, *plane[1:]])), " ".join(map(str, weights))]
    path = tmp_path / "s.sur"
    path.write_text("\n".join(lines))
    point = np.array([-120.5, 45.2, 0.8])
    distance = np.linalg.norm(knots - point, axis=1)
    expected = plane[0] + point @ plane[1:] - distance @ weights / (8 * np.pi) + np.arange(12)
    monthly = read_surface(path).monthly(np.array([45.2]), np.array([-120.5]), np.array([800.0]))
    assert monthly[0] == pytest.approx(expected**power)


def test_outlines_decode_arcs_reverse_them_and_find_shared_borders(tmp_path):
    # Two unit squares side by side; arc 0 is the border between them, walked backwards by the eastern one.
    arcs = [[[1, 0], [0, 1]], [[1, 1], [-1, 0], [0, -1], [1, 0]], [[1, 0], [1, 0], [0, 1], [-1, 0]]]
    states = [
        {"type": "Polygon", "id": "41", "arcs": [[0, 1]]},
        {"type": "Polygon", "id": "53", "arcs": [[2, -1]]},
    ]
    topology = {
        "transform": {"scale": [0.5, 0.5], "translate": [-120, 45]},
        "arcs": arcs,
        "objects": {"states": {"geometries": states}},
    }
    path = tmp_path / "states.json"
    path.write_text(json.dumps(topology))
    outlines = StateOutlines(path)
    assert outlines.polygon("41").bounds == (-120.0, 45.0, -119.5, 45.5)
    assert outlines.polygon("53").bounds == (-119.5, 45.0, -119.0, 45.5)
    assert outlines.polygon("53").area == pytest.approx(0.25)
    assert outlines.shared_border("41", "53").length == pytest.approx(0.5)
    assert outlines.outer_border("41").length == pytest.approx(1.5)
