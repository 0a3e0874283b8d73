import { TAKE_OVERS } from '../limits.ts'
import { Budget } from '../session/budget.ts'

/**
 * How often connections with one client id take each other over. Two phones of a user that reconnect at once under the
 * same id, one of them stolen or both with an app that names all its installations alike, would end each other's
 * connection for ever, and an SOS would not get through in between. So beyond a number of times a newer connection
 * stays beside the older one. rules.md#sessions.
 */
export class TakeOvers {
  /** By scoped client id, the one that was taken over longest ago first. */
  readonly #budgets = new Map<string, Budget>()
  readonly #limits: typeof TAKE_OVERS

  constructor(limits = TAKE_OVERS) {
    this.#limits = limits
  }

  /** Whether a newer connection with this id may end the present one now. `now` in monotonic milliseconds. */
  allows(scopedId: string, now: number): boolean {
    const { atOnce, perSecond, maxKept } = this.#limits
    const budget = this.#budgets.get(scopedId) ?? new Budget(perSecond, now, atOnce)
    budget.refill(now)
    if (budget.spent) return false
    budget.spend(1)
    this.#budgets.delete(scopedId)
    this.#budgets.set(scopedId, budget)
    const [oldest] = this.#budgets.keys()
    if (this.#budgets.size > maxKept) this.#budgets.delete(oldest!)
    return true
  }
}
