/** A provider's POST about one attempt, unverified: nothing in it is trusted before its signature has been checked. */
export type ProviderPost = {
  readonly attemptId: string
  /** Includes the question mark; may be empty. */
  readonly query: string
  readonly params: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly signature: string | null
}

/** `forged`: not from the provider. Nothing was changed. */
type Forged = { readonly refused: 'forged' }

/** The address for a provider's reports on an attempt. */
export type ProviderCallbacks = {
  /** Whether there is such a provider now. Absent: there is. */
  isOn?(): boolean
  /** Rejects if the report could not be stored, so that the provider sends it again. */
  status(post: ProviderPost): Promise<{ readonly done: true } | Forged>
  /** A text arrived. Rejects if it could not be stored, so that the provider tries its other address. */
  sms(post: Omit<ProviderPost, 'attemptId'>): Promise<{ readonly done: true } | Forged>
  /** The next words of a call, as an XML document. A fault becomes a spoken sentence. */
  call(post: ProviderPost): Promise<{ readonly document: string } | Forged>
}
