import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type ClientSession, isTracker, principalOf } from '../../../../core/account/session.ts'
import { TRACKER_USERNAME } from '../../../../core/field/owntracks-topic.ts'
import type { Log } from '../../../../ports/log.ts'
import type { Meter } from '../../../../ports/meter.ts'
import { TRACKER_LIMITS } from '../limits.ts'
import type { Admission } from '../session/client-connection.ts'
import type { Gate } from '../session/gate.ts'
import type { Connect } from '../wire/connect.ts'
import { Reason } from '../wire/frame.ts'
import type { PendingConnection } from './pending-connections.ts'
import { TakeOvers } from './take-overs.ts'

/**
 * Verifies `sdk:<app_id>:<external_user_id>` and its user hash, or `tracker` and its token. Returns null to refuse;
 * throws if it could not check.
 */
export type Identify = (username: string, password: string) => Promise<ClientSession | null>

/** Says on which of several nodes a client has its newest connection. */
export type Claims = {
  /**
   * The client with this id, scoped to its user, has connected here. `since`: when its CONNECT came, in monotonic
   * milliseconds; a slow login makes a connection no newer. `lose`: called once if a newer connection of it is on
   * another node. Returns a function for the end of the connection.
   */
  claim(scopedId: string, since: number, lose: () => void): () => void
}

/** An admitted connection, until Aedes has forgotten it. */
class AdmittedConnection {
  readonly gate: Gate
  readonly session: ClientSession
  readonly scopedId: string
  /** Tells other nodes that it has ended. */
  endClaim: (() => void) | null = null
  /** The connection that this one replaces is gone. */
  readonly #formerIsGone: Promise<void> | undefined
  #isForgotten = false
  /** Null while nobody waits: thousands of connections last for days. */
  #forgetting: PromiseWithResolvers<void> | null = null

  constructor({ gate, session }: Newcomer, scopedId: string, former: AdmittedConnection | undefined) {
    this.gate = gate
    this.session = session
    this.scopedId = scopedId
    this.#formerIsGone = former?.gone()
  }

  /** Aedes has forgotten it, or never knew it. */
  forgotten(): void {
    this.#isForgotten = true
    this.#forgetting?.resolve()
  }

  /** Resolves once it and the one that it replaces are forgotten: a third must not meet the first there. */
  async gone(): Promise<void> {
    await this.#formerIsGone
    if (this.#isForgotten) return
    this.#forgetting ??= Promise.withResolvers<void>()
    await this.#forgetting.promise
  }
}

/** Calls a login when it is its turn on the main thread, and passes on its result. */
type InTurn = <T>(login: () => Promise<T>) => Promise<T>

type Newcomer = {
  readonly gate: Gate
  readonly session: ClientSession
  readonly since: number
  readonly isItsOwn: boolean
}

/** Tells pairs of credentials apart without keeping them. */
const digestOf = ({ username, password }: Connect): string =>
  createHash('sha256')
    .update(JSON.stringify([username, password]))
    .digest('base64')

type AdmissionNeeds = {
  readonly identify: Identify
  readonly log: Log
  readonly meter: Meter
  /** Connections that one user may have at a time. One more replaces the oldest. */
  readonly maxPerUser: number
  readonly claims: Claims | null
  /** Instead of the usual one. */
  readonly takeOvers?: TakeOvers
}

/** protocol.md#mqtt: the shape of a username; the external id may contain colons (access.md#login). */
const USERNAME = /^sdk:[^:]+:.+$/su
const isUsername = (username: string): boolean => username === TRACKER_USERNAME || USERNAME.test(username)
/** Wait for Aedes to report a client gone; it never does for one that it never registered. */
const FORGOTTEN_MS = 1000

/**
 * Decides which clients come in. Client ids are scoped to the user or tracker, so a connection can only be taken over
 * by the same one (access.md#sessions), and no client id is special to Aedes. Aedes has forgotten the old connection
 * before it sees the new one.
 */
export class Admissions {
  readonly #needs: AdmissionNeeds
  readonly #byScopedId = new Map<string, AdmittedConnection>()
  readonly #connections = new Set<AdmittedConnection>()
  /** By user or tracker, oldest first. */
  readonly #byPrincipal = new Map<string, Set<AdmittedConnection>>()
  readonly #takeOvers: TakeOvers
  readonly #deciding = new Set<Promise<unknown>>()
  readonly #byGate = new WeakMap<object, AdmittedConnection>()
  /** Whether every client is refused for now. */
  isSuspended = false

  constructor(needs: AdmissionNeeds) {
    this.#needs = needs
    this.#takeOvers = needs.takeOvers ?? new TakeOvers()
  }

  /** Open connections of admitted clients. */
  get connections(): ReadonlySet<AdmittedConnection> {
    return this.#connections
  }

  /** Settles once every login now being checked is either among `connections` or refused. Never rejects. */
  async decided(): Promise<void> {
    await Promise.allSettled(this.#deciding)
  }

  async admit(
    connect: Connect,
    gate: Gate,
    pending: PendingConnection,
    inTurn: InTurn = (login) => login(),
  ): Promise<Admission> {
    const { meter, log } = this.#needs
    const since = performance.now()
    const delayMs = pending.asks()
    if (delayMs > 0) await wait(delayMs, undefined, { ref: false })
    const deciding = inTurn(async () => (gate.destroyed ? 'gone' : this.#decide(connect, gate, since)))
    this.#deciding.add(deciding)
    try {
      const decision = await deciding
      // Not counted as a failed login: its password was never checked.
      if (decision === 'gone') return { refused: 'unavailable' }
      if (decision === null) {
        pending.fails(digestOf(connect))
        meter.count('mqtt_connects_total', { result: 'refused' })
        return { refused: 'not_authorized' }
      }
      pending.becomesKnown()
      meter.count('mqtt_connects_total', { result: 'accepted' })
      await decision.placeIsFree
      return { session: decision.session, scopedId: decision.scopedId }
    } catch (error) {
      log.error({ err: error }, 'cannot verify an MQTT client')
      meter.count('mqtt_connects_total', { result: 'unavailable' })
      return { refused: 'unavailable' }
    } finally {
      this.#deciding.delete(deciding)
    }
  }

  /** Aedes has removed the client behind this gate. */
  forgotten(gate: object): void {
    const connection = this.#byGate.get(gate)
    if (connection !== undefined) this.#forget(connection)
  }

  /**
   * Verifies the client and adds it to the connections in the same step, so that no client is admitted without being
   * listed. Null: refused.
   */
  async #decide(connect: Connect, gate: Gate, since: number) {
    if (connect.username === null || !isUsername(connect.username)) return null
    const session = await this.#needs.identify(connect.username, connect.password)
    if (session === null) return null
    // After the look: it may have taken long.
    if (this.isSuspended) throw new Error('this node is cut off from the database')
    const scopedId = `${principalOf(session)}|${connect.clientId}`
    const isBeside = this.#byScopedId.has(scopedId) && !this.#takeOvers.allows(scopedId, performance.now())
    // As if the client had come without an id.
    const id = isBeside ? `${principalOf(session)}|tocsin-${randomUUID()}` : scopedId
    const isItsOwn = !isBeside && !connect.hasAssignedId
    return { session, scopedId: id, placeIsFree: this.#takeOver(id, { gate, session, since, isItsOwn }) }
  }

  /** `isItsOwn`: the client has chosen the id, and may have another connection under it. */
  async #takeOver(scopedId: string, newcomer: Newcomer): Promise<void> {
    const { gate, since, isItsOwn } = newcomer
    if (gate.destroyed) return
    const former = this.#byScopedId.get(scopedId)
    const connection = new AdmittedConnection(newcomer, scopedId, former)
    this.#byGate.set(gate, connection)
    this.#byScopedId.set(scopedId, connection)
    this.#connections.add(connection)
    gate.on('close', () => this.#close(connection))
    this.#keepAmongTheirs(connection, former)
    if (this.#needs.claims !== null && isItsOwn) {
      const lose = (): void => {
        if (this.#takeOvers.allows(scopedId, performance.now())) gate.expel(Reason.sessionTakenOver)
      }
      connection.endClaim = this.#needs.claims.claim(scopedId, since, lose)
    }
    if (former === undefined) return
    former.gate.expel(Reason.sessionTakenOver)
    await former.gone()
  }

  #close(connection: AdmittedConnection): void {
    const { gate, session, endClaim } = connection
    this.#connections.delete(connection)
    endClaim?.()
    const principal = principalOf(session)
    const theirs = this.#byPrincipal.get(principal)
    theirs?.delete(connection)
    if (theirs?.size === 0) this.#byPrincipal.delete(principal)
    if (gate.entered) setTimeout(() => this.#forget(connection), FORGOTTEN_MS).unref()
    else this.#forget(connection)
  }

  #forget(connection: AdmittedConnection): void {
    connection.forgotten()
    void connection.gone().then(() => {
      const { scopedId } = connection
      if (this.#byScopedId.get(scopedId) === connection) this.#byScopedId.delete(scopedId)
    })
  }

  /**
   * A connection costs a file descriptor, and behind a proxy all clients share one address, so one user must not hold
   * all of them. The newest stays: a client that reconnects after its old connections broke unnoticed must get in.
   */
  #keepAmongTheirs(connection: AdmittedConnection, former: AdmittedConnection | undefined): void {
    const { session } = connection
    const principal = principalOf(session)
    const most = isTracker(session) ? TRACKER_LIMITS.connections : this.#needs.maxPerUser
    const theirs = this.#byPrincipal.get(principal) ?? new Set()
    // The connection being taken over already frees a place.
    if (former !== undefined) theirs.delete(former)
    this.#byPrincipal.set(principal, theirs.add(connection))
    const [oldest] = theirs
    if (theirs.size > most) oldest?.gate.expel(Reason.quotaExceeded)
  }
}
