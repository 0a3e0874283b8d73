import type { Application } from '../../core/account/application.ts'
import { isCanary } from '../../core/account/canary.ts'
import type { AttemptOutcome, Command } from '../../core/incident/command.ts'
import { type Delivery, earlierTries, NO_ANSWER } from '../../core/incident/delivery.ts'
import { incidentIdOf, QUIET_MS } from '../../core/incident/escalation.ts'
import { HOUR, SECOND } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Log } from '../../ports/log.ts'
import type { Meter } from '../../ports/meter.ts'
import type { Notification } from '../../ports/notifier.ts'
import type { Committed, Store } from '../../ports/store.ts'
import type { IncidentDoor } from '../incident-door.ts'
import { AlarmMails, TOO_MANY_MAILS } from './alarm-mails.ts'
import { composeNotification } from './compose.ts'
import { inTime } from './in-time.ts'
import type { Turn } from './lane.ts'
import { isAnswer, loggable } from './loggable.ts'
import type { NodeLease } from './node-lease.ts'
import { readOccasion } from './occasion.ts'
import type { Sender } from './sender.ts'
import type { IncidentTurns } from './turns.ts'

/** How long to wait before recording an outcome again after the store failed. */
const STORE_RETRY_MS = SECOND

/** No provider has it, because its lease ended before the hand-over. */
const NEVER_LEFT: AttemptOutcome = { kind: 'not_found' }

export type AttemptNeeds = {
  readonly store: Store
  readonly door: IncidentDoor
  readonly notifier: Sender
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly meter: Meter
  /** Base of tracking links; known once the listeners are up. */
  readonly publicUrl: () => string
  /** IANA; for applications without their own time zone. */
  readonly machineTimeZone: () => string
  /** This node's right to send. Null if only one process can. */
  readonly lease: SendingLease | null
}

/** The parts of the lease that sending uses. */
type SendingLease = Pick<NodeLease, 'node' | 'leftMs' | 'renewWhile' | 'onHeld' | 'onOthers'>

/**
 * The attempts that this process is sending, looking up or asking about: composed, handed to the sender outside any
 * transaction, and recorded through the write door. Each attempt does one thing at a time.
 */
export class Attempts {
  readonly #needs: AttemptNeeds
  readonly #inFlight = new Map<string, Promise<void>>()
  /** Attempts whose lease ended a moment ago: the provider may not list them yet. */
  readonly #cutOff = new Set<string>()
  /** Reads under way. Attempts of one commit are composed together, and most belong to the same application. */
  readonly #applications = new Map<string, Promise<Application | null>>()
  readonly #mails = new AlarmMails()
  #stopped = false

  constructor(needs: AttemptNeeds) {
    this.#needs = needs
  }

  /** Ids of the attempts in flight. */
  inFlight(): readonly string[] {
    return [...this.#inFlight.keys()]
  }

  /** Ids of the attempts that may be at the provider although it does not list them yet: they are not looked up. */
  unlisted(): readonly string[] {
    return [...this.#inFlight.keys(), ...this.#cutOff]
  }

  /** Resolves when none is in flight. */
  async settled(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight.values())
  }

  /** From now on, an outcome that the store does not accept is left to the look-up after the next start. */
  stop(): void {
    this.#stopped = true
  }

  /**
   * Carries out a commit: sends the claimed attempts, looks up those without an outcome, and asks about overdue
   * receipts. `turns`: those of claimed attempts whose provider is rate-limited by a lane.
   */
  follow(committed: Committed, turns: IncidentTurns = new Map()): void {
    const { log, meter } = this.#needs
    const { incidentId } = committed
    for (const row of committed.claimed) {
      this.#track(row, () => this.#sent(row, committed, turns.get(row.id) ?? null))
    }
    for (const row of committed.unsure) {
      log.warn({ incidentId, attemptId: row.id }, 'an attempt has no outcome')
      this.#track(row, () => this.#lookedUp(row, committed))
    }
    for (const row of committed.asked) this.#track(row, () => this.#asked(row, committed))
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
   * A provider's record of a call names only the number called, so another incident's call to the same number must not
   * be mistaken for this one. A text is identified by its link.
   */
  async #callsElsewhere(notification: Notification): Promise<{ readonly otherRefs?: readonly string[] }> {
    if (notification.channel !== 'voice') return {}
    const { to, claimedAt, otherRefs } = notification
    return { otherRefs: [...otherRefs, ...(await this.#needs.store.callRefs(to, claimedAt - HOUR))] }
  }

  #track(row: Delivery, work: () => Promise<void>): void {
    const running = (this.#inFlight.get(row.id) ?? Promise.resolve()).then(work).finally(() => {
      if (this.#inFlight.get(row.id) === running) this.#inFlight.delete(row.id)
    })
    this.#inFlight.set(row.id, running)
  }

  async #sent(row: Delivery, committed: Committed, turn: Turn | null): Promise<void> {
    const { clock, meter, notifier } = this.#needs
    if (isCounted(committed)) {
      meter.observe('deadline_lateness_seconds', Math.max(0, clock.now() - row.dueAt) / SECOND)
    }
    const outcome = await this.#outcomeOf(row, committed, async (notification) => {
      if (!this.#mayLeave(row)) return NEVER_LEFT
      if (!this.#mails.mayLeave(row, notification, committed.incident, clock.now())) return TOO_MANY_MAILS
      return this.#inTime(notification, (limited) => notifier.send(limited, turn))
    })
    // Unspent if there was nobody left to send to.
    turn?.end()
    await this.#ended(row, committed, outcome)
  }

  /**
   * Looks up an attempt without an outcome. If the provider cannot tell, it is not asked again and the attempt is
   * repeated. rules.md#unknown-outcomes.
   */
  async #lookedUp(row: Delivery, committed: Committed): Promise<void> {
    const outcome = await this.#outcomeOf(row, committed, async (notification) => {
      const others = await this.#callsElsewhere(notification)
      const asked = () => this.#needs.notifier.lookUp({ ...notification, ...others })
      const told = await this.#inTime(notification, asked)
      if (isAnswer(told)) {
        const about = { incidentId: committed.incidentId, attemptId: row.id, channel: row.channel }
        this.#needs.log.info({ ...about, ...loggable(told) }, 'provider asked')
      }
      return told.kind === 'unknown' ? { kind: 'not_found', error: NO_ANSWER } : told
    })
    await this.#ended(row, committed, outcome)
  }

  /** Treats the provider's news on an overdue receipt as a receipt. Without news, the provider is asked again later. */
  async #asked(row: Delivery, committed: Committed): Promise<void> {
    const { notifier, log } = this.#needs
    const outcome = await this.#outcomeOf(row, committed, (notification) =>
      this.#inTime(notification, () => notifier.lookUp(notification)),
    )
    const about = { incidentId: committed.incidentId, attemptId: row.id, channel: row.channel, ...loggable(outcome) }
    const logged = () => log.info(about, 'provider asked')
    switch (outcome.kind) {
      case 'sent':
        return this.#record(row, (now) => this.#outcomeCommand(row, outcome, now), logged)
      case 'delivered':
      case 'failed': {
        const { provider, providerRef } = row
        const error = outcome.kind === 'failed' ? outcome.error : null
        const receipt = { status: outcome.kind, provider: provider ?? 'unknown', providerRef, error }
        const { channel } = row
        this.#needs.meter.count('receipts_total', { provider: receipt.provider, channel, status: receipt.status })
        return this.#record(row, (now) => ({ type: 'recordReceipt', now, attemptId: row.id, receipt }), logged)
      }
      case 'no_target':
      case 'unknown':
      case 'not_found':
        return logged()
      default:
        return outcome satisfies never
    }
  }

  /** Whether the lease of its claim is in force, by this machine's own clocks. */
  #mayLeave({ claim }: Delivery): boolean {
    return claim?.by === undefined || this.#needs.lease === null || this.#needs.lease.leftMs(claim.by) > 0
  }

  async #ended(row: Delivery, committed: Committed, outcome: AttemptOutcome): Promise<void> {
    const about = { incidentId: committed.incidentId, attemptId: row.id, channel: row.channel }
    const isTaken = outcome.kind === 'sent' || outcome.kind === 'delivered'
    if (!isTaken && !this.#mayLeave(row)) {
      this.#needs.log.warn(about, 'the lease ended during an attempt; it is left to the node that takes it over')
      this.#needs.meter.count('attempts_total', { channel: row.channel, outcome: 'left' })
      if (outcome.kind === 'unknown') this.#leaveAlone(row)
      return
    }
    if (isCounted(committed)) {
      this.#needs.meter.count('attempts_total', { channel: row.channel, outcome: outcome.kind })
    }
    const logged = () => this.#needs.log.info({ ...about, ...loggable(outcome) }, 'attempt ended')
    await this.#record(row, (now) => this.#outcomeCommand(row, outcome, now), logged)
  }

  /** Keeps the attempt from being looked up: this node may get the lease back before the provider lists the message. */
  #leaveAlone({ id }: Delivery): void {
    this.#cutOff.add(id)
    this.#needs.clock.after(QUIET_MS, () => this.#cutOff.delete(id))
  }

  #outcomeCommand(row: Delivery, outcome: AttemptOutcome, now: number): Command {
    const { claim, id: attemptId } = row
    const lease = claim?.by === undefined ? {} : { lease: claim.by }
    const jitter = this.#needs.ids.jitter()
    return { type: 'recordOutcome', now, attemptId, outcome, jitter, earlierTries: earlierTries(row), ...lease }
  }

  /** An internal fault counts as an unknown outcome: it is never a reason to drop the attempt. */
  async #outcomeOf(
    row: Delivery,
    committed: Committed,
    ask: (notification: Notification) => Promise<AttemptOutcome>,
  ): Promise<AttemptOutcome> {
    try {
      const notification = await this.#compose(row, committed)
      return notification === null ? { kind: 'no_target' } : await ask(notification)
    } catch (error) {
      const about = { incidentId: committed.incidentId, attemptId: row.id }
      this.#needs.log.error({ ...about, err: error }, 'an attempt failed unexpectedly')
      return { kind: 'unknown' }
    }
  }

  /** Null if there is nobody left to send it to. */
  async #compose(row: Delivery, committed: Committed): Promise<Notification | null> {
    const { lease } = this.#needs
    const occasion = await readOccasion(row, committed, this.#needs, (appId) => this.#application(appId))
    if (occasion === null) return null
    const notification = composeNotification(row, occasion)
    const by = row.claim?.by
    if (notification === null || lease === null || by === undefined) return notification
    return { ...notification, leftMs: () => lease.leftMs(by) }
  }

  #application(appId: string): Promise<Application | null> {
    const underWay = this.#applications.get(appId)
    if (underWay !== undefined) return underWay
    const reading = this.#needs.store.application(appId).finally(() => this.#applications.delete(appId))
    this.#applications.set(appId, reading)
    return reading
  }

  #inTime(
    notification: Notification,
    ask: (limited: Notification) => Promise<AttemptOutcome>,
  ): Promise<AttemptOutcome> {
    const { clock, notifier } = this.#needs
    return inTime(notification, { clock, inTurn: notifier.inTurn ?? 1, ask })
  }

  /**
   * Records an outcome or receipt. The attempt stays in flight until then, so that it does not count as abandoned.
   * `logged`: writes the log line about the outcome, after the commit: before it, a crash could lead to another
   * outcome.
   */
  async #record(row: Delivery, commandAt: (now: number) => Command, logged: () => void): Promise<void> {
    const { clock, log } = this.#needs
    const incidentId = incidentIdOf(row.id)
    for (;;) {
      try {
        const committed = await this.#needs.door.change({ incidentId }, commandAt(clock.now()))
        logged()
        this.follow(committed)
        return
      } catch (error) {
        log.error({ incidentId, attemptId: row.id, err: error }, 'could not record an outcome; trying again')
        if (this.#stopped) return
        await new Promise<void>((resolve) => this.#needs.clock.after(STORE_RETRY_MS, resolve))
      }
    }
  }
}

/** The canary has separate metrics, and drills do not count. */
const isCounted = ({ incident }: Committed): boolean =>
  incident === null || (!isCanary(incident.appId) && incident.drill === undefined)
