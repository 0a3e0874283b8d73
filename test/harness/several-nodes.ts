import { Dispatcher } from '../../src/app/sending/dispatcher.ts'
import { Lane } from '../../src/app/sending/lane.ts'
import { noMailServer } from '../../src/app/sending/no-mail-server.ts'
import { createSender } from '../../src/app/sending/sender.ts'
import {
  type AttemptOutcome,
  CANNOT_BE_ASKED,
  type Command,
  type SendingNode,
} from '../../src/core/incident/command.ts'
import { type Delivery, isSameLease, type Lease } from '../../src/core/incident/delivery.ts'
import { SECOND } from '../../src/lib/durations.ts'
import type { MailNotification, TextNotification } from '../../src/ports/notifier.ts'
import { type Committed, StoreError } from '../../src/ports/store.ts'
import { momentAt, planOf, pressed } from '../core/build.ts'
import { asStore, IncidentsInMemory, silentParts } from './incidents-in-memory.ts'
import { VirtualClock } from './virtual-clock.ts'

export const LEASE_MS = 15 * SECOND
const RENEW_MS = 5 * SECOND
const MARGIN_MS = SECOND
const SETTLE_MS = 25 * SECOND

/** Before a statement reaches the database, when it has committed, when the provider has a message. */
type Point = 'statement' | 'commit' | 'send'
/** `hangs`: its answer never comes. `is not answered`: an error comes instead. */
export type Fate = 'dies' | 'freezes' | 'hangs' | 'is not answered'

type Given = {
  readonly contacts: readonly string[]
  /** Whether the provider can be asked about a message. */
  readonly canBeAsked?: boolean
  /** The node that nothing happens to. */
  readonly survivor?: string
  /** Contacts with an address, for whom mails are planned. */
  readonly mailed?: readonly string[]
  /** The nodes that know the mail server. */
  readonly mailOn?: readonly string[]
}

const forever = new Promise<never>(() => {})
/** Nothing here waits for the event loop, and a turn of it takes as long as a whole look of a node. */
const promisesSettled = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve))

/** What an operating system does to a process. */
class Life {
  isDead = false
  #frozen: PromiseWithResolvers<void> | null = null

  get isRunning(): boolean {
    return !this.isDead && this.#frozen === null
  }

  freeze(): void {
    this.#frozen ??= Promise.withResolvers()
  }

  thaw(): boolean {
    const wasFrozen = this.#frozen !== null
    this.#frozen?.resolve()
    this.#frozen = null
    return wasFrozen
  }

  /** Resolves while the process runs. */
  async runs(): Promise<void> {
    await this.#frozen?.promise
    if (this.isDead) await forever
  }
}

/** Nodes that send for one incident in a store in memory, each with leases by hand and the same provider. */
export function nodesOnOneStore(
  names: readonly string[],
  { contacts, canBeAsked = true, survivor, mailed, mailOn = [] }: Given,
) {
  const clock = new VirtualClock(momentAt(0))
  const settings = { rounds: 1, voiceAttempts: 1 }
  const given = { contacts, settings, ...(mailed && { mailed }) }
  const { incident } = pressed(given)
  const memory = new IncidentsInMemory([incident], planOf(given))
  const taken: string[] = []
  const takenFrom: { readonly node: string; readonly id: string }[] = []
  const mails: { readonly node: string; readonly id: string }[] = []
  const lookedUp: string[] = []
  const lookedUpBy: string[] = []
  const claimedBy: string[] = []
  const fates: { at: Point; fate: Fate; afterCalls: number }[] = []
  let tokens = 0

  const meets = (node: Node, at: Point): Fate | null => {
    const next = fates.find((fate) => fate.at === at)
    if (next === undefined || node.name === survivor) return null
    if (next.afterCalls > 0) {
      next.afterCalls -= 1
      return null
    }
    fates.splice(fates.indexOf(next), 1)
    return next.fate
  }

  /** What becomes of the node, and of its call. */
  async function befalls(node: Node, at: Point): Promise<void> {
    const fate = meets(node, at)
    if (fate === 'dies') node.life.isDead = true
    if (fate === 'freezes') node.life.freeze()
    if (fate === 'hangs') await forever
    await node.life.runs()
    if (fate === 'is not answered') throw new StoreError('no answer', 'unknown')
  }

  const run = (command: Command): Committed => {
    const committed = memory.run(incident.id, command)
    for (const { id, claim } of committed.claimed) if (claim?.by && id === first) claimedBy.push(claim.by.node)
    return committed
  }

  class Node {
    readonly name: string
    readonly life = new Life()
    readonly dispatcher: Dispatcher
    lease: Lease | null = null
    until = 0
    isDraining = false
    isCutOff = false
    readonly #listeners: ((isHeld: boolean) => void)[] = []

    constructor(name: string) {
      this.name = name
      this.dispatcher = new Dispatcher({
        ...silentParts,
        store: this.#store(),
        door: { change: (_, command) => this.#change(command), announce() {} },
        notifier: this.#notifier(),
        clock: {
          now: () => clock.now(),
          onShift: (listener) => clock.onShift(listener),
          after: (ms, wake) => clock.after(ms, () => void this.life.runs().then(wake)),
        },
        lease: this.#lease(),
      })
    }

    start(): void {
      this.renew()
      this.dispatcher.start()
    }

    get node(): SendingNode | null {
      const { lease } = this
      if (lease === null || this.leftMs(lease) === 0) return null
      const others = nodes.filter((other) => other !== this && other.until > clock.now()).map((other) => other.lease!)
      return { lease, others, settleMs: SETTLE_MS, ...(this.isDraining && { isDraining: true }) }
    }

    leftMs(lease: Lease): number {
      return isSameLease(this.lease ?? undefined, lease) ? Math.max(0, this.until - MARGIN_MS - clock.now()) : 0
    }

    renew(): void {
      if (this.life.isDead) return
      clock.after(RENEW_MS, () => this.renew())
      if (!this.life.isRunning || this.isCutOff) return
      if (this.until <= clock.now()) {
        tokens += 1
        this.lease = { node: this.name, token: tokens }
      }
      this.until = clock.now() + LEASE_MS
      for (const listener of this.#listeners) listener(true)
    }

    #lease() {
      const own = this
      return {
        get node() {
          return own.node
        },
        leftMs: (lease: Lease) => own.leftMs(lease),
        renewWhile() {},
        onHeld: (listener: (isHeld: boolean) => void) => void own.#listeners.push(listener),
        onOthers() {},
      }
    }

    #notifier() {
      const text = {
        inTurn: 1,
        laneFor: () => null,
        send: (notification: TextNotification) => this.#send(notification),
        lookUp: async ({ attemptId }: TextNotification): Promise<AttemptOutcome> => {
          lookedUp.push(attemptId)
          lookedUpBy.push(this.name)
          if (!canBeAsked) return { kind: 'not_found', error: 'connection timeout' }
          return taken.includes(attemptId) ? sentAs(attemptId) : { kind: 'not_found' }
        },
      }
      const none = { send: () => forever, lookUp: () => forever }
      const mail = {
        lane: new Lane({
          ...{ rate: { perSecond: 100, maxAtOnce: 10 }, clock, hasFallback: false },
          ...{ onTurn() {}, onLongWait() {} },
        }),
        send: async ({ attemptId }: MailNotification): Promise<AttemptOutcome> => {
          mails.push({ node: this.name, id: attemptId })
          return { kind: 'sent', provider: 'smtp', providerRef: null }
        },
        lookUp: async () => CANNOT_BE_ASKED,
      }
      const way = mailOn.includes(this.name) ? mail : noMailServer(clock)
      return createSender({
        text,
        outbox: none,
        http: none,
        chat: none,
        webhook: none,
        mail: () => way,
      })
    }

    async #send({ attemptId, leftMs }: TextNotification): Promise<AttemptOutcome> {
      // A name look-up and a handshake are over; the first byte is about to leave.
      await this.life.runs()
      if (leftMs?.() === 0) return { kind: 'unknown' }
      taken.push(attemptId)
      takenFrom.push({ node: this.name, id: attemptId })
      try {
        await befalls(this, 'send')
      } catch {
        return { kind: 'unknown' }
      }
      return sentAs(attemptId)
    }

    async #change(command: Command): Promise<Committed> {
      await this.life.runs()
      await befalls(this, 'statement')
      const committed = run(command)
      await befalls(this, 'commit')
      this.dispatcher.changed(committed.incidentId, committed.nextActionAt)
      return committed
    }

    #store() {
      const { store } = memory
      const whileItRuns =
        <A extends readonly unknown[], R>(read: (...about: A) => Promise<R>) =>
        async (...about: A) => {
          await this.life.runs()
          return read(...about)
        }
      return asStore({ ...store, due: whileItRuns(store.due), nextActionAt: whileItRuns(store.nextActionAt) })
    }
  }

  const nodes = names.map((name) => new Node(name))
  const nodeCalled = (name: string): Node => nodes.find((node) => node.name === name)!
  const rows = (): readonly Delivery[] => memory.incident(incident.id).deliveries
  const { id: first } = rows().find(({ channel }) => channel === 'sms')!
  for (const node of nodes) node.start()

  return {
    first,
    /** Attempt ids in the order in which the provider took their messages. */
    taken,
    /** The same of mails, with the node. */
    mails,
    lookedUp,
    lookedUpBy,
    /** The nodes that claimed the first text, in order. */
    claimedBy,
    status: (id: string) => rows().find((row) => row.id === id)?.status,
    /** Texts and calls of the alarm. */
    wanted: () => rows().filter(({ status }) => status !== 'skipped'),
    /** Attempts that were due a while ago and have no outcome. */
    open: () =>
      rows()
        .filter(({ status, dueAt: at }) => status === 'scheduled' && at < clock.now() - 10 * SECOND)
        .map(({ id }) => id),
    sentBy: (name: string) => takenFrom.filter(({ node }) => node === name).map(({ id }) => id),
    dead: () => nodes.filter(({ life }) => life.isDead).length,
    fateOf: (at: Point, fate: Fate, afterCalls = 0) => void fates.push({ at, fate, afterCalls }),
    /** Resumes the frozen node. Returns its name. */
    thaws: () => nodes.filter(({ life }) => life.thaw()).map(({ name }) => name)[0] ?? '',
    drains: (name: string) => {
      nodeCalled(name).isDraining = true
    },
    losesTheDatabaseOfLeases: (name: string, isLost: boolean) => {
      const node = nodeCalled(name)
      node.isCutOff = isLost
      if (isLost) node.until = clock.now()
    },
    passes: (text: string) => clock.advance(text, promisesSettled),
  }
}

const sentAs = (id: string): AttemptOutcome => ({ kind: 'sent', provider: 'twilio', providerRef: `SM-${id}` })
