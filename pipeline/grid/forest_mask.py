"""Which places are forest land: indicator kriging of the inventory's own verdict on its plots.

The inventory has a plot on every 24 square kilometres of either state, forested or not, so the share of forest
around a place is observed, not modelled: fields, towns, lakes and sagebrush are plots without forest.
"""

from pipeline.grid.kriging import Variogram, ordinary

LEAST_SHARE = 0.5
# Smoother ones tell 0.4 % more plots right when left out, but smooth over towns and valley floors.
_VARIOGRAM = Variogram(range_km=8, nugget=0.3, km_per_100m=0.0, neighbours=24)


def forest_share(forested, xyz, target_xyz, exclude_km=0.0):
    """Estimated share of forest land around each target, [M], from booleans [N] at plots."""
    return ordinary(xyz, forested.astype(float), target_xyz, _VARIOGRAM, exclude_km)
