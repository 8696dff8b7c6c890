import numpy as np
import pytest

from pipeline.grid.lattice import COLUMNS, ROWS, SOUTH, STEPS_PER_DEGREE, WEST, degrees_of, nodes_of, normal_cells


def test_nodes_are_the_centres_of_the_cells_of_the_normals_to_within_four_metres():
    row, column = np.meshgrid(np.arange(ROWS), np.arange(COLUMNS), indexing="ij")
    nodes = degrees_of(row, column)
    for node, centre in zip(nodes, normal_cells(*nodes), strict=True):
        assert np.abs(node - centre).max() < 4e-5
        assert centre * STEPS_PER_DEGREE == pytest.approx(np.rint(centre * STEPS_PER_DEGREE), abs=1e-6)


def test_no_coordinate_of_four_decimals_is_equally_near_to_two_nodes():
    for origin, count in ((SOUTH, ROWS), (WEST, COLUMNS)):
        midway = (origin + np.arange(1, count) / STEPS_PER_DEGREE) * 1e4
        assert np.abs(midway - np.rint(midway)).min() > 0.01


def test_coordinates_of_nodes_lead_back_to_their_rows_and_columns():
    row, column = np.meshgrid(np.arange(ROWS), np.arange(COLUMNS), indexing="ij")
    for found, expected in zip(nodes_of(*degrees_of(row, column)), (row, column), strict=True):
        assert (found == expected).all()
