/** Passwords of operators, kept only as slow hashes. */
export type Passwords = {
  hash(password: string): Promise<string>
  /** Whether `hash` is a hash of `password`. With null it does the same work and returns false. */
  matches(password: string, hash: string | null): Promise<boolean>
}

/** Pairing codes are short, so only slow hashes of them are kept. */
export type PairingCodes = {
  /** A new one, where none is given. access.md#pairing. */
  make(): string
  hash(code: string): Promise<string>
  /** Whether `hash` is a hash of `code`. With null it does the same work and returns false. */
  matches(code: string, hash: string | null): Promise<boolean>
}
