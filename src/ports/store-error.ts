/**
 * The store could not do what was asked: a fault, never a refusal. `kind` is what the operator needs to know.
 * `unreachable`: there is no connection to the database. `unknown`: it did not answer a commit, so the write may be
 * stored or not; with any other kind nothing is.
 */
export class StoreError extends Error {
  readonly kind: 'disk_full' | 'disk_reserve' | 'overloaded' | 'busy' | 'closed' | 'unreachable' | 'unknown' | 'fault'
  constructor(message: string, kind: StoreError['kind'], options?: ErrorOptions) {
    super(message, options)
    this.name = 'StoreError'
    this.kind = kind
  }
}

/**
 * Takes the result of a write once it is on disk, or the reason why it may not be. Called once.
 */
export type Settle<T> = (result: T | StoreError) => void
