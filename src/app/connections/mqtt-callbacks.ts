import { parseMqttUsername } from '../../core/account/mqtt-username.ts'
import type { Session } from '../../core/account/session.ts'
import { isUuid, maySubscribe, publishKind } from '../../core/ingest/topic.ts'
import type { Clock } from '../../ports/clock.ts'
import type { AccountStore, AdmissionStore } from '../../ports/store.ts'
import { type Admitted, AdmittedSessions } from './admitted-sessions.ts'

export type AccessRequest = {
  readonly username: string
  readonly topic: string
  /** Some brokers ask for several at once; then all of them must be allowed. */
  readonly actions: readonly ('publish' | 'subscribe')[]
}

type MqttCallbackNeeds = {
  readonly store: Pick<AdmissionStore, 'admittingApplication'> & Pick<AccountStore, 'userByExternalId'>
  readonly clock: Pick<Clock, 'now' | 'onShift'>
  readonly identify: (username: string, password: string) => Promise<Session | null>
  readonly sessionTtlMs: number
  readonly maxSessions?: number
}

/** About 300 bytes each. */
const MAX_SESSIONS = 50_000
/** protocol.md#broker-callbacks. */
const CLIENT_ID_BYTES = 256

const allowed = {
  publish: (topic: string, session: Admitted) => publishKind(topic, session) !== null,
  subscribe: maySubscribe,
} as const

/**
 * The callbacks of an external broker: they decide who may connect and what a client may do, by the same functions as
 * the embedded broker. All reject only with a StoreError. protocol.md#broker-callbacks.
 */
export const mqttCallbacks = ({
  store,
  clock,
  identify,
  sessionTtlMs,
  maxSessions = MAX_SESSIONS,
}: MqttCallbackNeeds) => {
  const sessions = new AdmittedSessions({ ttlMs: sessionTtlMs, max: maxSessions })
  // If the clock is set back, cached sessions would expire much too late.
  clock.onShift(() => sessions.forget())

  /** Without a cached session, an enabled user and application are enough: the broker has verified the hash. */
  const renewed = async (username: string): Promise<Admitted | null> => {
    const named = parseMqttUsername(username)
    if (named === null || !isUuid(named.appId)) return null
    const keep = sessions.begin()
    const application = (await store.admittingApplication(named.appId.toLowerCase()))?.application
    if (application === undefined || application.disabled) return null
    const user = await store.userByExternalId(application.id, named.externalUserId)
    if (user === null || user.disabled) return null
    const { id: userId, appId, externalUserId } = user
    const session = { appId, userId, externalUserId, legacy: application.legacy }
    keep(username, session, clock.now())
    return session
  }

  return {
    async mayConnect(username: string, password: string, clientId: string): Promise<boolean> {
      const keep = sessions.begin()
      const session = await identify(username, password)
      if (session === null || Buffer.byteLength(clientId) > CLIENT_ID_BYTES) return false
      keep(username, session, clock.now())
      return true
    },

    async mayAccess({ username, topic, actions }: AccessRequest): Promise<boolean> {
      const session = sessions.get(username, clock.now()) ?? (await renewed(username))
      return session !== null && actions.length > 0 && actions.every((action) => allowed[action](topic, session))
    },

    /** Some sessions of this application may no longer be admitted. */
    endSessions: (appId: string): void => sessions.forget(appId),
    endAllSessions: (): void => sessions.forget(),
  }
}
