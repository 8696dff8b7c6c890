import { expect, test } from 'vitest';
import { planResponseSchema } from '../../src/http/response/schemas.js';
import { seededRandom } from '../../testing/random.js';
import { rectangle, starAround } from '../prediction/support/outlines.js';
import { parseErrorBody } from '../support/error-body.js';
import { amount } from '../support/length.js';
import { serviceOfFile } from '../support/service.js';
import { collection, FOREST_RING, unit } from './support/units.js';

const service = await serviceOfFile({ WORKERS: '1' });

const random = seededRandom(41);
const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)];

const VALUES: readonly unknown[] = [
  null,
  true,
  '',
  'Polygon',
  'MultiPolygon',
  0,
  -0,
  90,
  -122,
  181,
  1e308,
  '44',
  [],
  [[]],
  [[[]]],
  {},
  [-122, 44],
  { type: 'Polygon', coordinates: [FOREST_RING] },
  { __proto__: null, constructor: 1 },
];

/** A body that is right, of several kinds of units. */
function rightBody() {
  const [north, east] = [41 + 9 * random(), -126 + 11 * random()];
  const features = [
    unit('a', FOREST_RING, rectangle(-122.045, 44.105, -122.04, 44.11)),
    unit(7, starAround([east, north], 0.02, 3 + Math.floor(8 * random()), random)),
    {
      ...unit('multi'),
      geometry: { type: 'MultiPolygon', coordinates: [[FOREST_RING], [rectangle(-121, 44, -120.99, 44.01)]] },
    },
  ];
  return {
    units: collection(...features),
    species_codes: ['PSME', 'PIPO'],
    horizon: 3,
    native_only: false,
    costs: { manual: 1, drone_seeded: 0.2 },
    scenario: { warming_c: 1 },
  };
}

/** Changes one member or element somewhere in a value: another value, none, twice, or in another place. */
function mutate(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || random() < 0.08) return pick(VALUES);
  if (Array.isArray(value)) {
    if (value.length === 0) return [pick(VALUES)];
    const at = Math.floor(random() * value.length);
    const change = random();
    if (change < 0.1) return value.toSpliced(at, 1);
    if (change < 0.2) return value.toSpliced(at, 0, value[at]);
    if (change < 0.3) return value.toReversed();
    if (change < 0.4 && typeof value[at] === 'number')
      return value.with(at, value[at] + pick([1e-9, 0.01, 1, 500_000]));
    return value.with(at, mutate(value[at]));
  }
  const names = Object.keys(value);
  const name = pick(names);
  if (name === undefined || random() < 0.05)
    return { ...value, [pick(['include', 'unit', 'id', 'cost'])]: pick(VALUES) };
  const { [name]: member, ...others } = value as Record<string, unknown>;
  if (random() < 0.08) return others;
  return { ...value, [name]: mutate(member) };
}

test('random changes to a plan get an answer of the interface or a clear error, and never a 5xx', async () => {
  const outcomes = new Map<string, number>();
  const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  for (let round = 0; round < amount({ short: 300, long: 20_000 }); round++) {
    const right = rightBody();
    let body: unknown = right;
    for (let changes = Math.floor(4 * random()); changes > 0; changes--) {
      // Often in the geometry of a unit, which is deep in the body.
      const features = right.units.features as { geometry: unknown }[];
      const at = Math.floor(random() * features.length);
      if (body !== right || random() < 0.3) body = mutate(body);
      else features[at] = { ...features[at], geometry: mutate(features[at].geometry) };
    }
    let text = JSON.stringify(body);
    if (random() < 0.05) text = text.slice(0, Math.floor(random() * text.length));
    const response = await service.post('/v1/plan', text);
    const answer = await response.text();
    if (response.status === 200) {
      count('answered');
      for (const each of planResponseSchema.parse(JSON.parse(answer)).units)
        count('error' in each ? `unit ${each.error.code}` : 'unit answered');
      continue;
    }
    expect([400, 422], `${text}\n${answer}`).toContain(response.status);
    count(parseErrorBody(answer).code);
  }
  for (const outcome of [
    'answered',
    'invalid_request',
    'invalid_json',
    'unit answered',
    'unit invalid_request',
    'unit outside_coverage',
  ])
    expect(outcomes.get(outcome) ?? 0, outcome).toBeGreaterThan(5);
});
