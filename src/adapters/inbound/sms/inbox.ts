import { createHash } from 'node:crypto'
import { constants, type FSWatcher, type Stats, watch } from 'node:fs'
import { lstat, mkdir, open, readdir, rename, unlink } from 'node:fs/promises'
import type { ReceivedSms, TakeSms } from '../../../app/answers/take-sms.ts'
import { DAY, SECOND } from '../../../lib/durations.ts'
import { ignore } from '../../../lib/ignore.ts'
import { inFolder } from '../../../lib/in-folder.ts'
import type { Log } from '../../../ports/log.ts'
import { StoreError } from '../../../ports/store-error.ts'
import { decoded, inboxName, MAX_BYTES } from './inbox-name.ts'

/** Besides being woken by the file system, which not every mount does. */
const POLL_MS = 5 * SECOND
/** The daemon writes in place: a file that was changed within this time may not be complete. */
const SETTLING_MS = 500
/** An empty file has been opened and not written yet, which can take a while: taken for a text, it would be lost. */
const EMPTY_MS = 60 * SECOND
/** Texts handled at a time, and parts of one. */
const MAX_TEXTS = 50
const MAX_PARTS = 10
/** The network keeps no text longer than this. */
const MAX_UNDERWAY_MS = 8 * DAY
/** Tries of a text whose handling fails for another reason than the store or the spool, and the pause between them. */
const MAX_TRIES = 20
const RETRY_MS = 5 * SECOND
/** The daemon's names for received texts; no other files are touched. */
const RECEIVED = 'IN'
/** For files that are not texts, or cannot be handled; the newest are kept. */
const ASIDE = 'aside'
const MAX_ASIDE = 100
/** Names of handled texts that could not be removed. */
const MAX_HANDLED = 10_000

type InboxNeeds = {
  /** The folder in which gammu-smsd puts received texts. */
  readonly directory: string
  readonly handle: TakeSms
  /** Told after every look: why the folder cannot be used, null if it can. */
  readonly onTrouble: (why: string | null) => void
  readonly onMalformed: () => void
  readonly log: Log
  readonly settlingMs?: number
}

export type SmsInbox = {
  /**
   * Reads the inbox now, and from then on whenever a text may have arrived. Resolves when the existing files have been
   * handled.
   */
  look(): Promise<void>
  close(): Promise<void>
}

/** Paths inside the inbox, or inside the folder for set-aside files. */
type At = (name?: string) => string
type Text = { readonly names: readonly string[]; readonly from: string; readonly sentAt: number }

/**
 * Hands over every text that gammu-smsd has received, and then removes its file: a crash in between hands it over once
 * more. A text that cannot be handled now stays, and is tried again. No link is followed, and nothing but a file is
 * ever removed: others may write in the folder. Never throws.
 */
export function openInbox({
  directory,
  handle,
  onTrouble,
  onMalformed,
  log,
  settlingMs = SETTLING_MS,
}: InboxNeeds): SmsInbox {
  const tries = new Map<string, { readonly times: number; readonly at: number }>()
  const handled = new Set<string>()
  let looking: Promise<void> | null = null
  let isClosed = false
  let watcher: FSWatcher | null = null
  let timer: NodeJS.Timeout | null = null
  let wakesAt = Number.POSITIVE_INFINITY

  /** The complete texts, oldest first, and the files that are not texts. */
  async function waiting(
    file: At,
  ): Promise<{ readonly texts: readonly Text[]; readonly malformed: readonly string[] }> {
    const names = (await readdir(file())).filter((name) => name.startsWith(RECEIVED) && !handled.has(name)).toSorted()
    const groups = Map.groupBy(names, (name) => inboxName(name)?.group ?? null)
    const malformed = groups.get(null) ?? []
    groups.delete(null)
    const texts: Text[] = []
    for (const parts of groups.values()) {
      if (texts.length >= MAX_TEXTS) break
      const found = await Promise.all(parts.slice(0, MAX_PARTS).map((name) => lookAt(file(name))))
      if (found.includes(null)) continue
      if (found.some((one) => one?.isFile() === false)) malformed.push(...parts)
      else if (found.every(isComplete)) texts.push({ names: parts, ...about(parts[0]!, found[0]!) })
    }
    return { texts, malformed: malformed.slice(0, MAX_TEXTS) }
  }

  /** The network's time counts where it can be right, else the arrival, in whole ms: the store keeps no others. */
  function about(name: string, { mtimeMs }: Stats): Pick<Text, 'from' | 'sentAt'> {
    const { from, sentAt } = inboxName(name)!
    const arrivedAt = Math.trunc(mtimeMs)
    return { from, sentAt: sentAt < arrivedAt && sentAt > arrivedAt - MAX_UNDERWAY_MS ? sentAt + SECOND : arrivedAt }
  }

  const isComplete = (found: Stats | null): boolean =>
    found !== null && Math.abs(Date.now() - found.mtimeMs) >= (found.size === 0 ? EMPTY_MS : settlingMs)

  /** Null if it is larger than any text. */
  async function read(file: At, { names, from, sentAt }: Text): Promise<ReceivedSms | null> {
    let text = ''
    for (const name of names.slice(0, MAX_PARTS)) {
      const bytes = await firstBytes(file(name))
      if (bytes === null) return null
      text += decoded(bytes)
    }
    return { id: `${names[0]} ${digestOf(text)}`, from, text, ageMs: Math.max(0, Date.now() - sentAt) }
  }

  async function setAside(file: At, names: readonly string[], why: string): Promise<void> {
    onMalformed()
    log.warn({ why, files: names.length }, 'a received SMS was set aside')
    await mkdir(file(ASIDE), { mode: 0o770 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    await inFolder(file(ASIDE), async (aside) => {
      for (const name of names) await rename(file(name), aside(name))
      const kept = (await readdir(aside())).filter((name) => name.startsWith(RECEIVED)).toSorted()
      // A folder stays: it may hold files that are not ours.
      for (const name of kept.slice(0, Math.max(0, kept.length - MAX_ASIDE))) await unlink(aside(name)).catch(ignore)
    })
  }

  async function remove(file: At, names: readonly string[]): Promise<void> {
    for (const name of names) {
      handled.add(name)
      if (handled.size > MAX_HANDLED) handled.delete(handled.values().next().value!)
      await unlink(file(name))
      handled.delete(name)
    }
  }

  async function handleOne(file: At, text: Text): Promise<void> {
    const [key = ''] = text.names
    const before = tries.get(key)
    if (before !== undefined && Math.abs(Date.now() - before.at) < RETRY_MS) return
    try {
      const sms = await read(file, text)
      if (sms === null) return await setAside(file, text.names, 'larger than a text')
      await handle(sms)
    } catch (error) {
      // Of the file system, such as a file that may not be read, or a spool that is not mounted: no fault of the text.
      if (typeof (error as NodeJS.ErrnoException).syscall === 'string') throw error
      const times = (before?.times ?? 0) + 1
      log.warn({ err: error, times }, 'a received SMS could not be handled')
      tries.set(key, { times, at: Date.now() })
      if (error instanceof StoreError || times < MAX_TRIES) return
      tries.delete(key)
      return setAside(file, text.names, 'could not be handled')
    }
    tries.delete(key)
    await remove(file, text.names)
  }

  async function handleAll(file: At): Promise<void> {
    const { texts, malformed } = await waiting(file)
    let fault: unknown = null
    // A text that cannot be read, or not be removed, must not hold up the answers behind it.
    for (const text of texts) {
      if (!isClosed) {
        await handleOne(file, text).catch((error) => {
          fault = error
        })
      }
    }
    if (fault !== null) throw fault
    if (malformed.length > 0) await setAside(file, malformed, 'not the name of a text')
  }

  async function lookOnce(): Promise<void> {
    try {
      await inFolder(directory, handleAll)
      onTrouble(null)
      watcher ??= begin()
    } catch (error) {
      const { code = 'fault' } = error as NodeJS.ErrnoException
      onTrouble(code === 'ENOENT' ? 'the folder inbox is missing' : `the folder inbox cannot be used (${code})`)
    }
  }

  function begin(): FSWatcher | null {
    try {
      const begun = watch(directory, () => again(settlingMs))
      begun.on('error', () => {
        begun.close()
        watcher = null
      })
      return begun
    } catch {
      return null
    }
  }

  function again(inMs: number): void {
    const at = performance.now() + inMs
    // A stream of changes must not put the look off for ever.
    if (isClosed || at >= wakesAt) return
    if (timer !== null) clearTimeout(timer)
    wakesAt = at
    timer = setTimeout(() => {
      wakesAt = Number.POSITIVE_INFINITY
      void look()
    }, inMs)
  }

  function look(): Promise<void> {
    looking ??= lookOnce().finally(() => {
      looking = null
      again(POLL_MS)
    })
    return looking
  }

  return {
    look,
    async close() {
      isClosed = true
      if (timer !== null) clearTimeout(timer)
      watcher?.close()
      await looking
    },
  }
}

/** Two texts of one second may have one name, one after the other. */
const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 16)

/** Null if it is gone. */
const lookAt = (path: string): Promise<Stats | null> =>
  lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })

/** Follows no link, and waits for no writer of a pipe, should the file be replaced by one. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Null if there are more than a text can have. */
async function firstBytes(path: string): Promise<Uint8Array | null> {
  const handle = await open(path, READ)
  try {
    const { bytesRead, buffer } = await handle.read(new Uint8Array(MAX_BYTES + 1), 0, MAX_BYTES + 1, 0)
    return bytesRead > MAX_BYTES ? null : buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}
