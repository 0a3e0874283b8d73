import type { StoreFigures } from '../../../../ports/store.ts'

/** The files of the store, which the service shows beside the figures of the port. */
export type StoreFiles = {
  readonly databaseBytes: number
  /** Of the log in which commits stand until they are in the database. */
  readonly logBytes: number
  /** What is left on the disk that it is on. */
  readonly freeBytes: number
  /** What is set aside on that disk for alarms. */
  readonly reserveBytes: number
}

export type AllFigures = { readonly figures: StoreFigures; readonly files: StoreFiles }

/** What the answer to each question is. */
export type FromFigures = AllFigures | { readonly failed: string }
