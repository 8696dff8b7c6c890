"""Errors of the columns of the grid, measured at plots that were not used in their own prediction."""

import numpy as np

from pipeline.evaluation.grid.scores import score
from pipeline.grid.build import LEAVE_OUT_KM
from pipeline.grid.columns.canopy import interpolate_canopy
from pipeline.grid.columns.climate import interpolate_climate
from pipeline.grid.columns.deficit import COLUMN as DEFICIT
from pipeline.grid.columns.deficit import deficit_predictors, fit_deficit
from pipeline.grid.columns.humidity import COLUMNS as HUMIDITY_COLUMNS
from pipeline.grid.columns.humidity import fit_humidity
from pipeline.grid.columns.soils import BASIN_COLUMNS, interpolate_basins
from pipeline.grid.columns.terrain import interpolate_ruggedness
from pipeline.grid.columns.transfer import one_degree_blocks
from pipeline.sources.plots import OREGON, WASHINGTON

_LEFT_OUT = f"leave-one-out with every plot within {LEAVE_OUT_KM:.0f} km left out"
_CLIMATE_COLUMNS = ("precipitation_annual", "temperature_mean", "temperature_min_january")
# Excludes the basin itself and no other.
_SAME_BASIN_KM = 0.01


def validate(inputs):
    """Return the :class:`Score` of every check of every column."""
    return [
        *_terrain_scores(inputs),
        *_climate_scores(inputs),
        *_humidity_scores(inputs),
        *_deficit_scores(inputs),
        *_basin_scores(inputs),
        *_canopy_scores(inputs),
    ]


def _forest(inputs, region=None):
    forested = inputs.plots["forested"].to_numpy()
    return forested if region is None else forested & (inputs.plots["region"] == region).to_numpy()


def _terrain_scores(inputs):
    plots, sites = inputs.plots, inputs.plot_sites
    elevation = inputs.terrain.elevation(sites.latitude, sites.longitude)
    for where, region in (("both states", None), ("Oregon", OREGON), ("Washington", WASHINGTON)):
        forest = _forest(inputs, region)
        yield score("elevation", f"forested plots of {where}", elevation[forest], sites.elevation[forest])
    ruggedness = plots["terrain_ruggedness"].to_numpy()
    relief = inputs.terrain.relief(sites.latitude, sites.longitude)
    forest = _forest(inputs)
    estimate = interpolate_ruggedness(ruggedness, sites.xyz, relief, sites.xyz, relief, LEAVE_OUT_KM)
    yield score("terrain_ruggedness", _LEFT_OUT, estimate[forest], ruggedness[forest])


def _climate_scores(inputs):
    forest, plots = _forest(inputs), inputs.plots
    sites = inputs.plot_sites
    mapped = inputs.reader.at(
        sites.latitude, sites.longitude, inputs.terrain.elevation(sites.latitude, sites.longitude)
    )
    at_grid_elevation = interpolate_climate(plots, sites, mapped, LEAVE_OUT_KM)
    for name in _CLIMATE_COLUMNS:
        observed = plots[name].to_numpy()[forest]
        yield score(name, _LEFT_OUT, inputs.plot_climate[name].to_numpy()[forest], observed)
        yield score(
            name, "the same at the elevation grid's elevation", at_grid_elevation[name].to_numpy()[forest], observed
        )


def _humidity_scores(inputs):
    plots, climate, sites, humid = inputs.plots, inputs.plot_climate, inputs.plot_sites, inputs.humid
    forest = _forest(inputs)

    def predict(train, test, exclude_km=0.0):
        model = fit_humidity(plots[train], climate[train], sites.where(train))
        return model.predict(climate[test], sites.where(test), exclude_km)

    in_blocks = {name: np.full(len(plots), np.nan) for name in HUMIDITY_COLUMNS}
    for block in _block_masks(sites, humid):
        for name, values in predict(humid & ~block, block).items():
            in_blocks[name][block] = values
    near = predict(humid, humid, LEAVE_OUT_KM)
    for name in HUMIDITY_COLUMNS:
        observed = plots[name].to_numpy()
        chosen = humid & forest
        yield score(name, "in 1-degree blocks of Washington", in_blocks[name][chosen], observed[chosen])
        yield score(name, f"in Washington {_LEFT_OUT}", near[name][forest[humid]], observed[chosen])
    chosen = _forest(inputs, WASHINGTON)
    yield score("vpd_min", "forested plots of Washington", sites.vpd_min[chosen], plots["vpd_min"].to_numpy()[chosen])


def _deficit_scores(inputs):
    dry, sites, climate = inputs.dry, inputs.plot_sites, inputs.plot_climate
    observed, forest = inputs.plots[DEFICIT].to_numpy(), _forest(inputs)
    predictors = deficit_predictors(climate, sites)

    def predict(train, test, exclude_km=0.0):
        transfer = fit_deficit(inputs.plots[train], climate[train], sites.where(train))
        return transfer.predict(predictors[test], sites.xyz[test], exclude_km)

    in_blocks = np.full(len(observed), np.nan)
    for block in _block_masks(sites, dry):
        in_blocks[block] = predict(dry & ~block, block)
    chosen = dry & forest
    yield score(DEFICIT, "in 1-degree blocks of Oregon", in_blocks[chosen], observed[chosen])
    near = predict(dry, dry, LEAVE_OUT_KM)
    yield score(DEFICIT, f"in Oregon {_LEFT_OUT}", near[forest[dry]], observed[chosen])


def _basin_scores(inputs):
    basins = inputs.basins
    xyz = np.column_stack([basins["x"], basins["y"], np.zeros(len(basins))])
    for name in BASIN_COLUMNS:
        estimate = interpolate_basins(basins[name], basins, xyz, _SAME_BASIN_KM)
        yield score(name, "basin means, each left out", estimate, basins[name].to_numpy())


def _canopy_scores(inputs):
    forest = _forest(inputs)
    cover, xyz = inputs.plots["canopy_cover"].to_numpy()[forest], inputs.plot_sites.xyz[forest]
    yield score("canopy_cover", _LEFT_OUT, interpolate_canopy(cover, xyz, xyz, LEAVE_OUT_KM), cover)


def _block_masks(sites, chosen):
    blocks = one_degree_blocks(sites.latitude, sites.longitude)
    for block in np.unique(blocks[chosen]):
        yield chosen & (blocks == block)
