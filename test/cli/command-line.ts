import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { placeDatabase } from '../fixtures/new-database.ts'
import { answering, type Ended, runCommand } from '../harness/command-line.ts'
import { endsLastFirst } from '../harness/last-first.ts'
import { PROGRAM } from '../harness/program.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const bin = PROGRAM

/** Removed with the test, after the stores in it are closed and `end` has ended whatever else may write to it. */
export async function temporaryDirectory(t: TestContext, end = async (): Promise<void> => {}): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tocsin-cli-'))
  endsLastFirst(t, async () => {
    await end()
    await rm(directory, { recursive: true, force: true })
  })
  return directory
}

export type Run = (...args: readonly string[]) => Promise<Ended>

/** The command line inside this process, which is faster, with its own data directory and a new database. */
export async function commandLine(t: TestContext, env: Readonly<Record<string, string>> = {}) {
  const dataDir = await temporaryDirectory(t)
  await placeDatabase(dataDir)
  const tocsin: Run = (...args) => runCommand({ TOCSIN_DATA_DIR: dataDir, ...env }, args)
  return { dataDir, tocsin, answer: answering(tocsin) }
}

/** Listeners on free ports of this machine, without TLS. */
export const anyPorts = {
  TOCSIN_MQTT_PORT: '0',
  TOCSIN_HTTP_PORT: '0',
  TOCSIN_MQTTS_PORT: 'off',
  TOCSIN_HTTPS_PORT: 'off',
}
