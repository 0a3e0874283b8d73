import { MINUTE } from '../../lib/durations.ts'

const MAX_A_MINUTE = 10
/** Links whose answers are counted. A further one replaces the one that was used longest ago. */
const MAX_LINKS = 10_000

/** How often the answers of one link may change an incident. rules.md#tracking-links. */
export class LinkAnswers {
  /** When each link answered in the last minute, epoch ms. The one used longest ago comes first. */
  readonly #answeredAt = new Map<string, readonly number[]>()

  /** Whether one more answer of this link may change something at `now`, epoch ms. A clock that was set forgets all. */
  take(token: string, now: number): boolean {
    const lately = (this.#answeredAt.get(token) ?? []).filter((at) => Math.abs(now - at) < MINUTE)
    const isWithin = lately.length < MAX_A_MINUTE
    this.#answeredAt.delete(token)
    this.#answeredAt.set(token, isWithin ? [...lately, now] : lately)
    if (this.#answeredAt.size > MAX_LINKS) this.#answeredAt.delete(this.#answeredAt.keys().next().value!)
    return isWithin
  }
}
