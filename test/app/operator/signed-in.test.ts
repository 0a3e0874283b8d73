import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn } from '../../../src/app/operator/signed-in.ts'
import type { Operator } from '../../../src/core/operator/operator.ts'

const NOW = Date.UTC(2026, 0, 1, 12)

// devices.md#flags: whether anybody would see an alarm on the board.
suite('an operator who may take an alarm', () => {
  const cases: readonly [string, Partial<Operator>, boolean][] = [
    ['is signed in', {}, true],
    ['may only look', { role: 'viewer' }, false],
    ['is of another application', { applications: ['lake'] }, false],
    ['is of this one', { applications: ['lake', 'hut'] }, true],
  ]
  for (const [what, more, isWatched] of cases) {
    test(`${what}: ${isWatched}`, async () => {
      const operator = { id: 'eva', role: 'operator', applications: null, disabled: false, ...more } as Operator
      const asked: number[] = []
      const operatorsSignedIn = async (...moments: number[]) => {
        asked.push(...moments)
        return [operator]
      }
      assert.equal(await signedIn({ store: { operatorsSignedIn }, clock: { now: () => NOW } })('hut'), isWatched)
      assert.deepEqual(asked, [NOW, NOW - 15 * 60_000], 'or was, 15 min ago')
    })
  }
})
