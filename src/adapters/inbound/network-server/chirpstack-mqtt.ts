import { createHash } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import mqtt, { type IClientOptions, MqttClient } from 'mqtt'
import type { takeUplink } from '../../../app/field/take-uplink.ts'
import type { NetworkServer } from '../../../core/field/lorawan/network-event.ts'
import { chirpStackEvent, type NetworkEvent } from '../../../core/field/lorawan/network-event.ts'
import { DAY, SECOND } from '../../../lib/durations.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import { StoreError } from '../../../ports/store-error.ts'

/** The broker on which ChirpStack publishes its events. `username`, `password`: null if it asks for none. */
export type EventSource = {
  /** As it is at each event. */
  readonly server: NetworkServer
  readonly url: string
  readonly username: string | null
  readonly password: string | null
  /** The subscription, which ends in `event/+`. */
  readonly topic: string
  /** The same at every start, so that the broker keeps events that it could not deliver in between. */
  readonly clientId: string
  /** Opens the connection to `url`. Absent, null: it is called wherever it is. */
  readonly open?: ((url: string) => Duplex) | null
}

export type EventSourceConnection = {
  /** Since when no events have been received, epoch ms; null while they are. */
  readonly disconnectedSince: () => number | null
  /** Publishes with QoS 1. False where the broker has not acknowledged it in time, or there is no connection. */
  publish(topic: string, body: string, timeoutMs: number): Promise<boolean>
  /**
   * Ends the connection for another one, once the event and the messages under way are done, or after five seconds. An
   * SOS that could not be stored is tried again here.
   */
  leave(): Promise<void>
  close(): Promise<void>
}

const KEEP_ALIVE_SECONDS = 30
const CONNECT_TIMEOUT_MS = 10 * SECOND
const FIRST_WAIT_MS = SECOND
/** An SOS may be waiting there. */
const LONGEST_WAIT_MS = 10 * SECOND
/** How long an event that is not an alarm may delay the next one. */
const PATIENCE_MS = 2 * SECOND
const LEAVE_MS = 5 * SECOND
/** Nobody knows whether it was heard, and alarming for it would alarm at each connection. */
const OLD_SOS = 'an SOS of more than a day ago, which the broker holds as retained: find out whether it was heard'
const MAX_TOLD = 100
/** Many times what an uplink takes that 64 gateways heard. */
const MAX_EVENT_BYTES = 256 * 1024

/**
 * How long to wait before the attempt after `failures` in a row, in ms. `chance`: from 0 to 1, so that several nodes do
 * not come back to a broker that has just started all at once.
 */
export const reconnectMs = (failures: number, chance: number): number =>
  Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures, 16)) * (0.75 + chance / 4)

const NEVER = new AbortController().signal

type EventSourceNeeds = {
  readonly take: ReturnType<typeof takeUplink>
  /** Whether the event may raise an alarm. */
  readonly mayAlarm: (event: NetworkEvent) => boolean
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  /** Milliseconds before the attempt after that many failures. Default: `reconnectMs`. */
  readonly wait?: (failures: number) => number
  /** Nothing can be stored from then on. Default: never, before `close`. */
  readonly stopped?: AbortSignal
}

/**
 * Receives the events of a ChirpStack from its MQTT broker until it is closed. The session persists, and an event is
 * acknowledged after the commit: an event that arrives while this service is down comes again, and so does an alarm
 * that could not be stored. The broker repeats nothing that was published with QoS 0; such an alarm is tried again
 * here. Events are handled one at a time, in order; one that is not an alarm delays the next by two seconds at most,
 * and is dropped if it cannot be stored. lorawan.md#chirpstack.
 */
export function receiveEvents(source: EventSource, needs: EventSourceNeeds): EventSourceConnection {
  const { take, mayAlarm, clock, log } = needs
  const { wait = (failures) => reconnectMs(failures, Math.random()), stopped = NEVER } = needs
  const { url, topic, clientId, username, password, open = null } = source
  const about = { server: source.server.name }
  let disconnectedSince: number | null = clock.now()
  let isLeft = false
  const closed = new AbortController()
  const over = AbortSignal.any([closed.signal, stopped])
  /** Events and messages. */
  const underWay = new Set<Promise<unknown>>()
  /** Tries again to store the SOS that the broker is to send again. */
  let retry: (() => void) | null = null
  let failures = 0
  let isLossTold = false
  let client: MqttClient | null = null
  const told = new Set<string>()

  /** Whether this retained event has not been kept since the start: it comes with each connection. */
  const isNews = (sent: Buffer): boolean => {
    const digest = createHash('sha256').update(sent).digest('base64')
    if (told.has(digest) || told.size >= MAX_TOLD) return false
    told.add(digest)
    return true
  }

  let timer: NodeJS.Timeout | null = null

  const connect = (): void => {
    timer = null
    const options: IClientOptions = {
      clientId,
      clean: false,
      protocolVersion: 4,
      keepalive: KEEP_ALIVE_SECONDS,
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectPeriod: 0,
      ...(username !== null && { username }),
      ...(password !== null && { password }),
    }
    const opened = open === null ? mqtt.connect(url, options) : throughSocket(url, open, options)
    client = opened
    opened.handleMessage = (packet, done) => {
      const sent = Buffer.isBuffer(packet.payload) ? packet.payload : Buffer.from(packet.payload)
      const said = eventOf(packet.topic, sent)
      // Nothing that is kept for this session comes as retained.
      const isOld = packet.retain && !isRecent(said, clock.now())
      if (isOld && !(mayAlarm(said) && isNews(sent))) {
        log.warn(about, 'the broker holds an old event of the network server as retained; it is ignored')
        done()
        return
      }
      const event: NetworkEvent = isOld ? { kind: 'unreadable', reason: OLD_SOS } : said
      if (packet.qos === 0 && !isLossTold) {
        isLossTold = true
        log.warn(
          about,
          'the network server publishes with QoS 0: events are lost while nobody receives them; use qos=1',
        )
      }
      let isDone = false
      const go = (): void => {
        clearTimeout(patience)
        retry = null
        if (!isDone) done()
        isDone = true
      }
      const isUrgent = mayAlarm(event)
      const patience = isUrgent ? undefined : setTimeout(go, PATIENCE_MS)
      const attempt = (): void => {
        if (over.aborted) return
        const taken = take(source.server, event, sent.subarray(0, MAX_EVENT_BYTES)).then(go, (error) => {
          // A fault in the code comes back each time, and every SOS after it would wait for ever.
          if (!isUrgent || !(error instanceof StoreError)) {
            log.error({ ...about, err: error }, 'an event of the network server could not be stored and is lost')
            go()
            return
          }
          log.error({ ...about, err: error }, 'an SOS of the network server could not be stored; it is tried again')
          if (packet.qos === 0 || isLeft) {
            setTimeout(attempt, wait(0))
            return
          }
          // Not acknowledged: the broker sends it again on the next connection.
          retry = attempt
          opened.stream.destroy()
        })
        underWay.add(taken)
        void taken.finally(() => underWay.delete(taken))
      }
      attempt()
    }
    opened.on('connect', () => {
      opened.subscribe(topic, { qos: 1 }, (error, granted = []) => {
        if (error != null || granted.some(({ qos }) => qos > 2)) {
          log.error({ ...about, err: error }, 'the network server refused the subscription to its events')
          opened.stream.destroy()
          return
        }
        failures = 0
        disconnectedSince = null
        log.info(about, 'connected to the network server')
      })
    })
    // It names the reason; `close` follows.
    let toldError: Error | null = null
    opened.on('error', (error) => {
      if (error === toldError) return
      toldError = error
      log.warn({ ...about, err: error }, 'the network server cannot be reached', error.message)
    })
    opened.once('close', () => {
      disconnectedSince ??= clock.now()
      opened.end(true)
      if (isLeft) return
      timer = setTimeout(connect, wait(failures))
      failures += 1
    })
  }

  const stopConnecting = (): void => {
    isLeft = true
    if (timer !== null) clearTimeout(timer)
  }

  connect()
  return {
    disconnectedSince: () => disconnectedSince,
    async publish(topic, body, timeoutMs) {
      if (client === null || disconnectedSince !== null) return false
      let giveUp: NodeJS.Timeout | undefined
      const late = new Promise<boolean>((resolve) => {
        giveUp = setTimeout(() => resolve(false), timeoutMs)
      })
      const published = client.publishAsync(topic, body, { qos: 1 }).then(
        () => true,
        () => false,
      )
      const known = Promise.race([published, late]).finally(() => clearTimeout(giveUp))
      underWay.add(known)
      return known.finally(() => underWay.delete(known))
    },
    async leave() {
      stopConnecting()
      retry?.()
      const done = new AbortController()
      const late = sleep(LEAVE_MS, undefined, { signal: AbortSignal.any([over, done.signal]) }).catch(() => {})
      await Promise.race([Promise.allSettled(underWay), late])
      done.abort()
      await client?.endAsync(true)
    },
    async close() {
      stopConnecting()
      closed.abort()
      await client?.endAsync(true)
    },
  }
}

/** The client tells some errors of a socket itself, others not. */
const throughSocket = (url: string, open: (url: string) => Duplex, options: IClientOptions): MqttClient =>
  new MqttClient((client) => open(url).on('error', (error) => client.emit('error', error)) as never, options)

/** A repeat of it would be known as one: rules.md#identity. An older one would alarm at each connection. */
function isRecent(event: NetworkEvent, now: number): boolean {
  if (event.kind !== 'uplink') return false
  return event.uplink.at !== null && Math.abs(now - Date.parse(event.uplink.at)) < DAY
}

function eventOf(topic: string, payload: Buffer): ReturnType<typeof chirpStackEvent> {
  if (payload.length > MAX_EVENT_BYTES) return { kind: 'unreadable', reason: 'an event of more than 256 KiB' }
  try {
    return chirpStackEvent(topic.slice(topic.lastIndexOf('/') + 1), JSON.parse(payload.toString('utf8')))
  } catch {
    return { kind: 'unreadable', reason: 'no JSON' }
  }
}
