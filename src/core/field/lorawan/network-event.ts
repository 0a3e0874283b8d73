import { devEuiOf } from '../../ingest/device-key.ts'
import { isJsonObject } from '../../ingest/json.ts'

/** A LoRaWAN network server that forwards uplinks. Its token belongs to one application. */
export type NetworkServer = {
  readonly name: string
  readonly type: 'chirpstack' | 'tts'
  readonly appId: string
  /** The profile for trackers whose registered model has none; null: no default. */
  readonly profile: string | null
}

/** A gateway that heard an uplink. `latitude`, `longitude`: of the gateway, if the network server knows them. */
export type Gateway = {
  readonly id: string
  readonly rssi: number | null
  readonly latitude: number | null
  readonly longitude: number | null
}

/** An uplink as a network server forwarded it. */
export type Uplink = {
  readonly devEui: string
  /** When the network server received it, by its own clock. */
  readonly at: string | null
  /** Identifies the join session: its keys, else its address. Together with the counter it identifies the uplink. */
  readonly session: string
  readonly counter: number
  readonly port: number
  /** The payload in base64, as sent. */
  readonly data: string
  /** The payload as decoded by the network server's codec. */
  readonly decoded: unknown
  /** The best of the first 64 gateways that heard it. */
  readonly gateway: Gateway | null
  /** The network server's names for its application and the device; null if they cannot be part of an address. */
  readonly place: { readonly application: string; readonly device: string } | null
}

/**
 * An event from a network server. `heard`: a sign of life without a payload; `battery` in percent. `downlink`: progress
 * of a message to the device; `refs` are the ids by which that message may be known.
 */
export type NetworkEvent =
  | { readonly kind: 'uplink'; readonly uplink: Uplink }
  | { readonly kind: 'heard'; readonly devEui: string; readonly battery: number | null }
  | {
      readonly kind: 'downlink'
      readonly devEui: string
      readonly refs: readonly string[]
      readonly status: 'sent' | 'delivered' | 'failed'
    }
  | { readonly kind: 'ignored' }
  | { readonly kind: 'unreadable'; readonly reason: string }

const MAX_GATEWAYS = 64
const MAX_SESSION = 64
const MAX_REFS = 32
/** Names that may become part of a topic or an address. */
const PLACE = /^[A-Za-z0-9][\w.-]{0,63}$/

type Json = Readonly<Record<string, unknown>>

const inside = (value: unknown): Json => (isJsonObject(value) ? value : {})
const textIn = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
/** Both servers omit a number that is 0. */
const countIn = (value: unknown): number => (Number.isSafeInteger(value) && (value as number) >= 0 ? Number(value) : 0)
const numberOrNull = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null

/**
 * Reads a JSON event of ChirpStack v4. `event`: `up`, `join`, `status`, …, from the topic or the query. It is empty if
 * a proxy dropped the query; then an event that lists gateways is an uplink, as no other kind does.
 */
export function chirpStackEvent(event: string, body: unknown): NetworkEvent {
  const sent = inside(body)
  const devEui = devEuiOf(inside(sent.deviceInfo).devEui)
  if (devEui === null) return { kind: 'unreadable', reason: 'no devEui' }
  switch (event === '' && Array.isArray(sent.rxInfo) ? 'up' : event) {
    case 'up': {
      const gateways = heardBy(sent.rxInfo, ({ gatewayId, rssi, location }) => ({ id: gatewayId, rssi, location }))
      return {
        kind: 'uplink',
        uplink: {
          devEui,
          at: textIn(sent.time),
          session: (textIn(sent.devAddr) ?? '').slice(0, MAX_SESSION),
          counter: countIn(sent.fCnt),
          port: countIn(sent.fPort),
          data: textIn(sent.data) ?? '',
          decoded: sent.object,
          gateway: gateways,
          place: placeOf(inside(sent.deviceInfo).applicationId, devEui),
        },
      }
    }
    case 'status': {
      const { batteryLevel, batteryLevelUnavailable } = sent
      const level = batteryLevelUnavailable === true ? null : numberOrNull(batteryLevel)
      return { kind: 'heard', devEui, battery: level === null ? null : Math.round(level) }
    }
    case 'txack':
      return { kind: 'downlink', devEui, refs: refsIn([sent.queueItemId]), status: 'sent' }
    case 'ack': {
      // ChirpStack omits `false`: the device did not confirm in time.
      const status = sent.acknowledged === true ? 'delivered' : 'failed'
      return { kind: 'downlink', devEui, refs: refsIn([sent.queueItemId]), status }
    }
    case 'join':
      return { kind: 'heard', devEui, battery: null }
    default:
      return { kind: 'ignored' }
  }
}

/** A `nack` is not final: The Things Stack resends the message after the next uplinks until it gives up. */
const downlinkFields = [
  ['downlink_sent', 'sent'],
  ['downlink_ack', 'delivered'],
  ['downlink_nack', 'sent'],
  ['downlink_failed', 'failed'],
] as const

const refsIn = (...lists: readonly unknown[]): readonly string[] =>
  lists
    .flatMap((list) => (Array.isArray(list) ? list.slice(0, MAX_REFS) : []))
    .filter((ref): ref is string => typeof ref === 'string')

function placeOf(application: unknown, device: unknown): Uplink['place'] {
  const isName = (value: unknown): value is string => typeof value === 'string' && PLACE.test(value)
  return isName(application) && isName(device) ? { application, device } : null
}

/** Reads a JSON message of The Things Stack v3, as its webhooks send it. */
export function theThingsStackEvent(body: unknown): NetworkEvent {
  const sent = inside(body)
  const ids = inside(sent.end_device_ids)
  const devEui = devEuiOf(ids.dev_eui)
  if (devEui === null) return { kind: 'unreadable', reason: 'no dev_eui' }
  if (isJsonObject(sent.join_accept)) return { kind: 'heard', devEui, battery: null }
  for (const [field, status] of downlinkFields) {
    const downlink = sent[field]
    if (!isJsonObject(downlink)) continue
    const own = field === 'downlink_failed' ? inside(downlink.downlink) : downlink
    return { kind: 'downlink', devEui, refs: refsIn(sent.correlation_ids, own.correlation_ids), status }
  }
  if (!isJsonObject(sent.uplink_message)) return { kind: 'ignored' }
  const message = sent.uplink_message
  return {
    kind: 'uplink',
    uplink: {
      devEui,
      at: textIn(message.received_at) ?? textIn(sent.received_at),
      session: (textIn(message.session_key_id) ?? textIn(ids.dev_addr) ?? '').slice(0, MAX_SESSION),
      counter: countIn(message.f_cnt),
      port: countIn(message.f_port),
      data: textIn(message.frm_payload) ?? '',
      decoded: message.decoded_payload,
      gateway: heardBy(message.rx_metadata, ({ gateway_ids, rssi, location }) => ({
        id: inside(gateway_ids).eui ?? inside(gateway_ids).gateway_id,
        rssi,
        location,
      })),
      place: placeOf(inside(ids.application_ids).application_id, ids.device_id),
    },
  }
}

type Heard = { readonly id: unknown; readonly rssi: unknown; readonly location: unknown }

/** The gateway with the strongest signal; those with a known position come first. */
function heardBy(list: unknown, read: (one: Json) => Heard): Gateway | null {
  if (!Array.isArray(list)) return null
  const gateways = list.slice(0, MAX_GATEWAYS).flatMap((one): readonly Gateway[] => {
    const { id, rssi, location } = read(inside(one))
    const name = textIn(id)
    if (name === null) return []
    const [latitude, longitude] = [numberOrNull(inside(location).latitude), numberOrNull(inside(location).longitude)]
    const isPlace = latitude !== null && longitude !== null && Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180
    const place = isPlace ? { latitude, longitude } : { latitude: null, longitude: null }
    return [{ id: name.slice(0, MAX_SESSION), rssi: numberOrNull(rssi), ...place }]
  })
  const rank = ({ latitude, rssi }: Gateway): number => (latitude === null ? -1e6 : 0) + (rssi ?? -1e3)
  return gateways.reduce<Gateway | null>((best, one) => (best === null || rank(one) > rank(best) ? one : best), null)
}
