import assert from 'node:assert/strict'
import { test } from 'node:test'
import { duration, localOffset, localTimestamp } from '../../src/cli/moment.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/durations.ts'

const at = Date.UTC(2026, 6, 4, 11, 0, 5)

for (const [zone, timestamp, offset] of [
  ['UTC', '2026-07-04 11:00:05', 'UTC+0'],
  ['Europe/Vienna', '2026-07-04 13:00:05', 'UTC+2'],
  ['America/St_Johns', '2026-07-04 08:30:05', 'UTC-2:30'],
  ['Asia/Kathmandu', '2026-07-04 16:45:05', 'UTC+5:45'],
] as const) {
  test(`a machine in ${zone} shows its own time and its offset from UTC`, (t) => {
    const before = process.env.TZ
    t.after(() => {
      if (before === undefined) delete process.env.TZ
      else process.env.TZ = before
    })
    process.env.TZ = zone
    assert.deepEqual([localTimestamp(at), localOffset(at)], [timestamp, offset])
  })
}

test('a duration is shown in its two largest units', () => {
  const shown = [0, 40 * SECOND, 12 * MINUTE + 5 * SECOND, 3 * HOUR, 3 * DAY + 4 * HOUR + MINUTE].map(duration)
  assert.deepEqual(shown, ['0 s', '40 s', '12 min', '3 h', '3 d 4 h'])
})
