/** Pairing codes are short, so they are kept as slow hashes only. */
export type PairingCodes = {
  hash(code: string): Promise<string>
  /** Whether `code` made `hash`. With null it does the same work and answers false. */
  matches(code: string, hash: string | null): Promise<boolean>
}
