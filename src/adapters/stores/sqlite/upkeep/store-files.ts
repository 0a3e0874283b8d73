import type { StoreFigures } from '../../../../ports/store.ts'

/** The sizes of the store's files, shown beside the figures of the port. */
export type StoreFiles = {
  readonly databaseBytes: number
  /** Of the log (WAL), which holds commits until they are in the database. */
  readonly logBytes: number
  /** Free space on their disk. */
  readonly freeBytes: number
  /** Space set aside on that disk for alarms. */
  readonly reserveBytes: number
}

export type AllFigures = { readonly figures: StoreFigures; readonly files: StoreFiles }

/** The answer to each request. */
export type FromFigures = AllFigures | { readonly failed: string }
