import { after } from 'node:test'
import { isMainThread } from 'node:worker_threads'
import { LEAK } from './leak.ts'

/** How long a test file may still be closing things after its last test, on a busy machine. A leak has no end. */
const TIMEOUT_MS = 20_000

/** False in a process that only starts those of the files. */
const runsTests = process.env.NODE_TEST_CONTEXT !== undefined || process.execArgv.includes('--test-isolation=none')

/**
 * Loaded before the tests of every process. If the process does not end by itself after its last test, a test has left
 * something open: the process fails, where node:test alone would wait for ever. If it ends before its last test, some
 * code has called `process.exit`: it fails as well, where node:test alone would not miss the tests that never ran. Node
 * runs global `after` hooks once everything else has ended, leak or not.
 */
if (isMainThread && runsTests) {
  const files = process.argv.filter((arg) => arg.endsWith('.test.ts')).join(' ')
  let isOver = false
  process.on('exit', (code) => {
    if (isOver || code !== 0) return
    console.error(`${files}: ended before the last test`)
    process.exitCode = 1
  })
  after(() => {
    isOver = true
    setTimeout(() => {
      console.error(`${files}: left open: ${process.getActiveResourcesInfo().join(', ')}`)
      process.exit(LEAK)
    }, TIMEOUT_MS).unref()
  })
}
