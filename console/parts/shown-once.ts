import { useEffect, useState } from 'preact/hooks'
import { signedOut } from '../api/client.ts'
import { browserNow } from '../state/clock.ts'

/**
 * A secret that is on the screen once: gone after `shownMs` (if at all), when the view is left, when the session has
 * ended, and before the browser keeps the page to go back to. It is in no address and in no storage.
 */
export function useShownOnce<T>(shownMs: number = Number.POSITIVE_INFINITY) {
  const [state, set] = useState<{ readonly secret: T; readonly until: number } | null>(null)
  const hide = (): void => set(null)
  useEffect(() => {
    addEventListener('pagehide', hide)
    return () => removeEventListener('pagehide', hide)
  }, [])
  const isOver = signedOut.value || (state !== null && browserNow.value >= state.until)
  useEffect(() => {
    if (isOver) hide()
  }, [isOver])
  return {
    shown: isOver ? null : state,
    show: (secret: T): void => set({ secret, until: Date.now() + shownMs }),
    hide,
  }
}
