"""The columns of the grid in file order: unit, meaning, origin and method of each.

The texts are in the metadata of ``data/grid.arrow``: editing one changes the bytes and the checksum of the grid.
"""

from dataclasses import dataclass

_PLOTS = "FIA plots of Oregon and Washington (PRISM 1991-2020 normals at the plots)"
_WASHINGTON = "FIA plots of Washington (PRISM 1991-2020 normals), PRISM minimum VPD raster, USFS climate surfaces"
_OREGON = "FIA plots of Oregon, USFS climate surfaces, PRISM minimum VPD raster"


@dataclass(frozen=True)
class Column:
    """One column. ``kind`` is observed (read from a map of the variable), interpolated or derived."""

    name: str
    unit: str
    description: str
    kind: str
    source: str
    method: str


COLUMNS = (
    Column(
        "elevation",
        "m",
        "elevation above sea level",
        "observed",
        "PRISM 2.5 arc-minute elevation grid",
        "quadratic spline between cell centres",
    ),
    Column(
        "terrain_ruggedness",
        "m",
        "terrain ruggedness index: mean absolute difference of elevation to the eight neighbouring cells",
        "interpolated",
        "FIA plots of Oregon (TRI) and Washington (roughness / 3.3), PRISM elevation grid",
        "universal kriging, drift: relief of the elevation grid",
    ),
    Column(
        "precipitation_annual",
        "mm",
        "annual precipitation",
        "interpolated",
        _PLOTS,
        "universal kriging of the logarithm, drift: log of the USFS precipitation surface, elevation",
    ),
    Column(
        "precipitation_growing_season",
        "mm",
        "precipitation from May to September",
        "derived",
        _PLOTS,
        "annual precipitation times the May-September share of the USFS precipitation surface (1961-90)",
    ),
    Column(
        "temperature_mean",
        "degC",
        "annual mean temperature",
        "interpolated",
        _PLOTS,
        "universal kriging, drift: USFS mean temperature surface, elevation",
    ),
    Column(
        "temperature_max",
        "degC",
        "annual mean of the daily maximum temperature",
        "interpolated in Washington, derived in Oregon",
        _WASHINGTON,
        "mean temperature plus a regression of the diurnal half range on that of the surfaces, minimum VPD, "
        "precipitation, continentality and mean temperature; residuals kriged",
    ),
    Column(
        "temperature_min_january",
        "degC",
        "mean daily minimum temperature of January",
        "interpolated",
        _PLOTS,
        "universal kriging, drift: USFS January minimum surface, elevation",
    ),
    Column(
        "dew_point",
        "degC",
        "annual mean dew point temperature",
        "interpolated in Washington, derived in Oregon",
        _WASHINGTON,
        "dew point implied by minimum temperature and minimum VPD, corrected by a regression on mean temperature "
        "and precipitation; residuals kriged",
    ),
    Column(
        "vpd_max",
        "hPa",
        "annual mean of the daily maximum vapor pressure deficit",
        "interpolated in Washington, derived in Oregon",
        _WASHINGTON,
        "deficit implied by monthly maximum temperature and dew point, corrected by a regression on mean and January "
        "temperature; residuals kriged",
    ),
    Column(
        "vpd_min",
        "hPa",
        "annual mean of the daily minimum vapor pressure deficit",
        "observed",
        "PRISM minimum VPD raster, 30-year normal, 4 km",
        "bilinear between cell centres",
    ),
    Column(
        "climatic_water_deficit",
        "mm",
        "annual potential minus actual evapotranspiration",
        "interpolated in Oregon, derived in Washington",
        _OREGON,
        "Thornthwaite water balance of the site's monthly climate, corrected by a regression on mean temperature, "
        "precipitation, minimum VPD and diurnal range; residuals kriged",
    ),
    Column(
        "soil_water_capacity",
        "mm",
        "water the soil profile (1.5 m at most) holds between field capacity and wilting point",
        "derived",
        "CAMELS basin means (STATSGO): depth, sand, silt, clay",
        "Saxton and Rawls (2006) pedotransfer per basin, ordinary kriging between basins; basin scale only",
    ),
    Column(
        "soil_clay",
        "percent",
        "clay in the fine earth of the soil profile, by mass",
        "interpolated",
        "CAMELS basin means (STATSGO)",
        "ordinary kriging between basins; basin scale only",
    ),
    Column(
        "soil_organic_matter",
        "percent",
        "organic matter in the mineral soil, by mass",
        "derived",
        "annual precipitation of this grid",
        "logarithmic in precipitation, after Homann et al. (1995): 2 % at 400 mm, 6 % at 2000 mm",
    ),
    Column(
        "canopy_cover",
        "percent",
        "tree canopy cover of the forest around",
        "interpolated",
        "FIA forested plots of both states (NLCD tree canopy cover)",
        "ordinary kriging",
    ),
    Column(
        "crown_ratio",
        "percent",
        "live crown length as a share of tree height",
        "derived",
        "canopy cover of this grid",
        "90 / (1 + canopy cover / 70), the density hyperbola of Holdaway (1986) with assumed constants",
    ),
)
NAMES = tuple(column.name for column in COLUMNS)
