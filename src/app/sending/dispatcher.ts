// One file: a look, who is in line, and the clock are the states of one loop.
import { incidentIdOf } from '../../core/incident/escalation.ts'
import { dueAttempts, nextActionAt } from '../../core/incident/next-action.ts'
import { SECOND } from '../../lib/durations.ts'
import type { Committed } from '../../ports/store.ts'
import { type AttemptParts, Attempts } from './attempts.ts'
import { type IncidentTurns, Turns } from './turns.ts'

/** How many incidents one look takes on. The next look follows at once. */
const BATCH = 500
/** How long after a store that failed the dispatcher tries again. */
const STORE_RETRY_MS = SECOND
/** Between two looks that found something due but nothing to do: never at full speed in a circle. */
const IDLE_LOOK_MS = 50
/** How often an incident is looked at whose attempts wait for their turn, should nothing of it change. */
const LOOK_AGAIN_MS = 10 * SECOND
/** The store is asked what is due at least so often while there are looks, whatever this process knows. */
const ASK_EVERY_MS = SECOND

/** What it hands to its attempts, but for what it does itself. */
export type DispatcherParts = Omit<AttemptParts, 'follow'>

/**
 * Does what is due:
 * 1. A look reads what is due. Each attempt gets in line in its lane (`Turns`); without a lane, or in an empty one, its
 *    turn comes at once.
 * 2. The write door claims the attempts whose turn has come and does whatever else is due (`proceed`): one commit.
 * 3. Each claimed attempt is composed and sent outside the transaction (`Attempts`), and its outcome recorded through
 *    the door.
 *
 * Between looks it sleeps until the earliest moment at which any incident wants attention. Nothing has to survive in
 * memory: an attempt that waits for its turn is an attempt that is due, so a restart goes on where the last process
 * ended. docs/adr/0026.
 */
export class Dispatcher {
  readonly #parts: DispatcherParts
  readonly #attempts: Attempts
  readonly #turns: Turns
  /** Incidents with attempts that wait for their turn, and when each wants attention for anything else (epoch ms). */
  readonly #inLine = new Map<string, number>()
  /**
   * When an incident that is not in line wants attention next, as far as this process knows (epoch ms): before that the
   * store is not asked.
   */
  #dueAt = 0
  #askedStoreAt = 0
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
    this.#turns = new Turns(parts.notifier, () => this.#look())
    parts.clock.onShift((byMs) => this.#shift(byMs))
  }

  /** Begins, with whatever the last process left: due, or claimed without an outcome. */
  start(): void {
    this.#stopped = false
    this.#lookedAt = this.#parts.clock.now()
    this.#look()
  }

  /**
   * An incident was changed and wants attention at `at` (epoch ms; null: never). Where it is not known which, it may be
   * any.
   */
  changed(incidentId: string | null, at: number | null): void {
    const now = this.#parts.clock.now()
    if (incidentId === null) for (const id of this.#inLine.keys()) this.#inLine.set(id, now)
    const isInLine = incidentId !== null && this.#inLine.has(incidentId)
    // In line it is looked at again, as what waits there may be no longer wanted, or may have company.
    const wantedAt = isInLine ? now : at
    if (wantedAt === null) return
    this.#isDue(incidentId, wantedAt)
    this.#wake(wantedAt)
  }

  /**
   * Milliseconds by which the most overdue incident waits, 0 when none does; waiting for a turn is not being late. For
   * readiness.
   */
  async overdueMs(): Promise<number> {
    const next = await this.#parts.store.nextActionAt([...this.#inLine.keys()])
    return Math.max(0, this.#parts.clock.now() - Math.min(next ?? Number.POSITIVE_INFINITY, this.#inLineAt()))
  }

  /**
   * Milliseconds since it last looked although something is due, 0 when nothing is: what cannot be done does not count,
   * only not looking.
   */
  async stalledMs(): Promise<number> {
    return Math.min(await this.overdueMs(), this.#parts.clock.now() - this.#lookedAt)
  }

  /** Resolves when nothing is being looked at or sent. Does not wait for deadlines, nor for a turn at a provider. */
  async settled(): Promise<void> {
    while (this.#looking !== null || this.#shifting !== null || this.#attempts.inFlight().length > 0) {
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
    for (const attemptId of this.#attempts.inFlight()) {
      const about = { incidentId: incidentIdOf(attemptId), attemptId }
      this.#parts.log.warn(about, 'stopped during an attempt; its outcome will be looked up at the next start')
    }
  }

  #isDue(incidentId: string | null, at: number): void {
    if (incidentId !== null && this.#inLine.has(incidentId)) this.#inLine.set(incidentId, at)
    else this.#dueAt = Math.min(this.#dueAt, at)
  }

  #wake(at: number): void {
    if (this.#stopped || at >= this.#wakeAt) return
    this.#arm(at)
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
    if (this.#stopped) return
    if (this.#looking !== null) {
      this.#lookAgain = true
      return
    }
    this.#looking = this.#lookUntilDone().finally(() => {
      this.#looking = null
      this.#lookedAt = this.#parts.clock.now()
      // Asked while it was finding out when to wake: that answer may be older than whoever asked.
      if (this.#lookAgain) this.#look()
    })
  }

  async #lookUntilDone(): Promise<void> {
    const { clock, log } = this.#parts
    try {
      let found = true
      do {
        this.#lookAgain = false
        found = await this.#doWhatIsDue()
      } while (!this.#stopped && (found || this.#lookAgain))
      const next = Math.min(this.#dueAt, this.#inLineAt())
      if (next < Number.POSITIVE_INFINITY) this.#wake(next <= clock.now() ? clock.now() + IDLE_LOOK_MS : next)
    } catch (error) {
      this.#dueAt = 0
      // The turns that the failed claims gave back go to others, which would only fail as well.
      this.#lookAgain = false
      log.error({ err: error }, 'the dispatcher could not use the store; trying again')
      this.#wake(clock.now() + STORE_RETRY_MS)
    }
  }

  /** When an incident in line wants attention next, for anything but its turns. */
  #inLineAt(): number {
    return [...this.#inLine.values()].reduce((earliest, at) => Math.min(earliest, at), Number.POSITIVE_INFINITY)
  }

  /**
   * Incidents that are not in line and have something to do. Turns come often, and the store need not be asked at each
   * of them.
   */
  async #askWhatIsDue(now: number): Promise<readonly string[]> {
    if (now < this.#dueAt && Math.abs(now - this.#askedStoreAt) < ASK_EVERY_MS) return []
    this.#askedStoreAt = now
    this.#dueAt = Number.POSITIVE_INFINITY
    const inLine = [...this.#inLine.keys()]
    const due = await this.#parts.store.due(now, BATCH, inLine)
    const next = due.length > 0 ? now : await this.#parts.store.nextActionAt(inLine)
    this.#dueAt = Math.min(this.#dueAt, next ?? Number.POSITIVE_INFINITY)
    return due
  }

  /** One look at everything due. True when something was claimed or changed, so that another look may find more. */
  async #doWhatIsDue(): Promise<boolean> {
    const { clock, log } = this.#parts
    if (this.#owedShiftMs !== 0) await this.#handShiftIn()
    const now = clock.now()
    const seen = [...this.#inLine].filter(([, at]) => at <= now).slice(0, BATCH)
    const due = [...seen.map(([incidentId]) => incidentId), ...(await this.#askWhatIsDue(now))]
    const lines = await outcomesOf(due, (incidentId) => this.#getInLine(incidentId))
    const ready = [...new Set([...lines.filter(({ value }) => value).map(({ id }) => id), ...this.#turns.incidents()])]
    const sending = Map.groupBy(this.#attempts.inFlight(), incidentIdOf)
    // Handed in together: the store takes them into one commit.
    const looks = await outcomesOf(ready, (incidentId) => this.#proceed(incidentId, sending.get(incidentId) ?? []))
    const failures = [...lines, ...looks].filter(({ err }) => err !== undefined)
    for (const { id, err } of failures) {
      log.error({ incidentId: id, err }, 'could not claim a due attempt')
      // From here on it is late, also where it had waited for its turn.
      this.#inLine.delete(id)
      this.#isDue(id, now)
    }
    // One incident that cannot be read must not hold up the others; a store that does nothing at all is waited for.
    if (failures.length > 0 && looks.every(({ err }) => err !== undefined)) throw failures[0]!.err
    return looks.some(({ value }) => value)
  }

  /**
   * Lets the attempts of an incident that are due get in line. True where it has something else to do, or an attempt
   * may leave at once.
   */
  async #getInLine(incidentId: string): Promise<boolean> {
    const { store, clock } = this.#parts
    const record = await store.incident(incidentId)
    this.#inLine.delete(incidentId)
    if (record === null) return true
    const { incident } = record
    const now = clock.now()
    const rows = dueAttempts(incident, now)
    for (const row of rows) this.#turns.ask(row, incident, now)
    const next = nextActionAt(incident, this.#turns.isAsked) ?? Number.POSITIVE_INFINITY
    if (rows.some(({ id }) => this.#turns.isWaiting(id))) {
      this.#inLine.set(incidentId, Math.min(next, now + LOOK_AGAIN_MS))
    } else this.#isDue(incidentId, next)
    return next <= now || rows.some(({ id }) => !this.#turns.isWaiting(id))
  }

  async #proceed(incidentId: string, inFlight: readonly string[]): Promise<boolean> {
    if (this.#stopped) return false
    const turns = this.#turns.take(incidentId)
    const sending = new Set<string>()
    try {
      const command = { type: 'proceed', now: this.#parts.clock.now(), inFlight, turns: [...turns.keys()] } as const
      const committed = await this.#parts.door().change({ incidentId }, command)
      for (const { id } of committed.claimed) sending.add(id)
      this.#follow(committed, turns)
      this.#countUnwanted(committed, turns)
      return committed.verdict !== 'unchanged'
    } finally {
      this.#turns.settle(turns, (attemptId) => sending.has(attemptId))
    }
  }

  /** Attempts that waited for their turn, and were acknowledged or cancelled meanwhile. */
  #countUnwanted({ incident }: Committed, turns: IncidentTurns): void {
    for (const { id, channel, status } of incident?.deliveries ?? []) {
      if (status === 'scheduled' || (turns.get(id) ?? null) === null) continue
      this.#parts.meter.count('attempts_total', { channel, outcome: 'not_wanted' })
    }
  }

  /**
   * Does what a commit asks for: sends what it claimed, looks up what is unsure, asks for receipts that are overdue.
   */
  #follow(committed: Committed, turns: IncidentTurns = new Map()): void {
    const { log, meter } = this.#parts
    const incidentId = committed.incident?.id
    for (const row of committed.claimed) this.#attempts.send(row, committed, turns.get(row.id) ?? null)
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

  /**
   * The wall clock was set: every pending deadline keeps its distance. Handed in before anything that is reckoned in
   * the new time.
   */
  #shift(byMs: number): void {
    const { clock, log } = this.#parts
    log.warn({ byMs }, 'the wall clock was changed; pending deadlines keep the time they had left')
    this.#owedShiftMs += byMs
    this.#dueAt = 0
    for (const [incidentId, at] of this.#inLine) this.#inLine.set(incidentId, at + byMs)
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

type LookOutcome<T> = { readonly id: string; readonly value?: T; readonly err?: unknown }

/** What came of `work` for each of `ids`. */
const outcomesOf = <T>(ids: readonly string[], work: (id: string) => Promise<T>): Promise<readonly LookOutcome<T>[]> =>
  Promise.all(
    ids.map((id) =>
      work(id).then(
        (value) => ({ id, value }),
        (err: unknown) => ({ id, err: err ?? new Error('failed without a reason') }),
      ),
    ),
  )
