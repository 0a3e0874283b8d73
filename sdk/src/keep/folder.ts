import { newId, rest } from '../send/rest.ts'
import type { Shelf } from './shelf.ts'

type Files = typeof import('node:fs/promises')

/** How often the one who sends says that it lives, and after how long it counts as dead. */
const BEAT_MS = 1_000
const DEAD_MS = 4_000

/** Whether this is Node. */
export const hasFolders = (): boolean => typeof globalThis.process?.getBuiltinModule === 'function'

/**
 * A folder with one synced file a key, which nobody but the process's own user can read: it says where a person was.
 * Node only.
 */
export async function inFolder(folder: string): Promise<Shelf> {
  // A documented way to Node's modules that a bundler for browsers does not stumble over.
  const fs = globalThis.process.getBuiltinModule('node:fs/promises')
  await fs.mkdir(folder, { recursive: true, mode: 0o700 })
  const pathOf = (key: string) => `${folder}/${key}.json`
  return {
    isDurable: true,
    isSilent: true,
    put: (key, value) => written(fs, folder, `${key}.json`, JSON.stringify(value)),
    async all() {
      const found = new Map<string, unknown>()
      for (const name of await fs.readdir(folder)) {
        if (!name.endsWith('.json')) continue
        const text = await fs.readFile(`${folder}/${name}`, 'utf8').catch(() => '')
        const value = parsed(text)
        if (value !== undefined) found.set(name.slice(0, -5), value)
      }
      return found
    },
    async remove(keys) {
      for (const key of keys) await fs.rm(pathOf(key), { force: true })
    },
    lead: (_name, signal, tell) => void leading(fs, `${folder}/lock`, signal, tell),
    close() {},
  }
}

/** A file that cannot be read is one that was never whole: nobody was told that it was kept. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whole or not at all, and on disk with its name. */
async function written(fs: Files, folder: string, name: string, text: string): Promise<void> {
  const path = `${folder}/${name}`
  const draft = `${path}.${newId()}`
  try {
    await fs.writeFile(draft, text, { mode: 0o600, flush: true })
    await fs.rename(draft, path)
  } catch (error) {
    await fs.rm(draft, { force: true }).catch(() => {})
    throw error
  }
  const directory = await fs.open(folder, 'r')
  await directory.sync().finally(() => directory.close())
}

/** The locks of this process: one with its id that is none of them is of an earlier process with the same id. */
const ours = new Set<string>()

/** A lock file with a beat. Two who lead for a moment do no harm: what both send is one alarm. */
async function leading(fs: Files, path: string, signal: AbortSignal, tell: (leads: boolean) => void): Promise<void> {
  const own = `${globalThis.process.pid} ${newId()}`
  ours.add(own)
  const holder = () => fs.readFile(path, 'utf8').catch(() => '')
  let leads = false
  while (!signal.aborted) {
    const has = (await holder()) === own || (await taken(fs, path, own))
    if (has) await fs.utimes(path, new Date(), new Date()).catch(() => {})
    if (has !== leads && !signal.aborted) tell(has)
    leads = has
    await rest(BEAT_MS, signal, true)
  }
  ours.delete(own)
  if ((await holder()) === own) await fs.rm(path, { force: true }).catch(() => {})
}

async function taken(fs: Files, path: string, own: string): Promise<boolean> {
  const holds = () => fs.writeFile(path, own, { flag: 'wx', mode: 0o600 }).then(() => true)
  return holds().catch(async () => {
    const holder = await fs.readFile(path, 'utf8').catch(() => '')
    const beat = await fs.stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    )
    // Either way: a clock that was set back makes a beat lie in the future.
    if (lives(holder) && Math.abs(Date.now() - beat) < DEAD_MS) return false
    await fs.rm(path, { force: true }).catch(() => {})
    return holds().catch(() => false)
  })
}

function lives(holder: string): boolean {
  const pid = Number(holder.split(' ')[0])
  if (pid === globalThis.process.pid) return ours.has(holder)
  try {
    return globalThis.process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
