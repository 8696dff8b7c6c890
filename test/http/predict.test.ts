import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { predictionResultSchema } from '../../src/http/responses.js';
import { startTestService, type TestService } from '../support/service.js';

const REQUEST = { latitude: 44.12, longitude: -122.03, species_code: 'PSME', planting_method: 'manual' };

describe('POST /v1/predict', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  it('answers a site, species and method with exactly the fields of the interface', async () => {
    const response = await service.post('/v1/predict', REQUEST);
    expect(response.status).toBe(200);
    const result = predictionResultSchema.parse(await response.json());
    expect(result.site).toMatchObject({ latitude: 44.12, longitude: -122.03, region: 'US-OR' });
    expect(result).toMatchObject({
      species_code: 'PSME',
      species_common_name: 'Douglas-fir',
      planting_method: 'manual',
    });
    expect(result.predictions.map(({ horizon_years }) => horizon_years)).toEqual([1, 3, 5]);
  });
});
