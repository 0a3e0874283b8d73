/** What PostgreSQL says at the end of each answer: outside of a transaction, or in one. */
const READY = 'Z'.charCodeAt(0)
const IDLE = 'I'.charCodeAt(0)
const TYPE_BYTES = 1
const LENGTH_BYTES = 4

/**
 * Counts the round trips of a session's transactions, from the bytes of both directions: requests that are sent without
 * waiting for an answer belong to one.
 */
export class RoundTrips {
  /** Transactions that have ended, and the round trips of all of them. */
  transactions = 0
  trips = 0
  #own = 0
  #isAnswered = true
  #isInTransaction = false
  #pending: Buffer = Buffer.alloc(0)

  asks(): void {
    if (this.#isAnswered) this.#own += 1
    this.#isAnswered = false
  }

  answers(chunk: Buffer): void {
    this.#isAnswered = true
    this.#pending = Buffer.concat([this.#pending, chunk])
    let at = 0
    for (;;) {
      if (this.#pending.length < at + TYPE_BYTES + LENGTH_BYTES) break
      const end = at + TYPE_BYTES + this.#pending.readInt32BE(at + TYPE_BYTES)
      if (this.#pending.length < end) break
      if (this.#pending[at] === READY) this.#ready(this.#pending[end - 1] !== IDLE)
      at = end
    }
    this.#pending = this.#pending.subarray(at)
  }

  #ready(isInTransaction: boolean): void {
    if (!isInTransaction) {
      if (this.#isInTransaction) {
        this.transactions += 1
        this.trips += this.#own
      }
      this.#own = 0
    }
    this.#isInTransaction = isInTransaction
  }
}
