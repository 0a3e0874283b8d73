import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { AppDevice } from '../../../src/core/account/app-device.ts'
import {
  APP_INVITATION_MS,
  type AppInvitation,
  canEnrol,
  decideEnrol,
  decideInvite,
  type EnrolmentSituation,
  MAX_APP_DEVICES,
  MAX_INVITATIONS,
  MAX_OWN_INVITATIONS,
  POSTER_PER_HOUR,
  RETRY_MS,
} from '../../../src/core/account/app-invitation.ts'
import { HOUR, MINUTE } from '../../../src/lib/durations.ts'
import { momentAt } from '../build.ts'

const NOW = momentAt(0)

const invitation = (given: Partial<AppInvitation> = {}): AppInvitation => ({
  ...{ id: 'i1', appId: 'a1', kind: 'person', userId: null, hash: 'h', label: null, proposes: null },
  ...{ places: 1, used: 0, createdBy: 'Ana', createdAt: NOW, expiresAt: NOW + APP_INVITATION_MS.person, endedAt: null },
  ...given,
})

const asked = (now = NOW) => ({
  invitationHash: 'h',
  device: { id: 'd1', name: 'Phone', hash: 'c', keyHash: 'k', salt: 's' },
  newUser: { id: 'u9', externalUserId: 'app-9' },
  now,
})

const device = (given: Partial<AppDevice> = {}): AppDevice => ({
  ...{ ...asked().device, userId: 'u9', invitationId: 'i1', enrolledAt: NOW, usedAt: null, removedFrom: null },
  ...given,
})

const situation = (given: Partial<EnrolmentSituation> = {}): EnrolmentSituation => ({
  ...{ invitation: invitation(), before: null, isOpen: true, latest: [], devices: 0 },
  ...given,
})

suite('whether an invitation works', () => {
  const rows: readonly (readonly [string, Partial<AppInvitation>, number, boolean])[] = [
    ['at once', {}, NOW, true],
    ['until it expires', {}, NOW + APP_INVITATION_MS.person - 1, true],
    ['not from then on', {}, NOW + APP_INVITATION_MS.person, false],
    ['not once it is used', { used: 1 }, NOW, false],
    ['a poster with a place left', { kind: 'poster', places: 2, used: 1 }, NOW, true],
    ['a poster without one', { kind: 'poster', places: 2, used: 2 }, NOW, false],
    ['not once it has been ended', { endedAt: NOW }, NOW, false],
    ['not when a fast clock has stamped it', {}, NOW - HOUR - 1, false],
  ]
  for (const [what, given, at, works] of rows) {
    test(what, () => assert.equal(canEnrol(invitation(given), at), works))
  }
})

suite('who is enrolled', () => {
  const unknown = { refused: 'invitation_unknown' }
  const refused: readonly (readonly [string, Partial<EnrolmentSituation>, object])[] = [
    ['nobody with an unknown invitation', { invitation: null }, unknown],
    ['nobody while the app, the application or the user is off', { isOpen: false }, unknown],
    ['nobody with a used one', { invitation: invitation({ used: 1 }) }, unknown],
    ['nobody with a further device of no user', { invitation: invitation({ kind: 'device' }) }, unknown],
    [
      'nobody beyond the devices of a user',
      { invitation: invitation({ kind: 'device', userId: 'u1' }), devices: MAX_APP_DEVICES },
      { refused: 'app_device_limit' },
    ],
    [
      'nobody beyond a poster’s hour',
      {
        invitation: invitation({ kind: 'poster', places: 100, used: 20 }),
        latest: Array.from({ length: POSTER_PER_HOUR }, (_, k) => NOW - HOUR + (k + 1) * MINUTE),
      },
      { refused: 'poster_hour', retryAfterMs: MINUTE },
    ],
    ['nobody with the same key after ten minutes', { before: device({ enrolledAt: NOW - RETRY_MS }) }, unknown],
  ]
  for (const [what, given, expected] of refused) {
    test(what, () => assert.deepEqual(decideEnrol(situation(given), asked()), expected))
  }

  test('a new user by a person’s invitation, a poster’s and a contact’s', () => {
    for (const kind of ['person', 'poster', 'contact'] as const) {
      const latest = Array.from({ length: POSTER_PER_HOUR - 1 }, (_, k) => NOW - k)
      const decided = decideEnrol(
        situation({ invitation: invitation({ kind, userId: 'u1', places: 30 }), latest }),
        asked(),
      )
      assert.ok('insertUser' in decided)
      const { insertUser, insert, used } = decided
      assert.deepEqual(insertUser, {
        ...{ id: 'u9', externalUserId: 'app-9', appId: 'a1', enrolledBy: kind, invitationId: 'i1', now: NOW },
      })
      assert.deepEqual(insert, device())
      assert.deepEqual(used, { invitationId: 'i1', used: 1 })
    }
  })

  test('a further device of a user, and no new user', () => {
    const decided = decideEnrol(situation({ invitation: invitation({ kind: 'device', userId: 'u1' }) }), asked())
    assert.ok('insert' in decided && !('insertUser' in decided))
    assert.equal(decided.insert?.userId, 'u1')
  })

  test('a repeated request gets the same device and takes no place, also from a used invitation', () => {
    const before = device({ enrolledAt: NOW - RETRY_MS + 1 })
    for (const used of [0, 1]) {
      const decided = decideEnrol(situation({ invitation: invitation({ used }), before }), asked())
      assert.deepEqual(decided, { result: { device: before } })
    }
  })
})

test('an invitation is stored while the app is on and few of them work', () => {
  const rows = [
    [{}, { insert: invitation({ userId: 'u1' }), result: { invited: true } }],
    [{ isThere: false }, { refused: 'app_off' }],
    [{ inForce: MAX_INVITATIONS }, { refused: 'invitation_limit' }],
    [{ own: MAX_OWN_INVITATIONS }, { refused: 'invitation_limit' }],
  ] as const
  for (const [given, expected] of rows) {
    const facts = { isThere: true, inForce: 0, own: 0, ...given }
    assert.deepEqual(decideInvite(facts, invitation({ userId: 'u1' })), expected)
  }
})
