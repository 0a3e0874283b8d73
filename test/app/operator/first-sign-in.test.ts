import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstSignIn } from '../../../src/app/operator/first-sign-in.ts'
import type { AuditEntry } from '../../../src/core/operator/audit.ts'
import type { OperatorCredentials } from '../../../src/core/operator/operator.ts'
import { recoveryHash, secretHash } from '../../../src/core/operator/secret.ts'
import type { NewSession } from '../../../src/core/operator/session.ts'
import type { OperatorStore } from '../../../src/ports/operator-store.ts'
import { codeAt, countedIds, NOW, operatorCalled, PASSWORD, plainPasswords, TOTP_SECRET } from './cast.ts'

const LINK = 'the secret behind the link'
const HUT = { address: 'hut/1', browser: 'Firefox' }

function site() {
  const operator = operatorCalled('ana')
  const accepted: { credentials: OperatorCredentials; session: NewSession; audit: AuditEntry }[] = []
  const expiresAt = NOW + 1000
  const store: Pick<OperatorStore, 'operatorInvitation' | 'acceptInvitation'> = {
    async operatorInvitation(hash) {
      if (hash !== secretHash(LINK) || accepted.length > 0) return null
      return { hash, operatorId: operator.id, totpSecret: TOTP_SECRET, createdAt: NOW, expiresAt, operator }
    },
    async acceptInvitation(hash, credentials, session, audit) {
      if (hash !== secretHash(LINK) || accepted.length > 0) return { refused: 'invitation_not_found' }
      accepted.push({ credentials, session, audit })
      return { accepted: true }
    },
  }
  const time = { now: NOW }
  const first = firstSignIn({
    store,
    passwords: plainPasswords(),
    clock: { now: () => time.now },
    networkOf: (address) => address.split('/')[0]!,
    ids: countedIds(),
    site: () => 'Hut',
  })
  const accept = (given: { invitation?: string; password?: string; code?: string } = {}) =>
    first.accept({ invitation: LINK, password: PASSWORD, code: codeAt(time.now), ...given }, HUT)
  return { ...first, accept, accepted, time, expiresAt }
}

test('the link shows the secret for the app, and sets the password and the app', async () => {
  const { offer, accept, accepted, expiresAt } = site()
  assert.deepEqual(await offer(LINK), {
    login: 'ana',
    name: 'ANA',
    totpSecret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
    totpLink: 'otpauth://totp/Hut:ana?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Hut',
    expiresAt,
  })
  const result = await accept()
  assert.ok('recoveryCodes' in result)
  const { recoveryCodes, secret, session } = result
  assert.equal(new Set(recoveryCodes).size, 8)
  for (const code of recoveryCodes) assert.match(code, /^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/)
  const [{ credentials, session: stored, audit }] = accepted as [(typeof accepted)[number]]
  assert.deepEqual(stored, { ...session, hash: secretHash(secret) })
  assert.equal(credentials.passwordHash, `hash of ${PASSWORD}`)
  assert.deepEqual(credentials.recoveryHashes, recoveryCodes.map(recoveryHash))
  assert.deepEqual(credentials.knownNetworks, ['hut'])
  assert.ok(credentials.totpStep > 0, 'the code that was typed is used up')
  assert.deepEqual([audit.action, audit.actor.name, audit.address], ['invitation.accepted', 'ANA', 'hut/1'])
})

test('a link works once, until it ends, and no other does', async () => {
  const { offer, accept, time, expiresAt } = site()
  const none = { refused: 'invitation_not_found' }
  assert.deepEqual(await offer('another'), none)
  assert.deepEqual(await accept({ invitation: 'another' }), none)
  time.now = expiresAt
  assert.deepEqual([await offer(LINK), await accept()], [none, none])
  time.now = expiresAt - 1
  assert.ok('secret' in (await accept()))
  assert.deepEqual([await offer(LINK), await accept()], [none, none])
})

test('a weak password and a wrong code say what helps, and leave the link as it is', async () => {
  const { accept, accepted } = site()
  const weak = await accept({ password: 'short' })
  assert.ok('refused' in weak && weak.refused === 'weak_password')
  assert.match(weak.why, /at least 12 characters/)
  assert.deepEqual(await accept({ code: '000000' }), { refused: 'wrong_code', now: NOW })
  assert.deepEqual(accepted, [])
  assert.ok('secret' in (await accept()))
})
