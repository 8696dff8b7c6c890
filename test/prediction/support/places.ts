type Place = readonly [name: string, latitude: number, longitude: number];

/** Towns of Oregon and Washington, to about a kilometre. */
export const INSIDE: readonly Place[] = [
  ['Portland OR', 45.515, -122.678],
  ['Klamath Falls OR', 42.225, -121.782],
  ['Lakeview OR', 42.189, -120.346],
  ['Ontario OR', 44.027, -116.963],
  ['Enterprise OR', 45.426, -117.279],
  ['The Dalles OR', 45.595, -121.179],
  ['Astoria OR', 46.188, -123.831],
  ['Coos Bay OR', 43.367, -124.218],
  ['Vancouver WA', 45.639, -122.661],
  ['Seattle WA', 47.606, -122.332],
  ['Bellingham WA', 48.749, -122.478],
  ['Forks WA', 47.95, -124.385],
  ['Port Angeles WA', 48.118, -123.431],
  ['Friday Harbor WA', 48.534, -123.017],
  ['Goldendale WA', 45.821, -120.822],
  ['Colville WA', 48.546, -117.905],
  ['Spokane WA', 47.659, -117.426],
  ['Pullman WA', 46.731, -117.18],
  ['Walla Walla WA', 46.065, -118.343],
];

/** Towns beyond the borders, the sea, and places where a sign or an order is wrong. */
export const OUTSIDE: readonly Place[] = [
  ['Boise ID', 43.615, -116.202],
  ['Weiser ID', 44.251, -116.969],
  ['Lewiston ID', 46.4, -117.001],
  ['Moscow ID', 46.732, -117],
  ["Coeur d'Alene ID", 47.678, -116.78],
  ['Crescent City CA', 41.756, -124.202],
  ['Yreka CA', 41.735, -122.635],
  ['Alturas CA', 41.487, -120.542],
  ['Reno NV', 39.53, -119.814],
  ['Victoria BC', 48.428, -123.366],
  ['Vancouver BC', 49.283, -123.121],
  ['Osoyoos BC', 49.032, -119.468],
  ['the ocean off Coos Bay', 43.4, -124.9],
  ['the ocean off Newport', 44.6, -125.5],
  ['the ocean off Forks', 47.9, -125.6],
  ['the ocean between the hemispheres', 0, 0],
  ['the north pole', 90, 0],
  ['the south pole', -90, -122],
  ['the antimeridian', 45, 180],
  ['Eugene with its longitude east', 44.052, 123.087],
  ['Eugene with its coordinates exchanged', -123.087, 44.052],
];

/** Stretches of border that are nearly straight. `outward` leads 2 km across them. */
export const BORDERS: readonly {
  name: string;
  from: readonly [latitude: number, longitude: number];
  to: readonly [latitude: number, longitude: number];
  outward: readonly [latitude: number, longitude: number];
}[] = [
  { name: 'the 49th parallel (WA, BC)', from: [49, -122.7], to: [49, -117.06], outward: [0.018, 0] },
  { name: '117.04 degrees west (WA, ID)', from: [46.46, -117.04], to: [48.96, -117.04], outward: [0, 0.026] },
  {
    name: '117.026 degrees west (OR, ID)',
    from: [42.03, -117.026],
    to: [43.78, -117.026],
    outward: [0, 0.025],
  },
  { name: 'the 42nd parallel (OR, CA and NV)', from: [42, -124.15], to: [42, -117.06], outward: [-0.018, 0] },
];
