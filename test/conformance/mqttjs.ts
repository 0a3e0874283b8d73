import { readFileSync } from 'node:fs'
import mqtt, { type MqttClient, type PacketCallback } from 'mqtt'
import type { Received } from '../harness/mqtt-wire.ts'
import { until } from '../harness/wait.ts'
import type { Client, ConnectOrder, Library, Message } from './client.ts'

const userProperties = { firmware: '1.4.0', '': '' }
const everyPublishProperty = {
  payloadFormatIndicator: true,
  messageExpiryInterval: 60,
  contentType: 'application/json',
  responseTopic: 'somewhere/else',
  correlationData: Buffer.from('7'),
  userProperties,
}

const numeric = (properties: Readonly<Record<string, unknown>> = {}) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, typeof value === 'boolean' ? Number(value) : value]),
  )

export const mqttJs: Library = {
  name: 'MQTT.js',
  start: () => (): Client => {
    let client: MqttClient | null = null
    let five = false
    let ended: { code: number | null } | null = null
    const packets: Received[] = []
    const messages: Message[] = []

    const now = (): MqttClient => {
      if (client === null) throw new Error('not connected')
      return client
    }
    /** The next packet of one of these kinds after `send`. */
    const answer = async (kinds: readonly string[], send: (connected: MqttClient) => void): Promise<Received> => {
      const before = packets.length
      send(now())
      const come = () => packets.slice(before).find(({ cmd }) => kinds.includes(cmd))
      await until(`${kinds.join(' or ')}, or the end`, () => come() ?? ended)
      const packet = come()
      if (packet === undefined) throw new Error('the connection ended')
      return packet
    }
    const ignore: PacketCallback = () => {}

    return {
      messages,
      get ended() {
        return ended
      },
      async connect({ way, version, clientId, username, password, clean, keepalive, will, asks }: ConnectOrder) {
        five = version === 5
        const ca = way.ca === null ? {} : { ca: readFileSync(way.ca) }
        client = mqtt.connect(way.url, {
          ...ca,
          wsOptions: ca,
          protocolVersion: version,
          clientId,
          username,
          password,
          clean,
          keepalive,
          reconnectPeriod: 0,
          ...(will && {
            will: {
              ...will,
              payload: Buffer.from(will.payload),
              qos: 1,
              ...(five && { properties: { willDelayInterval: 60, contentType: 'application/json', userProperties } }),
            },
          }),
          ...(five && {
            properties: {
              ...asks,
              requestResponseInformation: true,
              requestProblemInformation: true,
              topicAliasMaximum: 5,
              userProperties,
            },
          }),
        })
        client.on('error', () => {})
        client.on('packetreceive', (packet) => packets.push({ ...packet }))
        client.on('message', (topic, payload, { qos, retain }) =>
          messages.push({ topic, payload: payload.toString(), qos, retain }),
        )
        client.on('close', () => {
          ended = { code: packets.find(({ cmd }) => cmd === 'disconnect')?.reasonCode ?? null }
        })
        const connack = await answer(['connack'], () => {})
        return {
          code: five ? connack.reasonCode : connack.returnCode,
          sessionPresent: connack.sessionPresent,
          properties: numeric(connack.properties),
        }
      },
      async subscribe(...topics) {
        const more = five
          ? { nl: true, rap: true, rh: 2 as const, properties: { subscriptionIdentifier: 7, userProperties } }
          : {}
        const suback = await answer(['suback'], (connected) =>
          connected.subscribe([...topics], { qos: 1, ...more }, () => {}),
        )
        return [...suback.granted]
      },
      async unsubscribe(...topics) {
        const more = five ? { properties: { userProperties } } : {}
        const unsuback = await answer(['unsuback'], (connected) => connected.unsubscribe([...topics], more, ignore))
        return [...(unsuback.granted ?? [])]
      },
      async publish(topic, payload, qos, retain = false) {
        const options = { qos, retain, ...(five && { properties: everyPublishProperty }) }
        if (qos === 0) {
          now().publish(topic, payload, options)
          return 0
        }
        const { reasonCode } = await answer(['puback', 'pubrec'], (connected) =>
          connected.publish(topic, payload, options, () => {}),
        )
        return reasonCode ?? 0
      },
      disconnect: (code) => void now().end(false, code === undefined ? {} : { reasonCode: code }),
      drop: () => void now().stream.destroy(),
      close: async () => client?.endAsync(true),
    }
  },
}
