import { autoResolveMs, type Settings } from '../core/incident/settings.ts'
import { DAY, HOUR, isoAt, MINUTE, SECOND } from '../core/ingest/event-time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { ClockDoubt, ClockStore, DueIncidents, IncidentStore } from '../ports/store.ts'

/** Whether the system says that something keeps its clock right, and says so of a clock that shows `now` (epoch ms). */
export type IsSynchronised = (now: number) => Promise<boolean>

type Parts = {
  readonly store: ClockStore & Pick<IncidentStore, 'incidents'> & Pick<DueIncidents, 'changePending'>
  readonly clock: Clock
  readonly isSynchronised: IsSynchronised
  /** Those in force where nothing is open. */
  readonly defaults: Pick<Settings, 'autoResolveHours'>
  readonly log: Log
}

/** A clock this much behind what is stored is wrong. */
const BEHIND_MS = SECOND
/** However long incidents may stay open. */
const FURTHEST_AHEAD_MS = 7 * DAY
/** While the clock is not believed, and while it is. */
const LOOK_MS = 5 * SECOND
const KEEP_MS = HOUR
/** What was on its way when the clock was set is stored by then, with its old time. */
const SETTLED_MS = 10 * SECOND

/**
 * Says whether the wall clock can be believed. It is not when it says at a start that more than `autoResolveHours` have
 * passed since anything was stored, or less than nothing, nor when it jumps as far under the running service. Deadlines
 * never depend on it: they keep their distance. What asks is what would delete or end something because of a date.
 * rules.md#clock; ADR 0020.
 */
export class Calendar {
  readonly #parts: Parts
  #doubt: ClockDoubt | null = null
  /**
   * By how much the clock was set since it was last believed; while it is not, by how far it is ahead of
   * what it is measured by.
   */
  #leadMs = 0
  #limitMs: number
  /** The system has said so once, and so says nothing new by it after a jump. */
  #wasSynchronised = false
  #cancelLook = () => {}
  #keptAt = 0
  #looking: Promise<void> | null = null
  #life: 'new' | 'running' | 'stopped' = 'new'

  constructor(parts: Parts) {
    this.#parts = parts
    this.#limitMs = limitOf([parts.defaults])
    parts.clock.onShift((byMs) => this.#jumped(byMs))
  }

  /**
   * Judges the clock, and where it cannot have run on since the last process ended, reckons all deadlines anew. To be
   * called before anything is due.
   */
  async start(): Promise<void> {
    const { store, clock, log } = this.#parts
    const { newestMoment, doubt } = await store.clockRecord()
    const open = await store.incidents({ openOnly: true })
    const atStart = limitOf([this.#parts.defaults, ...open.map(({ incident }) => incident.settings)])
    const now = clock.now()
    const since = doubt?.believedMoment ?? newestMoment
    const isEmpty = newestMoment === 0 && doubt === null
    const isPlausible = isEmpty || (now >= since - BEHIND_MS && now <= since + atStart)
    const isKnown = isPlausible || (doubt?.needsOperator !== true && (await this.#isSynchronised()))
    if (!isEmpty && (now < newestMoment - BEHIND_MS || (!isKnown && now > newestMoment + atStart))) {
      const incidents = await store.changePending({ type: 'reckonAnew', now, from: newestMoment })
      const aheadMs = now - newestMoment
      log.warn(
        { aheadMs, incidents },
        'the clock has not moved on since the last stop; deadlines keep the time they had left',
      )
    }
    this.#life = 'running'
    this.#leadMs = 0
    if (!isKnown) this.#mistrust({ believedMoment: since, needsOperator: doubt?.needsOperator ?? false }, now - since)
    else if (doubt !== null) log.info({}, 'the clock is trusted again')
    await this.#keep()
    this.#arm(this.#doubt === null ? MINUTE : LOOK_MS)
  }

  /** Whether a date may end or delete something. */
  isBelieved(): boolean {
    return this.#doubt === null
  }

  /** For `/readyz`: what is wrong with the clock in one sentence, or null. */
  concern(): string | null {
    if (this.#doubt === null) return null
    const { believedMoment, needsOperator } = this.#doubt
    const now = this.#parts.clock.now()
    const side = now < believedMoment ? 'before' : 'too far beyond'
    const until = needsOperator ? '' : 'the system reports synchronised time, or '
    return `the clock is not trusted: it says ${isoAt(now)}, ${side} ${isoAt(believedMoment)}; nothing is deleted until ${until}you run: tocsin clock accept`
  }

  /** The operator says that the clock is right. */
  accept(): void {
    this.#believe('the operator accepted it')
  }

  /** Notes the time for the next start, and looks no more. */
  async stop(): Promise<void> {
    this.#cancelLook()
    await this.#looking
    if (!(await this.#isAccepted())) await this.#keep()
    this.#life = 'stopped'
    this.#cancelLook()
  }

  /** Whether the operator has accepted it in this very moment: the notice may still be on its way. */
  async #isAccepted(): Promise<boolean> {
    if (this.#doubt === null) return false
    const stored = await this.#parts.store.clockRecord().catch(() => null)
    return stored !== null && stored.doubt?.believedMoment !== this.#doubt.believedMoment
  }

  #jumped(byMs: number): void {
    const { clock } = this.#parts
    this.#leadMs += byMs
    if (this.#doubt !== null) this.#judge()
    else if (Math.abs(this.#leadMs) > this.#limitMs) {
      const believedMoment = clock.now() - this.#leadMs
      this.#mistrust({ believedMoment, needsOperator: this.#wasSynchronised }, this.#leadMs)
      void this.#keep()
    }
    // What was on its way may still be stored with the time of before.
    this.#keptAt = 0
    this.#arm(this.#doubt === null ? SETTLED_MS : LOOK_MS)
  }

  /** A clock that is back where it can be is believed again. */
  #judge(): void {
    if (this.#doubt === null) return
    const isBack = this.#leadMs <= this.#limitMs && this.#parts.clock.now() >= this.#doubt.believedMoment - BEHIND_MS
    if (isBack) this.#believe('it shows a plausible time again')
  }

  #mistrust(doubt: ClockDoubt, leadMs: number): void {
    this.#doubt = doubt
    this.#leadMs = leadMs
    this.#parts.log.error({ leadMs }, this.concern() ?? '')
  }

  #believe(why: string): void {
    this.#doubt = null
    this.#leadMs = 0
    this.#parts.log.info({ why }, 'the clock is trusted again')
    void this.#keep()
  }

  #arm(afterMs: number): void {
    if (this.#life !== 'running') return
    this.#cancelLook()
    this.#cancelLook = this.#parts.clock.after(afterMs, () => {
      this.#looking = this.#look().finally(() => {
        this.#looking = null
        this.#arm(this.#doubt === null ? KEEP_MS : LOOK_MS)
      })
    })
  }

  async #look(): Promise<void> {
    const { clock } = this.#parts
    this.#judge()
    if (this.#doubt === null) {
      if (!this.#wasSynchronised) await this.#isSynchronised()
    } else if (!this.#doubt.needsOperator && (await this.#isSynchronised())) {
      this.#believe('the system reports synchronised time')
    }
    if (Math.abs(clock.now() - this.#keptAt) >= KEEP_MS) await this.#keep()
  }

  async #isSynchronised(): Promise<boolean> {
    const is = await this.#parts.isSynchronised(this.#parts.clock.now())
    this.#wasSynchronised ||= is
    return is
  }

  /** The next start measures the clock by this. Rejects never: without it, it measures by what was stored last. */
  async #keep(): Promise<void> {
    // Nothing may be known before the last record has been read.
    if (this.#life !== 'running') return
    const { store, clock, log } = this.#parts
    const now = clock.now()
    // As much time has passed at the least, whatever the date; of a clock that is behind, that says nothing.
    if (this.#doubt !== null && this.#leadMs > 0) this.#doubt = { ...this.#doubt, believedMoment: now - this.#leadMs }
    try {
      await store.keepClock(now, this.#doubt)
      this.#keptAt = now
    } catch (error) {
      log.warn({ err: error }, 'could not save the time for the next start')
    }
  }
}

const limitOf = (settings: readonly Pick<Settings, 'autoResolveHours'>[]): number =>
  Math.min(FURTHEST_AHEAD_MS, ...settings.map((each) => autoResolveMs(each)))
