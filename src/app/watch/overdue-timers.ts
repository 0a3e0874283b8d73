import { isVouchedFor } from '../../core/account/app-invitation.ts'
import { isAllowedDestination } from '../../core/account/contact.ts'
import { personLanguages } from '../../core/account/profile.ts'
import { type Position, positionOf } from '../../core/ingest/position.ts'
import { timerReminderText } from '../../core/message/timer-reminder.ts'
import { textLanguage } from '../../core/text/phrases.ts'
import { overdueRaise } from '../../core/timer/overdue-alert.ts'
import { type Timer, type TimerReminder, timerReminder } from '../../core/timer/timer.ts'
import { DAY, MINUTE, SECOND } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Log } from '../../ports/log.ts'
import type { Meter } from '../../ports/meter.ts'
import type { TextNotification } from '../../ports/notifier.ts'
import type {
  AccountStore,
  ApplicationStore,
  IncidentStore,
  SmsStore,
  TelemetryStore,
  TimerStore,
} from '../../ports/store.ts'
import type { IncidentDoor } from '../incident-door.ts'
import { loneText } from '../sending/lone-text.ts'

/** A timer raises its SOS 5 min after its moment, so a look a minute sees every new one in time, on any node. */
const LOOK_MS = MINUTE
const RETRY_MS = 5 * SECOND
const SOONEST_MS = 10
/** Timers read at a time, and raised at once: a press waits for at most the latter. */
const PAGE = 100
const AT_ONCE = 4
/** Reminders taken at a time. A crash loses few of them, and none is an alarm. */
const REMINDERS = 20
/** Telemetry rows searched for the last known position. */
const ROWS = 50
/** How long after its end an incident's position is still used. */
const INCIDENT_MS = 7 * DAY
const ANCHORED_AT_ONCE = 1000

type TimerNeeds = {
  readonly store: Pick<
    TimerStore,
    'overdueTimers' | 'timerAgenda' | 'raiseTimer' | 'takeReminders' | 'countTimerText' | 'anchorTimers'
  > &
    Pick<TelemetryStore, 'telemetryHistory'> &
    Pick<IncidentStore, 'latestIncident' | 'openIncident' | 'incident'> &
    Pick<AccountStore, 'user'> &
    Pick<SmsStore, 'phoneProof'> &
    Pick<ApplicationStore, 'application'>
  readonly door: Pick<IncidentDoor, 'announce'>
  readonly clock: Clock
  readonly ids: Pick<Ids, 'uuid' | 'secret'>
  readonly isDateBelieved: () => boolean
  /** Publishes a reminder to the user's own connections. */
  readonly publish: (reminder: TimerReminder) => void
  /** Tells the user's phones, in the background. */
  readonly push: (timer: Timer) => void
  readonly sendText: (text: TextNotification) => Promise<unknown>
  /** IANA; for applications without their own time zone. */
  readonly machineTimeZone: () => string
  readonly log: Log
  readonly meter: Meter
}

/**
 * Raises the SOS of each timer that runs out, and reminds its user before. The deadlines are in the store, so that a
 * restart resumes; of several nodes, the first transaction raises. rules.md#timers; ADR 0044.
 */
export class OverdueTimers {
  readonly #needs: TimerNeeds
  #cancel = () => {}
  #looking: Promise<void> | null = null
  #reminding: Promise<void> | null = null
  #isStopped = false
  #overdueSince: number | null = null

  constructor(needs: TimerNeeds) {
    this.#needs = needs
    needs.clock.onShift(() => this.#arm(RETRY_MS))
  }

  start(): void {
    this.#arm(SOONEST_MS)
  }

  /** Milliseconds by which the oldest timer that could not be raised is late. */
  overdueMs(): number {
    return this.#overdueSince === null ? 0 : Math.max(0, this.#needs.clock.now() - this.#overdueSince)
  }

  /** Resolves when nothing that was due is being raised or sent. */
  async settled(): Promise<void> {
    while (this.#looking !== null || this.#reminding !== null) await Promise.all([this.#looking, this.#reminding])
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancel()
    await this.settled()
  }

  #arm(afterMs: number): void {
    if (this.#isStopped) return
    this.#cancel()
    this.#cancel = this.#needs.clock.after(afterMs, () => {
      this.#looking ??= this.#look()
        .catch((error) => {
          this.#needs.log.error({ err: error }, 'could not look for overdue timers; trying again')
          return RETRY_MS
        })
        .then((nextMs) => {
          this.#looking = null
          this.#arm(nextMs)
        })
    })
  }

  /** Does all due work, and returns the time until the next look. */
  async #look(): Promise<number> {
    const { store, clock, isDateBelieved } = this.#needs
    const { nextAt, areMoved } = await store.timerAgenda()
    if (areMoved && isDateBelieved()) {
      while ((await store.anchorTimers(ANCHORED_AT_ONCE)) === ANCHORED_AT_ONCE);
    } else if (nextAt === null || nextAt > clock.now()) {
      this.#overdueSince = null
      return nextAt === null ? LOOK_MS : Math.min(LOOK_MS, Math.max(SOONEST_MS, nextAt - clock.now()))
    }
    const hasFailed = await this.#raiseAll()
    const reminders = this.#reminding === null ? await store.takeReminders(clock.now(), REMINDERS) : []
    if (reminders.length > 0) this.#remindInBackground(reminders)
    return hasFailed || this.#reminding !== null ? RETRY_MS : SOONEST_MS
  }

  /** Raises all due timers, so that one that fails holds up no other. Returns whether any failed. */
  async #raiseAll(): Promise<boolean> {
    const { store, clock } = this.#needs
    let oldest: number | null = null
    for (let after: Timer | null = null; !this.#isStopped; ) {
      const due: readonly Timer[] = await store.overdueTimers(clock.now(), PAGE, after)
      for (let at = 0; at < due.length; at += AT_ONCE) {
        const some = due.slice(at, at + AT_ONCE)
        const raised = await Promise.all(some.map((timer) => this.#raise(timer)))
        const failed = some.find((_, place) => !raised[place])
        if (failed !== undefined) oldest ??= failed.opensAt
      }
      if (due.length < PAGE) break
      after = due.at(-1)!
    }
    this.#overdueSince = oldest
    return oldest !== null
  }

  /** Raises a timer's SOS. False if the store could not do it. */
  async #raise(timer: Timer): Promise<boolean> {
    const { store, door, clock, ids, log, meter } = this.#needs
    const { id: timerId, userId } = timer
    try {
      // An unknown position never keeps an SOS from being raised.
      const asked = [this.#ofTelemetry(userId), this.#ofTelemetry(userId, { isOwn: true }), this.#ofIncident(userId)]
      const known = await Promise.all(asked.map(unknownIfFailed))
      const lastKnown = known.filter((position) => position !== null)
      const fresh = { now: clock.now(), incidentId: ids.uuid(), linkSecret: ids.secret() }
      const committed = await store.raiseTimer(timerId, overdueRaise(timer, lastKnown, fresh))
      // It was ended, extended, or raised by another node.
      if (committed === null) return true
      door.announce(committed)
      meter.count('timers_total', { did: 'raised' })
      const { incidentId, verdict } = committed
      log.warn({ userId, timerId, incidentId, verdict }, 'a timer ran out and raised an SOS')
      return true
    } catch (error) {
      meter.count('timer_failures_total')
      log.error({ err: error, userId, timerId }, 'a timer ran out and its SOS could not be raised; trying again')
      return false
    }
  }

  /** The position of the user's last alarm, because a press is not telemetry. */
  async #ofIncident(userId: string): Promise<Position | null> {
    const { store, clock } = this.#needs
    const latest = await store.latestIncident(userId, clock.now() - INCIDENT_MS)
    const record = latest && (await store.incident(latest.id))
    return record && (record.newest?.own ?? record.lastPosition)
  }

  /** The position of the user's newest telemetry that has one. `own`: leaves out rows sent by other users. */
  async #ofTelemetry(userId: string, own: { readonly isOwn?: true } = {}): Promise<Position | null> {
    const query = { after: null, limit: ROWS, from: null, to: null, ...own }
    const page = await this.#needs.store.telemetryHistory(userId, query)
    if ('refused' in page) return null
    for (const { payload, at, source } of page.items) {
      const position = positionOf(payload, at)
      if (position !== null) return { ...position, ...(source !== null && { source }) }
    }
    return null
  }

  /** Not awaited by a look: a slow provider must not keep an SOS from being raised. */
  #remindInBackground(first: readonly Timer[]): void {
    this.#reminding = this.#remind(first)
      .catch((error) => this.#needs.log.error({ err: error }, 'could not remind users of their timers'))
      .finally(() => {
        this.#reminding = null
      })
  }

  async #remind(first: readonly Timer[]): Promise<void> {
    const { store, clock, publish, push } = this.#needs
    for (let timers = first; timers.length > 0 && !this.#isStopped; ) {
      for (const timer of timers) publish(timerReminder(timer))
      for (const timer of timers) push(timer)
      for (const timer of timers) await this.#text(timer)
      timers = timers.length < REMINDERS ? [] : await store.takeReminders(clock.now(), REMINDERS)
    }
  }

  /** Anyone can come by a poster, and write the number of a stranger into the profile. */
  async #isProved(userId: string, phone: string): Promise<boolean> {
    const proof = await this.#needs.store.phoneProof(userId)
    return proof !== null && proof.takenAt === null && proof.phone === phone
  }

  /** Sends an SMS to the user's own number, after every alarm at the provider. */
  async #text(timer: Timer): Promise<void> {
    const { store, clock, ids, sendText, machineTimeZone, log } = this.#needs
    if (clock.now() >= timer.opensAt || this.#isStopped) return
    const { userId, appId, dueAt } = timer
    try {
      if (await isSilentlyOpen(store, userId)) return
      const [user, application] = await Promise.all([store.user(userId), store.application(appId)])
      const to = user?.phone ?? null
      if (user === null || to === null || application === null) return
      if (!isVouchedFor(user.enrolledBy) && !(await this.#isProved(user.id, to))) return
      const { allowedPrefixes, texts, name } = application
      const languages = personLanguages(user, application)
      // An alarm goes there anyway; a reminder must not spend what the operator has ruled out.
      if (!isAllowedDestination(to, allowedPrefixes)) return
      const timeZone = application.timeZone ?? machineTimeZone()
      const now = clock.now()
      if (!(await store.countTimerText({ id: ids.uuid(), userId, phone: to, now }))) {
        log.warn({ userId, timerId: timer.id }, 'no more reminders by SMS today')
        return
      }
      const reminder = loneText({
        // Kept short, because the modem puts it into a file name.
        attemptId: `timer-${timer.id}-${dueAt.toString(36)}`,
        claimedAt: now,
        channel: 'sms',
        purpose: 'reminder',
        to,
        text: timerReminderText(languages, { app: name, dueAt, timeZone, now, own: texts }),
        language: textLanguage(languages),
      })
      await sendText(reminder)
      log.info({ userId, timerId: timer.id }, 'reminded a user of a timer')
    } catch (error) {
      log.warn({ err: error, userId, timerId: timer.id }, 'could not remind a user of a timer')
    }
  }
}

const unknownIfFailed = (looked: Promise<Position | null>): Promise<Position | null> => looked.catch(() => null)

/** Whether the user has an open silent emergency, in which their phone must not ring. rules.md#silent-emergency. */
export const isSilentlyOpen = async (store: Pick<IncidentStore, 'openIncident'>, userId: string): Promise<boolean> =>
  (await store.openIncident(userId))?.incident.silent === true
