import numpy as np
import pytest
from matplotlib.figure import Figure

from pipeline.evaluation.lattice_map import draw_block_means, draw_points
from pipeline.grid.lattice import COLUMNS, ROWS


def test_a_map_of_blocks_has_the_mean_of_the_points_in_each_and_nothing_where_there_are_none():
    row, column = np.array([0, 3, 4, ROWS - 1]), np.array([0, 3, 3, COLUMNS - 1])
    values = np.array([1.0, 2.0, 7.0, 5.0])
    axes = Figure().add_subplot()
    blocks = draw_block_means(axes, row, column, values, 4)
    picture = blocks.get_array().filled(np.nan)
    assert picture[0, 0] == pytest.approx(1.5)
    assert picture[1, 0] == pytest.approx(7)
    assert picture[-1, -1] == pytest.approx(5)
    assert np.isfinite(picture).sum() == 3
    # Blocks of 4 nodes divide the lattice without rest: both maps have one extent.
    assert blocks.get_extent() == pytest.approx(draw_points(axes, row, column, values).get_extent())
