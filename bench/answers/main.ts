import { parseArgs } from 'node:util';
import { UsageError } from '../../src/cli/command-line.js';
import { wholeNumber } from '../../src/config.js';
import { DATA_DIR } from '../environment.js';
import { checkBuild, runCommand } from '../run-command.js';
import { type Nurselog, startNurselog } from '../servers/nurselog.js';
import { type ComparedRequest, comparedRequests } from './requests.js';

const USAGE = `Usage: npm run compare-answers -- --against DIR [--seed N]

Sends some thousand requests to this build and to that of another checkout, which must be built, and compares the
answers: status, headers and bytes of successes; status, code, details and paths of issues of errors.
Exits with 1 where any differ.
`;

/** Requests under way at a time. */
const AT_ONCE = 8;
/** Differences that the report shows. */
const SHOWN = 10;
const SHOWN_CHARACTERS = 300;

const HEADERS = [
  'content-type',
  'content-encoding',
  'cache-control',
  'etag',
  'vary',
  'allow',
  'retry-after',
  'www-authenticate',
  'location',
  'ratelimit',
  'ratelimit-policy',
  'model-outcomes',
];

/** An answer without what differs from run to run: times, ids, and the wording of errors. */
async function answerOf({ port, key }: Nurselog, request: ComparedRequest): Promise<string> {
  const { method, path, headers, body, isAnonymous } = request;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { ...(!isAnonymous && { 'x-api-key': key }), ...headers },
    ...(body !== undefined && { body }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const head = HEADERS.map((name) => `${name}: ${response.headers.get(name)}`);
  return [response.status, ...head, response.ok ? stable(bytes) : JSON.stringify(errorOf(bytes))].join('\n');
}

function stable(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replaceAll(/"(generated_at|uptime_seconds)":("[^"]*"|\d+)/g, '"$1":0')
    .replaceAll(/("(?:code|path)":"[^"]*","message":|"error_message":)"(\\.|[^"\\])*"/g, '$1""');
}

/** What must not change of an error: its code, its details, and the paths of its issues. */
function errorOf(bytes: Buffer): unknown {
  const text = bytes.toString();
  if (text === '') return '';
  if (!text.startsWith('{')) return text;
  const { error } = JSON.parse(text) as {
    error: { code: string; details?: { issues?: { path: string }[] } };
  };
  const { issues, ...details } = error.details ?? {};
  return { code: error.code, details, paths: issues?.map(({ path }) => path) };
}

async function main(): Promise<0 | 1> {
  const { values } = parseArgs({
    options: {
      against: { type: 'string' },
      seed: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  checkBuild(values.against);
  const seed = wholeNumber(0, 2 ** 32 - 1).safeParse(values.seed);
  if (!seed.success) throw new UsageError(`--seed ${seed.error.issues[0].message}, not ${values.seed}`);
  const ours = await startNurselog({ WORKERS: '2' });
  const theirs = await startNurselog({ WORKERS: '2' }, values.against);
  const counts = new Map<string, { requests: number; successes: number; different: number }>();
  const differences: string[] = [];
  try {
    const requests = comparedRequests(DATA_DIR, seed.data);
    const compare = async (request: ComparedRequest) => {
      const [our, their] = await Promise.all(
        [ours, theirs].map((build) => answerOf(build, request).catch((error: Error) => String(error))),
      );
      const count = counts.get(request.category) ?? { requests: 0, successes: 0, different: 0 };
      counts.set(request.category, count);
      count.requests++;
      if (our.startsWith('2')) count.successes++;
      if (our === their) return;
      count.different++;
      const at = [...our].findIndex((character, index) => character !== their[index]);
      const from = Math.max(0, at - 100);
      const shown = [our, their].map((text) => text.slice(from, from + SHOWN_CHARACTERS));
      const sent = String(request.body ?? '').slice(0, SHOWN_CHARACTERS);
      differences.push(`${request.method} ${request.path}\n${sent}\n< ${shown.join('\n> ')}\n`);
    };
    const queue = requests.values();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const request of queue) await compare(request);
      }),
    );
  } finally {
    await Promise.all([ours.stop(), theirs.stop()]);
  }
  for (const [category, { requests, successes, different }] of counts)
    process.stdout.write(`${category}: ${requests} requests, ${successes} successes, ${different} differ\n`);
  for (const difference of differences.slice(0, SHOWN)) process.stdout.write(`\n${difference}`);
  return differences.length === 0 ? 0 : 1;
}

await runCommand('compare-answers', USAGE, main);
