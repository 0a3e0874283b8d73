import { computed, effect, signal } from '@preact/signals'
import { poll } from '../api/client.ts'
import type { SetupNews } from '../api/types.ts'
import { maySetUp, me } from './session.ts'

const KEY = 'tocsin.setup-seen'
const MAX_SEEN = 500
const kept = (): readonly string[] => {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(found) ? found.map(String) : []
  } catch {
    return []
  }
}
/** Of this browser alone: somebody at another one, with a stolen password, must not put the news away here. */
const seen = signal<readonly string[]>(kept())
const found = signal<readonly SetupNews[]>([])

/** Guarded changes of the setup that nobody has put away in this browser, newest first. */
export const setupNews = computed<readonly SetupNews[]>(() => found.value.filter(({ id }) => !seen.value.includes(id)))

export function putSetupNewsAway(ids: readonly string[]): void {
  seen.value = [...seen.value, ...ids].slice(-MAX_SEEN)
  localStorage.setItem(KEY, JSON.stringify(seen.value))
}

/** What was just changed here is no news here. */
export function noteOwnChange(changes: readonly Pick<SetupNews, 'id' | 'author'>[]): void {
  const own = changes.find(({ author }) => author === me.peek()?.name)
  if (own !== undefined) putSetupNewsAway([own.id])
}

const EVERY_MS = 60_000

/** Asks now and then, for those who may change the setup. Returns a function that stops it. */
export function keepSetupNews(): () => void {
  const look = (): void =>
    void poll<{ changes: readonly SetupNews[] }>('/setup/news').then(
      ({ changes }) => (found.value = changes),
      () => {},
    )
  let timer: ReturnType<typeof setInterval> | undefined
  const stop = effect(() => {
    clearInterval(timer)
    if (!maySetUp.value) return
    look()
    timer = setInterval(look, EVERY_MS)
  })
  return () => {
    stop()
    clearInterval(timer)
  }
}
