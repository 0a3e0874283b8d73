import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { deskOf } from '../../../src/app/talk/desk.ts'
import type { Operator } from '../../../src/core/operator/operator.ts'
import type { ApiToken } from '../../../src/core/operator/session.ts'

const NOW = Date.UTC(2026, 0, 1, 12)
const MINUTE = 60_000

const operator = (name: string, more: Partial<Operator> = {}) =>
  ({ name, role: 'operator', applications: null, ...more }) as Operator
const token = (name: string, usedAt: number | null, more: Partial<ApiToken> = {}) =>
  ({ name, role: 'viewer', applications: null, usedAt, expiresAt: NOW + 1, ...more }) as ApiToken

// rules.md#talk: the person sees the names of all who may read, before writing.
suite('who reads at the rescue desk', () => {
  const cases: readonly [string, readonly Operator[], readonly ApiToken[], names: string, isStaffed: boolean][] = [
    ['nobody', [], [], '', false],
    ['operators, whatever they may do', [operator('Eva'), operator('Ivo', { role: 'viewer' })], [], 'Eva Ivo', true],
    ['only who looks', [operator('Ivo', { role: 'viewer' })], [], 'Ivo', false],
    ['none of another application', [operator('Eva', { applications: ['lake'] })], [], '', false],
    ['a screen that was used lately', [], [token('Wall', NOW - 14 * MINUTE)], 'Wall', false],
    ['no other one', [], [token('Old', NOW - 15 * MINUTE), token('New', null)], '', false],
    ['none that has ended', [], [token('Wall', NOW, { expiresAt: NOW })], '', false],
    ['a script that may write staffs nothing', [], [token('Bridge', NOW, { role: 'admin' })], 'Bridge', false],
  ]
  for (const [what, operators, tokens, names, isStaffed] of cases) {
    test(what, async () => {
      const store = { operatorsSignedIn: async () => operators, apiTokens: async () => tokens }
      const desk = await deskOf({ store, clock: { now: () => NOW } })('hut')
      assert.deepEqual([desk.names.join(' '), desk.isStaffed], [names, isStaffed])
    })
  }
})
