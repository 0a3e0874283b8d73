import { setTimeout as wait } from 'node:timers/promises'
import { FailedLogins } from '../../core/failed-logins.ts'
import type { Session } from '../../core/session.ts'
import type { Log } from '../../ports/log.ts'
import type { Meter } from '../../ports/meter.ts'
import type { Connect } from './connect.ts'
import { Reason } from './frame.ts'
import type { Admission, Gate } from './gate.ts'

/** Verifies `sdk:<app_id>:<external_user_id>` and its user hash. Null: refused. Throws where it could not find out. */
export type Identify = (username: string, password: string) => Promise<Session | null>

/** One connection that was let in, from then until Aedes has forgotten it. */
export type Connection = {
  readonly gate: Gate
  readonly session: Session
  readonly address: string
  readonly gone: Promise<void>
}

type AdmitParts = { readonly identify: Identify; readonly log: Log; readonly meter: Meter }

/** Spec, Authentication, MQTT: the shape of a username; the external id may contain colons (Decisions 1). */
const USERNAME = /^sdk:[^:]+:.+$/su
/** A client that Aedes never got to know has no farewell to wait for. */
const FORGOTTEN_MS = 1000

/**
 * Decides who comes in. Client ids are scoped to the user, so that only the same user's connection is taken over (Decisions 1), and no
 * name is special to Aedes. The taken-over connection is gone from Aedes before the new one gets there.
 */
export class Admissions {
  readonly #parts: AdmitParts
  readonly #failedLogins = new FailedLogins()
  readonly #byScopedId = new Map<string, Connection>()
  readonly #connections = new Set<Connection>()
  readonly #farewells = new WeakMap<object, () => void>()

  constructor(parts: AdmitParts) {
    this.#parts = parts
  }

  /** Connections of admitted clients that are not closed. */
  get connections(): ReadonlySet<Connection> {
    return this.#connections
  }

  async admit(connect: Connect, gate: Gate, address: string): Promise<Admission> {
    const { meter, log } = this.#parts
    const delayMs = this.#failedLogins.delayMs(address, performance.now())
    if (delayMs > 0) await wait(delayMs, undefined, { ref: false })
    let session: Session | null
    try {
      session = await this.#identify(connect)
    } catch (error) {
      log.error({ err: error }, 'cannot verify an MQTT client')
      meter.count('mqtt_connections_total', { result: 'unavailable' })
      return { refused: 'unavailable' }
    }
    if (session === null) {
      this.#failedLogins.failed(address, performance.now())
      meter.count('mqtt_connections_total', { result: 'refused' })
      return { refused: 'not_authorized' }
    }
    meter.count('mqtt_connections_total', { result: 'accepted' })
    const scopedId = `${session.userId}|${connect.clientId}`
    await this.#takeOver(scopedId, gate, session, address)
    return { session, scopedId }
  }

  /** Aedes has struck the client behind this gate off its books. */
  forgotten(gate: object): void {
    this.#farewells.get(gate)?.()
  }

  async #identify(connect: Connect): Promise<Session | null> {
    if (connect.username === null || !USERNAME.test(connect.username)) return null
    return await this.#parts.identify(connect.username, connect.password)
  }

  async #takeOver(scopedId: string, gate: Gate, session: Session, address: string): Promise<void> {
    if (gate.destroyed) return
    const former = this.#byScopedId.get(scopedId)
    const connection = { gate, session, address, gone: this.#untilGone(gate, former) }
    this.#byScopedId.set(scopedId, connection)
    this.#connections.add(connection)
    gate.once('close', () => this.#connections.delete(connection))
    void connection.gone.then(() => {
      if (this.#byScopedId.get(scopedId) === connection) this.#byScopedId.delete(scopedId)
    })
    if (former === undefined) return
    former.gate.expel(Reason.sessionTakenOver)
    await former.gone
  }

  /** Also waits for whom this connection takes over: otherwise a third one could meet the first in Aedes. */
  async #untilGone(gate: Gate, former: Connection | undefined): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#farewells.set(gate, resolve)
      gate.once('close', () => {
        if (gate.entered) setTimeout(resolve, FORGOTTEN_MS).unref()
        else resolve()
      })
    })
    await former?.gone
  }
}
