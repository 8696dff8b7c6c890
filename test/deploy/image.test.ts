import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../testing/free-port.js';
import { buildImage, type Image } from './support/image.js';
import { DEPLOY_TOOLS } from './support/tools.js';

const project = fileURLToPath(new URL('../../', import.meta.url));
const BUILD_TIMEOUT_MS = 300_000;

describe.skipIf(DEPLOY_TOOLS === undefined)('deploy/Dockerfile', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'nurselog-image-'));
  let image: Image;
  let environment: NodeJS.ProcessEnv;

  beforeAll(async () => {
    chmodSync(folder, 0o755); // for the user that the service runs as
    image = await buildImage(path.join(project, 'deploy/Dockerfile'), project, folder);
    environment = {
      ...image.environment,
      PATH: `${DEPLOY_TOOLS}:${path.dirname(process.execPath)}`,
      TINI_SUBREAPER: '', // it is not process 1 here
      PORT: String(await freePort()),
      OPS_PORT: '0',
    };
  }, BUILD_TIMEOUT_MS);

  afterAll(() => rmSync(folder, { recursive: true }));

  const healthExitCode = async () => {
    const [program, ...args] = image.healthCheck;
    const check = execFile(program!, args, { env: environment });
    return (await once(check, 'exit'))[0] as number;
  };

  test('the image of deploy/Dockerfile serves as a user who may write to nothing but its store, reports its health, and drains at SIGTERM', async () => {
    const [program, ...args] = image.command;
    expect(await healthExitCode()).toBe(1);

    const service = spawn(program!, args, {
      cwd: image.workFolder,
      env: environment,
      ...image.user,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exit = once(service, 'exit');
    let last = '';
    for await (const line of createInterface({ input: service.stdout })) {
      last = line;
      if (line.includes('"msg":"ready"')) {
        expect(await healthExitCode()).toBe(0);
        service.kill('SIGTERM');
      }
    }
    expect(last).toContain('"msg":"stopped"');
    expect(await exit).toEqual([0, null]);
    expect(readdirSync(path.join(image.workFolder, 'var'))).toContain('nurselog.db');
  });

  test('the image of deploy/Dockerfile has the native library of onnxruntime for this platform alone, and nothing that only developers need', () => {
    const files = readdirSync(image.root, { recursive: true }) as string[];
    const libraries = files.filter((file) => /libonnxruntime|onnxruntime\.dll/.test(file));
    expect(libraries).toEqual([expect.stringContaining(`/linux/${process.arch}/libonnxruntime.so`)]);
    expect(files.filter((file) => /node_modules\/(typescript|vitest|tsx)$/.test(file))).toEqual([]);
  });

  test('the image of deploy/Dockerfile has every dependency of the service, and the licences of what is in it', () => {
    const inImage = (file: string) => existsSync(path.join(image.workFolder, file));
    const { dependencies } = JSON.parse(readFileSync(path.join(project, 'package.json'), 'utf8'));
    const files = ['LICENSE', 'NOTICE', 'data/README.md', 'models/model-card.md', 'dist/web/licenses.txt'];
    expect(files.filter((file) => !inImage(file))).toEqual([]);
    expect(Object.keys(dependencies).filter((name) => !inImage(`node_modules/${name}/package.json`))).toEqual(
      [],
    );
  });
});
