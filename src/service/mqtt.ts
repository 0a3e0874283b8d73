import { createHash } from 'node:crypto'
import { type Broker, createBroker } from '../adapters/inbound/broker/broker.ts'
import type { UserStreams } from '../adapters/inbound/http/sdk/user-streams.ts'
import { ClientClaims } from '../app/connections/client-claims.ts'
import { currentState } from '../app/connections/current-state.ts'
import { endSessions } from '../app/connections/end-sessions.ts'
import { endTrackers } from '../app/connections/end-trackers.ts'
import { identifyMqtt } from '../app/connections/identify.ts'
import { mqttCallbacks } from '../app/connections/mqtt-callbacks.ts'
import { ingestOwnTracks } from '../app/field/ingest-owntracks.ts'
import type { takeReport } from '../app/field/take-report.ts'
import { ingestPublish } from '../app/ingest/ingest-publish.ts'
import { identifyTracker } from '../app/user/own-trackers.ts'
import { admittingCanary, type Canary } from '../app/watch/canary.ts'
import { isSilentlyOpen } from '../app/watch/overdue-timers.ts'
import type { Config } from '../config.ts'
import { isCanary } from '../core/account/canary.ts'
import type { ClientSession } from '../core/account/session.ts'
import { TRACKER_USERNAME } from '../core/field/owntracks-topic.ts'
import type { ReadersEvent } from '../core/incident/talk.ts'
import { talkTopic, timerTopic } from '../core/ingest/topic.ts'
import type { TimerReminder } from '../core/timer/timer.ts'
import { SECOND } from '../lib/durations.ts'
import { Places } from '../lib/places.ts'
import type { Closers } from './closers.ts'
import { balancersOf } from './listeners.ts'
import { isOwnConnection } from './own-listener.ts'
import type { Basis } from './storage.ts'

/** The broker and the sessions of its clients, and of an external broker that asks this service for admission. */
export type Mqtt = {
  readonly broker: Broker
  /** Null if no other node can have clients. */
  readonly claims: ClientClaims | null
  readonly callbacks: ReturnType<typeof mqttCallbacks>
  /** Ends the sessions of an application that would no longer be admitted as they were. */
  readonly endSessions: (appId: string) => void
  /** Begins to end the sessions of trackers whose token is gone. Returns what stops all session checks. */
  readonly watchSessions: () => () => Promise<void>
  /** Tells the user's own connections that a timer is about to run out. */
  readonly remind: (reminder: TimerReminder) => void
  /** Tells the user's own connections that who reads the talk has changed. */
  readonly tellReaders: (event: ReadersEvent) => void
  /** Closes every connection, admits none and forgets who was admitted; or admits clients again. */
  readonly suspend: (isSuspended: boolean) => void
}

/** The broker, which publishes every committed event from here on. It does not listen yet. */
export async function prepareMqtt(
  config: Config,
  basis: Basis,
  {
    maxConnections: max,
    canary,
    reports,
    streams,
  }: {
    readonly maxConnections: number
    readonly canary: Canary | null
    readonly reports: ReturnType<typeof takeReport>
    /** The other connections that get a user's events. */
    readonly streams: UserStreams
  },
  closers: Closers,
): Promise<Mqtt> {
  const { store, door, talk, log, meter } = basis
  const claims = clientClaims(basis)
  closers.add(() => claims?.close())
  const identifyUser = identifyMqtt(canary === null ? basis : { ...basis, store: admittingCanary(store, canary) })
  const identifyToken = identifyTracker(basis)
  const broker = await createBroker({
    identify: (username, password) =>
      username === TRACKER_USERNAME ? identifyToken(password) : identifyUser(username, password),
    ingest: ingestPublish(basis),
    ingestTracker: ingestOwnTracks({ store, reports }),
    isCongested: (userId) => store.isCongested(userId),
    readState: config.mqtt.stateOnSubscribe ? currentState(basis) : null,
    log,
    meter,
    limits: {
      maxPacketBytes: config.mqtt.maxPacketBytes,
      inFlight: config.limits.inFlightPerConnection,
      messagesPerSecond: config.limits.messagesPerSecondPerConnection,
      bytesPerSecond: config.limits.bytesPerSecondPerConnection,
    },
    balancers: balancersOf(config.mqtt.proxyProtocol, log),
    claims: claims && { claim: (scopedId, ...rest) => claims.claim(keyOf(scopedId), ...rest) },
    places: new Places({ max, maxPerAddress: max, endsWorking: true }),
    isOwn: isOwnConnection,
  })
  // For a start that fails from here on; a stop closes it earlier, together with the dispatcher.
  closers.add(() => broker.close())
  const publish = (topics: readonly string[], message: object): void => {
    const payload = JSON.stringify(message)
    broker.publish(topics, payload)
    streams.publish(topics, payload)
  }
  door.follow(({ events }) => {
    for (const { topics, message } of events) publish(topics, message)
  })
  talk.follow((said) => publish([talkTopic(said.userId)], said))
  const sessionTtlMs = config.mqtt.sessionTtlSeconds * SECOND
  const callbacks = mqttCallbacks({ ...basis, identify: identifyMqtt(basis), sessionTtlMs })
  const live = {
    decided: () => broker.decided(),
    sessions: () => [...broker.sessions(), ...streams.sessions()],
    closeWhere: (ends: (session: ClientSession) => boolean) => broker.closeWhere(ends) + streams.closeWhere(ends),
  }
  const sessions = endSessions({ store, live, log })
  return {
    broker,
    claims,
    callbacks,
    endSessions(appId) {
      // Its sessions end with their press; erasing their traces must not cut the next one short.
      if (isCanary(appId)) return
      callbacks.endSessions(appId)
      sessions.end(appId)
    },
    watchSessions() {
      const stop = endTrackers({ ...basis, live: broker })
      return async () => {
        await stop()
        sessions.close()
      }
    },
    // If that is unknown, the phone stays dark: without a reminder the timer raises an alarm.
    remind: (reminder) =>
      void isSilentlyOpen(store, reminder.userId).then(
        (isSilent) => isSilent || publish([timerTopic(reminder.userId)], reminder),
        (error) => log.warn({ err: error, timerId: reminder.timerId }, 'could not remind a user of a timer'),
      ),
    tellReaders: (event) => publish([talkTopic(event.userId)], event),
    suspend(isSuspended) {
      if (isSuspended) callbacks.endAllSessions()
      broker.suspend(isSuspended)
      streams.suspend(isSuspended)
    },
  }
}

/** Of two connections with the same client id on two nodes the newer one stays. */
function clientClaims({ store: { announceClients }, lease, log }: Basis): ClientClaims | null {
  if (announceClients === undefined || lease === null) return null
  const hasOthers = (): boolean => lease.node === null || lease.node.others.length > 0
  const claims = new ClientClaims({ announce: announceClients, hasOthers, log })
  lease.onOthers(() => claims.meet())
  return claims
}

/** Short, and without the user's id, which an erasure looks for. */
const keyOf = (scopedId: string): string => createHash('sha256').update(scopedId).digest('base64url').slice(0, 22)
