/** All randomness that decisions need, drawn outside of them. */
export type Ids = {
  /** UUID version 7: sorts by creation time. */
  uuid(): string
  /** At least 256 random bits, base64url. */
  secret(): string
  /** 0 (inclusive) to 1 (exclusive). */
  jitter(): number
}
