import type { StoreError } from './store.ts'

/**
 * Takes the result of a write once it is on disk, or the reason why nothing of it is stored. Called once.
 */
export type Settle<T> = (result: T | StoreError) => void
