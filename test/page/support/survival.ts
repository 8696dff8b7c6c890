import type { TestService } from '../../support/service.js';

/** The default request of {@link survivalAt}: a site in the forest north-east of Oakridge. */
const SITE = { latitude: 44.12, longitude: -122.03, species_code: 'PSME', planting_method: 'manual' };

/** The survival after 5 years that POST /v1/predict gives. @param other fields than those of the usual site */
export async function survivalAt({ post }: TestService, other: object = {}): Promise<number> {
  const response = await post('/v1/predict', { ...SITE, horizons: [5], ...other });
  const { predictions } = (await response.json()) as { predictions: { survival_probability: number }[] };
  return predictions[0]!.survival_probability;
}
