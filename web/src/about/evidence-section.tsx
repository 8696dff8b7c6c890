import type { ServedModel } from '../api/types.js';
import { counted, METHOD_NAMES, percent, years } from '../page/format.js';

type Evidence = ServedModel['evidence'][number];

/** A planting with fewer trees, and a source with fewer values, say little. */
const MIN_TREES = 20;
const MIN_VALUES = 3;
/** The share of values inside from which the intervals of a source fit. */
const MIN_SHARE = 0.7;

const isInside = ({ observed, low, high }: Evidence) =>
  low !== null && high !== null && observed >= low && observed <= high;

/** How the figures did on real plantings, from GET /v1/model. */
export function EvidenceSection({ evidence }: { evidence: readonly Evidence[] }) {
  if (evidence.length === 0) return null;
  // One planting may have been visited in several years.
  const treesOf = new Map(evidence.map((each) => [plantingOf(each), each.trees ?? 0]));
  const trees = [...treesOf.values()].reduce((sum, each) => sum + each, 0);
  const compared = evidence.filter(({ low, trees }) => low !== null && (trees ?? MIN_TREES) >= MIN_TREES);
  const sources = [...new Set(compared.map(({ source }) => source))].map((source) => {
    const ofSource = compared.filter((each) => each.source === source);
    return { source, values: ofSource.length, inside: ofSource.filter(isInside).length };
  });
  const inside = sources.reduce((sum, each) => sum + each.inside, 0);
  const list = (fits: boolean) =>
    sources
      .filter((each) => each.values >= MIN_VALUES && each.inside / each.values >= MIN_SHARE === fits)
      .map((each) => `${each.source} ${each.inside} of ${each.values}`)
      .join('; ');
  return (
    <>
      <h3>Tested on planted trees</h3>
      <p>
        The figures were compared with {counted(trees, 'planted tree')} of {counted(treesOf.size, 'planting')}
        . {inside} of {counted(compared.length, 'observed value')} lie in the interval that should hold 8 of
        10; plantings of fewer than {MIN_TREES} trees are left out of these.
      </p>
      <p>Where the intervals fit: {list(true) || 'nowhere'}.</p>
      <p>Where they miss: {list(false) || 'nowhere'}.</p>
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
                <EvidenceRow key={`${plantingOf(each)} ${each.horizon_years}`} {...each} />
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

const plantingOf = ({ source, place, treatment, species_code, planting_method }: Evidence) =>
  [source, place, treatment, species_code, planting_method].join(' ');
