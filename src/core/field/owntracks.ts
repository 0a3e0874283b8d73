import { isJsonObject } from '../ingest/json.ts'
import { momentOf } from './osmand.ts'
import { accuracyIn, percentIn, placeIn, type Report, sentFields } from './report.ts'

/**
 * Reads a message of the OwnTracks apps. `ignored`: valid, but not a position (waypoints, transitions, status). Null:
 * not readable, for example because it is encrypted. The apps have no SOS. trackers.md.
 */
export function readOwnTracks(body: unknown): Report | 'ignored' | null {
  if (!isJsonObject(body) || typeof body._type !== 'string' || body._type === 'encrypted') return null
  if (body._type !== 'location') return 'ignored'
  const { tst, lat, lon, alt, acc, batt } = body
  const battery = percentIn(batt)
  const json = sentFields({
    timestamp: typeof tst === 'number' ? (momentOf(tst * 1000) ?? String(tst)) : tst,
    ...placeIn(lat, lon),
    altitude: alt,
    accuracy: accuracyIn(acc),
    mobileBattery: battery,
  })
  return { json, flag: { set: null, press: null }, battery }
}
