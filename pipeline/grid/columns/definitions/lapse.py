"""The columns of lapse rates: how the climate changes with elevation around a point."""

from pipeline.grid.columns.definitions.column import Column

_METHOD = "difference of the column's estimates 100 m above and below the point, within physical bounds"


def _lapse(of, unit, what, scale=0.1):
    """Return the column for the change of another one, whose stored integers are all allowed."""
    limit = round(127 * scale, 1)
    return Column(
        name=f"lapse_{of}",
        unit=f"{unit}/km",
        description=f"change of the {what} with elevation",
        kind="derived",
        source=f"the sources of {of}",
        method=_METHOD,
        minimum=-limit,
        maximum=limit,
        stored="int8",
        scale=scale,
    )


LAPSE_COLUMNS = (
    _lapse("precipitation_annual", "1", "logarithm of annual precipitation", scale=0.02),
    _lapse("temperature_mean", "degC", "annual mean temperature"),
    _lapse("temperature_max", "degC", "mean daily maximum temperature"),
    _lapse("temperature_min_january", "degC", "January minimum temperature"),
    _lapse("dew_point", "degC", "dew point"),
    _lapse("vpd_max", "hPa", "maximum vapor pressure deficit"),
)
