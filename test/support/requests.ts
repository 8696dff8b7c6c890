/** A site in the Willamette National Forest, and a species that grows there. */
export const FOREST_SITE = { latitude: 44.12, longitude: -122.03 };
export const PREDICT_REQUEST = { ...FOREST_SITE, species_code: 'PSME', planting_method: 'manual' };
export const COMPARE_REQUEST = { ...FOREST_SITE, species_code: 'PSME' };

/** Boise, Idaho: neither in Oregon nor in Washington. */
export const OUTSIDE_COVERAGE = { ...PREDICT_REQUEST, latitude: 43.615, longitude: -116.202 };
/** The Alvord Desert, Oregon: a dry lake bed, far from any forest. */
export const NO_NEARBY_DATA = { ...PREDICT_REQUEST, latitude: 42.53, longitude: -118.45 };

/** Sites all over both states and around them, in a regular pattern: forests, fields, sea and neighbours. */
export function scatteredSites(count: number): { latitude: number; longitude: number }[] {
  const golden = (Math.sqrt(5) - 1) / 2;
  return Array.from({ length: count }, (_, i) => ({
    latitude: 41.5 + (8 * (i + 0.5)) / count,
    longitude: -125 + 9 * ((i * golden) % 1),
  }));
}
