/** The limit of all files together: phones load them on a bad line. */
export const MAX_OVERLAY_BYTES = 2 * 1024 * 1024
const MAX_NAME = 80

/** Coordinates of a GeoJSON geometry are nested lists of this depth. RFC 7946, 3.1. */
const depths: Readonly<Record<string, number>> = {
  Point: 0,
  MultiPoint: 1,
  LineString: 1,
  MultiLineString: 2,
  Polygon: 2,
  MultiPolygon: 3,
}

type Json = Readonly<Record<string, unknown>>
type Feature = {
  readonly type: 'Feature'
  readonly properties: { readonly name?: string }
  readonly geometry: { readonly type: string; readonly coordinates: unknown }
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The features of a GeoJSON file, reduced to geometries and names. Throws a RangeError that words the problem. RFC
 * 7946.
 */
export function featuresOf(text: string): readonly Feature[] {
  let json: unknown
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    throw new RangeError('is not JSON')
  }
  if (!isObject(json)) throw new RangeError('is not GeoJSON')
  if (json.type === 'FeatureCollection' && Array.isArray(json.features)) return json.features.flatMap(featureOf)
  return featureOf(json, null)
}

/** `index`: null if the file is not a collection. */
function featureOf(json: unknown, index: number | null): readonly Feature[] {
  const where = index === null ? '' : `: feature ${index + 1}`
  if (!isObject(json)) throw new RangeError(`is not GeoJSON${where}`)
  if (json.type !== 'Feature') {
    if (typeof json.type === 'string' && json.type in depths)
      return featureOf({ type: 'Feature', geometry: json }, index)
    throw new RangeError(`is not GeoJSON${where}`)
  }
  // A feature without a place. RFC 7946, 3.2.
  if (json.geometry === null) return []
  const { geometry, properties } = json
  const type = isObject(geometry) ? String(geometry.type) : ''
  const depth = depths[type]
  if (!isObject(geometry) || depth === undefined) {
    throw new RangeError(`is not usable${where}: its geometry must be one of ${Object.keys(depths).join(', ')}`)
  }
  const coordinates = placesOf(geometry.coordinates, depth, where)
  const name = isObject(properties) && typeof properties.name === 'string' ? properties.name.slice(0, MAX_NAME) : ''
  return [{ type: 'Feature', properties: name === '' ? {} : { name }, geometry: { type, coordinates } }]
}

/** The coordinates without altitudes. */
function placesOf(value: unknown, depth: number, where: string): unknown {
  if (!Array.isArray(value)) throw new RangeError(`is not usable${where}: it has no coordinates`)
  if (depth > 0) return value.map((inner) => placesOf(inner, depth - 1, where))
  const [longitude, latitude] = value
  if (!isBetween(longitude, 180) || !isBetween(latitude, 90)) {
    throw new RangeError(`is not usable${where}: coordinates must be longitude and latitude in degrees (WGS 84)`)
  }
  return [longitude, latitude]
}

const isBetween = (value: unknown, max: number): boolean => typeof value === 'number' && Math.abs(value) <= max
