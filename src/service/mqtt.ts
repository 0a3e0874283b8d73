import { createHash } from 'node:crypto'
import { type Broker, createBroker } from '../adapters/inbound/broker/broker.ts'
import type { ClientClaims } from '../app/connections/client-claims.ts'
import { currentState } from '../app/connections/current-state.ts'
import { identifyMqtt } from '../app/connections/identify.ts'
import { ingestOwnTracks } from '../app/field/ingest-owntracks.ts'
import type { takeReport } from '../app/field/take-report.ts'
import { ingestPublish } from '../app/ingest/ingest-publish.ts'
import { identifyTracker } from '../app/user/own-trackers.ts'
import { admittingCanary, type Canary } from '../app/watch/canary.ts'
import type { Config } from '../config.ts'
import { TRACKER_USERNAME } from '../core/field/owntracks-topic.ts'
import { Places } from '../lib/places.ts'
import { balancersOf } from './balancers.ts'
import type { ConnectionBudget } from './connection-budget.ts'
import { isOwnConnection } from './own-listener.ts'
import type { Basis } from './storage.ts'

/** The broker, which publishes every committed event from here on. It does not listen yet. */
export async function prepareBroker(
  config: Config,
  basis: Basis,
  {
    connections: { mqtt: max },
    claims,
    canary,
    reports,
  }: {
    readonly connections: ConnectionBudget
    readonly claims: ClientClaims | null
    readonly canary: Canary | null
    readonly reports: ReturnType<typeof takeReport>
  },
): Promise<Broker> {
  const { store, door, log, meter } = basis
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
  door.follow(({ events }) => {
    for (const { topics, message } of events) broker.publish(topics, JSON.stringify(message))
  })
  return broker
}

/** Short, and without the user's id, which an erasure looks for. */
const keyOf = (scopedId: string): string => createHash('sha256').update(scopedId).digest('base64url').slice(0, 22)
