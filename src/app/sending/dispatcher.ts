import type { SendingNode } from '../../core/incident/command.ts'
import { incidentIdOf } from '../../core/incident/escalation.ts'
import { SECOND } from '../../lib/durations.ts'
import { nextTurn } from '../../lib/waits.ts'
import { StoreError } from '../../ports/store.ts'
import { Agenda } from './agenda.ts'
import { type AttemptNeeds, Attempts } from './attempts.ts'
import { ClockShift } from './clock-shift.ts'
import { type ClaimRequest, DueClaims } from './due-claims.ts'
import { getInLine, HELD_BACK_MS, mayClaim } from './get-in-line.ts'
import { answeredOnce, isNothingRealDue } from './quiet.ts'
import { Turns } from './turns.ts'
import { WakeUp } from './wake-up.ts'

/** How soon the dispatcher tries again after the store failed. */
const STORE_RETRY_MS = SECOND
/** Pause between two looks that found something due but nothing to do, so that it never spins. */
const IDLE_LOOK_MS = 50
/**
 * If nodes share a store, each looks at least this often, because another one may have left work behind, and no more
 * often while it may not claim.
 */
const SHARED_LOOK_MS = SECOND
/** How long after the last successful look the lease is still renewed while something is due. */
const STUCK_MS = 10 * SECOND

/**
 * Does all due work:
 * 1. A look finds due attempts. Each gets in line in its lane (`Turns`); without a lane, or in an empty one, its
 *    turn comes at once. If no alarm has a lane, alarms are claimed unread.
 * 2. The write door claims the attempts whose turn has come and does whatever else is due (`proceed`): one commit.
 * 3. Each claimed attempt is composed and sent outside the transaction (`Attempts`), and its outcome recorded through
 *    the door.
 *
 * Between looks it sleeps until the earliest moment at which any incident needs attention. Nothing has to survive in
 * memory: an attempt that waits for its turn is still due in the store, so a restart continues where the last process
 * ended. docs/adr/0026.
 */
export class Dispatcher {
  readonly #needs: AttemptNeeds
  readonly #attempts: Attempts
  readonly #turns: Turns
  readonly #claims: DueClaims
  readonly #agenda: Agenda
  readonly #clockShift: ClockShift
  readonly #wakeUp: WakeUp
  #looking: Promise<void> | null = null
  #lookAgain = false
  /** Whether the lanes have changed in which attempts wait. */
  #hasNewLanes = false
  /** When the last look ended, whatever it found, and the last one that was not cut off from the store. */
  #lookedAt = 0
  #workedAt = 0
  #stopped = true

  constructor(needs: AttemptNeeds) {
    this.#needs = needs
    this.#attempts = new Attempts(needs)
    this.#turns = new Turns(needs.notifier, () => this.#look())
    this.#agenda = new Agenda(needs.store)
    this.#clockShift = new ClockShift(needs)
    this.#wakeUp = new WakeUp(needs.clock, () => this.#look())
    const leaves = (incidentId: string, at: number) => {
      this.#agenda.isOutOfLine(incidentId, at)
      this.#wakeUp.by(at)
    }
    this.#claims = new DueClaims({ ...needs, attempts: this.#attempts, turns: this.#turns, leaves })
    needs.clock.onShift((byMs) => this.#shift(byMs))
    const { lease } = needs
    lease?.renewWhile(() => this.#stopped || this.#stuckMs() < STUCK_MS)
    const lookAtAll = () => this.changed(null, needs.clock.now())
    lease?.onHeld(lookAtAll)
    lease?.onOthers(lookAtAll)
  }

  /** Starts, with whatever the last process left: due, or claimed without an outcome. */
  start(): void {
    this.#stopped = false
    this.#lookedAt = this.#needs.clock.now()
    this.#workedAt = this.#lookedAt
    this.#look()
  }

  /**
   * An incident has changed and needs attention at `at` (epoch ms; null: never). `incidentId` null: it may be any
   * incident.
   */
  changed(incidentId: string | null, at: number | null): void {
    const wantedAt = this.#agenda.changed(incidentId, at, this.#needs.clock.now())
    // While it may not claim, each look leaves due work untouched and reports it again.
    this.#wakeUp.by(this.#mayClaim ? wantedAt : Math.max(wantedAt, this.#lookedAt + SHARED_LOOK_MS))
  }

  /** The providers have changed: attempts waiting for a turn at a former one get in line again. */
  providersChanged(): void {
    this.#hasNewLanes = true
    this.changed(null, this.#needs.clock.now())
  }

  /**
   * Milliseconds by which the most overdue incident is late, 0 if none is. Waiting for a turn is not being late. For
   * readiness.
   */
  overdueMs(): Promise<number> {
    return this.#agenda.overdueMs(this.#needs.clock.now())
  }

  /**
   * Milliseconds since the last look although something is due, 0 if nothing is. Only a missing look counts, not work
   * that cannot be done.
   */
  async stalledMs(): Promise<number> {
    return Math.min(await this.overdueMs(), this.#needs.clock.now() - this.#lookedAt)
  }

  /**
   * Milliseconds for which nothing that is due could be done, as far as this process knows without the store: because
   * it does not look, or because every look is cut off from the store.
   */
  #stuckMs(): number {
    return this.#needs.clock.now() - Math.max(this.#workedAt, this.#agenda.nextAt)
  }

  /** Resolves when nothing is being looked at or sent. It waits neither for deadlines nor for turns at a provider. */
  async settled(): Promise<void> {
    const isAtWork = () => this.#looking !== null || this.#clockShift.isMoving || this.#claims.areWaiting
    while (isAtWork() || this.#attempts.inFlight().length > 0) {
      const works = [this.#looking, this.#clockShift.moved(), this.#claims.settled(), this.#attempts.settled()]
      await Promise.all(works)
    }
  }

  /** Claims nothing more, and waits at most `graceMs` for attempts being sent, so that their outcomes are recorded. */
  async stop(graceMs: number): Promise<void> {
    this.#stopped = true
    this.#attempts.stop()
    this.#wakeUp.close()
    let cancel = () => {}
    const patience = new Promise<void>((resolve) => {
      cancel = this.#needs.clock.after(graceMs, resolve)
    })
    await Promise.race([this.settled(), patience])
    cancel()
    for (const attemptId of this.#attempts.inFlight()) {
      const about = { incidentId: incidentIdOf(attemptId), attemptId }
      this.#needs.log.warn(about, 'stopped during an attempt; its outcome will be looked up at the next start')
    }
  }

  /** The identity for claims; undefined if only one process can send, null while this one may claim nothing. */
  get #node(): SendingNode | null | undefined {
    return this.#needs.lease === null ? undefined : this.#needs.lease.node
  }

  get #mayClaim(): boolean {
    return mayClaim(this.#node)
  }

  #look(): void {
    if (this.#stopped) return
    if (this.#looking !== null) {
      this.#lookAgain = true
      return
    }
    this.#looking = this.#lookUntilDone().finally(() => {
      this.#looking = null
      this.#lookedAt = this.#needs.clock.now()
      // A request arrived while the next wake-up was computed: the result may predate the request.
      if (this.#lookAgain) this.#look()
    })
  }

  async #lookUntilDone(): Promise<void> {
    const { clock, log } = this.#needs
    try {
      let found = true
      do {
        this.#lookAgain = false
        found = await this.#doWhatIsDue()
        this.#lookedAt = clock.now()
        this.#workedAt = this.#lookedAt
      } while (!this.#stopped && (found || this.#lookAgain))
      const idleMs = this.#mayClaim ? IDLE_LOOK_MS : SHARED_LOOK_MS
      const latest = this.#needs.lease === null ? Number.POSITIVE_INFINITY : clock.now() + SHARED_LOOK_MS
      const { nextAt } = this.#agenda
      this.#wakeUp.by(nextAt <= clock.now() ? clock.now() + idleMs : Math.min(nextAt, latest))
    } catch (error) {
      this.#agenda.othersFrom(0)
      // Turns returned by the failed claims go to others, which would only fail as well.
      this.#lookAgain = false
      if (!isCutOff(error)) this.#workedAt = clock.now()
      log.error({ err: error }, 'the dispatcher could not use the store; trying again')
      this.#wakeUp.by(clock.now() + STORE_RETRY_MS)
    }
  }

  /** Looks once at everything due. True if something was claimed or changed, so that another look may find more. */
  async #doWhatIsDue(): Promise<boolean> {
    const { clock, log } = this.#needs
    await this.#clockShift.settle()
    const node = this.#node
    if (!this.#mayClaim || this.#hasNewLanes) this.#turns.standBack()
    this.#hasNewLanes = false
    if (node === null) return false
    this.#agenda.leavesTo(node?.others ?? [])
    const now = clock.now()
    const { real, drills, isMore } = await this.#agenda.due(now)
    // No alarm is read, or committed, together with the drills behind it.
    const slices = [...slicesOf(real), ...slicesOf(drills)]
    const free = new Set(this.#turns.isFree ? real : [])
    const line = {
      ...{ store: this.#needs.store, clock, turns: this.#turns, agenda: this.#agenda },
      node: () => this.#node,
      isQuiet: answeredOnce(() => isNothingRealDue(this.#needs)),
    }
    // Only incidents that may have to wait are read before their claim: without lanes, drills.
    const mayLeave = async (id: string): Promise<boolean> =>
      free.has(id) || (!this.#claims.areOff(id) && getInLine(id, line))
    const lines: ResultOf<boolean>[] = []
    const claims: Promise<readonly ResultOf<boolean>[]>[] = []
    let at = 0
    do {
      const inLine = await resultsOf(slices[at] ?? [], mayLeave)
      lines.push(...inLine)
      claims.push(this.#claimReady(inLine, free))
      at += 1
      // The store takes this slice while the next one is read.
      if (at < slices.length) await nextTurn()
    } while (at < slices.length && this.#clockShift.isSettled && !this.#stopped)
    // Even if drills are only read: an alarm that arrives meanwhile goes before the drills that are left.
    if (isMore) await nextTurn()
    const looks = (await Promise.all(claims)).flat()
    const failures = [...lines, ...looks].filter(({ err }) => err !== undefined)
    for (const { id, err } of failures) {
      log.error({ incidentId: id, err }, 'could not claim a due attempt')
      // It is late from here on, even if it was waiting for its turn.
      this.#agenda.isOutOfLine(id, now)
    }
    // One unreadable incident must not hold up the others; only a store that does nothing at all is waited for.
    if (failures.length > 0 && looks.every(({ err }) => err !== undefined)) throw failures[0]!.err
    return isMore || at < slices.length || looks.some(({ value }) => value)
  }

  /** Claims for the incidents of a slice that have something to do, and for all whose turn has come, in one commit. */
  #claimReady(inLine: readonly ResultOf<boolean>[], free: ReadonlySet<string>): Promise<readonly ResultOf<boolean>[]> {
    const ready = new Set([...inLine.filter(({ value }) => value).map(({ id }) => id), ...this.#turns.incidents()])
    const sending = Map.groupBy(this.#attempts.unlisted(), incidentIdOf)
    return resultsOf([...ready], (incidentId) =>
      this.#claim(incidentId, { inFlight: sending.get(incidentId) ?? [], needsNoTurn: free.has(incidentId) }),
    )
  }

  async #claim(incidentId: string, about: Pick<ClaimRequest, 'inFlight' | 'needsNoTurn'>): Promise<boolean> {
    if (this.#turns.areExtra(incidentId) && !(await isNothingRealDue(this.#needs))) {
      this.#turns.yield(incidentId)
      this.#agenda.standsInLine(incidentId, this.#needs.clock.now() + HELD_BACK_MS, true)
      // That look finds whatever else the drill has to do.
      return false
    }
    const node = this.#node
    return !this.#stopped && node !== null && this.#claims.make(incidentId, { ...about, node })
  }

  /** The clock was set: every pending deadline keeps its distance. */
  #shift(byMs: number): void {
    this.#agenda.shift(byMs)
    this.#lookedAt += byMs
    this.#workedAt += byMs
    if (this.#needs.clock.movesDeadlines) {
      this.#wakeUp.now()
      return
    }
    this.#needs.log.warn({ byMs }, 'the wall clock was changed; pending deadlines keep the time they had left')
    this.#clockShift.add(byMs, () => this.#wakeUp.now())
  }
}

/** Whether this node cannot reach the store, which others may reach. A bad record, or a lock, concerns all nodes. */
const isCutOff = (error: unknown): boolean =>
  error instanceof StoreError && (error.kind === 'unreachable' || error.kind === 'unknown')

/** Incidents read and handed to the store at a time: as many as it commits together. */
const SLICE = 50

/** `ids` in order, in slices that are handled one after the other. */
const slicesOf = (ids: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(ids.length / SLICE) }, (_, n) => ids.slice(n * SLICE, (n + 1) * SLICE))

type ResultOf<T> = { readonly id: string; readonly value?: T; readonly err?: unknown }

/** Runs `work` for all `ids` concurrently. Each result has a value or an error; it never rejects. */
const resultsOf = <T>(ids: readonly string[], work: (id: string) => Promise<T>): Promise<readonly ResultOf<T>[]> =>
  Promise.all(
    ids.map((id) =>
      work(id).then(
        (value) => ({ id, value }),
        (err: unknown) => ({ id, err: err ?? new Error('failed without a reason') }),
      ),
    ),
  )
