import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextAttempt } from '../../../../src/app/upkeep/certificates/schedule.ts'
import { DAY, HOUR } from '../../../../src/lib/durations.ts'

// docs/certificates.md, When it does not work.

const after = (kind: Parameters<typeof nextAttempt>[0]['kind'], retryAfterMs: number | null) => {
  const { nextAt, notBefore } = nextAttempt({ kind, retryAfterMs }, { failures: 1, now: 0, random: 0.5 })
  return { nextAt, notBefore }
}

test('a CA whose limit is reached is left alone for as long as it asks', () => {
  assert.deepEqual(after('rate_limited', 7 * DAY), { nextAt: 7 * DAY, notBefore: 7 * DAY })
})

for (const kind of ['unreachable', 'refused', 'slow'] as const) {
  test(`any other is asked again after an hour, whatever its Retry-After: ${kind}`, () => {
    assert.deepEqual(after(kind, 7 * DAY), { nextAt: HOUR, notBefore: HOUR })
    assert.deepEqual(after(kind, HOUR / 2), { nextAt: HOUR, notBefore: HOUR / 2 })
    assert.deepEqual(after(kind, null), { nextAt: HOUR, notBefore: 0 })
  })
}
