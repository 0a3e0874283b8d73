import { Bucket } from '../../../../core/pacing/bucket.ts'
import { BoundedMap } from '../../../../lib/bounded-map.ts'
import { TAKE_OVERS } from '../limits.ts'

/**
 * How often connections with one client id take each other over. Two phones of a user that reconnect at once under the
 * same id, one of them stolen or both with an app that names all its installations alike, would end each other's
 * connection for ever, and an SOS would not get through in between. So beyond a number of times a newer connection
 * stays beside the older one. limits.md#mqtt.
 */
export class TakeOvers {
  /** By scoped client id, the one that was taken over longest ago first. */
  readonly #buckets: BoundedMap<string, Bucket>
  readonly #limits: typeof TAKE_OVERS

  constructor(limits = TAKE_OVERS) {
    this.#limits = limits
    this.#buckets = new BoundedMap(limits.maxKept)
  }

  /** Whether a newer connection with this id may end the present one now. `now` in monotonic milliseconds. */
  allows(scopedId: string, now: number): boolean {
    const { atOnce, perSecond } = this.#limits
    const bucket = this.#buckets.get(scopedId) ?? new Bucket(perSecond, now, atOnce)
    if (!bucket.take(now)) return false
    this.#buckets.set(scopedId, bucket)
    return true
  }
}
