import { ArtefactError } from './artefact-error.js';
import type { GridFile } from './grid-file.js';
import { isPractice, type Manifest } from './manifest.js';

/** The column with the change of a variable with elevation. */
export function lapseColumnOf(name: string): string {
  return `lapse_${name}`;
}

/** The unit of a lapse rate of a variable's logarithm; that of any other is the variable's unit and `/km`. */
export const LAPSE_OF_LOGARITHM = '1/km';

/** The temperature, degrees Celsius, that a feature follows in a changed climate where relative humidity stays. */
export const TEMPERATURE_OF_VAPOR_PRESSURE: Readonly<Record<string, string>> = { vpd_max: 'temperature_max' };

/**
 * The columns that options of requests need beside the features: elevation, the temperatures that vapor pressure deficits follow, and
 * the lapse rates of these and of the features, as far as the grid has any, and the errors of features.
 * @throws ArtefactError naming the grid's file where a column is missing or in another unit
 */
export function optionColumns(file: string, grid: GridFile, { features }: Manifest): string[] {
  const names: string[] = [];
  const require = (name: string, unit: string) => {
    const column = grid.variables.get(name);
    if (column === undefined) throw new ArtefactError(file, `column ${name} is missing`);
    if (column.unit !== unit)
      throw new ArtefactError(file, `column ${name} is in ${column.unit}, but must be in ${unit}`);
    if (!names.includes(name)) names.push(name);
  };
  const gridFeatures = features.flatMap((feature) => (isPractice(feature) ? [] : [feature]));
  const moved = new Map(gridFeatures.map(({ name, unit }) => [name, unit]));
  require('elevation', 'm');
  for (const { name, unit, error } of gridFeatures) {
    if (error.column !== undefined) require(error.column, unit);
    const temperature = TEMPERATURE_OF_VAPOR_PRESSURE[name];
    if (temperature === undefined) continue;
    require(temperature, 'degC');
    moved.set(temperature, 'degC');
  }
  for (const [name, unit] of moved) {
    const lapse = lapseColumnOf(name);
    const column = grid.variables.get(lapse);
    if (column !== undefined)
      require(lapse, column.unit === LAPSE_OF_LOGARITHM ? LAPSE_OF_LOGARITHM : `${unit}/km`);
  }
  return names;
}
