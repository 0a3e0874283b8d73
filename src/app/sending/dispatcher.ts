import { incidentIdOf } from '../../core/incident/escalation.ts'
import { SECOND } from '../../core/ingest/event-time.ts'
import type { Committed } from '../../ports/store.ts'
import { type AttemptParts, Attempts } from './attempts.ts'

/** How many incidents one look takes on. The next look follows at once. */
const BATCH = 500
/** How long after a store that failed the dispatcher tries again. */
const STORE_RETRY_MS = SECOND
/** Between two looks that found something due but nothing to do: never at full speed in a circle. */
const IDLE_LOOK_MS = 50

/** What it hands to its attempts, but for what it does itself. */
export type DispatcherParts = Omit<AttemptParts, 'follow'>

/**
 * Does what is due. It sleeps until the earliest moment at which any incident wants attention, lets the write door claim what is due
 * (`proceed`), sends outside the transaction and records every outcome through the door. What it holds in memory is only what
 * it is sending right now: everything else is in the store, so that a restart goes on where the last process ended.
 */
export class Dispatcher {
  readonly #parts: DispatcherParts
  readonly #attempts: Attempts
  #cancelTimer: (() => void) | null = null
  #wakeAt = Number.POSITIVE_INFINITY
  #looking: Promise<void> | null = null
  #shifting: Promise<void> | null = null
  #lookAgain = false
  /** When the last look ended, whatever it found. */
  #lookedAt = 0
  #stopped = true
  /** By how much the clock was set without the deadlines having been moved along. */
  #owedShiftMs = 0

  constructor(parts: DispatcherParts) {
    this.#parts = parts
    this.#attempts = new Attempts({ ...parts, follow: (committed) => this.#follow(committed) })
    parts.clock.onShift((byMs) => this.#shift(byMs))
  }

  /** Begins, with whatever the last process left: due, or claimed without an outcome. */
  start(): void {
    this.#stopped = false
    this.#lookedAt = this.#parts.clock.now()
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
    while (this.#looking !== null || this.#shifting !== null || this.#attempts.underWay().length > 0) {
      await Promise.all([this.#looking, this.#shifting, this.#attempts.settled()])
    }
  }

  /** Claims nothing more and waits at most `graceMs` for what is being sent, so that its outcome gets recorded. */
  async stop(graceMs: number): Promise<void> {
    this.#stopped = true
    this.#attempts.stop()
    this.#cancelTimer?.()
    let cancel = () => {}
    const patience = new Promise<void>((resolve) => {
      cancel = this.#parts.clock.after(graceMs, resolve)
    })
    await Promise.race([this.settled(), patience])
    cancel()
    for (const attemptId of this.#attempts.underWay()) {
      const about = { incidentId: incidentIdOf(attemptId), attemptId }
      this.#parts.log.warn(about, 'stopped during an attempt; its outcome will be looked up at the next start')
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
      log.error({ err: error }, 'the dispatcher could not use the store; trying again')
      this.wake(clock.now() + STORE_RETRY_MS)
    }
  }

  /** One look at everything due. True when something was claimed or changed, so that another look may find more. */
  async #doWhatIsDue(): Promise<boolean> {
    const { store, clock, log } = this.#parts
    if (this.#owedShiftMs !== 0) await this.#handShiftIn()
    const due = await store.due(clock.now(), BATCH)
    const sending = Map.groupBy(this.#attempts.inFlight(), incidentIdOf)
    // Handed in together: the store takes them into one commit.
    const looks = due.map((incidentId) => this.#proceed(incidentId, sending.get(incidentId) ?? []))
    const results = await Promise.allSettled(looks)
    const failures = results.flatMap((result, place) =>
      result.status === 'rejected' ? [{ incidentId: due[place], err: result.reason }] : [],
    )
    for (const failure of failures) log.error(failure, 'could not claim a due attempt')
    // One incident that cannot be read must not hold up the others; a store that does nothing at all is waited for.
    if (failures.length > 0 && failures.length === due.length) throw failures[0]!.err
    return results.some((result) => result.status === 'fulfilled' && result.value)
  }

  async #proceed(incidentId: string, inFlight: readonly string[]): Promise<boolean> {
    if (this.#stopped) return false
    const { door, clock, notifier } = this.#parts
    const command = { type: 'proceed', now: clock.now(), inFlight, queued: notifier.queued ?? [] } as const
    const committed = await door().change({ incidentId }, command)
    this.#follow(committed)
    return committed.verdict !== 'unchanged'
  }

  /** Does what a commit asks for: sends what it claimed, looks up what is unsure, asks for receipts that are overdue. */
  #follow(committed: Committed): void {
    const { log, meter } = this.#parts
    const incidentId = committed.incident?.id
    for (const row of committed.claimed) this.#attempts.send(row, committed)
    for (const row of committed.unsure) {
      log.warn({ incidentId, attemptId: row.id }, 'an attempt has no outcome; asking the provider')
      this.#attempts.lookUp(row, committed)
    }
    for (const row of committed.asked) this.#attempts.ask(row, committed)
    if (committed.exhausted) {
      meter.count('cascades_exhausted_total')
      const isOver = committed.incident?.cascade.phase.name === 'exhausted'
      log.error(
        { incidentId },
        `NOBODY ACKNOWLEDGED: the last round of the cascade has ended${isOver ? '' : '; further ones follow'}`,
      )
    }
  }

  /** The wall clock was set: every pending deadline keeps its distance. Handed in before anything that is reckoned in the new time. */
  #shift(byMs: number): void {
    const { clock, log } = this.#parts
    log.warn({ byMs }, 'the wall clock was changed; pending deadlines keep the time they had left')
    this.#owedShiftMs += byMs
    const shifting = this.#handShiftIn()
      .catch((error) => log.error({ err: error, byMs }, 'could not move deadlines with the clock yet'))
      .finally(() => {
        if (this.#shifting === shifting) this.#shifting = null
        if (!this.#stopped) this.#arm(clock.now())
      })
    this.#shifting = shifting
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
