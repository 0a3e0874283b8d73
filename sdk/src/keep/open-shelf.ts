import { rest } from '../send/rest.ts'
import { hasDatabases, inBrowser } from './browser.ts'
import { hasFolders, inFolder } from './folder.ts'
import { inMemory } from './memory.ts'
import type { Shelf } from './shelf.ts'

/** A browser whose storage does not open in that time keeps nothing: a press must not wait for it. */
const OPENING_MS = 3_000

/** The best place that this platform has. Never rejects: an alarm goes out without one, too. */
export async function openShelf(
  storage: string | undefined,
  { appId, userId }: { readonly appId: string; readonly userId: string },
): Promise<Shelf> {
  const opening = hasDatabases()
    ? inBrowser(storage ?? 'tocsin')
    : storage !== undefined && hasFolders()
      ? inFolder(`${storage}/${appId}-${digest(userId)}`)
      : Promise.reject(new Error('there is no storage'))
  const late = rest(OPENING_MS, new AbortController().signal, true).then(() => null)
  const shelf = await Promise.race([opening.catch(() => null), late])
  return shelf ?? inMemory()
}

/** FNV-1a. A folder of two users holds each one's presses apart by `Press.of`. */
function digest(text: string): string {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0).toString(16)
}
