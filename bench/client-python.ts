import { spawnSync } from 'node:child_process';

/** The Python that has the client and the packages of clients/python/requirements-dev.txt. */
export const clientPython = () => process.env.CLIENT_PYTHON ?? 'python3';

/** Why the Python client cannot run here; undefined if it can. */
export function whyNoClient(): string | undefined {
  const check = spawnSync(clientPython(), ['-c', 'import httpx, nurselog, orjson, pandas'], {
    encoding: 'utf8',
  });
  if (check.status === 0) return undefined;
  return `${check.error?.message ?? check.stderr.trim().split('\n').at(-1)}; CLIENT_PYTHON may name another Python`;
}
