import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operatorAccount } from '../../../src/app/operator/operator-account.ts'
import { presenceCheck } from '../../../src/app/operator/presence.ts'
import type { AuditEntry } from '../../../src/core/operator/audit.ts'
import { RECOVERY_CODES, recoveryHash } from '../../../src/core/operator/secret.ts'
import { newSession } from '../../../src/core/operator/session.ts'
import { stepAt } from '../../../src/core/operator/totp.ts'
import type { OperatorStore } from '../../../src/ports/operator-store.ts'
import { codeAt, countedIds, NOW, operatorCalled, PASSWORD, plainPasswords, TOTP_SECRET } from './cast.ts'

const BY = { actor: { kind: 'operator', id: 'id of ana', name: 'ANA' }, address: 'hut/1', now: NOW } as const
const RECOVERY = 'ABCD-EFGH-IJKL-MNOP'

const signedBy = (id: string) => ({
  passkey: { id, clientDataJSON: '', authenticatorData: '', signature: '' },
})

function site() {
  const audit: AuditEntry[] = []
  const proofs: unknown[] = []
  const account = {
    passwordHash: `hash of ${PASSWORD}`,
    totpSecret: TOTP_SECRET,
    totpStep: 0,
    recoveryHashes: [recoveryHash(RECOVERY)] as readonly string[],
    knownNetworks: [],
  }
  const store: Pick<OperatorStore, 'operatorByLogin' | 'addAuditRow' | 'proveSession' | 'replaceRecoveryCodes'> = {
    operatorByLogin: async () => ({ ...operatorCalled('ana'), ...account }),
    async addAuditRow(entry) {
      audit.push(entry)
    },
    async proveSession({ id }, proof, entry) {
      if ('totpStep' in proof && proof.totpStep <= account.totpStep) return { refused: 'code_used' }
      if ('totpStep' in proof) account.totpStep = proof.totpStep
      proofs.push([id, proof])
      audit.push(entry)
      return { proved: true }
    },
    async replaceRecoveryCodes(_id, hashes, entry) {
      account.recoveryHashes = hashes
      audit.push(entry)
      return { replaced: true }
    },
  }
  const time = { monotonic: 0 }
  const key = { passkeyId: 'key', counter: 0, synced: true, challengedAt: NOW }
  /** Of Ana if its id is `ana`. */
  const passkeySigned: Parameters<typeof presenceCheck>[0]['passkeySigned'] = async ({ id }) =>
    id === 'nobody' ? null : { operator: { ...operatorCalled(id), ...account }, proof: key }
  const log = { info() {}, warn() {}, error() {} }
  const parts = {
    store,
    ids: countedIds(),
    passwords: plainPasswords(),
    monotonicMs: () => time.monotonic,
    log,
    passkeySigned,
  }
  const visitor = { address: 'hut/1', browser: 'Firefox' }
  const session = newSession({ id: 'this one', operatorId: 'id of ana', now: NOW, ...visitor })
  return {
    own: operatorAccount({ ...parts, isPresent: presenceCheck(parts) }),
    caller: { login: 'ana', session },
    token: { login: null, session: null },
    audit,
    proofs,
    account,
    time,
  }
}

test('who sits at the screen proves it with the password, a code or a passkey, and the log says with which', async () => {
  const { own, caller, audit, proofs } = site()
  assert.deepEqual(await own.prove(caller, { password: PASSWORD }, BY), { proved: true })
  assert.deepEqual(await own.prove(caller, { code: codeAt(NOW) }, BY), { proved: true })
  assert.deepEqual(await own.prove(caller, signedBy('ana'), BY), { proved: true })
  assert.deepEqual(proofs, [
    ['this one', { passwordHash: `hash of ${PASSWORD}` }],
    ['this one', { totpStep: stepAt(NOW) }],
    ['this one', { passkeyId: 'key', counter: 0, synced: true, challengedAt: NOW }],
  ])
  assert.deepEqual(
    audit.map(({ action, details }) => [action, details.with]),
    [
      ['session.proved', 'password'],
      ['session.proved', 'code'],
      ['session.proved', 'passkey'],
    ],
  )
})

test('not with the passkey of another operator, or with none', async () => {
  const { own, caller, audit } = site()
  for (const id of ['ben', 'nobody']) {
    assert.deepEqual(await own.prove(caller, signedBy(id), BY), { refused: 'wrong_passkey' })
  }
  assert.deepEqual(
    audit.map(({ details }) => details.why),
    ['wrong_passkey', 'wrong_passkey'],
  )
})

test('not with a code that was used, a wrong one, or one for a lost phone', async () => {
  const { own, caller, audit } = site()
  await own.prove(caller, { code: codeAt(NOW) }, BY)
  for (const code of [codeAt(NOW), '000000', RECOVERY]) {
    assert.deepEqual(await own.prove(caller, { code }, BY), { refused: 'wrong_code' }, code)
  }
  const refused = audit.filter(({ action }) => action === 'session.refused')
  assert.ok(refused.every(({ details }) => details.for === 'session.proved' && details.why === 'wrong_code'))
  assert.equal(refused.length, 3)
})

test('guessing the password and guessing codes are slowed together', async () => {
  const { own, caller, time } = site()
  for (let guess = 0; guess < 4; guess += 1) await own.prove(caller, { password: `guess ${guess}` }, BY)
  assert.deepEqual(await own.prove(caller, { code: '000000' }, BY), { refused: 'wrong_code' })
  const slowed = await own.prove(caller, { password: PASSWORD }, BY)
  assert.equal('refused' in slowed && slowed.refused, 'too_many_attempts')
  time.monotonic += 5 * 60_000
  assert.deepEqual(await own.prove(caller, { password: PASSWORD }, BY), { proved: true })
})

test('new recovery codes replace the old ones, and a token has none', async () => {
  const { own, caller, token, account, audit } = site()
  const renewed = await own.renewRecoveryCodes(caller, BY)
  assert.ok('codes' in renewed)
  assert.equal(new Set(renewed.codes).size, RECOVERY_CODES)
  assert.deepEqual(account.recoveryHashes, renewed.codes.map(recoveryHash))
  assert.deepEqual(await own.recoveryCodesLeft(caller), { left: RECOVERY_CODES })
  assert.equal(JSON.stringify(audit).includes(renewed.codes[0]!), false)
  for (const refused of [
    await own.prove(token, { password: PASSWORD }, BY),
    await own.recoveryCodesLeft(token),
    await own.renewRecoveryCodes(token, BY),
  ]) {
    assert.deepEqual(refused, { refused: 'not_for_tokens' })
  }
})
