import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  decideAcceptInvitation,
  decideAddNote,
  decideAddPasskey,
  decideAddToken,
  decideChangePassword,
  decideOpenSession,
  decideProveSession,
  decideRemovePasskey,
  decideRenamePasskey,
  decideReplaceRecoveryCodes,
  decideResetPasskeys,
  decideUpdateOperator,
  newAccount,
  type OperatorAccount,
} from '../../../src/core/operator/decide-operator.ts'
import { type Operator, withoutCredentials } from '../../../src/core/operator/operator.ts'
import type { Passkey } from '../../../src/core/operator/passkey.ts'
import { secretHash } from '../../../src/core/operator/secret.ts'
import { type NewSession, SESSION_IDLE_MS } from '../../../src/core/operator/session.ts'
import { momentAt } from '../build.ts'

const NOW = momentAt(0)
const THEN = momentAt(-600)
const operator: Operator = {
  ...{ id: 'ana', login: 'ana', name: 'Ana', role: 'admin', applications: null, disabled: false },
  ...{ createdAt: THEN, updatedAt: THEN, signedInAt: THEN },
}
const credentials = {
  ...{ passwordHash: 'hash', totpSecret: 'aa', totpStep: 10 },
  ...{ recoveryHashes: ['r1', 'r2'], knownNetworks: ['n1'] },
}
const account: OperatorAccount = { ...operator, ...credentials }
const disabled: OperatorAccount = { ...account, disabled: true }
const sessionOf = (id: string, seenAt = THEN): NewSession => ({
  ...{
    id,
    operatorId: 'ana',
    hash: `hash of ${id}`,
    createdAt: seenAt,
    seenAt,
    expiresAt: NOW + 9e8,
    provedAt: seenAt,
  },
  ...{ address: '192.0.2.1', browser: 'Firefox' },
})
const [newest, oldest] = [sessionOf('newest', THEN + 1), sessionOf('oldest')]
const passkey: Passkey = {
  ...{
    id: 'key',
    operatorId: 'ana',
    name: 'Phone',
    publicKey: 'pk',
    counter: 3,
    host: 'sos.example.org',
    synced: true,
  },
  ...{ transports: [], boundTo: secretHash('aa'), addedAt: THEN, usedAt: null, challengedAt: THEN },
}
const situation = { account, sessions: [newest, oldest], passkeys: [passkey] }
const opened = sessionOf('new', NOW)
const changed = { refused: 'credentials_changed' }

const demoted = { ...account, role: 'operator', updatedAt: NOW } as const
const out = { update: { ...disabled, updatedAt: NOW }, uninvite: 'ana', end: ['newest', 'oldest'] }
for (const [story, admins, update, keepAdmin, expected] of [
  [
    'changes what is given',
    ['ana', 'ben'],
    { role: 'operator' },
    true,
    { update: demoted, result: withoutCredentials(demoted) },
  ],
  [
    'that disables ends sessions and invitation',
    ['ana', 'ben'],
    { disabled: true },
    true,
    { ...out, result: withoutCredentials(out.update) },
  ],
  ['that demotes the last admin is refused', ['ana'], { role: 'operator' }, true, { refused: 'last_admin' }],
  ['that narrows the last admin is refused', ['ana'], { applications: ['a'] }, true, { refused: 'last_admin' }],
  ['that disables the last admin is refused', ['ana'], { disabled: true }, true, { refused: 'last_admin' }],
  [
    'of the last admin goes where none has to stay',
    ['ana'],
    { role: 'operator' },
    false,
    { update: demoted, result: withoutCredentials(demoted) },
  ],
  [
    'of another than the last admin goes',
    ['ben'],
    { role: 'operator' },
    true,
    { update: demoted, result: withoutCredentials(demoted) },
  ],
] as const) {
  test(`a change of an operator ${story}`, () =>
    assert.deepEqual(decideUpdateOperator({ ...situation, admins }, update, { keepAdmin, now: NOW }), expected))
}

test('the last admin may change their name, and nobody changes an unknown operator', () => {
  const named = decideUpdateOperator({ ...situation, admins: ['ana'] }, { name: 'Eva' }, { keepAdmin: true, now: NOW })
  assert.ok('result' in named && named.result.name === 'Eva')
  const nobody = { account: null, sessions: [], passkeys: [], admins: [] }
  const refused = decideUpdateOperator(nobody, {}, { keepAdmin: true, now: NOW })
  assert.deepEqual(refused, { refused: 'operator_not_found' })
})

test('an accepted invitation sets the credentials, is used up and leaves one session', () => {
  const invitedAccount = { ...newAccount({ ...operator, signedInAt: null }), updatedAt: THEN }
  const given = { account: invitedAccount, sessions: [oldest], passkeys: [passkey], invited: 'ana' }
  assert.deepEqual(decideAcceptInvitation(given, credentials, opened), {
    update: { ...account, signedInAt: NOW },
    ...{ uninvite: 'ana', end: ['oldest'], forget: ['key'], open: opened, result: { accepted: true } },
  })
  const notFound = { refused: 'invitation_not_found' }
  for (const refused of [{ invited: null }, { account: null }, { account: disabled }]) {
    assert.deepEqual(decideAcceptInvitation({ ...given, ...refused }, credentials, opened), notFound)
  }
  assert.throws(() => decideAcceptInvitation({ ...given, invited: 'ben' }, credentials, opened), /another operator/)
})

const proof = { passwordHash: 'hash', second: { totpStep: 11 }, network: 'n2' }
const signed = { passkeyId: 'key', counter: 4, synced: false, challengedAt: NOW - 1, network: 'n2' }
const signedIn = { ...account, knownNetworks: ['n2', 'n1'], signedInAt: NOW }
const used = { refused: 'code_used' }
for (const [story, given, proved, expected] of [
  ['with a new code opens', situation, proof, { update: { ...signedIn, totpStep: 11 } }],
  [
    'with a recovery code opens, and uses it up',
    situation,
    { ...proof, second: { recoveryHash: 'r2' } },
    { update: { ...signedIn, recoveryHashes: ['r1'] } },
  ],
  ['with a used code is refused', situation, { ...proof, second: { totpStep: 10 } }, used],
  ['with a used recovery code is refused', situation, { ...proof, second: { recoveryHash: 'r3' } }, used],
  [
    'with a passkey opens, and notes its counter and its challenge',
    situation,
    signed,
    {
      update: signedIn,
      updatePasskey: { ...passkey, counter: 4, synced: false, challengedAt: NOW - 1, usedAt: NOW },
    },
  ],
  ['with a challenge that was used is refused', situation, { ...signed, challengedAt: THEN }, used],
  ['with a copy, whose counter stands, is refused', situation, { ...signed, counter: 3 }, used],
  ['with a passkey that was removed is refused', { ...situation, passkeys: [] }, signed, changed],
  [
    'with a passkey from before a new authenticator app is refused',
    { ...situation, passkeys: [{ ...passkey, boundTo: 'another' }] },
    signed,
    changed,
  ],
  ['with a passkey of a disabled operator is refused', { ...situation, account: disabled }, signed, changed],
  ['with an earlier password is refused', situation, { ...proof, passwordHash: 'old' }, changed],
  ['of a disabled operator is refused', { ...situation, account: disabled }, proof, changed],
  ['of nobody is refused', { account: null, sessions: [], passkeys: [] }, proof, changed],
] as const) {
  test(`a sign-in ${story}`, () => {
    const rest = 'update' in expected ? { end: [], open: opened, result: { opened: true } } : {}
    assert.deepEqual(decideOpenSession(given, opened, proved, 20), { ...expected, ...rest })
  })
}

test('a sign-in ends the sessions beyond the limit, used longest ago first, and those that are over', () => {
  const end = (sessions: readonly NewSession[], max: number) => {
    const decided = decideOpenSession({ account, sessions, passkeys: [] }, opened, proof, max)
    return 'refused' in decided ? null : decided.end
  }
  assert.deepEqual(end([newest, oldest], 3), [])
  assert.deepEqual(end([newest, oldest], 2), ['oldest'])
  assert.deepEqual(end([newest, sessionOf('over', NOW - SESSION_IDLE_MS)], 20), ['over'])
})

test('a password changes from what it was, and the other sessions end', () => {
  const change = { from: 'hash', to: 'new', keptSession: 'oldest' }
  const expected = { update: { ...account, passwordHash: 'new' }, end: ['newest'], result: { changed: true } }
  assert.deepEqual(decideChangePassword(situation, change), expected)
  assert.deepEqual(decideChangePassword(situation, { ...change, from: 'wrong' }), changed)
  assert.deepEqual(decideChangePassword({ ...situation, account: disabled }, change), changed)
  assert.deepEqual(decideChangePassword({ account: null, sessions: [], passkeys: [] }, change), changed)
})

const proves = { prove: { id: 'oldest', provedAt: NOW }, result: { proved: true } }
for (const [story, given, id, proved, expected] of [
  ['with the password', situation, 'oldest', { passwordHash: 'hash' }, proves],
  ['with a new code', situation, 'oldest', { totpStep: 11 }, { update: { ...account, totpStep: 11 }, ...proves }],
  [
    'with a passkey',
    situation,
    'oldest',
    signed,
    { updatePasskey: { ...passkey, counter: 4, synced: false, challengedAt: NOW - 1, usedAt: NOW }, ...proves },
  ],
  ['not with a used challenge', situation, 'oldest', { ...signed, challengedAt: THEN }, used],
  ['not with a used code', situation, 'oldest', { totpStep: 10 }, used],
  ['not with an earlier password', situation, 'oldest', { passwordHash: 'old' }, changed],
  ['not while disabled', { ...situation, account: disabled }, 'oldest', { passwordHash: 'hash' }, changed],
  ["not by another's", situation, 'foreign', { totpStep: 11 }, { refused: 'session_not_found' }],
] as const) {
  test(`a session is proved ${story}`, () => assert.deepEqual(decideProveSession(given, id, proved, NOW), expected))
}

test('a passkey is added up to the limit, to whom has signed in, and once', () => {
  const { boundTo, usedAt: _used, ...given } = passkey
  const open = { ...situation, isTaken: false }
  const added = { addPasskey: { ...given, boundTo, usedAt: null }, result: { added: true } }
  assert.deepEqual(decideAddPasskey(open, given, 2), added)
  assert.deepEqual(decideAddPasskey(open, given, 1), { refused: 'passkey_limit' })
  assert.deepEqual(decideAddPasskey({ ...open, isTaken: true }, given, 2), { refused: 'passkey_taken' })
  for (const none of [null, disabled, { ...account, totpSecret: null }]) {
    assert.deepEqual(decideAddPasskey({ ...open, account: none }, given, 2), { refused: 'operator_not_found' })
  }
})

test('one passkey is renamed, or goes and leaves the sessions; a reset ends them', () => {
  const renamed = { updatePasskey: { ...passkey, name: 'Old phone' }, result: { renamed: true } }
  assert.deepEqual(decideRenamePasskey(situation, 'key', 'Old phone'), renamed)
  assert.deepEqual(decideRenamePasskey(situation, 'of another', 'Mine'), { refused: 'passkey_not_found' })
  assert.deepEqual(decideRemovePasskey(situation, 'key'), { forget: ['key'], result: { removed: passkey } })
  assert.deepEqual(decideRemovePasskey(situation, 'of another'), { refused: 'passkey_not_found' })
  const all = { forget: ['key'], end: ['newest', 'oldest'], result: { removed: 1 } }
  assert.deepEqual(decideResetPasskeys(situation), all)
  assert.deepEqual(decideResetPasskeys({ ...situation, account: null }), { refused: 'operator_not_found' })
})

test('new recovery codes replace those that are left', () => {
  const replaced = { update: { ...account, recoveryHashes: ['r3'] }, result: { replaced: true } }
  assert.deepEqual(decideReplaceRecoveryCodes(situation, ['r3']), replaced)
  assert.deepEqual(decideReplaceRecoveryCodes({ account: null }, ['r3']), { refused: 'operator_not_found' })
})

test('tokens have a limit', () => {
  const token = { id: 'token' } as Parameters<typeof decideAddToken>[1]
  assert.deepEqual(decideAddToken(1, token, 2), { insert: token })
  assert.deepEqual(decideAddToken(2, token, 2), { refused: 'token_limit' })
})

for (const [notes, isKnown, decided] of [
  [null, false, { refused: 'incident_not_found' }],
  [1, false, { isNew: true }],
  [2, false, { refused: 'note_limit' }],
  [2, true, { isNew: false }],
] as const) {
  test(`a note${isKnown ? ', sent again,' : ''} on an incident with ${notes} of at most 2`, () =>
    assert.deepEqual(decideAddNote({ notes, isKnown }, 2), decided))
}
