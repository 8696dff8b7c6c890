import type { ServedModel } from '../api/types.js';
import { counted, METHOD_NAMES, percent, points, years } from './format.js';

type Evidence = ServedModel['evidence'][number];

/** How the figures did on real plantings, from GET /v1/model. */
export function EvidenceSection({ evidence }: { evidence: readonly Evidence[] }) {
  if (evidence.length === 0) return null;
  // One planting may have been visited in several years.
  const treesOf = new Map(evidence.map((each) => [plantingOf(each), each.trees ?? 0]));
  const trees = [...treesOf.values()].reduce((sum, each) => sum + each, 0);
  const inside = evidence.filter(({ observed, low, high }) => observed >= low && observed <= high);
  const error = evidence.reduce((sum, { predicted, observed }) => sum + predicted - observed, 0);
  return (
    <>
      <h3>Tested on planted trees</h3>
      <p>
        The figures were compared with {counted(trees, 'planted tree')} of {counted(treesOf.size, 'planting')}
        . {inside.length} of {counted(evidence.length, 'observed value')} lie in the interval that should hold
        8 of 10; on average the prediction differs by {points(error / evidence.length)} points.
      </p>
      <details>
        <summary>Where it fits and where it misses</summary>
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
  const isInside = observed >= low && observed <= high;
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
        {percent(low)} to {percent(high)}
        {!isInside && ' (missed)'}
      </td>
    </tr>
  );
}

const plantingOf = ({ source, place, treatment, species_code, planting_method }: Evidence) =>
  [source, place, treatment, species_code, planting_method].join(' ');
