import numpy as np

from pipeline.grid.relief.water import find_water

CELL_KM = (0.2, 0.2)


def round_hill(size=61):
    """Ground that rises by 20 m a cell from the middle, and each cell's distance in cells from there."""
    row, column = np.mgrid[:size, :size] - size // 2
    distance = np.hypot(row, column)
    return (20 * distance).astype(np.float32), distance


def test_level_ground_that_lies_lower_than_all_around_is_water():
    basin, distance = round_hill()
    lake = np.maximum(basin, 200)
    water = find_water(lake, np.zeros(lake.shape, dtype=bool), CELL_KM)
    assert water[distance < 8].all()
    assert not water[distance > 12].any()


def test_level_ground_on_a_summit_or_a_terrace_or_of_less_than_800000_square_metres_is_not_water():
    basin, _ = round_hill()
    slope = np.mgrid[:61, :61][0].astype(np.float32) * 40
    terrace = np.where((slope > 800) & (slope < 1200), 1000, slope)
    no_sea = np.zeros(basin.shape, dtype=bool)
    for ground in (np.minimum(1200 - basin, 1000), terrace, np.maximum(basin, 60)):
        assert not find_water(ground, no_sea, CELL_KM).any()


def test_the_sea_is_water_and_level_ground_next_to_it_is_not():
    ground = np.zeros((40, 40), dtype=np.float32)
    ground[:, 20:] = 10.0
    sea = ground == 0
    assert np.array_equal(find_water(ground, sea, CELL_KM), sea)
