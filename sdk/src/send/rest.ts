/** Resolves after `ms`, or once `signal` has aborted. Never rejects. `idle`: keeps no process alive. */
export function rest(ms: number, signal: AbortSignal, idle = false): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', over)
      resolve()
    }
    const timer = setTimeout(over, ms)
    if (idle) (timer as { unref?: () => void }).unref?.()
    signal.addEventListener('abort', over)
  })
}

/** Aborts with the first of them. */
export function anyOf(...signals: readonly AbortSignal[]): AbortSignal {
  // Browsers of before 2024 lack it.
  if (typeof AbortSignal.any === 'function') return AbortSignal.any([...signals])
  const all = new AbortController()
  for (const signal of signals) {
    if (signal.aborted) all.abort()
    else signal.addEventListener('abort', () => all.abort(), { once: true, signal: all.signal })
  }
  return all.signal
}

/** Resolves when it has aborted. */
export const gone = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) =>
    signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true }),
  )

/** Aborts after `ms`. */
export function timeOut(ms: number): AbortSignal {
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(), ms)
  ;(timer as { unref?: () => void }).unref?.()
  return over.signal
}

/** Unique enough for a key; pages without TLS lack `crypto.randomUUID`. */
export const newId = (): string =>
  globalThis.crypto?.randomUUID?.() ?? `${Date.now()}-${Math.random().toString(36).slice(2)}`
