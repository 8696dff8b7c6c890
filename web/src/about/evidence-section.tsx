import type { ServedModel } from '../api/types.js';
import { counted, METHOD_NAMES, percent, years } from '../page/format.js';

type Evidence = ServedModel['evidence'][number];

/** Plantings with fewer trees and sources with fewer values say little, and are not counted. */
const MIN_TREES = 20;
const MIN_VALUES = 3;
/** Sources with at least this share of values inside their intervals are listed apart from the others. */
const MIN_SHARE = 0.7;

const isInside = ({ observed, low, high }: Evidence) =>
  low !== null && high !== null && observed >= low && observed <= high;

/** How predictions compare with real plantings, from GET /v1/model. */
export function EvidenceSection({ evidence }: { evidence: readonly Evidence[] }) {
  if (evidence.length === 0) return null;
  const compared = evidence.filter(({ low, trees }) => low !== null && (trees ?? MIN_TREES) >= MIN_TREES);
  const sources = [...new Set(compared.map(({ source }) => source))].map((source) => {
    const ofSource = compared.filter((each) => each.source === source);
    return { source, values: ofSource.length, inside: ofSource.filter(isInside).length };
  });
  const list = (hasMinShare: boolean) =>
    sources
      .filter((each) => each.values >= MIN_VALUES && each.inside / each.values >= MIN_SHARE === hasMinShare)
      .map((each) => `${each.source} ${each.inside} of ${each.values}`)
      .join('; ') || 'none';
  return (
    <>
      <h3>Tested on planted trees</h3>
      <p>
        How many observed values lie in the interval that should hold 8 of 10, by source. Plantings of fewer
        than {MIN_TREES} trees and sources of fewer than {MIN_VALUES} values are left out. The values are too
        few, and depend on each other too much, to rank the sources.
      </p>
      <p>
        At least {percent(MIN_SHARE)} inside: {list(true)}.
      </p>
      <p>Fewer inside: {list(false)}.</p>
      <details>
        <summary>All plantings</summary>
        <div class="table">
          <table>
            <thead>
              <tr>
                <th scope="col">Place and treatment</th>
                <th scope="col">Species and method</th>
                <th scope="col">After</th>
                <th scope="col">Observed</th>
                <th scope="col">Predicted</th>
                <th scope="col">Interval</th>
              </tr>
            </thead>
            <tbody>
              {evidence.map((each) => (
                <EvidenceRow key={keyOf(each)} {...each} />
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}

function EvidenceRow(row: Evidence) {
  const { source, place, treatment, species_code, planting_method, horizon_years } = row;
  const { trees, observed, predicted, low, high } = row;
  return (
    <tr>
      <td title={source}>
        {place}
        {treatment !== null && `, ${treatment}`}
        {trees !== null && `, ${counted(trees, 'tree')}`}
      </td>
      <td>
        {species_code}, {METHOD_NAMES[planting_method].toLowerCase()}
      </td>
      <td>{years(horizon_years)}</td>
      <td>{percent(observed)}</td>
      <td>{percent(predicted)}</td>
      <td>
        {low !== null && high !== null && `${percent(low)} to ${percent(high)}`}
        {low !== null && !isInside(row) && ' (missed)'}
      </td>
    </tr>
  );
}

const keyOf = ({ source, place, treatment, species_code, planting_method, horizon_years }: Evidence) =>
  [source, place, treatment, species_code, planting_method, horizon_years].join(' ');
