import { after, run } from 'node:test'
import { spec } from 'node:test/reporters'
import { failIfLeftOpen } from './no-leaks.ts'

/*
 * `bin/node --import ./test/harness/without-promise-hooks.ts test/harness/shard.ts TIMEOUT_MS FILE…` runs the files in
 * this process, one after the other, as `bin/node --test --test-isolation=none` does.
 */

const [timeoutMs, ...files] = process.argv.slice(2)

// The runner hears of it too and fails the run, but reports no more than the message.
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => console.error(event, error))
}

const events = run({ files, isolation: 'none', concurrency: 1, timeout: Number(timeoutMs) })
after(failIfLeftOpen)
events.on('test:summary', ({ success }) => {
  if (!success) process.exitCode = 1
})
events.compose(spec).pipe(process.stdout)
