"""Water vapor: saturation pressure over water and the dew point that belongs to a pressure.

Murray (1967), On the computation of saturation vapor pressure, J. Appl. Meteorol. 6:203-204, the formula by which
PRISM turns dew points into vapor pressure deficits (Daly, Smith and Olson 2015, PLoS ONE 10(10): e0141140).
"""

import numpy as np

_E0_HPA, _A, _B_DEG = 6.1078, 17.269, 237.3


def saturation_pressure(temperature):
    """Degrees Celsius to hPa."""
    return _E0_HPA * np.exp(_A * temperature / (temperature + _B_DEG))


def dew_point_of(pressure):
    """HPa to degrees Celsius; the inverse of :func:`saturation_pressure`."""
    log = np.log(pressure / _E0_HPA)
    return _B_DEG * log / (_A - log)
