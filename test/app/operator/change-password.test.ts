import assert from 'node:assert/strict'
import { test } from 'node:test'
import { passwordChange } from '../../../src/app/operator/change-password.ts'
import { presenceCheck } from '../../../src/app/operator/presence.ts'
import type { AuditEntry } from '../../../src/core/operator/audit.ts'
import { newSession } from '../../../src/core/operator/session.ts'
import type { OperatorStore } from '../../../src/ports/operator-store.ts'
import { NOW, operatorCalled, PASSWORD, plainPasswords } from './cast.ts'

const silent = { info() {}, warn() {}, error() {} }
const BY = { actor: { kind: 'operator', id: 'id of ana', name: 'ANA' }, address: 'hut/1', now: NOW } as const
const NEW = 'seven green lamps hum'

function site() {
  const audit: AuditEntry[] = []
  let passwordHash = `hash of ${PASSWORD}`
  const time = { monotonic: 0 }
  const kept: string[] = []
  const store: Pick<OperatorStore, 'operatorByLogin' | 'changePassword' | 'addAuditRow'> = {
    operatorByLogin: async () => ({
      ...operatorCalled('ana'),
      passwordHash,
      totpSecret: null,
      totpStep: 0,
      recoveryHashes: [],
      knownNetworks: [],
    }),
    async changePassword(_id, { from, to, keptSession }, entry) {
      if (from !== passwordHash) return { refused: 'credentials_changed' }
      passwordHash = to
      kept.push(keptSession)
      audit.push(entry)
      return { changed: true }
    },
    async addAuditRow(entry) {
      audit.push(entry)
    },
  }
  const parts = {
    store,
    passwords: plainPasswords(),
    monotonicMs: () => time.monotonic,
    log: silent,
    passkeySigned: async () => null,
  }
  const change = passwordChange({ ...parts, isPresent: presenceCheck(parts) })
  const visitor = { address: 'hut/1', browser: 'Firefox' }
  const session = newSession({ id: 'this one', operatorId: 'id of ana', now: NOW, ...visitor })
  const tries = async (password: string, newPassword = NEW) => {
    const done = await change({ login: 'ana', session }, { password, newPassword }, BY)
    return 'refused' in done ? done.refused : 'changed'
  }
  return { change, tries, audit, kept, time, hash: () => passwordHash }
}

test('an operator changes the own password, and this session stays', async () => {
  const { tries, audit, kept, hash } = site()
  assert.equal(await tries(PASSWORD), 'changed')
  assert.deepEqual([hash(), kept], [`hash of ${NEW}`, ['this one']])
  assert.deepEqual(
    audit.map(({ action, subject, details }) => [action, subject, details]),
    [['password.changed', 'id of ana', {}]],
  )
})

test('not to one that is easy to guess, and not without the present one', async () => {
  const { tries, audit } = site()
  assert.equal(await tries(PASSWORD, 'ana ana ana ana'), 'weak_password')
  assert.equal(await tries('not it'), 'wrong_password')
  assert.deepEqual(
    audit.map(({ action, actor, address, details }) => [action, actor.name, address, details.why]),
    [['session.refused', 'ANA', 'hut/1', 'wrong_password']],
    'somebody may guess in a browser that was left open',
  )
})

test('guessing at a screen that was left open is slowed, and ends', async () => {
  const { tries, time } = site()
  for (let guess = 0; guess < 5; guess += 1) assert.equal(await tries(`guess ${guess}`), 'wrong_password')
  assert.equal(await tries(PASSWORD), 'too_many_attempts')
  time.monotonic += 5 * 60_000
  assert.equal(await tries(PASSWORD), 'changed')
})

test('an API token has no password', async () => {
  const { change } = site()
  const done = await change({ login: null, session: null }, { password: PASSWORD, newPassword: NEW }, BY)
  assert.deepEqual(done, { refused: 'not_for_tokens' })
})
