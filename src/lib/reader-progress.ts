/** Notices that a reader takes nothing of what waits for it. Some links are just slow, so any progress counts. */
export class ReaderProgress {
  /** Bytes sent when that last changed. -1: nothing waited. */
  #sent = -1
  #since = 0

  /**
   * Milliseconds in which nothing was sent although bytes waited; 0 if none wait. As exact as the calls are frequent.
   * `now` in milliseconds. `sent`: all bytes that have left so far. `waiting`: bytes that have not.
   */
  stalledMs(now: number, { sent, waiting }: { readonly sent: number; readonly waiting: number }): number {
    if (waiting === 0) {
      this.#sent = -1
      return 0
    }
    if (sent !== this.#sent) this.#since = now
    this.#sent = sent
    return now - this.#since
  }
}
