import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/**
 * Runs the program in a separate thread until it ends. The test runner follows every promise of its own thread, which
 * takes a property over many awaits three quarters of its time. Rejects with what the program throws, and if it waits
 * for what never comes. `signal` (the test's) ends it, whatever it is doing.
 */
export async function inThread(program: URL, workerData: unknown, signal: AbortSignal): Promise<void> {
  // What `no-leaks.ts` and the runner load is for the test's thread alone.
  const worker = new Worker(program, { workerData, execArgv: [] })
  try {
    const [code] = await once(worker, 'exit', { signal })
    assert.equal(code, 0, `${program.href} ended with code ${code}; 13: it waits for what never comes`)
  } finally {
    await worker.terminate()
  }
}
