import type { Session } from '../core/account/session.ts'

/** A session as far as the access rules of topics need it. */
export type Admitted = Pick<Session, 'appId' | 'userId' | 'externalUserId' | 'legacy'>

/**
 * Who was let in a short while ago, by MQTT user name, so that not every publish has to ask the store. Only a cache:
 * whatever it has forgotten is looked up again. Times are epoch milliseconds.
 */
export class AdmittedSessions {
  readonly #ttlMs: number
  readonly #max: number
  readonly #byName = new Map<string, { readonly session: Admitted; readonly until: number }>()
  #forgotten = 0

  constructor({ ttlMs, max }: { readonly ttlMs: number; readonly max: number }) {
    this.#ttlMs = ttlMs
    this.#max = max
  }

  get(username: string, now: number): Admitted | null {
    const kept = this.#byName.get(username)
    return kept !== undefined && now < kept.until ? kept.session : null
  }

  /**
   * Call it before the store is asked, and what it returns with the answer: what was looked up before something was
   * forgotten may be out of date, and is not kept then.
   */
  begin(): (username: string, session: Admitted, now: number) => void {
    const begun = this.#forgotten
    return (username, session, now) => {
      if (begun !== this.#forgotten) return
      this.#byName.delete(username)
      this.#byName.set(username, { session, until: now + this.#ttlMs })
      // A Map remembers its order: the first one was let in longest ago.
      if (this.#byName.size > this.#max) this.#byName.delete(this.#byName.keys().next().value!)
    }
  }

  /** Forgets the sessions of an application, or all of them. */
  forget(appId?: string): void {
    this.#forgotten++
    for (const [username, { session }] of this.#byName) {
      if (appId === undefined || session.appId === appId) this.#byName.delete(username)
    }
  }
}
