/** What a provider posted about one attempt, as it came. Nothing of it is believed before the signature is. */
export type ProviderPost = {
  readonly attemptId: string
  /** With its question mark, or empty. */
  readonly query: string
  readonly params: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly signature: string | null
}

/** `forged`: it does not come from the provider, and nothing was done. */
export type Forged = { readonly refused: 'forged' }

/** Where a provider tells what became of an attempt. */
export type ProviderCallbacks = {
  /** Rejects where it could not be kept: the provider tells it again. */
  status(post: ProviderPost): Promise<{ readonly done: true } | Forged>
  /** What a call says next, as an XML document. Faults become words. */
  call(post: ProviderPost): Promise<{ readonly document: string } | Forged>
}
