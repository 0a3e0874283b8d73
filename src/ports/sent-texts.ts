/** A text that was handed to the modem. `code`: by which its reader may answer; null if it asked for no answer. */
export type SentText = {
  /** E.164. */
  readonly to: string
  readonly attemptId: string
  readonly code: string | null
  /** Epoch ms. */
  readonly sentAt: number
}

/** What the modem has sent in the last days, as far as answers refer to it. */
export type SentTexts = {
  /** To the number of whoever has sent us a text, as the network shows it; the newest first. Rejects with its fault. */
  sentTo(sender: string): Promise<readonly SentText[]>
}
