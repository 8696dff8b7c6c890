import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PREDICT_REQUEST } from '../support/requests.js';
import { ServiceProcess, temporaryFolder } from '../support/service-process.js';

test("nothing is written to the user's folder or the folder for temporary files", async () => {
  const folder = temporaryFolder();
  // Empty counts as not set. With 0, onnxruntime writes a database of telemetry.
  const service = new ServiceProcess({ HOME: folder, TMPDIR: folder, ORT_DISABLE_TELEMETRY: '' });
  const [{ api }, key] = [await service.ready(), await service.firstKey()];
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const answer = await fetch(`${api}/v1/predict`, {
    method: 'POST',
    headers,
    body: JSON.stringify(PREDICT_REQUEST),
  });
  expect(answer.status).toBe(200);
  service.signal('SIGHUP');
  await service.line(/"msg":"models reloaded"/);
  expect(await service.stop()).toEqual({ code: 0, signal: null });
  expect(readdirSync(folder)).toEqual([]);
});
