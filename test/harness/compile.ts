import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DIES_AT_COMMIT, LATER_CLOCK, preloading } from './preloaded.ts'
import { PROGRAM } from './program.ts'

/*
 * Compiles all of the service once, so that Node keeps it compiled for the processes that follow. In a fresh checkout
 * each of them would compile it again, and one that is killed leaves nothing behind.
 *
 * Also builds the console, which otherwise each service of the first tests would begin to build, a second after its
 * start.
 */

const SRC = new URL('../../src/', import.meta.url)
/** The program, its threads and its processes run as soon as they are loaded. */
const RUNS = /(^main|-thread|-process)\.ts$/

/**
 * Starts the program, with what tests load into it, and stops it when it is ready. First, and before this process
 * loads any of it: Node keeps only the functions that ran in the process that compiled the file, and these run in every
 * start.
 */
async function startOnce(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-compile-'))
  const listeners = { TOCSIN_MQTT_PORT: '0', TOCSIN_HTTP_PORT: '0', TOCSIN_MQTTS_PORT: 'off', TOCSIN_HTTPS_PORT: 'off' }
  // Its clock is right, and it is not killed.
  const preloaded = { ...preloading(LATER_CLOCK, DIES_AT_COMMIT), LATER_MS: '0', KILL_POINT: join(dataDir, 'none') }
  const child = spawn(process.execPath, [PROGRAM, 'start'], {
    // Without the caller's settings: it must only use its own database.
    env: { PATH: process.env.PATH, ...preloaded, ...listeners, TOCSIN_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 60_000,
  })
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (text.includes('"msg":"ready"')) child.kill('SIGTERM')
  })
  await once(child, 'close')
  await rm(dataDir, { recursive: true, force: true })
}

await startOnce()
const { ensureApp, ensureConsole } = await import('../../src/service/console.ts')
const log = { info() {}, warn: (_: unknown, message: string): void => console.error(message), error() {} }
const built = Promise.all([ensureConsole, ensureApp].map((ensure) => ensure(log, AbortSignal.timeout(60_000))))
for (const file of globSync('**/*.ts', { cwd: SRC }).sort()) if (!RUNS.test(file)) await import(new URL(file, SRC).href)
await built
