import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstAdministrator, offerSetup } from '../../../src/app/operator/first-administrator.ts'
import type { AuditEntry } from '../../../src/core/operator/audit.ts'
import type { OperatorAccount } from '../../../src/core/operator/decide-operator.ts'
import { recoveryHash, secretHash } from '../../../src/core/operator/secret.ts'
import type { NewSession } from '../../../src/core/operator/session.ts'
import { decideOfferSetup, decideUseSetup, SETUP_MS, type SetupLink } from '../../../src/core/operator/setup.ts'
import { bytesOfBase32, stepAt, totpCode } from '../../../src/core/operator/totp.ts'
import type { SetupStore } from '../../../src/ports/setup-store.ts'
import { countedIds, NOW, PASSWORD, plainPasswords } from './cast.ts'

const HUT = { address: 'hut/1', browser: 'Firefox' }
const none = { refused: 'setup_not_found' }

async function site() {
  const state: {
    link: SetupLink | null
    made: { account: OperatorAccount; session: NewSession; audit: AuditEntry }[]
  } = { link: null, made: [] }
  const situation = () => ({ operators: state.made.length, link: state.link })
  const store: SetupStore = {
    async offerSetup(link, running) {
      const decided = decideOfferSetup(situation(), link, running)
      if ('refused' in decided) return decided
      state.link = decided.keep
      return { offered: true }
    },
    setupLink: async () => (state.made.length > 0 ? null : state.link),
    async useSetup(hash, account, session, audit) {
      const decided = decideUseSetup(situation(), hash, account, session)
      if ('refused' in decided) return decided
      state.made.push({ account, session, audit })
      return decided.result
    },
  }
  const time = { now: NOW }
  const needs = { store, clock: { now: () => time.now }, ids: countedIds() }
  const first = firstAdministrator({
    ...needs,
    passwords: plainPasswords(),
    networkOf: (address) => address.split('/')[0]!,
    site: () => 'Hut',
  })
  const start = async () => {
    const offered = await offerSetup(needs, { node: null, running: [] })
    assert.ok('secret' in offered)
    return offered
  }
  const { secret, expiresAt } = await start()
  const chosen = { login: 'ana', name: 'Ana', password: PASSWORD, totpSecret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' }
  const codeNow = () => totpCode(bytesOfBase32(chosen.totpSecret), stepAt(time.now))
  const accept = (given: Partial<typeof chosen> & { setup?: string; code?: string } = {}) =>
    first.accept({ setup: secret, ...chosen, code: codeNow(), ...given }, HUT)
  return { ...first, accept, start, state, time, secret, expiresAt }
}

test('the address makes an administrator of the whole site, who is signed in', async () => {
  const { accept, state, secret, expiresAt } = await site()
  assert.equal(expiresAt, NOW + SETUP_MS)
  assert.equal(state.link?.hash, secretHash(secret), 'only the hash is stored')
  const result = await accept()
  assert.ok('recoveryCodes' in result)
  const [{ account, session, audit }] = state.made as [(typeof state.made)[number]]
  assert.deepEqual(
    [account.login, account.name, account.role, account.applications, account.disabled, account.signedInAt],
    ['ana', 'Ana', 'admin', null, false, NOW],
  )
  assert.equal(account.passwordHash, `hash of ${PASSWORD}`)
  assert.equal(account.totpSecret, '3132333435363738393031323334353637383930')
  assert.deepEqual(account.recoveryHashes, result.recoveryCodes.map(recoveryHash))
  assert.deepEqual(account.knownNetworks, ['hut'])
  assert.ok(account.totpStep > 0, 'the code that was typed is used up')
  assert.deepEqual(session, { ...result.session, hash: secretHash(result.secret) })
  assert.deepEqual(
    [audit.action, audit.actor.name, audit.address, audit.subject],
    ['setup.accepted', 'Ana', 'hut/1', account.id],
  )
})

test('each look offers another secret, so that two people with the address do not share a second factor', async () => {
  const { offer, secret, expiresAt } = await site()
  const look = await offer({ setup: secret, login: 'ana' })
  assert.ok('totpSecret' in look)
  assert.equal(look.totpLink, `otpauth://totp/Hut:ana?secret=${look.totpSecret}&issuer=Hut`)
  assert.equal(look.expiresAt, expiresAt)
  assert.equal(bytesOfBase32(look.totpSecret).length, 20)
  const again = await offer({ setup: secret, login: 'ana' })
  assert.ok('totpSecret' in again)
  assert.notEqual(again.totpSecret, look.totpSecret)
})

test('an address works once, for a day, until the next start, and no other does', async () => {
  const { offer, accept, start, time, expiresAt, secret } = await site()
  const look = (setup = secret) => offer({ setup, login: 'ana' })
  assert.deepEqual([await look('another'), await accept({ setup: 'another' })], [none, none])
  time.now = expiresAt
  assert.deepEqual([await look(), await accept()], [none, none])
  time.now = expiresAt - 1
  const newer = await start()
  assert.deepEqual([await look(), await accept()], [none, none])
  assert.ok('secret' in (await accept({ setup: newer.secret })))
  assert.deepEqual([await look(newer.secret), await accept({ setup: newer.secret, login: 'eve' })], [none, none])
})

test('of two people who use it at once, one becomes the administrator', async () => {
  const { accept, state } = await site()
  const results = await Promise.all([accept({ login: 'ana' }), accept({ login: 'ben' })])
  assert.deepEqual(results.map((result) => 'recoveryCodes' in result).sort(), [false, true])
  assert.equal(state.made.length, 1)
})

test('a weak password and a wrong code say what helps, and leave the address as it is', async () => {
  const { accept, state } = await site()
  const weak = await accept({ password: 'ana ana ana ana' })
  assert.ok('refused' in weak && weak.refused === 'weak_password')
  assert.match(weak.why, /too easy to guess/)
  assert.deepEqual(await accept({ code: '000000' }), { refused: 'wrong_code', now: NOW })
  assert.deepEqual(state.made, [])
  assert.ok('recoveryCodes' in (await accept()))
})
