import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn } from '../../../src/app/operator/signed-in.ts'
import type { Operator } from '../../../src/core/operator/operator.ts'
import { newSession } from '../../../src/core/operator/session.ts'

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 0, 1, 12)

// devices.md#flags: whether anybody would see an alarm on the board.
suite('an operator who may take an alarm', () => {
  const cases: readonly [string, hoursAgo: number | null, Partial<Operator>, boolean][] = [
    ['is signed in', 11.9, {}, true],
    ['has been signed out by the silence for 14 min', 12 + 14 / 60, {}, true],
    ['has been signed out for 15 min', 12 + 15 / 60, {}, false],
    ['has no session', null, {}, false],
    ['seems to have signed in later than now', -1, {}, false],
    ['is disabled', 1, { disabled: true }, false],
    ['may only look', 1, { role: 'viewer' }, false],
    ['is of another application', 1, { applications: ['lake'] }, false],
    ['is of this one', 1, { applications: ['lake', 'hut'] }, true],
  ]
  for (const [what, hoursAgo, more, isWatched] of cases) {
    test(`${what}: ${isWatched}`, async () => {
      const operator = { id: 'eva', role: 'operator', applications: null, disabled: false, ...more } as Operator
      const who = { id: 's1', operatorId: 'eva', address: '', browser: '' }
      const sessions = hoursAgo === null ? [] : [newSession({ ...who, now: NOW - hoursAgo * HOUR })]
      const store = { operators: async () => [operator], operatorSessions: async () => sessions }
      assert.equal(await signedIn({ store, clock: { now: () => NOW } })('hut'), isWatched)
    })
  }
})
