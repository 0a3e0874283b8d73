/** Places for pictures, around the Großglockner; positions from memory, so for nothing else. */

const feature = (geometry: object, name?: string) => ({ type: 'Feature', properties: { name }, geometry })
const point = (name: string, ...coordinates: readonly number[]) => feature({ type: 'Point', coordinates }, name)

/** GeoJSON: huts, and the trail to the uppermost. */
export const OVERLAYS = {
  type: 'FeatureCollection',
  features: [
    point('Stüdlhütte', 12.6814, 47.0549),
    point('Erzherzog-Johann-Hütte', 12.7017, 47.0679),
    point('Lucknerhütte', 12.6897, 47.0403),
    feature({
      type: 'LineString',
      coordinates: [
        [12.6893, 47.0215],
        [12.6905, 47.031],
        [12.6897, 47.0403],
        [12.6855, 47.047],
        [12.6814, 47.0549],
        [12.6885, 47.0632],
        [12.6958, 47.0645],
        [12.7017, 47.0679],
      ],
    }),
  ],
}
/** Of somebody on that trail: latitude, longitude. */
export const WAY = [
  [47.0549, 12.6814],
  [47.0585, 12.6838],
  [47.0612, 12.6862],
  [47.0631, 12.6884],
  [47.0638, 12.6921],
] as const
