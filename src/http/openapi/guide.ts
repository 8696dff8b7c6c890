import { TIERS } from '../../accounts/tiers.js';
import { ERROR_STATUS, type ErrorCode } from '../../formats/errors/api-error.js';
import type { Manifest } from '../../prediction/artefacts/manifest.js';
import { PLANTING_METHODS } from '../../prediction/dimensions.js';
import { ERROR_GUIDE } from './error-guide.js';

const FIRST_CALL = `## First call

The examples read the address of the service and your API key from \`NURSELOG_URL\` and \`NURSELOG_API_KEY\`. To try an endpoint on this page, click *Authorize*,
paste the key, open the endpoint and click *Try it out*.

\`\`\`sh
curl -s "$NURSELOG_URL/v1/predict" \\
  -H "X-API-Key: $NURSELOG_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"latitude":44.12,"longitude":-122.03,"species_code":"PSME","planting_method":"manual","horizons":[1]}'
\`\`\`

The Python client (\`clients/python\` in the project):

\`\`\`python
from nurselog import Client

client = Client()
answer = client.predict(44.12, -122.03, "PSME", "manual")
print(answer["predictions"][0]["survival_probability"])
\`\`\`

The TypeScript client (\`clients/typescript\`):

\`\`\`ts
import { createClient } from '@nurselog/client';

const client = createClient();
const { predictions } = await client.predict({ latitude: 44.12, longitude: -122.03, species_code: 'PSME', planting_method: 'manual' });
console.log(predictions[0].survival_probability);
\`\`\`
`;

const AUTHENTICATION = `## Authentication

Send your API key in the header \`X-API-Key\`. \`GET /v1/health\` needs no key. Treat the key as a password: keep it out of client-side code and version control.
Operators issue, deactivate, rotate and revoke keys.
`;

const OPTIONS = `## Options

Predictions, comparisons, rankings and batch entries accept four options. \`elevation_m\` and \`conditions\` state what you know of the site, \`scenario\` sets a
changed climate, and \`include\` adds to the response. First, the service adjusts values for \`elevation_m\`. Then \`conditions\` replace adjusted values. Then \`scenario\`
changes the climate, including measured values. Unknown fields are ignored, but a name one letter away from that of an option is an error.

\`conditions\` also states practice: \`vegetation_control\` (0 is none, 1 is complete), \`overstory_cover\` (percent) and, for drone seeding, \`seeds_per_spot\` (viable seeds per
pod). At their defaults, which \`GET /v1/model\` lists, they have no effect. Tables accept them as columns or query parameters, surfaces as query parameters.

\`evidence\` of \`GET /v1/model\` lists the observed plantings that the predictions were compared with.
`;

const GIS = `## GIS

\`GET /v1/surfaces/{species_code}\` returns maps that GDAL, QGIS and R open by URL: \`f=tif\` is a cloud-optimized GeoTIFF, \`f=geojson\` has points. GDAL sends the key in
\`GDAL_HTTP_HEADERS\` **to every server that it opens by URL**. It sends range requests, and **each range request counts against the quota**. With the last two
variables it sends them again while the service makes a large file.

\`\`\`sh
export GDAL_HTTP_HEADERS="X-API-Key: $NURSELOG_API_KEY" GDAL_DISABLE_READDIR_ON_OPEN=EMPTY_DIR GDAL_HTTP_MAX_RETRY=5 GDAL_HTTP_RETRY_DELAY=5
gdalinfo "/vsicurl/$NURSELOG_URL/v1/surfaces/PSME?f=tif"
ogrinfo -ro -so -al "/vsicurl/$NURSELOG_URL/v1/surfaces/PSME?f=geojson&bbox=-122.5,44,-122,44.5"
\`\`\`

In QGIS, set these variables under *Settings > Options > System > Environment*, restart QGIS, and add a raster or vector layer with the protocol type
*HTTP/HTTPS/FTP* (*GeoJSON* sends no key). A raster shows three bands as colors: choose *Singleband pseudocolor* as its symbology. This was tested with
GDAL 3.6 and QGIS 3.22. Not tested: the authentication method *API Header* of newer QGIS, with the header \`X-API-Key\`, and ArcGIS Pro.
`;

/** What readers of the interface have to know before its endpoints, in Markdown. */
export function guide(
  { caution, alive }: Pick<Manifest, 'caution' | 'alive'>,
  bodyLimitBytes: number,
): string {
  return [
    'Predicts how likely a planted tree is to survive 1, 3 and 5 years at a site in Oregon or Washington.\n',
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

${table(['tier', 'requests per day', 'sites per batch', 'points per surface'], rows)}

- A batch of any size counts as one request. The quota is per UTC day.
- Responses with status 401, 403, 404, 405, 429 or 5xx, \`GET /v1/health\` and \`GET /v1/usage\` are not counted.
- On limited tiers, the header \`RateLimit\` gives the remaining requests and the seconds until the end of the day.
- A request body may have ${shown(bodyLimitBytes)} bytes; plans and tables of tier \`hypha\` may have more. The error for a larger body gives the limit.
- A table may have as many rows as a batch may have sites; for tier \`hypha\`, more. On every tier, a plan may have as many units as a batch may have sites.
`;
}

function errors(): string {
  const rows = (Object.keys(ERROR_STATUS) as ErrorCode[]).map((code) => {
    const { cause, remedy } = ERROR_GUIDE[code];
    return [`\`${code}\``, String(ERROR_STATUS[code]), cause, remedy];
  });
  return `## Errors

Every error has the body \`{"error":{"code","message","details"?}}\`. In a batch, a failed entry has this error at its position in \`results\`, and the status is 200.
Every response has the header \`X-Request-Id\`, with your own id or a new one. Include it when you report a failure.

${table(['code', 'status', 'cause', 'remedy'], rows)}

A request that is not HTTP, arrives too slowly or has headers that are too large gets \`invalid_request\` with status 400, 408, 417 or 431.
`;
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n');
}

function shown(number: number): string {
  return number.toLocaleString('en-US');
}
