import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { ERROR_STATUS, type ErrorCode } from '../../src/formats/errors/api-error.js';
import type { OpenApiDocument } from '../../src/http/openapi/document.js';
import { SettableClock } from '../accounts/support/settable-clock.js';
import { NO_NEARBY_DATA, OUTSIDE_COVERAGE, PREDICT_REQUEST } from '../support/requests.js';
import { serviceOfFile } from '../support/service.js';

interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  default?: unknown;
  required?: string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  examples?: unknown[];
}

const service = await serviceOfFile({ WORKERS: '1' }, new SettableClock('2026-11-22T12:00:00Z').nowMs);
const document = (await (await service.get('/openapi.json')).json()) as OpenApiDocument;
const schemas: Record<string, Schema> = document.components.schemas;
const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(document, 'openapi');

/** Every schema within one, itself included, with its JSON pointer. */
function within(at: string, schema: Schema): [at: string, schema: Schema][] {
  const { properties = {}, items, anyOf = [] } = schema;
  return [
    [at, schema],
    ...Object.entries(properties).flatMap(([name, field]) => within(`${at}/properties/${name}`, field)),
    ...(items ? within(`${at}/items`, items) : []),
    ...anyOf.flatMap((each, i) => within(`${at}/anyOf/${i}`, each)),
  ];
}

const all = () =>
  Object.entries(schemas).flatMap(([name, schema]) => within(`/components/schemas/${name}`, schema));

/** Whether the values of a schema are known without an example, or those of its parts. */
const isSelfEvident = (schema: Schema): boolean =>
  ['$ref', 'enum', 'const', 'anyOf', 'properties'].some((key) => key in schema) ||
  schema.type === 'boolean' ||
  (schema.items !== undefined && isSelfEvident(schema.items));

test('every schema of /openapi.json has the one type and the precision that generators of clients need', () => {
  const unclear = all().filter(([, { type = [], format, ...schema }]) => {
    const types = [type].flat().filter((each) => each !== 'null');
    return types.length > 1 || (types[0] === 'number' ? format !== 'double' : 'enum' in schema && !types[0]);
  });
  expect(unclear).toEqual([]);
});

test('every field of /openapi.json has an example or lists its values', () => {
  const fields = all().filter(([at]) => /\/properties\/\w+$/.test(at));
  expect(fields.length).toBeGreaterThan(80);
  const without = fields.filter(([, field]) => field.examples === undefined && !isSelfEvident(field));
  expect(without.map(([at]) => at)).toEqual([]);
});

test('every example of /openapi.json is valid', () => {
  const invalid = all().flatMap(([at, { examples = [] }]) => {
    const validate = ajv.compile({ $ref: `openapi#${at}` });
    return examples.filter((example) => !validate(example)).map((example) => [at, example, validate.errors]);
  });
  expect(invalid).toEqual([]);
});

test('requests name the species that are served', async () => {
  const { species } = (await (await service.get('/v1/species')).json()) as {
    species: { species_code: string }[];
  };
  expect(schemas.SpeciesCode.enum).toEqual(species.map(({ species_code }) => species_code));
  for (const name of ['PredictionRequest', 'ComparisonRequest'])
    expect(schemas[name].properties!.species_code).toEqual({ $ref: '#/components/schemas/SpeciesCode' });
});

test('the service answers every example of a request, and the least with every default', async () => {
  const bodies = Object.entries(document.paths).flatMap(([path, { post }]) => {
    const content = post?.requestBody?.content['application/json'] as { schema: Schema } | undefined;
    if (content === undefined) return [];
    const { examples, properties = {}, required = [] } = schemas[content.schema.$ref!.split('/').at(-1)!];
    const requests = (examples ?? [{ requests: properties.requests.examples![0] }]) as Record<
      string,
      unknown
    >[];
    const fields = Object.entries(properties).filter(
      ([name, field]) => required.includes(name) || 'default' in field,
    );
    const least = Object.fromEntries(
      fields.map(([name, field]) => [name, field.default ?? requests[0][name]]),
    );
    return [...requests, least].map((body) => [path, body] as const);
  });
  expect(bodies.length).toBeGreaterThanOrEqual(4);
  for (const [path, body] of bodies)
    expect([path, body, (await service.post(path, body)).status]).toEqual([path, body, 200]);
  const parameters = document.paths['/v1/surfaces/{species_code}'].get.parameters!.flatMap(
    ({ name, schema }) => ('default' in schema ? `&${name}=${schema.default}` : []),
  );
  const tiff = await service.get(`/v1/surfaces/PSME?f=tif&bbox=-123,43.5,-121.5,44.5${parameters.join('')}`);
  expect([parameters.length, tiff.status]).toEqual([3, 200]);
});

const ERRORS: readonly (readonly [code: ErrorCode, send: () => Promise<Response>])[] = [
  ['invalid_json', () => service.post('/v1/predict', '{')],
  ['invalid_api_key', () => fetch(`${service.apiUrl}/v1/species`)],
  ['not_found', () => service.get('/v1/nothing')],
  ['method_not_allowed', () => service.get('/v1/predict')],
  ['not_acceptable', () => service.get('/v1/surfaces/PSME', { accept: 'text/html' })],
  ['payload_too_large', () => service.post('/v1/predict', ' '.repeat(2 ** 20 + 1))],
  ['unsupported_media_type', () => service.post('/v1/predict', 'x', { 'content-type': 'text/plain' })],
  ['outside_coverage', () => service.post('/v1/predict', OUTSIDE_COVERAGE)],
  ['no_nearby_data', () => service.post('/v1/predict', NO_NEARBY_DATA)],
  ['invalid_species', () => service.post('/v1/predict', { ...PREDICT_REQUEST, species_code: 'QUAG' })],
  ['invalid_method', () => service.post('/v1/predict', { ...PREDICT_REQUEST, planting_method: 'broadcast' })],
  ['elevation_mismatch', () => service.post('/v1/predict', { ...PREDICT_REQUEST, elevation_m: 2788 })],
  ['invalid_request', () => service.post('/v1/predict', { ...PREDICT_REQUEST, latitude: '44.12' })],
  [
    'batch_too_large',
    async () => {
      const { secret } = await service.issueKey('spore');
      const requests = Array(11).fill(PREDICT_REQUEST);
      return service.post('/v1/predict/batch', { requests }, { 'x-api-key': secret });
    },
  ],
  [
    'key_inactive',
    async () => {
      const { id, secret } = await service.issueKey('spore');
      await service.administration.setState(id, 'deactivated');
      return service.get('/v1/species', { 'x-api-key': secret });
    },
  ],
  ['rate_limit_exceeded', async () => service.get('/v1/species', await service.exhaustedKey())],
];

test.each(ERRORS)('the example of %s is what the service answers', async (code, send) => {
  const contents = [
    ...Object.values(document.paths).flatMap((path) =>
      Object.values(path).flatMap(({ responses }) => Object.values(responses)),
    ),
    ...Object.values(document.components.responses),
  ] as { content?: Record<string, { examples?: Record<string, { value: unknown }> }> }[];
  const examples = contents.flatMap(({ content }) => content?.['application/json']?.examples?.[code] ?? []);
  expect(examples.length).toBeGreaterThan(0);
  const answer = await (await send()).json();
  for (const { value } of examples) expect(value).toEqual(answer);
});

test('every error code is explained in the description', () => {
  for (const code of Object.keys(ERROR_STATUS) as ErrorCode[])
    expect(document.info.description).toContain(`| \`${code}\` | ${ERROR_STATUS[code]} |`);
});
