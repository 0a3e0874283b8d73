/** A text that was handed to the modem. `code`: with which its reader may answer; null if it asked for none. */
export type SentText = {
  /** E.164. */
  readonly to: string
  readonly attemptId: string
  readonly code: string | null
  /** Epoch ms. */
  readonly sentAt: number
}

/** The modem's texts of the last days to which answers may refer. */
export type SentTexts = {
  /**
   * Texts to the sender of a received text, by the number that the network shows; newest first. Rejects with its fault.
   */
  sentTo(sender: string): Promise<readonly SentText[]>
}
