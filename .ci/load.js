// Sends batches to NURSELOG_URL from eight callers, each on a connection that it keeps, until SIGTERM; with the argument
// --until-refused until connections are refused. Prints what became of them; exits with 1 if any was not answered whole.
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

const { NURSELOG_URL, NURSELOG_API_KEY } = process.env;
const UNTIL_REFUSED = process.argv.includes('--until-refused');
const CALLERS = 8;
const SITES = 200;
const site = {
  latitude: 44.12,
  longitude: -122.03,
  species_code: 'PSME',
  planting_method: 'manual',
  horizons: [1],
};
const BODY = JSON.stringify({ requests: Array(SITES).fill(site) });

let isOn = true;
process.on('SIGTERM', () => {
  isOn = false;
});

function send(agent) {
  return new Promise((resolve, reject) => {
    const headers = { 'x-api-key': NURSELOG_API_KEY, 'content-type': 'application/json' };
    request(`${NURSELOG_URL}/v1/predict/batch`, { method: 'POST', agent, headers }, (response) =>
      text(response).then((body) => resolve({ status: response.statusCode, body }), reject),
    )
      .on('error', reject)
      .end(BODY);
  });
}

let answered = 0;
const failures = [];
async function call() {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  while (isOn) {
    try {
      const { status, body } = await send(agent);
      if (status === 200 && JSON.parse(body).summary.successful === SITES) answered++;
      else failures.push(`${status} ${body.slice(0, 200)}`);
    } catch (error) {
      if (UNTIL_REFUSED && error.code === 'ECONNREFUSED') break;
      failures.push(error.message);
    }
    if (answered === CALLERS) console.log('under load');
    if (failures.length >= CALLERS) break;
  }
  agent.destroy();
}

await Promise.all(Array.from({ length: CALLERS }, call));
console.log(`${answered} requests answered, ${failures.length} failed`);
for (const failure of new Set(failures)) console.log(failure);
process.exitCode = failures.length > 0 || answered < CALLERS ? 1 : 0;
