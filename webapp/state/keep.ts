const STORE = 'kept'
let opening: Promise<IDBDatabase> | null = null

const answered = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

/** The app's own database; presses are in that of the SDK. */
function database(): Promise<IDBDatabase> {
  opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('tocsin-app', 1)
    request.onupgradeneeded = () => request.result.createObjectStore(STORE)
    request.onsuccess = () => resolve(request.result)
    request.onerror = request.onblocked = () => reject(request.error)
  })
  opening.catch(() => {
    opening = null
  })
  return opening
}

/** Keeps a value on this phone. False: the browser stores nothing, or its storage is full. */
export async function keep(key: string, value: unknown): Promise<boolean> {
  try {
    const transaction = (await database()).transaction(STORE, 'readwrite', { durability: 'strict' })
    const done = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve()
      transaction.onabort = transaction.onerror = () => reject(transaction.error)
    })
    if (value === undefined) transaction.objectStore(STORE).delete(key)
    else transaction.objectStore(STORE).put(value, key)
    await done
    return true
  } catch {
    return false
  }
}

/** The kept value, or undefined. */
export async function kept<T>(key: string): Promise<T | undefined> {
  try {
    return await answered<T | undefined>((await database()).transaction(STORE).objectStore(STORE).get(key))
  } catch {
    return undefined
  }
}
