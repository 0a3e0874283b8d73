import { spawn } from 'node:child_process'
import {
  appBundle,
  type Bundle,
  bundleFingerprint,
  consoleBundle,
  readManifest,
} from '../adapters/platform/console/sources.ts'
import { isBuilt } from '../lib/installation.ts'
import type { Log } from '../ports/log.ts'

/** The last lines of the output name the error. */
const KEPT_CHARACTERS = 500

/**
 * In a checkout, builds the console if it is missing or out of date, in a separate process: receiving alerts does not
 * wait for it, and nothing of it stays in memory. A failure is logged with what to do; everything else continues.
 */
export const ensureConsole = (log: Pick<Log, 'warn'>, signal: AbortSignal): Promise<void> =>
  ensureBundle(consoleBundle, log, signal)

/** The same for the app in the box. */
export const ensureApp = (log: Pick<Log, 'warn'>, signal: AbortSignal): Promise<void> =>
  ensureBundle(appBundle, log, signal)

async function ensureBundle(bundle: Bundle, log: Pick<Log, 'warn'>, signal: AbortSignal): Promise<void> {
  if (isBuilt) return
  const { name, root, built, builder } = bundle
  const manifest = await readManifest(built)
  if (manifest !== null && manifest.sources === (await bundleFingerprint(bundle))) return
  const child = spawn(process.execPath, [builder], {
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-KEPT_CHARACTERS)
  })
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null))
    child.once('close', resolve)
  })
  if (code === 0 || signal.aborted) return
  const state = manifest === null ? 'is not available' : 'stays that of the version before'
  log.warn(
    { directory: root, why: said.trim() },
    `could not build the ${name}, which ${state}; run "npm run build:${name}" there as the user that owns it`,
  )
}
