import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { exchangeAfterFirstRead } from '../support/exchanged-file.js';
import { releaseOf } from '../support/releases.js';
import { reloadedTo, servedVersion, startOnReleases } from '../support/service-on-releases.js';

describe('a reload', () => {
  it('whose files change while they are tried is refused, and the next SIGHUP serves them', async () => {
    const { releases, service, api } = await startOnReleases();
    const untried = releases.put(4);
    const manifest = readFileSync(releases.manifestFile);
    releases.put(2);
    exchangeAfterFirstRead(releases.manifestFile, manifest);
    service.signal('SIGHUP');
    const refused = JSON.parse(await service.line(/"msg":"models (refused|reloaded)/)) as object;
    expect(refused).toMatchObject({
      level: 50,
      msg: expect.stringContaining('refused'),
      problem: expect.stringMatching(`^files in ${releases.dataDir} or ${releases.modelDir} changed`),
    });
    expect(releaseOf(await servedVersion(api))).toBe(1);
    service.signal('SIGHUP');
    await service.line(reloadedTo(untried));
  });
});
