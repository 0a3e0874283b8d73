import { CANARY_APP_ID, canaryApplication, isCanary } from '../../core/account/canary.ts'
import { userHash } from '../../core/account/user-hash.ts'
import { MINUTE, SECOND } from '../../lib/durations.ts'
import { interruptibleWait, repeatedly } from '../../lib/waits.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Log } from '../../ports/log.ts'
import type { Meter } from '../../ports/meter.ts'
import type {
  AccountStore,
  AdmissionStore,
  ApplicationStore,
  EnrolmentStore,
  ErasureStore,
  IncidentStore,
  MailStore,
  UserAdministration,
} from '../../ports/store.ts'
import type { IncidentDoor, IncidentFeed } from '../incident-door.ts'

/** The stage at which an unacknowledged press failed: no connection, no admitting CONNACK, or no PUBACK. */
export type FailedPress = { readonly failed: 'connect' | 'login' | 'puback'; readonly error: string }

/**
 * Publishes `payload` on `topic` with QoS 1, as a client that logs in at the service's own MQTT listener. Null: it was
 * acknowledged. Never rejects, and ends within half a minute, or at once with `signal`.
 */
export type CanaryPress = (
  press: {
    readonly username: string
    readonly password: string
    readonly topic: string
    readonly payload: string
  },
  signal: AbortSignal,
) => Promise<FailedPress | null>

/** Soon after the start, to reveal a broken set-up; spread, so that not all nodes press at once. */
const FIRST_MS = MINUTE
const FIRST_SPREAD_MS = 15 * SECOND
/** After a failure: two in a row count, and the end of the trouble should show as soon. */
const RETRY_MS = MINUTE
const FAILURES_THAT_COUNT = 2
const MESSAGE_WITHIN_MS = 30 * SECOND
const LOOK_MS = SECOND
/** Older users of the canary were left by a process that ended during a run. */
const LEFT_BEHIND_MS = 10 * MINUTE
const MAX_SWEPT = 10
const ERASED_ROWS = 1000

/** The stage at which a run failed. `prepare`: before the press. */
type Step = FailedPress['failed'] | 'prepare' | 'incident' | 'message'
type Failure = { readonly failed: Step; readonly error?: unknown }

const SENTENCES = {
  prepare: 'the store could not prepare it',
  connect: 'the MQTT listener could not be reached',
  login: 'the MQTT listener did not admit it',
  puback: 'it was not acknowledged (PUBACK)',
  incident: 'it was acknowledged, but opened no incident',
  message: `its incident had no message in the outbox within ${MESSAGE_WITHIN_MS / SECOND} s`,
} as const satisfies Record<Step, string>

/** The stages whose failure means that this node itself takes no SOS, whichever node sends the messages. */
const STOPS_INTAKE: Readonly<Record<Step, boolean>> = {
  prepare: true,
  connect: true,
  login: true,
  puback: true,
  incident: true,
  message: false,
}

type CanaryNeeds = {
  readonly everyMs: number
  readonly press: CanaryPress
  readonly store: IncidentStore &
    Pick<AccountStore, 'ensureUser'> &
    Pick<ApplicationStore, 'application' | 'createApplication'> &
    Pick<UserAdministration, 'users'> &
    Pick<ErasureStore, 'eraseUser'> &
    Pick<MailStore, 'outboxMessage'>
  readonly door: Pick<IncidentDoor, 'change'> & Pick<IncidentFeed, 'follow'>
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly meter: Meter
  /** Whether other nodes send messages for alarms that this one takes. */
  readonly hasOthers: () => boolean
}

export type Canary = {
  /** The secret of its logins. It never leaves the process. */
  readonly secret: string
  start(): void
  /** The reason why this node is not ready; null while it is, as far as the canary knows. */
  trouble(): string | null
  /** A failure although this node takes alarms, so that another node would do no better. Null: none. */
  concern(): string | null
  /** Time since the last run that passed, or since the start. */
  ageMs(): number
  /** Whether any run has passed since the start. */
  hasPassed(): boolean
  failuresInARow(): number
  stop(): Promise<void>
}

/**
 * Presses a synthetic SOS at this node's own MQTT listener from time to time, and waits for its message in the outbox;
 * then cancels the incident and erases what the run has left. It only reports: docs/operating.md#canary, ADR 0046.
 */
export function createCanary(needs: CanaryNeeds): Canary {
  const { everyMs, press, store, door, clock, ids, log, meter, hasOthers } = needs
  const secret = ids.secret()
  const externalUserId = `canary-${ids.uuid()}`
  const stopping = new AbortController()
  let passedAt = clock.now()
  let hasPassed = false
  let failures = 0
  let lastFailed: Step | null = null
  let stop = () => Promise.resolve()
  /** The incident whose message is awaited, and the function that checks for it. */
  let waiting: { readonly incidentId: string; readonly look: () => void } | null = null
  door.follow(({ incidentId }) => {
    if (waiting !== null && incidentId === waiting.incidentId) waiting.look()
  })

  const prepare = async (): Promise<string> => {
    if ((await store.application(CANARY_APP_ID)) === null) {
      // If two nodes start together, one is too late. Nobody keeps the secret: the application is disabled.
      await store.createApplication(canaryApplication(clock.now()), ids.secret()).catch(async (error) => {
        if ((await store.application(CANARY_APP_ID)) === null) throw error
      })
    }
    const { id } = await store.ensureUser({ appId: CANARY_APP_ID, externalUserId, id: ids.uuid(), now: clock.now() })
    await door.change({ openOf: id }, { type: 'cancel', now: clock.now() })
    return id
  }

  const hasMessage = async (incidentId: string): Promise<boolean> => {
    for (const { id } of await store.attempts(incidentId)) if ((await store.outboxMessage(id)) !== null) return true
    return false
  }

  const messageComes = async (incidentId: string): Promise<boolean> => {
    const until = clock.now() + MESSAGE_WITHIN_MS
    let isNews = false
    const { wait, interrupt } = interruptibleWait(clock)
    const look = (): void => {
      isNews = true
      interrupt()
    }
    waiting = { incidentId, look }
    stopping.signal.addEventListener('abort', look, { once: true })
    try {
      for (;;) {
        isNews = false
        if (await hasMessage(incidentId)) return true
        if (clock.now() >= until || stopping.signal.aborted) return false
        // Something was committed during the check.
        if (isNews) continue
        await wait(LOOK_MS)
      }
    } finally {
      waiting = null
      stopping.signal.removeEventListener('abort', look)
    }
  }

  const pressed = async (userId: string): Promise<Failure | null> => {
    const at = clock.now()
    const failed = await press(
      {
        username: `sdk:${CANARY_APP_ID}:${externalUserId}`,
        password: userHash(secret, externalUserId),
        topic: `sos/alerts/${userId}`,
        payload: JSON.stringify({ timestamp: new Date(at).toISOString() }),
      },
      stopping.signal,
    )
    if (failed !== null) return failed
    const record = await store.openIncident(userId)
    if (record === null) return { failed: 'incident' }
    if (!(await messageComes(record.incident.id))) return { failed: 'message' }
    meter.observe('canary_seconds', Math.max(0, clock.now() - at) / SECOND)
    return null
  }

  /** Ends the incident of a canary user, and erases both. If that is refused now, a later run sweeps it. */
  const erase = async (user: { readonly id: string; readonly externalUserId: string }): Promise<void> => {
    await door.change({ openOf: user.id }, { type: 'cancel', now: clock.now() })
    for (;;) {
      const batch = await store.eraseUser(CANARY_APP_ID, user.externalUserId, ERASED_ROWS)
      if ('refused' in batch || batch.done) return
    }
  }

  const tidy = async (userId: string): Promise<void> => {
    try {
      await erase({ id: userId, externalUserId })
      const before = clock.now() - LEFT_BEHIND_MS
      const left = (await store.users(CANARY_APP_ID)).filter(
        (user) => user.createdAt < before && user.externalUserId !== externalUserId,
      )
      for (const user of left.slice(0, MAX_SWEPT)) await erase(user)
    } catch (error) {
      log.warn({ err: error }, 'could not erase what the canary left; the next run does')
    }
  }

  const runOnce = async (): Promise<Failure | null> => {
    let userId: string
    try {
      userId = await prepare()
    } catch (error) {
      return { failed: 'prepare', error }
    }
    const failure = await pressed(userId).catch((error): Failure => ({ failed: 'incident', error }))
    await tidy(userId)
    return failure
  }

  const note = (failure: Failure | null): void => {
    meter.count('canary_runs_total', { result: failure?.failed ?? 'passed' })
    if (failure === null) {
      if (failures > 0) log.info({ failures }, 'the synthetic SOS of the canary gets through again')
      failures = 0
      lastFailed = null
      passedAt = clock.now()
      hasPassed = true
      return
    }
    failures += 1
    lastFailed = failure.failed
    log.error({ step: lastFailed, failures, err: failure.error }, `THE CANARY FAILED: ${SENTENCES[lastFailed]}`)
  }

  const run = async (): Promise<number | null> => {
    const failure = await runOnce()
    // A run cut short by a stop proves nothing.
    if (stopping.signal.aborted) return null
    note(failure)
    return failure === null ? everyMs : Math.min(everyMs, RETRY_MS)
  }

  const failing = (): { readonly text: string; readonly step: Step } | null =>
    lastFailed === null || failures < FAILURES_THAT_COUNT
      ? null
      : {
          step: lastFailed,
          text: `the canary's synthetic SOS failed ${failures} times in a row: ${SENTENCES[lastFailed]}`,
        }
  const isOfThisNode = (step: Step): boolean => STOPS_INTAKE[step] || !hasOthers()

  return {
    secret,
    start() {
      stop = repeatedly(clock, FIRST_MS + Math.round(ids.jitter() * FIRST_SPREAD_MS), run)
    },
    trouble() {
      const found = failing()
      return found !== null && isOfThisNode(found.step) ? found.text : null
    },
    concern() {
      const found = failing()
      return found === null || isOfThisNode(found.step) ? null : found.text
    },
    ageMs: () => Math.max(0, clock.now() - passedAt),
    hasPassed: () => hasPassed,
    failuresInARow: () => failures,
    stop() {
      stopping.abort()
      return stop()
    },
  }
}

type Admitting = Pick<AdmissionStore, 'admittingApplication'> &
  Pick<AccountStore, 'userByExternalId' | 'ensureUser'> &
  Pick<EnrolmentStore, 'appDeviceLogin' | 'noteAppDeviceUsed'>

/**
 * `store` as the MQTT logins of this process see it: the canary's application admits with the canary's own secret,
 * which is in no store. A login waits for the store as any other does.
 */
export const admittingCanary = (store: Admitting, { secret }: Pick<Canary, 'secret'>): Admitting => ({
  async admittingApplication(appId) {
    const found = await store.admittingApplication(appId)
    if (found === null || !isCanary(appId)) return found
    return { application: { ...found.application, disabled: false }, secrets: [{ id: 0, secret }] }
  },
  userByExternalId: (appId, externalUserId) => store.userByExternalId(appId, externalUserId),
  ensureUser: (user) => store.ensureUser(user),
  appDeviceLogin: (hash) => store.appDeviceLogin(hash),
  noteAppDeviceUsed: (id, now) => store.noteAppDeviceUsed(id, now),
})
