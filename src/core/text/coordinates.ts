/** A place on the earth in degrees (WGS 84). */
type Place = { readonly latitude: number; readonly longitude: number }

/** Five decimals are about a metre. Adding 0 turns a rounded -0 into 0. */
export const decimalDegrees = (value: number): string => (Number(value.toFixed(5)) + 0).toFixed(5)

/** `47° 04.280′ N, 11° 24.247′ E`, as rescuers and ships state it. Three decimals of a minute are about two metres. */
export const degreesAndMinutes = ({ latitude, longitude }: Place): string =>
  `${minutesOf(latitude, 2)} ${latitude < 0 ? 'S' : 'N'}, ${minutesOf(longitude, 3)} ${longitude < 0 ? 'W' : 'E'}`

function minutesOf(value: number, digits: number): string {
  // In thousandths of a minute, so that 59.9996′ becomes the next degree.
  const thousandths = Math.round(Math.abs(value) * 60_000)
  const degrees = String(Math.floor(thousandths / 60_000)).padStart(digits, '0')
  const minutes = ((thousandths % 60_000) / 1_000).toFixed(3).padStart(6, '0')
  return `${degrees}° ${minutes}′`
}

const EQUATOR_RADIUS_M = 6_378_137
const FLATTENING = 1 / 298.257223563
const SCALE = 0.9996
const FALSE_EASTING_M = 500_000
const FALSE_NORTHING_M = 10_000_000
const SQUARE_M = 100_000

const BANDS = 'CDEFGHJKLMNPQRSTUVWX'
const COLUMNS = ['ABCDEFGH', 'JKLMNPQR', 'STUVWXYZ'] as const
const ROWS = 'ABCDEFGHJKLMNPQRSTUV'

/**
 * `32T PT 82533 15874`: the metre square in the Military Grid Reference System, which mountain and helicopter rescue
 * read to each other. Null near the poles (beyond 84° N and 80° S), where another grid applies.
 */
export function mgrs({ latitude, longitude }: Place): string | null {
  if (latitude < -80 || latitude >= 84) return null
  // 180° is the same meridian as -180°.
  const east = longitude >= 180 ? longitude - 360 : longitude
  const zone = zoneOf(latitude, east)
  const { easting, northing } = utm(latitude, east - (zone * 6 - 183))
  const band = BANDS[Math.min(BANDS.length - 1, Math.floor((latitude + 80) / 8))]
  const column = COLUMNS[(zone - 1) % 3]?.[Math.floor(easting / SQUARE_M) - 1]
  const row = ROWS[(Math.floor(northing / SQUARE_M) + (zone % 2 === 0 ? 5 : 0)) % ROWS.length]
  const within = (metres: number): string => String(Math.floor(metres % SQUARE_M)).padStart(5, '0')
  return `${zone}${band} ${column}${row} ${within(easting)} ${within(northing)}`
}

/** The UTM zone. The exceptions are southern Norway and Svalbard, whose zones are wider. */
function zoneOf(latitude: number, longitude: number): number {
  if (latitude >= 56 && latitude < 64 && longitude >= 3 && longitude < 12) return 32
  if (latitude >= 72 && longitude >= 0 && longitude < 42) {
    return longitude < 9 ? 31 : longitude < 21 ? 33 : longitude < 33 ? 35 : 37
  }
  return Math.floor((longitude + 180) / 6) + 1
}

/**
 * Transverse Mercator by Krüger's series to the third power of the third flattening: exact to a millimetre within a
 * zone. `fromMeridian`: degrees east of the zone's central meridian.
 */
function utm(latitude: number, fromMeridian: number): { readonly easting: number; readonly northing: number } {
  const n = FLATTENING / (2 - FLATTENING)
  const radius = (EQUATOR_RADIUS_M / (1 + n)) * (1 + n ** 2 / 4 + n ** 4 / 64)
  const series = [
    n / 2 - (2 / 3) * n ** 2 + (5 / 16) * n ** 3,
    (13 / 48) * n ** 2 - (3 / 5) * n ** 3,
    (61 / 240) * n ** 3,
  ]
  const phi = (latitude * Math.PI) / 180
  const lambda = (fromMeridian * Math.PI) / 180
  const eccentricity = (2 * Math.sqrt(n)) / (1 + n)
  const t = Math.sinh(Math.atanh(Math.sin(phi)) - eccentricity * Math.atanh(eccentricity * Math.sin(phi)))
  const xi = Math.atan2(t, Math.cos(lambda))
  const eta = Math.asinh(Math.sin(lambda) / Math.hypot(t, Math.cos(lambda)))
  const terms = series.map((alpha, at) => ({ alpha, k: 2 * (at + 1) }))
  const east = terms.reduce((sum, { alpha, k }) => sum + alpha * Math.cos(k * xi) * Math.sinh(k * eta), eta)
  const north = terms.reduce((sum, { alpha, k }) => sum + alpha * Math.sin(k * xi) * Math.cosh(k * eta), xi)
  const northing = SCALE * radius * north
  return {
    easting: FALSE_EASTING_M + SCALE * radius * east,
    northing: latitude < 0 ? FALSE_NORTHING_M + northing : northing,
  }
}
