import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operatorPasskeys } from '../../../src/app/operator/passkeys.ts'
import { SignInPaces } from '../../../src/app/operator/sign-in-paces.ts'
import type { AuditEntry } from '../../../src/core/operator/audit.ts'
import type { Operator } from '../../../src/core/operator/operator.ts'
import { CHALLENGE_MS, MAX_PASSKEYS, type Passkey } from '../../../src/core/operator/passkey.ts'
import { secretHash } from '../../../src/core/operator/secret.ts'
import { newSession } from '../../../src/core/operator/session.ts'
import { countedIds, NOW, operatorCalled, PASSWORD, TOTP_SECRET } from './cast.ts'

const HUT = { address: 'hut/1', browser: 'Firefox' }
const ELSEWHERE = { address: 'elsewhere/1', browser: 'curl' }
const PLACE = { origin: 'https://sos.example.org', host: 'sos.example.org' }
const BY = { actor: { kind: 'operator', id: 'id of ana', name: 'ANA' }, address: 'hut/1', now: NOW } as const

function site(given: Partial<Operator> = {}) {
  const credentials = {
    ...{ passwordHash: `hash of ${PASSWORD}`, totpSecret: TOTP_SECRET, totpStep: 0 },
    ...{ recoveryHashes: ['r1'], knownNetworks: ['hut'] },
  }
  const operator = { ...operatorCalled('ana', given), ...credentials }
  const time = { now: NOW, monotonic: 0 }
  const state = { publicUrl: PLACE.origin, key: Buffer.alloc(32, 9) as Uint8Array | null, opened: 0 }
  const passkeys: Passkey[] = []
  const audit: AuditEntry[] = []
  const mails: string[] = []
  const own = operatorPasskeys({
    store: {
      async passkey(id) {
        const passkey = passkeys.find((one) => one.id === id)
        return passkey === undefined ? null : { passkey, operator }
      },
      passkeys: async () => passkeys,
      async addPasskey(passkey, _limit, entry) {
        if (passkeys.some(({ id }) => id === passkey.id)) return { refused: 'passkey_taken' }
        passkeys.push({ ...passkey, boundTo: secretHash(TOTP_SECRET), usedAt: null })
        audit.push(entry)
        return { added: true }
      },
      async renamePasskey(_operator, id, name, entry) {
        const place = passkeys.findIndex((one) => one.id === id)
        passkeys[place] = { ...passkeys[place]!, name }
        audit.push(entry)
        return { renamed: true }
      },
      async removePasskey(_operator, id, entry) {
        const [removed] = passkeys.splice(
          passkeys.findIndex((one) => one.id === id),
          1,
        )
        audit.push(entry)
        return { removed: removed! }
      },
      resetPasskeys: async () => ({ refused: 'operator_not_found' }),
      async openSession(_session, proof, _max, entry) {
        assert.ok('passkeyId' in proof)
        state.opened += 1
        audit.push(entry)
        return { opened: true }
      },
      async addAuditRow(entry) {
        audit.push(entry)
      },
    },
    // A signature is right if it is the challenge.
    checks: {
      added: async ({ id, attestationObject }, { challenge, origin, host }) =>
        attestationObject === `${challenge} ${origin} ${host}`
          ? { id, publicKey: 'pk', counter: 0, synced: true }
          : null,
      signed: async ({ signature }, _passkey, { challenge, origin, host }) =>
        signature === `${challenge} ${origin} ${host}` ? { counter: 0, synced: true } : null,
    },
    clock: { now: () => time.now },
    publicUrl: () => state.publicUrl,
    challengeKey: async () => state.key,
    ids: countedIds(),
    networkOf: (address) => address.split('/')[0]!,
    monotonicMs: () => time.monotonic,
    paces: new SignInPaces(),
    log: { info() {}, warn() {}, error() {} },
    mail: (subject) => void mails.push(subject),
  })
  const sessionOf = (id: string) => newSession({ id, operatorId: operator.id, now: NOW, ...HUT })
  const caller = { actor: BY.actor, login: 'ana', session: sessionOf('this one') }
  const dataOf = (challenge: string) => Buffer.from(JSON.stringify({ challenge })).toString('base64url')
  const signs = (challenge: string, id = 'key') => ({
    ...{ id, clientDataJSON: dataOf(challenge), authenticatorData: '' },
    signature: `${challenge} ${PLACE.origin} ${PLACE.host}`,
  })
  const makes = (challenge: string, id = 'key') => ({
    ...{ id, name: 'Phone', clientDataJSON: dataOf(challenge), transports: [] },
    attestationObject: `${challenge} ${PLACE.origin} ${PLACE.host}`,
  })
  const challenge = async (asked: Promise<{ challenge: string } | { refused: string }>): Promise<string> => {
    const made = await asked
    return 'challenge' in made ? made.challenge : assert.fail(made.refused)
  }
  const adds = async (id = 'key') => own.add(caller, makes(await challenge(own.addChallenge(caller)), id), BY)
  return { own, caller, sessionOf, signs, makes, challenge, adds, passkeys, audit, mails, time, state }
}

test('a passkey is added in the session that asked, the log and the administrators are told, and it signs in', async () => {
  const { own, caller, adds, signs, challenge, audit, mails, state } = site()
  const added = await adds()
  assert.ok('id' in added && added.id.length === 32)
  assert.deepEqual(mails, ['ANA has added a passkey'])
  const listed = await own.own(caller)
  assert.ok('items' in listed)
  assert.deepEqual(
    listed.items.map(({ id, name, usable, usedAt }) => [id, name, usable, usedAt]),
    [[added.id, 'Phone', true, null]],
  )
  const signedIn = await own.signIn(signs(await challenge(own.challenge())), HUT)
  assert.ok('secret' in signedIn && signedIn.operator.login === 'ana' && signedIn.recoveryCodesLeft === 1)
  assert.ok(!('passwordHash' in signedIn.operator))
  assert.equal(state.opened, 1)
  assert.deepEqual(
    audit.map(({ action, details }) => [action, details.with]),
    [
      ['passkey.added', undefined],
      ['session.opened', 'passkey'],
    ],
  )
  state.publicUrl = 'https://elsewhere.example'
  const moved = await own.own(caller)
  assert.ok('items' in moved && moved.items[0]?.usable === false)
})

test('a challenge of another session, another purpose or another time adds nothing and signs nobody in', async () => {
  const { own, caller, sessionOf, makes, signs, challenge, adds, passkeys, time, state } = site()
  const foreign = await challenge(own.addChallenge({ ...caller, session: sessionOf('another') }))
  const late = await challenge(own.addChallenge(caller))
  for (const made of [foreign, await challenge(own.challenge()), 'x'])
    assert.deepEqual(await own.add(caller, makes(made), BY), { refused: 'passkey_refused' })
  time.now += CHALLENGE_MS
  assert.deepEqual(await own.add(caller, makes(late), BY), { refused: 'passkey_refused' })
  assert.deepEqual(passkeys, [])
  await adds()
  const given = [await challenge(own.addChallenge(caller)), 'x', ''].map((made) => signs(made))
  const noJson = { ...signs('x'), clientDataJSON: 'bm8' }
  for (const signed of [...given, noJson, { ...signs(await challenge(own.challenge())), signature: 'forged' }])
    assert.deepEqual(await own.signIn(signed, HUT), { refused: 'sign_in_refused' })
  assert.equal(state.opened, 0)
})

test('guesses wait as those of passwords do, and unknown ids never reach the store', async () => {
  const { own, signs, challenge, adds, time } = site()
  await adds()
  for (let n = 0; n < 20; n += 1) {
    assert.deepEqual(await own.signIn(signs('x', `none ${n}\0`), ELSEWHERE), { refused: 'sign_in_refused' })
  }
  const waits = await own.signIn(signs(await challenge(own.challenge())), ELSEWHERE)
  assert.deepEqual(waits, { refused: 'too_many_attempts', retryAfterMs: 1000 })
  assert.ok('secret' in (await own.signIn(signs(await challenge(own.challenge())), HUT)), 'a known network waits apart')
  time.monotonic += 1000
  assert.ok('secret' in (await own.signIn(signs(await challenge(own.challenge())), ELSEWHERE)))
})

test('a disabled operator, a token and a full list get none, and the log says why', async () => {
  const disabled = site({ disabled: true })
  await disabled.adds()
  const signed = disabled.signs(await disabled.challenge(disabled.own.challenge()))
  assert.deepEqual(await disabled.own.signIn(signed, HUT), { refused: 'sign_in_refused' })
  assert.equal(disabled.audit.at(-1)?.details.why, 'disabled')
  const { own, caller, adds } = site()
  const token = { ...caller, session: null, login: null }
  for (const asked of [
    own.own(token),
    own.addChallenge(token),
    own.rename(token, 'x', 'X', BY),
    own.remove(token, 'x', BY),
  ])
    assert.deepEqual(await asked, { refused: 'not_for_tokens' })
  for (let n = 0; n < MAX_PASSKEYS; n += 1) await adds(`key ${n}`)
  assert.deepEqual(await own.addChallenge(caller), { refused: 'passkey_limit' })
})

test('one is renamed and removed by its id in the list', async () => {
  const { own, caller, adds, passkeys, audit } = site()
  const added = await adds()
  assert.ok('id' in added)
  assert.deepEqual(await own.rename(caller, 'another', 'Mine', BY), { refused: 'passkey_not_found' })
  assert.deepEqual(await own.rename(caller, added.id, 'Old phone', BY), { renamed: true })
  assert.deepEqual([passkeys[0]?.name, audit.at(-1)?.action], ['Old phone', 'passkey.renamed'])
  assert.ok(!JSON.stringify(audit.at(-1)).includes('Old phone'), 'the log names fields, not contents')
  assert.deepEqual(await own.remove(caller, 'another', BY), { refused: 'passkey_not_found' })
  assert.deepEqual(await own.remove(caller, added.id, BY), { removed: true })
  assert.deepEqual([passkeys.length, audit.at(-1)?.action], [0, 'passkey.removed'])
})

for (const [publicUrl, key, why] of [
  ['', true, 'no_address'],
  ['http://sos.example.org', true, 'not_https'],
  ['https://192.0.2.7', true, 'no_name'],
  [PLACE.origin, false, 'no_key'],
] as const) {
  test(`at a site without what passkeys need there are none, and it says why: ${why}`, async () => {
    const { own, caller, state, makes } = site()
    state.publicUrl = publicUrl
    if (!key) state.key = null
    const refused = { refused: 'passkeys_unavailable', why }
    assert.deepEqual(await own.challenge(), refused)
    assert.deepEqual(await own.addChallenge(caller), refused)
    assert.deepEqual(await own.add(caller, makes('x'), BY), refused)
    assert.deepEqual(await own.own(caller), { items: [], origin: null, why })
  })
}
