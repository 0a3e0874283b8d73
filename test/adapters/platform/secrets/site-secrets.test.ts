import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { agreedSecrets } from '../../../../src/adapters/platform/secrets/agreed-secrets.ts'
import { sealedKeys } from '../../../../src/adapters/platform/secrets/sealed-keys.ts'
import { createSecrets, isSealed, secretsFile } from '../../../../src/adapters/platform/secrets/site-secrets.ts'
import type { SharedKeys } from '../../../../src/ports/shared-keys.ts'
import { quiet } from '../../../fixtures/store-place.ts'

async function directory(t: TestContext): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-secrets-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  return dataDir
}

const opened = (answer: ReturnType<ReturnType<typeof createSecrets>['open']>): string =>
  'value' in answer ? answer.value.toString() : answer.refused

test('one box makes its key at first use, private, and opens what it sealed after a restart', async (t) => {
  const dataDir = await directory(t)
  const box = { dataDir, key: null, isShared: false }
  const secrets = createSecrets(box)
  assert.equal(secrets.keyTrouble(), null)
  await assert.rejects(stat(secretsFile(dataDir)), { code: 'ENOENT' })
  const [sealed, again] = [
    await secrets.seal('twilio.authToken', 'hush'),
    await secrets.seal('twilio.authToken', 'hush'),
  ]
  assert.equal((await stat(secretsFile(dataDir))).mode & 0o777, 0o600)
  assert.notEqual(sealed, again)
  assert.ok(isSealed(sealed) && !sealed.includes('hush'))
  assert.equal(opened(createSecrets(box).open('twilio.authToken', sealed)), 'hush')
  const bytes = randomBytes(300)
  const answer = secrets.open('key', await secrets.seal('key', bytes))
  assert.ok('value' in answer && answer.value.equals(bytes))
})

test('two processes that begin together have one key', async (t) => {
  const dataDir = await directory(t)
  const [one, other] = [0, 1].map(() => createSecrets({ dataDir, key: null, isShared: false }))
  const [a, b] = await Promise.all([one!.seal('a', 'from one'), other!.seal('b', 'from the other')])
  assert.equal(opened(other!.open('a', a)), 'from one')
  assert.equal(opened(one!.open('b', b)), 'from the other')
})

test('a value under another name, a changed one, and one of another key are told apart, and never throw', async (t) => {
  const [key, wrong] = [randomBytes(32), randomBytes(32)]
  const dataDir = await directory(t)
  const node = (own: Uint8Array | null) => createSecrets({ dataDir, key: own, isShared: true })
  const sealed = await node(key).seal('gateway.url', 'https://example.org')
  assert.equal(opened(node(key).open('gateway.url', sealed)), 'https://example.org')
  assert.equal(opened(node(key).open('heartbeat.url', sealed)), 'damaged')
  for (const [at, character] of [...sealed].entries()) {
    const changed = sealed.slice(0, at) + (character === 'A' ? 'B' : 'A') + sealed.slice(at + 1)
    // The last character of base64url may differ in bits that stand for nothing.
    if (at < sealed.length - 1) assert.notEqual(opened(node(key).open('gateway.url', changed)), 'https://example.org')
  }
  for (const text of ['', 'tocsin1:', `${sealed.slice(0, 20)}:A`, sealed.slice(0, 30), 'plain']) {
    assert.equal(opened(node(key).open('gateway.url', text)), 'damaged', text)
  }
  const other = node(wrong).open('gateway.url', sealed)
  assert.ok('refused' in other && other.refused === 'other_key' && other.why.includes(sealed.split(':')[1]!))
  const without = node(null)
  assert.match(without.keyTrouble() ?? '', /TOCSIN_SECRETS_KEY/)
  assert.equal(opened(without.open('gateway.url', sealed)), 'no_key')
  await assert.rejects(without.seal('gateway.url', 'x'), /set it to the key that all nodes/)
  await assert.rejects(stat(secretsFile(dataDir)), { code: 'ENOENT' })
})

test('one box that is given a key seals with it, and still opens what its own file sealed', async (t) => {
  const dataDir = await directory(t)
  const before = await createSecrets({ dataDir, key: null, isShared: false }).seal('a', 'old')
  const key = Buffer.from((await readFile(secretsFile(dataDir), 'utf8')).trim(), 'base64')
  const given = createSecrets({ dataDir, key: randomBytes(32), isShared: false })
  assert.equal(opened(given.open('a', before)), 'old')
  assert.notEqual((await given.seal('a', 'new')).split(':')[1], before.split(':')[1])
  // The file's content is what TOCSIN_SECRETS_KEY takes when the site moves to several nodes.
  assert.equal(opened(createSecrets({ dataDir: '/nowhere', key, isShared: true }).open('a', before)), 'old')
})

test('a damaged key file and a link in its place are named, and not replaced', async (t) => {
  const dataDir = await directory(t)
  const secrets = createSecrets({ dataDir, key: null, isShared: false })
  await writeFile(secretsFile(dataDir), 'half a k')
  assert.match(secrets.keyTrouble() ?? '', /secrets\.key is damaged: restore it from a backup/)
  await assert.rejects(secrets.seal('a', 'x'), /is damaged/)
  assert.equal(await readFile(secretsFile(dataDir), 'utf8'), 'half a k')
  await rm(secretsFile(dataDir))
  await symlink('/etc/hostname', secretsFile(dataDir))
  assert.match(secrets.keyTrouble() ?? '', /symbolic link/)
})

test('of nodes with different keys, one has the key of the site, and the others seal nothing', async (t) => {
  const dataDir = await directory(t)
  const rows = new Map<string, Uint8Array>()
  const keys: SharedKeys = {
    async sharedKey(name, own) {
      const value = rows.get(name) ?? (await own())
      // Stored as PostgreSQL does: the first one counts.
      if (!rows.has(name)) rows.set(name, value)
      return rows.get(name)!
    },
  }
  const node = (key: Uint8Array | null, isForeign = false) =>
    agreedSecrets(createSecrets({ dataDir, key, isShared: true }), keys, async () => isForeign)
  const [one, two] = [randomBytes(32), randomBytes(32)]
  // A node without a key says nothing about the others'; one that finds what it cannot open makes no row either.
  assert.equal(await node(null).compareKey(), null)
  assert.match((await node(one, true).compareKey()) ?? '', /another TOCSIN_SECRETS_KEY than the site/)
  assert.equal(rows.size, 0)

  const both = [node(one), node(two)]
  const found = await Promise.all(both.map((secrets) => secrets.compareKey()))
  assert.equal(found.filter((why) => why === null).length, 1)
  const [ours, other] = found[0] === null ? both : both.toReversed()
  await assert.rejects(other!.seal('a', 'hush'), /another TOCSIN_SECRETS_KEY/)
  assert.match(other!.keyTrouble() ?? '', /another TOCSIN_SECRETS_KEY/)
  const sealed = await ours!.seal('a', 'hush')
  assert.equal(opened(ours!.open('a', sealed)), 'hush')
  assert.equal(opened(other!.open('a', sealed)), 'other_key')
  assert.equal(await sealedKeys(keys, { secrets: other!, log: quiet }).sharedKey('user-token', () => one), null)
  assert.deepEqual([...rows.keys()], ['secrets-key'])

  // The row is looked at again before each seal: a site that takes a new key removes it.
  rows.clear()
  assert.ok(isSealed(await other!.seal('a', 'hush')))
  assert.equal(other!.otherKey(), null)
  await assert.rejects(ours!.seal('a', 'hush'), /another TOCSIN_SECRETS_KEY/)
})

test('shared keys are stored sealed where there is a key; older rows stay plain and are read', async (t) => {
  const dataDir = await directory(t)
  const rows = new Map<string, Uint8Array>([['local-ca', Buffer.from('plain, from before')]])
  const errors: object[] = []
  const log = { ...quiet, error: (fields: object) => void errors.push(fields) }
  const node = (key: Uint8Array | null) =>
    sealedKeys(
      {
        async sharedKey(name, own) {
          const value = rows.get(name) ?? (await own())
          rows.set(name, value)
          return value
        },
      },
      { secrets: createSecrets({ dataDir, key, isShared: true }), log },
    )
  const key = randomBytes(32)
  const token = randomBytes(32)
  assert.deepEqual(await node(key).sharedKey('user-token', () => token), token)
  assert.ok(isSealed(Buffer.from(rows.get('user-token')!).toString()))
  assert.equal(String(await node(key).sharedKey('local-ca', () => token)), 'plain, from before')
  assert.equal(String(rows.get('local-ca')), 'plain, from before')
  const without = node(null)
  assert.equal(await without.sharedKey('user-token', () => token), null)
  assert.match(without.trouble() ?? '', /TOCSIN_SECRETS_KEY/)
  assert.equal(errors.length, 1)
  assert.ok(!JSON.stringify(errors).includes(token.toString('base64')))
  // A site without a key goes on as before.
  rows.clear()
  assert.deepEqual(await without.sharedKey('user-token', () => token), token)
  assert.deepEqual(rows.get('user-token'), token)
})
