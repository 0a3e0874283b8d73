import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideErasure, decideUpdateProfile } from '../../../src/core/account/decide-user.ts'
import { momentAt, userWith } from '../build.ts'

const user = userWith({
  ...{ externalUserId: 'hiker-1', name: 'Mia', email: 'mia@example.org', phone: '+4366012345678' },
  ...{ createdAt: momentAt(-900), updatedAt: momentAt(-800) },
})

for (const [story, sent, changed] of [
  ['without fields keeps all of them', {}, {}],
  ['sets and clears the fields sent', { email: null, address: 'Hut 1' }, { email: null, address: 'Hut 1' }],
] as const) {
  test(`an update of a profile ${story}`, () => {
    assert.deepEqual(decideUpdateProfile(user, sent, momentAt(0)), { ...user, ...changed, updatedAt: momentAt(0) })
  })
}

test('an update of an unknown user is refused', () => {
  assert.deepEqual(decideUpdateProfile(null, {}, momentAt(0)), { refused: 'user_not_found' })
})

const quiet = { isOpen: false, isToTell: false }
for (const [story, facts, decided] of [
  ['who is unknown', null, { refused: 'user_not_found' }],
  ['with an open incident', { isOpen: true, isToTell: true }, { refused: 'incident_open' }],
  ['whose alarm is still being sent', { isOpen: false, isToTell: true }, { refused: 'all_clear_pending' }],
  ['without either', quiet, quiet],
] as const) {
  test(`the erasure of a user ${story}`, () => assert.deepEqual(decideErasure(facts), decided))
}
