import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Notices } from '../../../../src/adapters/stores/postgres/notices/notices.ts'
import type { Committed } from '../../../../src/ports/store.ts'
import { quiet } from '../../../fixtures/store-place.ts'

const HOUR_MS = 3_600_000

/** A commit with an event, which has brought the incident to this version. */
const committed = (version: number): Committed => {
  const at = (snapshotVersion: number) => ({ id: 'one', snapshotVersion, state: { status: 'active' } })
  const previous = version === 1 ? null : at(version - 1)
  return { previous, incident: at(version), events: [{}] } as unknown as Committed
}

test('what a fail-over has lost counts as announced no longer', async (t) => {
  const replaced: (() => void)[] = []
  const notices = new Notices({
    connect: async () =>
      ({ isUsable: true, rows: async () => [{ xmin: 1, id: null }], async close() {}, async run() {} }) as never,
    onNewPrimary: (listener) => replaced.push(listener),
    purge: async () => [],
    notify: false,
    pollMs: HOUR_MS,
    log: quiet,
  })
  t.after(() => notices.stop())
  await notices.onNotice(() => {})
  assert.equal(notices.announcesNow(committed(1)), true)
  assert.equal(notices.announcesNow(committed(2)), true)
  // The commit of version 2 was on no standby, and another one takes its place.
  for (const listener of replaced) listener()
  assert.equal(await notices.announcesNow(committed(2)), true)
  assert.equal(await notices.announcesNow(committed(2)), false)
})
