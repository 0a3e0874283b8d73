import assert from 'node:assert/strict'
import { chmod, lstat, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createUserTokens, ownTokenKey } from '../../../../src/adapters/platform/token/user-tokens.ts'
import { MINUTE } from '../../../../src/lib/durations.ts'
import { VirtualClock } from '../../../harness/virtual-clock.ts'

const mia = { appId: 'app', userId: 'mia', externalUserId: 'hiker-1', legacy: false, secretId: 1 }

async function directory(t: TestContext): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-token-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  return dataDir
}

test('a token is valid for its user only, for 15 minutes, also after a restart', async (t) => {
  const dataDir = await directory(t)
  const clock = new VirtualClock()
  const { token, expiresAt } = await createUserTokens({ dataDir, clock }).issue(mia)
  assert.equal(Date.parse(expiresAt), clock.now() + 15 * MINUTE)
  const restarted = createUserTokens({ dataDir, clock })
  assert.equal(await restarted.isValid(token, mia), true)
  assert.equal(await restarted.isValid(token, { ...mia, userId: 'ben' }), false)
  assert.equal(await restarted.isValid(token, { ...mia, appId: 'other' }), false)
  assert.equal(await restarted.isValid(`${token}x`, mia), false)
  await clock.advance('15 min', async () => {})
  assert.equal(await restarted.isValid(token, mia), false)
})

test('the key is private, and one that a power cut has damaged is replaced', async (t) => {
  const dataDir = await directory(t)
  const clock = new VirtualClock()
  const before = await createUserTokens({ dataDir, clock }).issue(mia)
  const file = join(dataDir, 'user-token.key')
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  await chmod(file, 0o600)
  await writeFile(file, '')
  const tokens = createUserTokens({ dataDir, clock })
  assert.equal(await tokens.isValid(before.token, mia), false)
  assert.equal(await tokens.isValid((await tokens.issue(mia)).token, mia), true)
})

test('a link in place of the key is replaced and never followed, and the draft’s name cannot be guessed', async (t) => {
  const [dataDir, elsewhere] = [await directory(t), await directory(t)]
  const victim = join(elsewhere, 'victim')
  await writeFile(victim, 'x'.repeat(32))
  const file = join(dataDir, 'user-token.key')
  await symlink(victim, file)
  await symlink(victim, `${file}.${process.pid}`)
  const tokens = createUserTokens({ dataDir, clock: new VirtualClock() })
  assert.equal(await tokens.isValid((await tokens.issue(mia)).token, mia), true)
  assert.equal((await lstat(file)).isFile(), true)
  assert.equal(await readFile(victim, 'utf8'), 'x'.repeat(32))
})

test('nodes that share a key accept each other’s tokens, and those that the first one gave before', async (t) => {
  const [here, elsewhere] = [await directory(t), await directory(t)]
  const clock = new VirtualClock()
  const { token } = await createUserTokens({ dataDir: here, clock }).issue(mia)
  const key = ownTokenKey(here)
  const node = createUserTokens({ dataDir: elsewhere, clock, key })
  assert.equal(await node.isValid(token, mia), true)
  assert.equal(await createUserTokens({ dataDir: here, clock, key }).isValid((await node.issue(mia)).token, mia), true)
  assert.notDeepEqual(ownTokenKey(elsewhere), key)
})
