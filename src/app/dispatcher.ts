import type { AttemptOutcome, Command } from '../core/command.ts'
import type { Channel, Delivery } from '../core/delivery.ts'
import { incidentIdOf, QUIET_MS } from '../core/escalation.ts'
import { SECOND } from '../core/event-time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { Meter } from '../ports/meter.ts'
import type { Notification, Notifier } from '../ports/notifier.ts'
import type { Committed, Store } from '../ports/store.ts'
import { composeNotification } from './compose-notification.ts'
import type { IncidentDoor } from './incident-door.ts'

/** How many incidents one look takes on. The next look follows at once. */
const BATCH = 500
/** How long after a store that failed the dispatcher tries again. */
const STORE_RETRY_MS = SECOND
/** A clock this much behind the newest stored moment is wrong, and cannot say what is due. */
const CLOCK_BEHIND_MS = SECOND
/** Between two looks that found something due but nothing to do: never at full speed in a circle. */
const IDLE_LOOK_MS = 50

export type DispatcherParts = {
  readonly store: Store
  readonly door: () => IncidentDoor
  readonly notifier: Notifier
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly meter: Meter
  /** Where tracking links lead; known once the listeners are up. */
  readonly publicUrl: () => string
}

/**
 * Does what is due. It sleeps until the earliest moment at which any incident wants attention, lets the write door claim what is due
 * (`proceed`), sends outside the transaction and records every outcome through the door. What it holds in memory is only what
 * it is sending right now: everything else is in the store, so that a restart goes on where the last process ended.
 */
export class Dispatcher {
  readonly #parts: DispatcherParts
  readonly #inFlight = new Map<string, Promise<void>>()
  /** Those of them that wait for their turn at their provider. */
  readonly #queued = new Set<string>()
  #cancelTimer: (() => void) | null = null
  #wakeAt = Number.POSITIVE_INFINITY
  #looking: Promise<void> | null = null
  #lookAgain = false
  /** When the last look ended, whatever it found. */
  #lookedAt = 0
  #stopped = true
  /** By how much the clock was set without the deadlines having been moved along. */
  #owedShiftMs = 0

  constructor(parts: DispatcherParts) {
    this.#parts = parts
    parts.clock.onShift((byMs) => this.#shift(byMs))
  }

  /** Begins, with whatever the last process left: due, or claimed without an outcome. */
  async start(): Promise<void> {
    const { store, clock, log } = this.#parts
    this.#stopped = false
    const now = clock.now()
    this.#lookedAt = now
    const newest = await store.newestMoment()
    if (now < newest - CLOCK_BEHIND_MS) {
      const changed = await store.changePending({ type: 'dueNow', now })
      log.warn(
        { behindMs: newest - now, incidents: changed },
        'the clock is behind the newest stored time: everything pending is due now',
      )
    }
    this.#look()
  }

  /** Something wants attention at `at` (epoch ms). */
  wake(at: number): void {
    if (this.#stopped || at >= this.#wakeAt) return
    this.#arm(at)
  }

  /** Milliseconds by which the most overdue incident waits, 0 when none does. For readiness. */
  async overdueMs(): Promise<number> {
    const next = await this.#parts.store.nextActionAt()
    return next === null ? 0 : Math.max(0, this.#parts.clock.now() - next)
  }

  /** Milliseconds since it last looked although something is due, 0 when nothing is: what cannot be done does not count, only not looking. */
  async stalledMs(): Promise<number> {
    return Math.min(await this.overdueMs(), this.#parts.clock.now() - this.#lookedAt)
  }

  /** Resolves when nothing is being looked at or sent. Does not wait for deadlines, nor for a turn at a provider. */
  async settled(): Promise<void> {
    while (this.#looking !== null || this.#leaving().length > 0) {
      await Promise.all([this.#looking, ...this.#leaving().map(([, work]) => work)])
    }
  }

  #leaving(): readonly (readonly [attemptId: string, work: Promise<void>])[] {
    return [...this.#inFlight].filter(([attemptId]) => !this.#queued.has(attemptId))
  }

  /** Claims nothing more and waits at most `graceMs` for what is being sent, so that its outcome gets recorded. */
  async stop(graceMs: number): Promise<void> {
    this.#stopped = true
    this.#cancelTimer?.()
    let cancel = () => {}
    const patience = new Promise<void>((resolve) => {
      cancel = this.#parts.clock.after(graceMs, resolve)
    })
    await Promise.race([this.settled(), patience])
    cancel()
    const attempts = this.#leaving().map(([attemptId]) => attemptId)
    if (attempts.length > 0) {
      this.#parts.log.warn({ attempts }, 'stopped with attempts under way; they are looked up at the next start')
    }
  }

  #arm(at: number): void {
    this.#cancelTimer?.()
    this.#wakeAt = at
    this.#cancelTimer = this.#parts.clock.after(Math.max(0, at - this.#parts.clock.now()), () => {
      this.#wakeAt = Number.POSITIVE_INFINITY
      this.#look()
    })
  }

  #look(): void {
    if (this.#looking !== null) {
      this.#lookAgain = true
      return
    }
    this.#looking = this.#lookUntilDone().finally(() => {
      this.#looking = null
      this.#lookedAt = this.#parts.clock.now()
      // Asked while it was finding out when to wake: that answer may be older than whoever asked.
      if (this.#lookAgain && !this.#stopped) this.#look()
    })
  }

  async #lookUntilDone(): Promise<void> {
    const { store, clock, log } = this.#parts
    try {
      let found = true
      do {
        this.#lookAgain = false
        found = await this.#doWhatIsDue()
      } while (!this.#stopped && (found || this.#lookAgain))
      const next = await store.nextActionAt()
      if (next !== null) this.wake(Math.max(next, next <= clock.now() ? clock.now() + IDLE_LOOK_MS : 0))
    } catch (error) {
      log.error({ err: error }, 'the dispatcher could not use the store and tries again')
      this.wake(clock.now() + STORE_RETRY_MS)
    }
  }

  /** One look at everything due. True when something was claimed or changed, so that another look may find more. */
  async #doWhatIsDue(): Promise<boolean> {
    const { store, clock, log } = this.#parts
    if (this.#owedShiftMs !== 0) await this.#handShiftIn()
    const due = await store.due(clock.now(), BATCH)
    const sending = Map.groupBy(this.#inFlight.keys(), incidentIdOf)
    // Handed in together: the store takes them into one commit.
    const looks = due.map((incidentId) => this.#proceed(incidentId, sending.get(incidentId) ?? []))
    const results = await Promise.allSettled(looks)
    const failures = results.flatMap((result, place) =>
      result.status === 'rejected' ? [{ incidentId: due[place], err: result.reason }] : [],
    )
    for (const failure of failures) log.error(failure, 'what is due could not be claimed')
    // One incident that cannot be read must not hold up the others; a store that does nothing at all is waited for.
    if (failures.length > 0 && failures.length === due.length) throw failures[0]!.err
    return results.some((result) => result.status === 'fulfilled' && result.value)
  }

  async #proceed(incidentId: string, inFlight: readonly string[]): Promise<boolean> {
    if (this.#stopped) return false
    const now = this.#parts.clock.now()
    const committed = await this.#parts
      .door()
      .change({ incidentId }, { type: 'proceed', now, inFlight, queued: this.#queuedChannels() })
    this.#follow(committed)
    return committed.verdict !== 'unchanged'
  }

  #queuedChannels(): readonly Channel[] {
    return this.#parts.notifier.queued ?? []
  }

  /** Does what a commit asks for: sends what it claimed, looks up what is unsure, asks for receipts that are overdue. */
  #follow(committed: Committed): void {
    const { log, meter } = this.#parts
    const incidentId = committed.incident?.id
    for (const row of committed.claimed) this.#track(row, () => this.#send(row, committed))
    for (const row of committed.unsure) {
      log.warn({ incidentId, attemptId: row.id }, 'an attempt has no outcome; asking the provider')
      this.#track(row, () => this.#lookUp(row, committed))
    }
    for (const row of committed.asked) this.#track(row, () => this.#ask(row, committed))
    if (committed.exhausted) {
      meter.count('cascades_exhausted_total')
      log.error({ incidentId }, 'NOBODY ACKNOWLEDGED: the last round of the cascade has ended')
    }
  }

  #track(row: Delivery, work: () => Promise<void>): void {
    const running = (this.#inFlight.get(row.id) ?? Promise.resolve()).then(work).finally(() => {
      if (this.#inFlight.get(row.id) === running) this.#inFlight.delete(row.id)
    })
    this.#inFlight.set(row.id, running)
  }

  async #send(row: Delivery, committed: Committed): Promise<void> {
    if (row.claim?.queued) {
      return this.#attempt(row, committed, (notification) => this.#inTurn(row, notification))
    }
    this.#leaves(row)
    return this.#attempt(row, committed, (notification) =>
      this.#inTime(notification, () => this.#parts.notifier.send(notification)),
    )
  }

  /** Patience begins when the turn has come. */
  async #inTurn(row: Delivery, notification: Notification): Promise<AttemptOutcome> {
    const turn = Promise.withResolvers<void>()
    let hasCome = false
    const sending = this.#parts.notifier.send(notification, async () => {
      hasCome = true
      const isWanted = await this.#begin(row)
      if (isWanted) turn.resolve()
      return isWanted
    })
    if (!hasCome) this.#queued.add(row.id)
    try {
      // It may as well end before its turn: without a number to call from, say.
      await Promise.race([turn.promise, sending])
    } finally {
      this.#queued.delete(row.id)
    }
    return this.#inTime(notification, () => sending)
  }

  /** The turn of an attempt has come: whether it is still wanted. While the dispatcher stops nothing leaves any more, and it stays queued. */
  async #begin(row: Delivery): Promise<boolean> {
    if (this.#stopped) {
      this.#queued.add(row.id)
      return new Promise<boolean>(() => {})
    }
    this.#queued.delete(row.id)
    const { door, clock } = this.#parts
    const command = { type: 'begin', now: clock.now(), attemptId: row.id } as const
    const { claimed } = await door().change({ incidentId: incidentIdOf(row.id) }, command)
    if (claimed.length > 0) this.#leaves(row)
    return claimed.length > 0
  }

  #leaves({ dueAt }: Delivery): void {
    this.#parts.meter.observe('deadline_lateness_seconds', Math.max(0, this.#parts.clock.now() - dueAt) / SECOND)
  }

  #lookUp(row: Delivery, committed: Committed): Promise<void> {
    return this.#attempt(row, committed, (notification) =>
      this.#inTime(notification, () => this.#parts.notifier.lookUp(notification)),
    )
  }

  /** The receipt of a sent message is overdue. What the provider says counts as one; without news it is asked again later. */
  async #ask(row: Delivery, committed: Committed): Promise<void> {
    const { notifier, log } = this.#parts
    const outcome = await this.#outcomeOf(row, committed, (notification) =>
      this.#inTime(notification, () => notifier.lookUp(notification)),
    )
    log.info(
      { incidentId: committed.incident?.id, attemptId: row.id, channel: row.channel, ...loggable(outcome) },
      'provider asked',
    )
    switch (outcome.kind) {
      case 'sent':
        return this.#record(row, (now) => this.#outcomeCommand(row, outcome, now))
      case 'delivered':
      case 'failed': {
        const { provider, providerRef } = row
        const error = outcome.kind === 'failed' ? outcome.error : null
        const receipt = { status: outcome.kind, provider: provider ?? 'unknown', providerRef, error }
        return this.#record(row, (now) => ({ type: 'recordReceipt', now, attemptId: row.id, receipt }))
      }
      case 'no_target':
      case 'not_wanted':
      case 'unknown':
      case 'not_found':
        return
      default:
        return outcome satisfies never
    }
  }

  async #attempt(
    row: Delivery,
    committed: Committed,
    ask: (notification: Notification) => Promise<AttemptOutcome>,
  ): Promise<void> {
    const outcome = await this.#outcomeOf(row, committed, ask)
    this.#parts.log.info(
      { incidentId: committed.incident?.id, attemptId: row.id, channel: row.channel, ...loggable(outcome) },
      'attempt ended',
    )
    this.#parts.meter.count('attempts_total', { channel: row.channel, outcome: outcome.kind })
    await this.#record(row, (now) => this.#outcomeCommand(row, outcome, now))
  }

  #outcomeCommand(row: Delivery, outcome: AttemptOutcome, now: number): Command {
    const queued = this.#queuedChannels()
    return { type: 'recordOutcome', now, attemptId: row.id, outcome, jitter: this.#parts.ids.jitter(), queued }
  }

  /** A fault of our own on the way is an unknown outcome: it is never a reason to forget the attempt. */
  async #outcomeOf(
    row: Delivery,
    { incident, lastPosition }: Committed,
    ask: (notification: Notification) => Promise<AttemptOutcome>,
  ): Promise<AttemptOutcome> {
    const { store, clock, log, publicUrl } = this.#parts
    try {
      if (incident === null) return { kind: 'no_target' }
      const [user, application] = await Promise.all([store.user(incident.userId), store.application(incident.appId)])
      if (user === null || application === null) return { kind: 'no_target' }
      const record = { incident, lastPosition }
      const occasion = { record, user, application, publicUrl: publicUrl(), now: clock.now() }
      const notification = composeNotification(row, occasion)
      return notification === null ? { kind: 'no_target' } : await ask(notification)
    } catch (error) {
      log.error({ incidentId: incident?.id, attemptId: row.id, err: error }, 'an attempt met a fault')
      return { kind: 'unknown' }
    }
  }

  /** Every notifier has time-outs of its own. One that never settles all the same must not keep its attempt from being looked up. */
  async #inTime(notification: Notification, ask: () => Promise<AttemptOutcome>): Promise<AttemptOutcome> {
    let cancel = () => {}
    const patience = new Promise<AttemptOutcome>((resolve) => {
      cancel = this.#parts.clock.after(notification.timeoutMs + QUIET_MS, () => resolve({ kind: 'unknown' }))
    })
    try {
      return await Promise.race([ask(), patience])
    } finally {
      cancel()
    }
  }

  /** Until it is recorded the attempt stays in flight, so that nobody takes it for a forgotten one. */
  async #record(row: Delivery, commandAt: (now: number) => Command): Promise<void> {
    const { clock, log } = this.#parts
    const incidentId = incidentIdOf(row.id)
    for (;;) {
      try {
        this.#follow(await this.#parts.door().change({ incidentId }, commandAt(clock.now())))
        return
      } catch (error) {
        log.error({ incidentId, attemptId: row.id, err: error }, 'an outcome could not be recorded; trying again')
        if (this.#stopped) return
        await new Promise<void>((resolve) => this.#parts.clock.after(STORE_RETRY_MS, resolve))
      }
    }
  }

  /** The wall clock was set: every pending deadline keeps its distance. Handed in before anything that is reckoned in the new time. */
  #shift(byMs: number): void {
    const { clock, log } = this.#parts
    log.warn({ byMs }, 'the wall clock was set; pending deadlines keep their distance')
    this.#owedShiftMs += byMs
    this.#handShiftIn()
      .catch((error) => log.error({ err: error, byMs }, 'deadlines could not be moved with the clock yet'))
      .finally(() => {
        if (!this.#stopped) this.#arm(clock.now())
      })
  }

  /** What the store could not take stays owed, and nothing is claimed before it is handed in. */
  async #handShiftIn(): Promise<void> {
    const byMs = this.#owedShiftMs
    this.#owedShiftMs = 0
    try {
      await this.#parts.store.changePending({ type: 'shiftDeadlines', now: this.#parts.clock.now(), byMs })
    } catch (error) {
      this.#owedShiftMs += byMs
      throw error
    }
  }
}

/** What of an outcome may be logged: never a text or a number. */
const loggable = (outcome: AttemptOutcome): Record<string, unknown> => ({
  outcome: outcome.kind,
  ...('provider' in outcome && { provider: outcome.provider }),
  ...('error' in outcome && { error: outcome.error }),
})
