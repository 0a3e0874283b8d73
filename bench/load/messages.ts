import { alertTopic, type Identity, telemetryTopic } from './frames.ts'

/** What a load publishes. Telemetry is that of a phone with a paired tracker, or exactly `bytes` long. */
export type Message = { readonly kind: 'telemetry'; readonly bytes?: number } | { readonly kind: 'alert' }

/** Stands for the time of a message; the digits are replaced in place. */
export const CLOCK = '2000-01-01T00:00:00.000'
const NANOS = '000000'
const TIME = `"timestamp":"${CLOCK}${NANOS}Z"`

export type Publish = { readonly topic: string; readonly payload: string }

/** What one connection publishes. */
export const publishOf = (message: Message, { userId }: Identity, connection: number): Publish =>
  message.kind === 'alert'
    ? { topic: alertTopic(userId), payload: `{${TIME},${placeOf(connection)},"mobileBattery":41}` }
    : {
        topic: telemetryTopic(userId),
        payload: message.bytes === undefined ? typical(connection) : ofLength(message.bytes, connection),
      }

const placeOf = (connection: number): string => {
  const { latitude, longitude } = { latitude: 46 + (connection % 1000) / 700, longitude: 9 + (connection % 997) / 300 }
  return `"latitude":${latitude.toFixed(6)},"longitude":${longitude.toFixed(6)}`
}

const typical = (connection: number): string =>
  `{${TIME},${placeOf(connection)},"altitude":2417.5,` +
  '"deviceBattery":{"rawValue":3.87,"range":"ok"},"deviceCoverage":{"networkType":"lora","isConnected":true,"signalStrength":-97},' +
  '"mobileBattery":76,"mobileCoverage":{"networkType":"lte","isConnected":true,"signalStrength":-84}}'

/** Padded with a field that the service does not know: it reads it, and does not keep it. */
function ofLength(bytes: number, connection: number): string {
  const open = `{${TIME},${placeOf(connection)},"x":"`
  return `${open.padEnd(bytes - 2, '.')}"}`
}
