import { after } from 'node:test'
import { isMainThread } from 'node:worker_threads'

/** How long a test file may go on closing things after its last test. */
const TIMEOUT_MS = 5_000

/** Not in the process that only starts those of the files. */
const runsTests = process.env.NODE_TEST_CONTEXT !== undefined || process.execArgv.includes('--test-isolation=none')

/**
 * Loaded before every test file. A process that does not end by itself after its last test has left something open: it
 * fails here, where node:test alone would wait for ever. Node runs global `after` hooks once everything else has ended,
 * leak or not.
 */
if (isMainThread && runsTests) {
  after(() => {
    setTimeout(() => {
      console.error(`${process.argv[1]} leaves open: ${process.getActiveResourcesInfo().join(', ')}`)
      process.exit(1)
    }, TIMEOUT_MS).unref()
  })
}
