import { type OptionRules, queryNumber, rangeMessage, SCENARIO } from '../../../formats/request/options.js';
import { type Issue, issuesError } from '../../../formats/request/request-errors.js';
import type { TableRequest } from '../../../formats/table/table-request.js';
import { ALL_HORIZONS, HORIZONS } from '../../../prediction/dimensions.js';
import { ApiError } from '../../../prediction/errors/api-error.js';
import { SHOWN_ELEMENTS, show, showAll } from '../../../prediction/errors/shown-value.js';

/** The parameters of the query. */
const TABLE_PARAMETERS = ['horizons', 'include', ...SCENARIO.map(({ name }) => name)];

/**
 * Reads the query of a table's request.
 * @param query its parameters; an array where one is given several times
 * @throws ApiError invalid_request with every issue found
 */
export function readTableQuery(
  query: Readonly<Record<string, string | readonly string[]>>,
  { hasIntervals }: Pick<OptionRules, 'hasIntervals'>,
): Pick<TableRequest, 'horizons' | 'intervals' | 'scenario'> {
  const issues: Issue[] = [];
  const refuse = (path: string, message: string) => issues.push({ path, message });
  let unknown = 0;
  for (const [name, value] of Object.entries(query)) {
    if (!TABLE_PARAMETERS.includes(name)) {
      if (unknown++ === SHOWN_ELEMENTS) break; // thousands go into an address
      refuse(name, `${show(name)} is not a parameter of the query: these are ${TABLE_PARAMETERS.join(', ')}`);
    } else if (typeof value !== 'string') refuse(name, `${name} must be given once`);
  }
  const textOf = (name: string) => {
    const value = Object.hasOwn(query, name) ? query[name] : undefined;
    return typeof value === 'string' ? value : undefined;
  };

  const years = textOf('horizons')?.split(',');
  const wrongYears = years?.filter((text) => !HORIZONS.some((horizon) => String(horizon) === text)) ?? [];
  if (wrongYears.length > 0)
    refuse(
      'horizons',
      `horizons must be of ${HORIZONS.join(', ')}, separated by commas, not ${showAll(wrongYears)}`,
    );
  const horizons = HORIZONS.reduce(
    (set, horizon, h) => (years?.includes(String(horizon)) ? set | (1 << h) : set),
    0,
  );

  const words = (textOf('include') ?? '').split(',').filter((word) => word !== '');
  const wrongWords = words.filter((word) => word !== 'intervals');
  if (wrongWords.length > 0)
    refuse('include', `include can only be intervals for a table, not ${showAll(wrongWords)}`);
  const intervals = words.includes('intervals');
  if (intervals && !hasIntervals)
    refuse('include', 'include cannot have intervals: the models of this service have none');

  const scenario: Record<string, number> = {};
  for (const number of SCENARIO) {
    const text = textOf(number.name);
    if (text === undefined) continue;
    const value = queryNumber(text);
    if (value >= number.minimum && value <= number.maximum) scenario[number.name] = value;
    else refuse(number.name, rangeMessage(number, text));
  }
  if (issues.length > 0) throw new ApiError(issuesError(issues));
  return { horizons: years === undefined ? ALL_HORIZONS : horizons, intervals, scenario };
}
