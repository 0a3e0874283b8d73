import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Ending } from './ending.ts'

export type Folder = 'inbox' | 'outbox' | 'sent' | 'error'

/** A spool of gammu-smsd below the temporary directory, which ends with the test. */
export async function newSpool(t: Ending): Promise<SpoolDirectory> {
  const path = await mkdtemp(join(tmpdir(), 'tocsin-spool-'))
  for (const folder of ['inbox', 'outbox', 'sent', 'error']) await mkdir(join(path, folder))
  const spool = new SpoolDirectory(path)
  t.after(async () => {
    await spool.end()
    await rm(path, { recursive: true, force: true })
  })
  return spool
}

export class SpoolDirectory {
  readonly path: string
  #running: Promise<void> | null = null
  #isOver = false

  constructor(path: string) {
    this.path = path
  }

  /** What the daemon would find, in its order. */
  async names(folder: Folder): Promise<readonly string[]> {
    return (await readdir(join(this.path, folder))).filter((name) => !name.startsWith('.')).toSorted()
  }

  async text(folder: Folder, name: string): Promise<string> {
    const bytes = await readFile(join(this.path, folder, name))
    return new TextDecoder('utf-16be').decode(bytes)
  }

  /** The texts of a folder, in the order of their names. */
  async texts(folder: Folder): Promise<readonly string[]> {
    return Promise.all((await this.names(folder)).map((name) => this.text(folder, name)))
  }

  /** A text came in, in the form that the daemon gives it. `at`: by default so long ago that its arrival counts. */
  async receives(
    from: string,
    text: string,
    { place = '00', serial = '00', at = '20260301_120000' } = {},
  ): Promise<string> {
    const name = `IN${at}_${serial}_${from}_${place}.txt`
    // At once: half a file that lies there for a while on a busy machine would be taken for the text.
    const written = join(this.path, `.${name}`)
    await writeFile(written, Buffer.from(`\ufeff${text}`, 'utf16le').swap16())
    await rename(written, join(this.path, 'inbox', name))
    return name
  }

  /** Does what the daemon does, until the test ends: takes the first text of the outbox and moves it to `to`. */
  daemon(to: 'sent' | 'error' = 'sent'): void {
    this.#running = (async () => {
      while (!this.#isOver) {
        const [name] = await this.names('outbox')
        if (name === undefined) await pause(5)
        else await this.moves(name, to)
      }
    })()
  }

  async end(): Promise<void> {
    this.#isOver = true
    await this.#running
  }

  async moves(name: string, to: 'sent' | 'error' = 'sent'): Promise<void> {
    const file = join(this.path, 'outbox', name)
    await readFile(file)
    await rename(file, join(this.path, to, name))
  }
}
