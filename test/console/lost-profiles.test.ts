import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lostProfiles } from '../../console/logic/lost-profiles.ts'

test('profiles that trackers use are missed in what is typed, and shipped ones are not', () => {
  const models = [
    { model: 'Own-1', profile: 'own', trackers: 3 },
    { model: 'unused', profile: 'own', trackers: 0 },
    { model: 'tocsin-12', profile: 'shipped', trackers: 5 },
    { model: 'no.profile', profile: null, trackers: 1 },
  ] as const
  const lost = (typed: string | null | undefined) => lostProfiles(typed, models).map(({ model }) => model)
  assert.deepEqual(lost(undefined), [])
  assert.deepEqual(lost('lorawan:\n  profiles:\n    own-1:\n      latitude: lat'), [])
  assert.deepEqual(lost('{ "own-1": {} }'), [])
  assert.deepEqual(lost('own-12: {}'), ['Own-1'])
  assert.deepEqual(lost(null), ['Own-1'])
})
