import type { Shelf } from './shelf.ts'

/** For browsers in private mode, and where nothing else was named: lasts as long as the app. */
export function inMemory(): Shelf {
  const kept = new Map<string, unknown>()
  return {
    isDurable: false,
    isSilent: false,
    put: async (key, value) => void kept.set(key, value),
    all: async () => new Map(kept),
    remove: async (keys) => keys.forEach((key) => void kept.delete(key)),
    lead: (_name, _signal, tell) => tell(true),
    close() {},
  }
}
