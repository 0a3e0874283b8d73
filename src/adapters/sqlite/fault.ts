import { StoreError } from '../../ports/store.ts'

/** A StoreError in the form in which it can be sent between threads. */
export type StoreFault = { readonly kind: StoreError['kind']; readonly message: string }

/** What SQLite's result codes mean for an operator. The rest is a fault. */
const kinds: Readonly<Record<string, StoreError['kind']>> = {
  SQLITE_FULL: 'disk_full',
  SQLITE_IOERR_WRITE: 'disk_full',
  SQLITE_IOERR_SHMSIZE: 'disk_full',
  SQLITE_BUSY: 'busy',
  SQLITE_BUSY_TIMEOUT: 'busy',
}

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? '')

export const faultOf = (error: unknown): StoreFault => ({
  kind: kinds[codeOf(error)] ?? 'fault',
  message: error instanceof Error ? error.message : String(error),
})

/** After a failed fsync nobody knows what is on the disk (the kernel may have dropped the pages): only a restart can tell. */
export const isFatal = (error: unknown): boolean =>
  ['SQLITE_IOERR_FSYNC', 'SQLITE_IOERR_DIR_FSYNC', 'SQLITE_CORRUPT', 'SQLITE_NOTADB'].includes(codeOf(error))

export const storeErrorOf = ({ kind, message }: StoreFault): StoreError => new StoreError(message, kind)
