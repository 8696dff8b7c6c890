import type { Coverage, ServedModel } from '../api/types.js';
import { METHODS } from '../api/types.js';
import { METHOD_NAMES, number, percent, years } from '../page/format.js';
import { useUsage } from '../state/catalogues.js';
import { forgetKey } from '../state/key.js';
import { EvidenceSection } from './evidence-section.js';
import { SourcesSection } from './sources-section.js';

/** What the figures mean and how good they are; outcomes, caution, scores and evidence are those of GET /v1/model. */
export function AboutPanel({ model, coverage }: { model: ServedModel; coverage: Coverage }) {
  const today = useUsage();
  return (
    <>
      <h2>Where the figures come from</h2>
      <p class="caution">
        Outcomes: <strong>{model.outcomes}</strong>. {model.caution}
      </p>
      <h3>What “alive” means</h3>
      <dl>
        {METHODS.map((method) => (
          <div key={method}>
            <dt>{METHOD_NAMES[method]}</dt>
            <dd>{model.alive[method]}</dd>
          </div>
        ))}
      </dl>
      <h3>How sure a figure is</h3>
      <p>
        {model.interval_level === null
          ? 'The models of this service have no intervals.'
          : `A bar or band is the range in which the survival of a plot of a planting there is expected to lie in ${Math.round(model.interval_level * 10)} of 10 cases. It includes errors of the grid and differences between sites and between planting programmes: year, crew and stock.`}
      </p>
      <h3>How large a cell is</h3>
      <p>
        The grid has {number(coverage.data_points)} data points on forest land, one in each cell of 30
        arc-seconds: about 0.9 km from north to south and 0.6 to 0.7 km from west to east. A site gets the
        values of the nearest point, at most {coverage.search_radius_km} km away. Where fewer cells are shown
        than there are points, each has the value of one point.
      </p>
      <h3>Flags</h3>
      <p>
        “Outside the native range”: the range map of the species (Little 1971) does not include the place. The
        map is accurate to kilometres, and trees grow beyond its edges. “Beyond training”: a feature is
        outside the range of 98 % of the training sites, and the model extrapolates.
      </p>
      <EvidenceSection evidence={model.evidence} />
      <h3>Skill on held-out {model.outcomes} outcomes</h3>
      <div class="table">
        <table>
          <thead>
            <tr>
              <th scope="col">Method</th>
              <th scope="col">After</th>
              <th scope="col">AUC</th>
              <th scope="col">Brier score</th>
              <th scope="col">Calibration error</th>
            </tr>
          </thead>
          <tbody>
            {model.scores.map(
              ({ planting_method, horizon_years, auc, brier, expected_calibration_error }) => (
                <tr key={`${planting_method}-${horizon_years}`}>
                  <td>{METHOD_NAMES[planting_method]}</td>
                  <td>{years(horizon_years)}</td>
                  <td>{auc === null ? '–' : number(auc, 2)}</td>
                  <td>{number(brier, 3)}</td>
                  <td>{percent(expected_calibration_error)}</td>
                </tr>
              ),
            )}
          </tbody>
        </table>
      </div>
      <SourcesSection model={model} />
      <h3>Model and key</h3>
      <p>
        Model {model.version}, digest <code>{model.digest.slice(0, 12)}</code>.
        {today !== null &&
          ` Your key has tier ${today.tier}: ${number(today.requests_today)} requests today${
            today.limit === null ? ', without a limit' : ` of ${number(today.limit)}`
          }.`}
      </p>
      <p>
        <a href="/docs">Reference of the interface</a>{' '}
        <a href="/licenses.txt">Licences of software and map data</a>{' '}
        <button type="button" onClick={forgetKey}>
          Forget the key
        </button>
      </p>
    </>
  );
}
