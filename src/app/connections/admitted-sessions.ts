import type { Session } from '../../core/account/session.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'

/** The fields of a session that the topic access rules need. */
export type Admitted = Pick<Session, 'appId' | 'userId' | 'externalUserId' | 'legacy'>

/**
 * Recently admitted sessions by MQTT user name, so that not every publish needs the store. It is only a cache: a
 * missing entry is looked up again. Times are epoch milliseconds.
 */
export class AdmittedSessions {
  readonly #ttlMs: number
  readonly #byName: BoundedMap<string, { readonly session: Admitted; readonly until: number }>
  #forgotten = 0

  constructor({ ttlMs, max }: { readonly ttlMs: number; readonly max: number }) {
    this.#ttlMs = ttlMs
    this.#byName = new BoundedMap(max)
  }

  get(username: string, now: number): Admitted | null {
    const kept = this.#byName.get(username)
    return kept !== undefined && now < kept.until ? kept.session : null
  }

  /**
   * Begins a look-up: call this before asking the store, and the returned function with the result. A result is dropped
   * if anything was forgotten in between, because it may be stale.
   */
  begin(): (username: string, session: Admitted, now: number) => void {
    const begun = this.#forgotten
    return (username, session, now) => {
      if (begun !== this.#forgotten) return
      this.#byName.set(username, { session, until: now + this.#ttlMs })
    }
  }

  /** Forgets the sessions of one application, or all of them. */
  forget(appId?: string): void {
    this.#forgotten++
    for (const [username, { session }] of this.#byName) {
      if (appId === undefined || session.appId === appId) this.#byName.delete(username)
    }
  }
}
