import { onTestFinished } from 'vitest';
import { Client } from './kept-load.js';
import { Releases } from './releases.js';
import { ServiceProcess } from './service-process.js';

/** The log line `models reloaded` of a version. */
export const reloadedTo = (version: string) => new RegExp(`"model":"${version}".*"msg":"models reloaded"`);

/** The log line of a rejected reload. */
export const RELOAD_REJECTED = /"msg":"reload rejected; previous models remain active"/;

/** Request timeout: on a busy machine a change of models takes longer than the default. */
const PATIENT = { REQUEST_TIMEOUT_MS: '60000' };

/** Folders with release 1, as long as the running test. */
export function releaseFolders(): Releases {
  const releases = new Releases();
  onTestFinished(() => releases.remove());
  releases.put(1);
  return releases;
}

/** A service on release 1 of folders of its own, or on what `edit` makes of it. */
export async function startOnReleases(environment: Record<string, string> = {}, edit = (_: Releases) => {}) {
  const releases = releaseFolders();
  edit(releases);
  const service = new ServiceProcess({ ...releases.environment, ...PATIENT, ...environment });
  const [{ api, ops }, key] = [await service.ready(), await service.firstKey()];
  /** Puts a release into the folders, edits it and waits until it is served. @returns its version */
  const reload = async (release: number, edit = () => {}): Promise<string> => {
    const version = releases.put(release);
    edit();
    service.signal('SIGHUP');
    await service.line(reloadedTo(version));
    return version;
  };
  /** A caller on a kept connection. */
  const newClient = (): Client => {
    const client = new Client(api, key);
    onTestFinished(() => client.close());
    return client;
  };
  return { releases, service, api, ops, key, reload, newClient };
}

/** The version of the models that /v1/health reports. */
export async function servedVersion(api: string): Promise<string> {
  const health = (await (await fetch(`${api}/v1/health`)).json()) as { model: { version: string } };
  return health.model.version;
}
