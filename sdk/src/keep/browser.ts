import type { Shelf } from './shelf.ts'

const STORE = 'kept'

// The little of IndexedDB and Web Locks that is used, so that no program has to load the types of a browser.
type Asked<T> = { readonly result: T; readonly error: unknown; onsuccess: unknown; onerror: unknown }
type Store = {
  put(value: unknown, key: string): unknown
  delete(key: string): unknown
  getAllKeys(): Asked<readonly unknown[]>
  getAll(): Asked<readonly unknown[]>
}
type Transaction = {
  readonly error: unknown
  oncomplete: unknown
  onabort: unknown
  onerror: unknown
  objectStore(name: string): Store
}
type Database = {
  onversionchange: unknown
  createObjectStore(name: string): unknown
  transaction(store: string, mode?: 'readwrite', options?: { readonly durability: 'strict' }): Transaction
  close(): void
}
type Databases = { open(name: string, version: number): Asked<Database> & { onupgradeneeded: unknown } }
type Locks = {
  request(name: string, options: { readonly signal: AbortSignal }, held: () => Promise<void>): Promise<unknown>
}

const browser = globalThis as { readonly indexedDB?: Databases; readonly navigator?: { readonly locks?: Locks } }

/** Whether this is a browser that may keep something. */
export const hasDatabases = (): boolean => browser.indexedDB !== undefined

/** IndexedDB, with a Web Lock. Rejects where the browser keeps nothing. */
export async function inBrowser(name: string): Promise<Shelf> {
  const opening = browser.indexedDB!.open(name, 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE)
  const database = await answered(opening)
  // Another version of the app may want to change it: its presses are kept in the new one.
  database.onversionchange = () => database.close()
  const write = (work: (store: Store) => void): Promise<void> =>
    new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, 'readwrite', { durability: 'strict' })
      transaction.oncomplete = () => resolve()
      transaction.onabort = transaction.onerror = () => reject(transaction.error)
      work(transaction.objectStore(STORE))
    })
  return {
    isDurable: true,
    isSilent: typeof BroadcastChannel === 'undefined',
    put: (key, value) => write((store) => store.put(value, key)),
    async all() {
      const store = database.transaction(STORE).objectStore(STORE)
      const [keys, values] = await Promise.all([answered(store.getAllKeys()), answered(store.getAll())])
      return new Map(keys.map((key, place) => [String(key), values[place]]))
    },
    remove: (keys) =>
      write((store) => {
        for (const key of keys) store.delete(key)
      }),
    lead(lock, signal, tell) {
      // Older browsers: each tab sends, which the service takes for one alarm.
      if (browser.navigator?.locks === undefined) return tell(true)
      const held = () => {
        tell(true)
        return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      }
      browser.navigator.locks.request(lock, { signal }, held).catch(() => {})
    },
    close: () => database.close(),
  }
}

const answered = <T>(request: Asked<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
