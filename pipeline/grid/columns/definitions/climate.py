"""The columns of climate."""

from pipeline.grid.columns.definitions.column import Column

_PLOTS = "FIA plots of Oregon and Washington (PRISM 1991-2020 normals at the plots)"
_WASHINGTON = "FIA plots of Washington (PRISM 1991-2020 normals), PRISM minimum VPD raster, USFS climate surfaces"
_OREGON = "FIA plots of Oregon, USFS climate surfaces, PRISM minimum VPD raster"
_DRIFT = "elevation, height above the surroundings within 5 and 10 km, minimum VPD"
_COLD_AIR = "distance grows with differences of that height"

CLIMATE_COLUMNS = (
    Column(
        name="precipitation_annual",
        unit="mm",
        description="annual precipitation",
        kind="interpolated",
        source=_PLOTS,
        method=(
            "universal kriging of the logarithm, drift: elevation blurred by 1 km and minimum VPD; distance grows with "
            "that elevation's differences, those of windward and lee sides (5, 10, 20 km) and of the USFS surface"
        ),
        minimum=50.0,
        maximum=8000.0,
        stored="uint16",
        scale=1.0,
    ),
    Column(
        name="precipitation_growing_season",
        unit="mm",
        description="precipitation from May to September",
        kind="derived",
        source=_PLOTS,
        method="annual precipitation times the May-September share of the USFS precipitation surface (1961-90)",
        minimum=0.0,
        maximum=4000.0,
        stored="uint16",
        scale=1.0,
    ),
    Column(
        name="temperature_mean",
        unit="degC",
        description="annual mean temperature",
        kind="interpolated",
        source=_PLOTS,
        method=f"universal kriging, drift: USFS mean temperature surface, {_DRIFT}; {_COLD_AIR}",
        minimum=-15.0,
        maximum=25.0,
        stored="int16",
        scale=0.01,
    ),
    Column(
        name="temperature_max",
        unit="degC",
        description="annual mean of the daily maximum temperature",
        kind="interpolated in Washington, derived in Oregon",
        source=_WASHINGTON,
        method=(
            "mean temperature plus a regression of the diurnal half range on that of the surfaces, minimum VPD, "
            "precipitation, continentality and mean temperature; residuals kriged"
        ),
        minimum=-10.0,
        maximum=35.0,
        stored="int16",
        scale=0.01,
    ),
    Column(
        name="temperature_min_january",
        unit="degC",
        description="mean daily minimum temperature of January",
        kind="interpolated",
        source=_PLOTS,
        method=f"universal kriging, drift: USFS January minimum surface, {_DRIFT}; {_COLD_AIR}",
        minimum=-35.0,
        maximum=15.0,
        stored="int16",
        scale=0.01,
    ),
    Column(
        name="dew_point",
        unit="degC",
        description="annual mean dew point temperature",
        kind="interpolated in Washington, derived in Oregon",
        source=_WASHINGTON,
        method=(
            "dew point implied by minimum temperature and minimum VPD, corrected by a regression on mean temperature "
            "and precipitation; residuals kriged"
        ),
        minimum=-25.0,
        maximum=20.0,
        stored="int16",
        scale=0.01,
    ),
    Column(
        name="vpd_max",
        unit="hPa",
        description="annual mean of the daily maximum vapor pressure deficit",
        kind="interpolated in Washington, derived in Oregon",
        source=_WASHINGTON,
        method=(
            "deficit implied by monthly maximum temperature and dew point, corrected by a regression on mean and "
            "January temperature; residuals kriged"
        ),
        minimum=0.0,
        maximum=50.0,
        stored="uint16",
        scale=0.01,
    ),
    Column(
        name="vpd_min",
        unit="hPa",
        description="annual mean of the daily minimum vapor pressure deficit",
        kind="observed",
        source="PRISM minimum VPD raster, 30-year normal, 4 km",
        method="bilinear between cell centres",
        minimum=0.0,
        maximum=12.75,
        stored="uint8",
        scale=0.05,
    ),
    Column(
        name="climatic_water_deficit",
        unit="mm",
        description="annual potential minus actual evapotranspiration",
        kind="interpolated in Oregon, derived in Washington",
        source=_OREGON,
        method=(
            "Thornthwaite water balance of the site's monthly climate, corrected by a regression on mean temperature, "
            "precipitation, minimum VPD and diurnal range; residuals kriged"
        ),
        minimum=0.0,
        maximum=2000.0,
        stored="uint16",
        scale=1.0,
    ),
)
