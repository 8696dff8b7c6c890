import { TIERS } from '../../accounts/tiers.js';
import type { Manifest } from '../../prediction/artefacts/manifest.js';
import { PLANTING_METHODS } from '../../prediction/dimensions.js';
import { ERROR_STATUS, type ErrorCode } from '../../prediction/errors/api-error.js';
import { ERROR_GUIDE } from './error-guide.js';

const FIRST_CALL = `## First call

The examples read the address of the service and your API key from \`NURSELOG_URL\` and \`NURSELOG_API_KEY\`. To try an endpoint on this page, press *Authorize*,
paste the key, open the endpoint and press *Try it out*.

\`\`\`sh
curl -s "$NURSELOG_URL/v1/predict" \\
  -H "X-API-Key: $NURSELOG_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"latitude":44.12,"longitude":-122.03,"species_code":"PSME","planting_method":"manual","horizons":[1]}'
\`\`\`

The Python client, \`clients/python\` of the project:

\`\`\`python
from nurselog import Client

client = Client()
answer = client.predict(44.12, -122.03, "PSME", "manual")
print(answer["predictions"][0]["survival_probability"])
\`\`\`

The TypeScript client, \`clients/typescript\`:

\`\`\`ts
import { createClient } from '@nurselog/client';

const client = createClient();
const { predictions } = await client.predict({ latitude: 44.12, longitude: -122.03, species_code: 'PSME', planting_method: 'manual' });
console.log(predictions[0].survival_probability);
\`\`\`
`;

const AUTHENTICATION = `## Authentication

Send your API key in the header \`X-API-Key\`; \`GET /v1/health\` needs none. Treat it as a password: keep it out of client-side code and version control.
Operators issue keys, and can deactivate, rotate and revoke them.
`;

const OPTIONS = `## Options

Predictions, comparisons, rankings and entries of batches may state what you know of the site (\`elevation_m\`, \`conditions\`), ask for another climate (\`scenario\`), and ask
for more in the answer (\`include\`). Without options answers do not change. The elevation takes effect first, then \`conditions\`, which replace what it moved, then
\`scenario\`, which moves measured values, too. Fields of your own are ignored, but a name one letter away from an option is an error.

\`conditions\` also states what you do: \`vegetation_control\` (0 none to 1 complete), \`overstory_cover\` (percent) and, for drone seeding, \`seeds_per_spot\` (viable seeds
a pod). At their defaults, which \`GET /v1/model\` gives, they have no effect. Tables take them as columns or parameters, surfaces as parameters. \`evidence\` there has the
plantings that the figures were held against.
`;

const GIS = `## GIS

\`GET /v1/surfaces/{species_code}\` gives maps that GDAL, QGIS and R open by their address: \`f=tif\` as a cloud-optimized GeoTIFF, \`f=geojson\` as points. GDAL sends the key
that \`GDAL_HTTP_HEADERS\` names. It reads by range, and **each request by range counts against the quota**.

\`\`\`sh
export GDAL_HTTP_HEADERS="X-API-Key: $NURSELOG_API_KEY" GDAL_DISABLE_READDIR_ON_OPEN=EMPTY_DIR
gdalinfo "/vsicurl/$NURSELOG_URL/v1/surfaces/PSME?f=tif"
ogrinfo -ro -so -al "/vsicurl/$NURSELOG_URL/v1/surfaces/PSME?f=geojson&bbox=-122.5,44,-122,44.5"
\`\`\`

In QGIS, set \`GDAL_HTTP_HEADERS\` under *Settings > Options > System > Environment*, start it again, and add a raster or vector layer with the protocol *HTTP(S)*. These were
tried with GDAL 3.6 and QGIS 3.22. The authentication method *API Header* of newer QGIS, with the header \`X-API-Key\`, and ArcGIS Pro were not tried.
`;

/** What readers of the interface have to know before its endpoints, in Markdown. */
export function guide(
  { caution, alive }: Pick<Manifest, 'caution' | 'alive'>,
  bodyLimitBytes: number,
): string {
  return [
    'Predicts how likely a planted tree is to survive 1, 3 and 5 years at a place in Oregon or Washington.\n',
    `> **${caution}**\n`,
    FIRST_CALL,
    '## What "alive" means\n',
    ...PLANTING_METHODS.map((method) => `- \`${method}\`: ${alive[method]}`),
    '',
    AUTHENTICATION,
    limits(bodyLimitBytes),
    OPTIONS,
    GIS,
    errors(),
  ].join('\n');
}

function limits(bodyLimitBytes: number): string {
  const rows = Object.entries(TIERS).map(([tier, { requestsPerDay, sitesPerBatch, pointsPerSurface }]) => [
    `\`${tier}\``,
    requestsPerDay === null ? 'unlimited' : shown(requestsPerDay),
    shown(sitesPerBatch),
    shown(pointsPerSurface),
  ]);
  return `## Limits

${table(['tier', 'requests a day', 'sites a batch', 'points a surface'], rows)}

A batch of any size is one request. The day is the UTC day. Answers with a status of 401, 403, 404, 405, 429 or 5xx, \`GET /v1/health\` and \`GET /v1/usage\` are not
counted. On limited tiers, \`RateLimit\` says how many requests are left and for how many seconds the day lasts. Bodies may have ${shown(bodyLimitBytes)} bytes,
plans and tables of tier \`hypha\` more: the error of one that is too large names the limit. Tables have as many rows as a batch has sites, those of
tier \`hypha\` more. Plans of every tier have as many units as a batch has sites.
`;
}

function errors(): string {
  const rows = (Object.keys(ERROR_STATUS) as ErrorCode[]).map((code) => {
    const { cause, remedy } = ERROR_GUIDE[code];
    return [`\`${code}\``, String(ERROR_STATUS[code]), cause, remedy];
  });
  return `## Errors

Every error has the body \`{"error":{"code","message","details"?}}\`. In a batch, an entry that fails has this error at its place, and the status is 200. With each
response comes \`X-Request-Id\`, your own or a new one: name it when you report a failure.

${table(['code', 'status', 'cause', 'remedy'], rows)}

What is not HTTP, arrives too slowly or has headers that are too large is \`invalid_request\` with status 400, 408, 417 or 431.
`;
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n');
}

function shown(number: number): string {
  return number.toLocaleString('en-US');
}
