/*
 * Magnus' formula with the coefficients of Murray (1967), On the computation of saturation vapor pressure, J. Appl.
 * Meteorol. 6:203-204, by which PRISM, and so the grid, turns dew points into vapor pressure deficits (Daly, Smith and
 * Olson 2015, PLoS ONE 10(10): e0141140).
 */
const PRESSURE_AT_0_HPA = 6.1078;
const A = 17.269;
const B_DEGREES = 237.3;

/** The saturation vapor pressure over water, hPa, at a temperature in degrees Celsius. */
export function saturationPressure(temperature: number): number {
  return PRESSURE_AT_0_HPA * Math.exp((A * temperature) / (temperature + B_DEGREES));
}

/** The dew point, degrees Celsius, at a vapor pressure in hPa: the inverse of `saturationPressure`. */
export function dewPointAt(pressure: number): number {
  const log = Math.log(pressure / PRESSURE_AT_0_HPA);
  return (B_DEGREES * log) / (A - log);
}
