import { signal } from '@preact/signals'

const KEY = 'tocsin.rows'

const stored = (): boolean => {
  try {
    return localStorage.getItem(KEY) === 'compact'
  } catch {
    return false
  }
}

/** Whether the rows of this screen are low. */
export const isCompact = signal(stored())

export function setCompact(compact: boolean): void {
  isCompact.value = compact
  try {
    localStorage.setItem(KEY, compact ? 'compact' : 'comfortable')
  } catch {
    // Until the page is left.
  }
}
