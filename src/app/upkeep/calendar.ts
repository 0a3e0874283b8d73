import { autoResolveMs, type Settings } from '../../core/account/settings.ts'
import { isoAt } from '../../core/ingest/event-time.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { ClockDoubt, ClockStore, DueIncidents, IncidentStore } from '../../ports/store.ts'

/** Whether the system reports that its clock is synchronised, for a clock that shows `now` (epoch ms). */
export type IsSynchronised = (now: number) => Promise<boolean>

type CalendarNeeds = {
  readonly store: ClockStore & Pick<IncidentStore, 'incidents'> & Pick<DueIncidents, 'changePending'>
  readonly clock: Clock
  readonly isSynchronised: IsSynchronised
  /** The settings to assume if no incident is open. */
  readonly defaults: Pick<Settings, 'autoResolveHours'>
  readonly log: Log
}

/** A clock further behind the newest stored moment than this is wrong. */
const BEHIND_MS = SECOND
/** The longest plausible gap, however long incidents may stay open. */
const FURTHEST_AHEAD_MS = 7 * DAY
/** How often the clock is checked while it is not trusted, and the time saved while it is. */
const LOOK_MS = 5 * SECOND
const KEEP_MS = HOUR
/** By then, everything in flight when the clock was set has been stored with its old time. */
const SETTLED_MS = 10 * SECOND

/**
 * Decides whether the wall clock can be trusted. It cannot if a start shows a time before the newest stored moment or
 * more than `autoResolveHours` after it, or if the clock of the running service jumps as far. Deadlines never depend on
 * the decision: they keep their distance. Only code that deletes or ends something because of a date asks.
 * keeping.md#clock; ADR 0020.
 */
export class Calendar {
  readonly #needs: CalendarNeeds
  #doubt: ClockDoubt | null = null
  /**
   * How far the clock has been set since it was last trusted. While it is not trusted: how far it is ahead of the
   * moment it is compared with.
   */
  #leadMs = 0
  #limitMs: number
  /** Whether the system has reported synchronised time before: then the same report after a jump proves nothing. */
  #wasSynchronised = false
  #cancelLook = () => {}
  #keptAt = 0
  /**
   * Whether the stored record has this process's doubt: if it loses it, another node or the operator has settled it.
   */
  #isDoubtKept = false
  #looking: Promise<void> | null = null
  #life: 'new' | 'running' | 'stopped' = 'new'

  constructor(needs: CalendarNeeds) {
    this.#needs = needs
    this.#limitMs = limitOf([needs.defaults])
    needs.clock.onShift((byMs) => this.#jumped(byMs))
  }

  /**
   * Judges the clock. If it cannot have run on since the last process ended, moves all deadlines so that they keep the
   * time they had left. Call this before anything is due.
   */
  async start(): Promise<void> {
    const { store, clock, log } = this.#needs
    const { newestMoment, doubt } = await store.clockRecord()
    const open = await store.incidents({ openOnly: true })
    const atStart = limitOf([this.#needs.defaults, ...open.map(({ incident }) => incident.settings)])
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

  /** For `/readyz`: the clock's fault in one sentence, or null. */
  concern(): string | null {
    if (this.#doubt === null) return null
    const { believedMoment, needsOperator } = this.#doubt
    const now = this.#needs.clock.now()
    const side = now < believedMoment ? 'before' : 'too far beyond'
    const until = needsOperator ? '' : 'the system reports synchronised time, or '
    return `the clock is not trusted: it says ${isoAt(now)}, ${side} ${isoAt(believedMoment)}; nothing is deleted until ${until}you run: tocsin clock accept`
  }

  /** The operator confirms that the clock is right. */
  accept(): void {
    this.#believe('the operator accepted it')
  }

  /** Saves the time for the next start and ends the checks. */
  async stop(): Promise<void> {
    this.#cancelLook()
    await this.#looking
    if (!(await this.#isAccepted())) await this.#keep()
    this.#life = 'stopped'
    this.#cancelLook()
  }

  /** Whether the operator has just accepted the clock and the notice has not arrived yet. */
  async #isAccepted(): Promise<boolean> {
    if (this.#doubt === null) return false
    const stored = await this.#needs.store.clockRecord().catch(() => null)
    return stored !== null && stored.doubt?.believedMoment !== this.#doubt.believedMoment
  }

  #jumped(byMs: number): void {
    const { clock } = this.#needs
    this.#leadMs += byMs
    if (this.#doubt !== null) this.#judge()
    else if (Math.abs(this.#leadMs) > this.#limitMs) {
      const believedMoment = clock.now() - this.#leadMs
      this.#mistrust({ believedMoment, needsOperator: this.#wasSynchronised }, this.#leadMs)
      void this.#keep()
    }
    // Writes in flight may still be stored with the old time.
    this.#keptAt = 0
    this.#arm(this.#doubt === null ? SETTLED_MS : LOOK_MS)
  }

  /** Trusts the clock again if it shows a plausible time. */
  #judge(): void {
    if (this.#doubt === null) return
    const isBack = this.#leadMs <= this.#limitMs && this.#needs.clock.now() >= this.#doubt.believedMoment - BEHIND_MS
    if (isBack) this.#believe('it shows a plausible time again')
  }

  #mistrust(doubt: ClockDoubt, leadMs: number): void {
    this.#doubt = doubt
    this.#leadMs = leadMs
    this.#needs.log.error({ leadMs }, this.concern() ?? '')
  }

  #believe(why: string): void {
    this.#doubt = null
    this.#leadMs = 0
    this.#needs.log.info({ why }, 'the clock is trusted again')
    void this.#keep()
  }

  #arm(afterMs: number): void {
    if (this.#life !== 'running') return
    this.#cancelLook()
    this.#cancelLook = this.#needs.clock.after(afterMs, () => {
      this.#looking = this.#look().finally(() => {
        this.#looking = null
        this.#arm(this.#doubt === null ? KEEP_MS : LOOK_MS)
      })
    })
  }

  async #look(): Promise<void> {
    const { clock } = this.#needs
    this.#judge()
    if (await this.#isSettledElsewhere()) this.#believe('another node trusts it')
    if (this.#doubt === null) {
      if (!this.#wasSynchronised) await this.#isSynchronised()
    } else if (!this.#doubt.needsOperator && (await this.#isSynchronised())) {
      this.#believe('the system reports synchronised time')
    }
    if (Math.abs(clock.now() - this.#keptAt) >= KEEP_MS) await this.#keep()
  }

  /** Whether another node has settled the doubt: nodes that share a clock share the doubt about it. */
  async #isSettledElsewhere(): Promise<boolean> {
    if (this.#doubt === null || !this.#isDoubtKept || !this.#needs.clock.movesDeadlines) return false
    const stored = await this.#needs.store.clockRecord().catch(() => null)
    return stored !== null && stored.doubt === null && stored.missesJump !== true
  }

  async #isSynchronised(): Promise<boolean> {
    const is = await this.#needs.isSynchronised(this.#needs.clock.now())
    this.#wasSynchronised ||= is
    return is
  }

  /**
   * Saves the time against which the next start checks the clock. Never rejects: if saving fails, the next start uses
   * the previous record.
   */
  async #keep(): Promise<void> {
    // Until the last record has been read, there is nothing valid to save.
    if (this.#life !== 'running') return
    const { store, clock, log } = this.#needs
    const now = clock.now()
    // At least this much time has passed, whatever the date. If the clock is behind, its time proves nothing.
    if (this.#doubt !== null && this.#leadMs > 0) this.#doubt = { ...this.#doubt, believedMoment: now - this.#leadMs }
    try {
      const doubt = this.#doubt
      await store.keepClock(now, doubt)
      this.#keptAt = now
      this.#isDoubtKept = doubt !== null
    } catch (error) {
      log.warn({ err: error }, 'could not save the time for the next start')
    }
  }
}

const limitOf = (settings: readonly Pick<Settings, 'autoResolveHours'>[]): number =>
  Math.min(FURTHEST_AHEAD_MS, ...settings.map((each) => autoResolveMs(each)))
