/** The store could not do what was asked: a fault, never a refusal. `kind` is what the operator needs to know. */
export class StoreError extends Error {
  readonly kind: 'disk_full' | 'disk_reserve' | 'overloaded' | 'busy' | 'closed' | 'fault'
  constructor(message: string, kind: StoreError['kind'], options?: ErrorOptions) {
    super(message, options)
    this.name = 'StoreError'
    this.kind = kind
  }
}

/**
 * Takes the result of a write once it is on disk, or the reason why nothing of it is stored. Called once.
 */
export type Settle<T> = (result: T | StoreError) => void
