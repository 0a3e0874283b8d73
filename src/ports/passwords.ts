/** Passwords of operators, of which only slow hashes are kept. */
export type Passwords = {
  hash(password: string): Promise<string>
  /** Whether `hash` is a hash of `password`. With null it does the same work and returns false. */
  matches(password: string, hash: string | null): Promise<boolean>
}
