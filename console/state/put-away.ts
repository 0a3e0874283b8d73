import { type ReadonlySignal, signal } from '@preact/signals'

type PutAway = {
  readonly ids: ReadonlySignal<readonly string[]>
  add(...ids: readonly string[]): void
}

/** Things put away in this browser alone, by id: the newest `max`. Without storage, until the page is left. */
export function putAwayIn(key: string, max: number): PutAway {
  const ids = signal<readonly string[]>(stored(key))
  return {
    ids,
    add(...more) {
      ids.value = [...ids.value, ...more].slice(-max)
      try {
        localStorage.setItem(key, JSON.stringify(ids.value))
      } catch {
        // Full or forbidden: it comes back with the next page.
      }
    },
  }
}

function stored(key: string): readonly string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(found) ? found.map(String) : []
  } catch {
    return []
  }
}
