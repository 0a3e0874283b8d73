import mqtt, { type Packet } from 'mqtt-packet'
import type { CanaryPress, FailedPress } from '../app/watch/canary.ts'
import { type Canary, createCanary } from '../app/watch/canary.ts'
import type { Config } from '../config.ts'
import { MINUTE, SECOND } from '../lib/durations.ts'
import type { Addresses } from './addresses.ts'
import type { Listeners } from './listeners.ts'
import { connectToOwn } from './own-listener.ts'
import type { Basis } from './storage.ts'

/** The canary, not yet started. Null if it is off, or without an MQTT listener to press at. */
export function prepareCanary(config: Config, basis: Basis, { listeners }: Addresses): Canary | null {
  const { everyMinutes } = config.canary
  if (everyMinutes === 0) return null
  if (config.mqtt.port === 'off' && config.mqtts.port === 'off') {
    basis.log.info({}, 'the canary is off: it presses over MQTT or MQTT over TLS, and both listeners are off')
    return null
  }
  return createCanary({
    ...basis,
    everyMs: everyMinutes * MINUTE,
    press: canaryPress(listeners, config.mqtt.proxyProtocol),
    hasOthers: () => (basis.lease?.node?.others.length ?? 0) > 0,
  })
}

/** For a connection, its CONNACK and its PUBACK each: a device would wait no longer, either. */
const PATIENCE_MS = 10 * SECOND
const MESSAGE_ID = 1

/**
 * Presses at this process's own listener, with TLS where it is on, over a separate socket, in MQTT 3.1.1. `listeners`:
 * asked each time.
 */
export const canaryPress =
  (listeners: () => Listeners, proxyProtocol: readonly string[] | null): CanaryPress =>
  async ({ username, password, topic, payload }, signal) => {
    let waitsFor: FailedPress['failed'] = 'connect'
    const own = connectToOwn(asTrackers(listeners()), proxyProtocol)
    if (own === null) return { failed: 'connect', error: 'there is no MQTT listener' }
    const { socket } = own
    try {
      return await new Promise((resolve) => {
        const fails = (error: string): void => resolve({ failed: waitsFor, error })
        const takes = (packet: Packet): void => {
          if (waitsFor === 'login' && packet.cmd === 'connack' && packet.returnCode !== 0) {
            fails(`CONNACK ${packet.returnCode}`)
          } else if (waitsFor === 'login' && packet.cmd === 'connack') {
            waitsFor = 'puback'
            const publish = { topic, payload, qos: 1, messageId: MESSAGE_ID, dup: false, retain: false } as const
            socket.write(mqtt.generate({ cmd: 'publish', ...publish }))
          } else if (waitsFor === 'puback' && packet.cmd === 'puback' && packet.messageId === MESSAGE_ID) {
            resolve(null)
          }
        }
        const parser = mqtt.parser({ protocolVersion: 4 })
        parser.on('packet', takes)
        parser.on('error', ({ message }: Error) => fails(message))
        socket.setTimeout(PATIENCE_MS, () => fails(`no answer within ${PATIENCE_MS / SECOND} s`))
        signal.addEventListener('abort', () => fails('the service is stopping'), { once: true })
        own.onError(({ message }) => fails(message))
        socket.once('close', () => fails('the connection was closed'))
        socket.on('data', (bytes: Buffer) => void parser.parse(bytes))
        own.onOpen(() => {
          waitsFor = 'login'
          const who = { clientId: '', clean: true, keepalive: 0, username, password: Buffer.from(password) }
          socket.write(mqtt.generate({ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, ...who }))
        })
      })
    } finally {
      own.destroy()
    }
  }

/** Clients elsewhere use TLS if it is on, so the canary does as well: a broken key must show. */
const asTrackers = ({ mqtts, ...others }: Listeners): Listeners => (mqtts === undefined ? others : { mqtts })
