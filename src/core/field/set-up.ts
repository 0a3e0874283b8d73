import { TRACKER_USERNAME } from './owntracks-topic.ts'

/** The report addresses of tracker apps, below the service's public address, as set-up links. trackers.md. */
export type SetUp = {
  /** The address that Traccar Client opens or scans. */
  readonly traccar: string
  /** The address that OwnTracks opens. */
  readonly ownTracks: string
  /** The set-up link for OwnTracks over MQTT; null if the listener's address is unknown. */
  readonly ownTracksMqtt: string | null
}

/** A listener for MQTT over TLS. */
export type MqttAddress = { readonly host: string; readonly port: number }

/** The modes in the configuration of OwnTracks. */
const HTTP_MODE = 3
const MQTT_MODE = 0
/** MQTT 3.1.1. */
const PROTOCOL_LEVEL = 4

/** The base of the report addresses; each app has its own path below it. */
export const trackerAddress = (publicUrl: string): string => `${publicUrl}/v1/trackers`

/** The apps' set-up links for one tracker. They contain its token, so anyone who has one can report as the tracker. */
export function setUpLinks(publicUrl: string, token: string, hardwareId: string, mqtt: MqttAddress | null): SetUp {
  const base = trackerAddress(publicUrl)
  const configuration = {
    _type: 'configuration',
    mode: HTTP_MODE,
    url: `${base}/owntracks`,
    auth: true,
    username: hardwareId,
    password: token,
    deviceId: hardwareId,
  }
  return {
    traccar: `${base}/osmand?id=${encodeURIComponent(token)}`,
    ownTracks: ownTracksLink(configuration),
    ownTracksMqtt: mqtt === null ? null : ownTracksLink(mqttConfiguration(mqtt, token, hardwareId)),
  }
}

/** Sets an explicit topic, because a hardware id may contain characters that a topic cannot. */
function mqttConfiguration({ host, port }: MqttAddress, token: string, hardwareId: string) {
  const name = hardwareId.replace(/[^\w.-]/g, '-').slice(0, 64)
  const topic = `owntracks/${TRACKER_USERNAME}/${name}`
  return {
    _type: 'configuration',
    mode: MQTT_MODE,
    host,
    port,
    tls: true,
    ws: false,
    auth: true,
    username: TRACKER_USERNAME,
    password: token,
    deviceId: name,
    clientId: name,
    mqttProtocolLevel: PROTOCOL_LEVEL,
    cleanSession: true,
    pubTopicBase: topic,
    pubRetain: false,
    sub: false,
    // Android subscribes even if `sub` is false, and disconnects if that is refused.
    subTopic: `${topic}/cmd`,
    cmd: false,
  }
}

const ownTracksLink = (configuration: object): string =>
  `owntracks:///config?inline=${encodeURIComponent(Buffer.from(JSON.stringify(configuration), 'utf8').toString('base64'))}`
