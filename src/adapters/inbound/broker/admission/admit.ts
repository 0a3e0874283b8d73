import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Session } from '../../../../core/account/session.ts'
import type { Log } from '../../../../ports/log.ts'
import type { Meter } from '../../../../ports/meter.ts'
import type { Admission, Gate } from '../session/gate.ts'
import type { Connect } from '../wire/connect.ts'
import { Reason } from '../wire/frame.ts'
import type { PendingConnection } from './pending-connections.ts'

/** Verifies `sdk:<app_id>:<external_user_id>` and its user hash. Null: refused. Throws where it could not find out. */
export type Identify = (username: string, password: string) => Promise<Session | null>

/** One connection that was let in, from then until Aedes has forgotten it. */
type AdmittedConnection = {
  readonly gate: Gate
  readonly session: Session
  readonly gone: Promise<void>
}

/** Tells one pair of credentials from another without keeping either. */
const digestOf = ({ username, password }: Connect): string =>
  createHash('sha256')
    .update(JSON.stringify([username, password]))
    .digest('base64')

type AdmitParts = {
  readonly identify: Identify
  readonly log: Log
  readonly meter: Meter
  /** Connections that one user may have at once; a further one takes the place of the oldest. */
  readonly maxPerUser: number
}

/** protocol.md#mqtt: the shape of a username; the external id may contain colons (rules.md#login). */
const USERNAME = /^sdk:[^:]+:.+$/su
/** A client that Aedes never got to know has no farewell to wait for. */
const FORGOTTEN_MS = 1000

/**
 * Decides who comes in. Client ids are scoped to the user, so that only the same user's connection is taken
 * over (rules.md#sessions), and no name is special to Aedes. The taken-over connection is gone from Aedes
 * before the new one gets there.
 */
export class Admissions {
  readonly #parts: AdmitParts
  readonly #byScopedId = new Map<string, AdmittedConnection>()
  readonly #connections = new Set<AdmittedConnection>()
  /** By user id, the oldest first. */
  readonly #byUser = new Map<string, Set<AdmittedConnection>>()
  readonly #deciding = new Set<Promise<unknown>>()
  readonly #untilForgotten = new WeakMap<object, () => void>()

  constructor(parts: AdmitParts) {
    this.#parts = parts
  }

  /** Connections of admitted clients that are not closed. */
  get connections(): ReadonlySet<AdmittedConnection> {
    return this.#connections
  }

  /**
   * Settles when everybody whose credentials are being looked at now is among `connections`, or refused. Never rejects.
   */
  async decided(): Promise<void> {
    await Promise.allSettled(this.#deciding)
  }

  async admit(connect: Connect, gate: Gate, pending: PendingConnection): Promise<Admission> {
    const { meter, log } = this.#parts
    const delayMs = pending.asks()
    if (delayMs > 0) await wait(delayMs, undefined, { ref: false })
    const deciding = this.#decide(connect, gate)
    this.#deciding.add(deciding)
    try {
      const decision = await deciding
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

  /** Aedes has struck the client behind this gate off its books. */
  forgotten(gate: object): void {
    this.#untilForgotten.get(gate)?.()
  }

  /**
   * Verifies the client and, in the same step, puts it among the connections: nobody is let in unseen. Null: refused.
   */
  async #decide(connect: Connect, gate: Gate) {
    if (connect.username === null || !USERNAME.test(connect.username)) return null
    const session = await this.#parts.identify(connect.username, connect.password)
    if (session === null) return null
    const scopedId = `${session.userId}|${connect.clientId}`
    return { session, scopedId, placeIsFree: this.#takeOver(scopedId, gate, session) }
  }

  async #takeOver(scopedId: string, gate: Gate, session: Session): Promise<void> {
    if (gate.destroyed) return
    const former = this.#byScopedId.get(scopedId)
    const connection = { gate, session, gone: this.#untilGone(gate, former) }
    this.#byScopedId.set(scopedId, connection)
    this.#connections.add(connection)
    this.#keepAmongTheirs(connection, former)
    gate.once('close', () => this.#connections.delete(connection))
    void connection.gone.then(() => {
      if (this.#byScopedId.get(scopedId) === connection) this.#byScopedId.delete(scopedId)
    })
    if (former === undefined) return
    former.gate.expel(Reason.sessionTakenOver)
    await former.gone
  }

  /**
   * Connections are descriptors, and behind a proxy everybody has the same address: one user must not have them all.
   * The newest stays, so that whoever comes back after connections that broke unnoticed is heard.
   */
  #keepAmongTheirs(connection: AdmittedConnection, former: AdmittedConnection | undefined): void {
    const { userId } = connection.session
    const theirs = this.#byUser.get(userId) ?? new Set()
    // One that is taken over has made room already.
    if (former !== undefined) theirs.delete(former)
    this.#byUser.set(userId, theirs.add(connection))
    connection.gate.once('close', () => {
      theirs.delete(connection)
      if (theirs.size === 0 && this.#byUser.get(userId) === theirs) this.#byUser.delete(userId)
    })
    const [oldest] = theirs
    if (theirs.size > this.#parts.maxPerUser) oldest?.gate.expel(Reason.quotaExceeded)
  }

  /** Also waits for whom this connection takes over: otherwise a third one could meet the first in Aedes. */
  async #untilGone(gate: Gate, former: AdmittedConnection | undefined): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#untilForgotten.set(gate, resolve)
      gate.once('close', () => {
        if (gate.entered) setTimeout(resolve, FORGOTTEN_MS).unref()
        else resolve()
      })
    })
    await former?.gone
  }
}
