/** The options of a request that change the features of its site. */
export interface PlainOptions {
  readonly elevation_m?: number;
  readonly conditions?: Readonly<Record<string, number>>;
  readonly scenario?: { readonly warming_c?: number; readonly precipitation_change_percent?: number };
  readonly include?: readonly string[];
}

/**
 * The features of a site by name, as the models see them: moved to its own elevation, then with the caller's
 * measurements, then in the changed climate.
 * @param names of the features
 * @param column the value of a column of the grid at the matched point; undefined where the grid has none
 */
export function plainFeatures(
  names: readonly string[],
  column: (name: string) => number | undefined,
  { elevation_m, conditions, scenario = {} }: PlainOptions,
): Record<string, number> {
  const climate: Record<string, number> = {
    ...values(['temperature_max']),
    ...values(names),
  };
  if (elevation_m !== undefined) {
    const kilometres = (elevation_m - column('elevation')!) / 1000;
    for (const name of Object.keys(climate)) {
      const lapse = column(`lapse_${name}`);
      if (lapse === undefined) continue;
      if (name.startsWith('precipitation')) climate[name] *= Math.exp(lapse * kilometres);
      else climate[name] += lapse * kilometres;
    }
    climate.elevation = elevation_m;
  }
  Object.assign(climate, conditions);
  const { warming_c = 0, precipitation_change_percent = 0 } = scenario;
  const { temperature_max, vpd_max } = climate;
  for (const name of names) {
    if (name.startsWith('temperature_')) climate[name] += warming_c;
    if (name.startsWith('precipitation_')) climate[name] *= (100 + precipitation_change_percent) / 100;
  }
  if (warming_c !== 0)
    climate.vpd_max = (vpd_max / magnus(temperature_max)) * magnus(temperature_max + warming_c);
  return Object.fromEntries(names.map((name) => [name, climate[name]]));

  function values(of: readonly string[]): Record<string, number> {
    // Features are float32, also before they are moved.
    const gridValue = (name: string) => (names.includes(name) ? Math.fround(column(name)!) : column(name)!);
    return Object.fromEntries(of.map((name) => [name, gridValue(name)]));
  }
}

/** Magnus' formula, hPa, with the coefficients of Murray (1967). */
function magnus(celsius: number): number {
  return 6.1078 * Math.exp((17.269 * celsius) / (237.3 + celsius));
}
