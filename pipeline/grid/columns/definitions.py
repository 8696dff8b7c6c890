"""The columns of the grid in file order: unit, meaning, origin, method, bounds and storage of each.

The texts are in the metadata of ``data/grid.arrow``: editing one changes the bytes and the checksum of the grid.
"""

from dataclasses import dataclass

import numpy as np

_PLOTS = "FIA plots of Oregon and Washington (PRISM 1991-2020 normals at the plots)"
_WASHINGTON = "FIA plots of Washington (PRISM 1991-2020 normals), PRISM minimum VPD raster, USFS climate surfaces"
_OREGON = "FIA plots of Oregon, USFS climate surfaces, PRISM minimum VPD raster"
_TERRAIN = "terrain tiles of Viewfinder Panoramas, fitted to the elevations of FIA plots"
_DRIFT = "elevation, height above the surroundings within 5 and 10 km, minimum VPD"
_COLD_AIR = "distance grows with differences of that height"
_LAPSE = "difference of the column's estimates 100 m above and below the point, within physical bounds"


@dataclass(frozen=True)
class Column:
    """One column. ``kind`` is observed (read from a map of the variable), interpolated or derived.

    A value is ``offset`` + ``scale`` * the stored integer of type ``stored``, and within ``minimum`` and ``maximum``.
    """

    name: str
    unit: str
    description: str
    kind: str
    source: str
    method: str
    minimum: float
    maximum: float
    stored: str
    scale: float
    offset: float = 0.0

    def encode(self, values):
        """Return integers [N] for values [N]; ValueError if one does not lie within the bounds."""
        values = np.asarray(values, dtype=float)
        if not ((values >= self.minimum) & (values <= self.maximum)).all():
            raise ValueError(f"{self.name}: {values.min():g} to {values.max():g} exceeds its bounds")
        integers = np.rint((values - self.offset) / self.scale)
        limits = np.iinfo(self.stored)
        if integers.min() < limits.min or integers.max() > limits.max:
            raise ValueError(f"{self.name}: {values.min():g} to {values.max():g} does not fit {self.stored}")
        return integers.astype(self.stored)

    def decode(self, integers):
        """Return float32 values [N]."""
        return (self.offset + self.scale * integers.astype(float)).astype(np.float32)


COLUMNS = (
    Column(
        "elevation",
        "m",
        "elevation above sea level",
        "observed",
        _TERRAIN,
        "mean of the 16 cells of 7.5 arc-seconds around the point",
        -100.0,
        4400.0,
        "int16",
        1.0,
    ),
    Column(
        "slope",
        "degrees",
        "steepness of the land",
        "derived",
        _TERRAIN,
        "gradient of the cells of 7.5 arc-seconds, terraces of the source blurred",
        0.0,
        60.0,
        "uint8",
        0.25,
    ),
    Column(
        "eastness",
        "1",
        "sine of the direction that the slope faces, 1 is east",
        "derived",
        _TERRAIN,
        "the same gradient; 0 where level",
        -1.0,
        1.0,
        "int8",
        0.01,
    ),
    Column(
        "northness",
        "1",
        "cosine of the direction that the slope faces, 1 is north",
        "derived",
        _TERRAIN,
        "the same gradient; 0 where level",
        -1.0,
        1.0,
        "int8",
        0.01,
    ),
    Column(
        "heat_load",
        "MJ/cm2/a",
        "potential annual direct radiation, highest on south-western slopes",
        "derived",
        _TERRAIN,
        "McCune and Keon (2002), equation 1, from latitude, slope and folded aspect",
        0.0,
        1.275,
        "uint8",
        0.005,
    ),
    Column(
        "terrain_ruggedness",
        "m",
        "terrain ruggedness index: mean absolute difference of elevation to the eight neighbouring cells",
        "derived",
        _TERRAIN,
        "index of the cells of 7.5 arc-seconds, scaled to that of the plots by a line",
        0.0,
        127.0,
        "uint8",
        0.5,
    ),
    Column(
        "precipitation_annual",
        "mm",
        "annual precipitation",
        "interpolated",
        _PLOTS,
        "universal kriging of the logarithm, drift: elevation blurred by 1 km and minimum VPD; distance grows with "
        "that elevation's differences, those of windward and lee sides (5, 10, 20 km) and of the USFS surface",
        50.0,
        8000.0,
        "uint16",
        1.0,
    ),
    Column(
        "precipitation_growing_season",
        "mm",
        "precipitation from May to September",
        "derived",
        _PLOTS,
        "annual precipitation times the May-September share of the USFS precipitation surface (1961-90)",
        0.0,
        4000.0,
        "uint16",
        1.0,
    ),
    Column(
        "temperature_mean",
        "degC",
        "annual mean temperature",
        "interpolated",
        _PLOTS,
        f"universal kriging, drift: USFS mean temperature surface, {_DRIFT}; {_COLD_AIR}",
        -15.0,
        25.0,
        "int16",
        0.01,
    ),
    Column(
        "temperature_max",
        "degC",
        "annual mean of the daily maximum temperature",
        "interpolated in Washington, derived in Oregon",
        _WASHINGTON,
        "mean temperature plus a regression of the diurnal half range on that of the surfaces, minimum VPD, "
        "precipitation, continentality and mean temperature; residuals kriged",
        -10.0,
        35.0,
        "int16",
        0.01,
    ),
    Column(
        "temperature_min_january",
        "degC",
        "mean daily minimum temperature of January",
        "interpolated",
        _PLOTS,
        f"universal kriging, drift: USFS January minimum surface, {_DRIFT}; {_COLD_AIR}",
        -35.0,
        15.0,
        "int16",
        0.01,
    ),
    Column(
        "dew_point",
        "degC",
        "annual mean dew point temperature",
        "interpolated in Washington, derived in Oregon",
        _WASHINGTON,
        "dew point implied by minimum temperature and minimum VPD, corrected by a regression on mean temperature "
        "and precipitation; residuals kriged",
        -25.0,
        20.0,
        "int16",
        0.01,
    ),
    Column(
        "vpd_max",
        "hPa",
        "annual mean of the daily maximum vapor pressure deficit",
        "interpolated in Washington, derived in Oregon",
        _WASHINGTON,
        "deficit implied by monthly maximum temperature and dew point, corrected by a regression on mean and January "
        "temperature; residuals kriged",
        0.0,
        50.0,
        "uint16",
        0.01,
    ),
    Column(
        "vpd_min",
        "hPa",
        "annual mean of the daily minimum vapor pressure deficit",
        "observed",
        "PRISM minimum VPD raster, 30-year normal, 4 km",
        "bilinear between cell centres",
        0.0,
        12.75,
        "uint8",
        0.05,
    ),
    Column(
        "climatic_water_deficit",
        "mm",
        "annual potential minus actual evapotranspiration",
        "interpolated in Oregon, derived in Washington",
        _OREGON,
        "Thornthwaite water balance of the site's monthly climate, corrected by a regression on mean temperature, "
        "precipitation, minimum VPD and diurnal range; residuals kriged",
        0.0,
        2000.0,
        "uint16",
        1.0,
    ),
    Column(
        "soil_water_capacity",
        "mm",
        "water the soil profile (1.5 m at most) holds between field capacity and wilting point",
        "derived",
        "hydrologic units of the National Hydrologic Model v1.1, GAGES-II basins (STATSGO)",
        "regression of the basins' water on the units' in logarithms, residuals kriged",
        0.0,
        510.0,
        "uint8",
        2.0,
    ),
    Column(
        "soil_water_error",
        "mm",
        "standard error of the soil water capacity",
        "derived",
        "the sources of the soil water capacity",
        "error of basins left out and spread among the nearest hydrologic units",
        0.0,
        255.0,
        "uint8",
        1.0,
    ),
    Column(
        "soil_clay",
        "percent",
        "clay in the fine earth of the soil profile, by mass",
        "interpolated",
        "GAGES-II basins (STATSGO)",
        "ordinary kriging between basins; basin scale only",
        0.0,
        63.75,
        "uint8",
        0.25,
    ),
    Column(
        "rock_depth",
        "cm",
        "depth to rock, at most 152 cm",
        "interpolated",
        "GAGES-II basins (STATSGO)",
        "ordinary kriging between basins; basin scale only",
        0.0,
        255.0,
        "uint8",
        1.0,
    ),
    Column(
        "canopy_cover",
        "percent",
        "tree canopy cover of the forest",
        "interpolated",
        "FIA forested plots of both states (NLCD tree canopy cover), National Hydrologic Model",
        "universal kriging, drift: tree cover of the nearest hydrologic units",
        0.0,
        100.0,
        "uint8",
        0.5,
    ),
    Column(
        "crown_ratio",
        "percent",
        "live crown length as a share of tree height",
        "derived",
        "canopy cover of this grid",
        "90 / (1 + canopy cover / 70), the density hyperbola of Holdaway (1986) with assumed constants",
        30.0,
        93.75,
        "uint8",
        0.25,
        30.0,
    ),
    Column(
        "ecoregion",
        "code",
        "EPA level III ecoregion",
        "observed",
        "EPA level III ecoregions, simplified",
        "the polygon that holds the point, otherwise the nearest",
        1.0,
        255.0,
        "uint8",
        1.0,
    ),
    Column(
        "lapse_precipitation_annual",
        "1/km",
        "change of the logarithm of annual precipitation with elevation",
        "derived",
        "the sources of precipitation_annual",
        _LAPSE,
        -2.5,
        2.5,
        "int8",
        0.02,
    ),
    Column(
        "lapse_temperature_mean",
        "degC/km",
        "change of the annual mean temperature with elevation",
        "derived",
        "the sources of temperature_mean",
        _LAPSE,
        -12.7,
        12.7,
        "int8",
        0.1,
    ),
    Column(
        "lapse_temperature_max",
        "degC/km",
        "change of the mean daily maximum temperature with elevation",
        "derived",
        "the sources of temperature_max",
        _LAPSE,
        -12.7,
        12.7,
        "int8",
        0.1,
    ),
    Column(
        "lapse_temperature_min_january",
        "degC/km",
        "change of the January minimum temperature with elevation",
        "derived",
        "the sources of temperature_min_january",
        _LAPSE,
        -12.7,
        12.7,
        "int8",
        0.1,
    ),
    Column(
        "lapse_dew_point",
        "degC/km",
        "change of the dew point with elevation",
        "derived",
        "the sources of dew_point",
        _LAPSE,
        -12.7,
        12.7,
        "int8",
        0.1,
    ),
    Column(
        "lapse_vpd_max",
        "hPa/km",
        "change of the maximum vapor pressure deficit with elevation",
        "derived",
        "the sources of vpd_max",
        _LAPSE,
        -12.7,
        12.7,
        "int8",
        0.1,
    ),
)
NAMES = tuple(column.name for column in COLUMNS)
