import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createTlsIdentity } from '../../../../src/adapters/platform/tls/identity.ts'
import { shareAuthority } from '../../../../src/adapters/platform/tls/shared-authority.ts'
import type { SharedKeys } from '../../../../src/ports/shared-keys.ts'
import { quiet } from '../../../fixtures/store-place.ts'

const NOW = Date.UTC(2026, 10, 1)

/** A site whose nodes share their keys. */
function site(t: TestContext) {
  const stored = new Map<string, Uint8Array>()
  const keys: SharedKeys = {
    async sharedKey(name, own) {
      const key = stored.get(name) ?? (await own())
      stored.set(name, stored.get(name) ?? key)
      return stored.get(name)!
    },
  }
  const warnings: string[] = []
  const log = { ...quiet, warn: (_fields: object, message: string) => void warnings.push(message) }
  const directory = async (): Promise<string> => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-shared-ca-'))
    t.after(() => rm(dataDir, { recursive: true, force: true }))
    return dataDir
  }
  const joins = (dataDir: string) => shareAuthority({ dataDir, keys, names: ['sos.example.org'], now: NOW, log })
  return { stored, warnings, directory, joins }
}

const caIn = (dataDir: string): Promise<string> => readFile(join(dataDir, 'tls/ca.crt'), 'utf8')

test('nodes share one CA, and each has a server certificate of its own from it', async (t) => {
  const { directory, joins, warnings } = site(t)
  const nodes = [await directory(), await directory()]
  for (const dataDir of nodes) await joins(dataDir)
  const [ca, other] = await Promise.all(nodes.map(caIn))
  assert.equal(ca, other)
  assert.equal((await stat(join(nodes[1]!, 'tls/ca.key'))).mode & 0o777, 0o600)
  const leaves = await Promise.all(
    nodes.map(async (dataDir) => {
      const identity = await createTlsIdentity({ dataDir }, { log: quiet, hostNames: () => ['sos.example.org'] })
      await identity.close()
      return new X509Certificate(String(identity.secureContextOptions.cert))
    }),
  )
  assert.ok(leaves.every((leaf) => leaf.verify(new X509Certificate(ca!).publicKey)))
  assert.notEqual(leaves[0]!.fingerprint256, leaves[1]!.fingerprint256)
  assert.deepEqual(warnings, [])
})

test('the CA that the first node has already goes on, and one that another node had is put aside', async (t) => {
  const { directory, joins, warnings } = site(t)
  const [first, second] = [await directory(), await directory()]
  for (const dataDir of [first, second]) await (await createTlsIdentity({ dataDir }, { log: quiet })).close()
  const [known, former] = await Promise.all([first, second].map(caIn))
  await joins(first)
  await joins(second)
  assert.deepEqual(await Promise.all([first, second].map(caIn)), [known, known])
  assert.equal(await readFile(join(second, 'tls/ca.crt.former'), 'utf8'), former)
  assert.equal(warnings.length, 1)
  // Nothing is left to do at the next start.
  await joins(second)
  assert.equal(warnings.length, 1)
})

test('a CA whose key is kept elsewhere is shared with nobody', async (t) => {
  const { directory, joins, stored } = site(t)
  const dataDir = await directory()
  await mkdir(join(dataDir, 'tls'), { mode: 0o700 })
  await writeFile(join(dataDir, 'tls/ca.crt'), 'the certificate alone')
  await joins(dataDir)
  assert.equal(await caIn(dataDir), 'the certificate alone')
  assert.equal(stored.size, 0)
})

test('a key whose certificate is lost is put aside, not overwritten', async (t) => {
  const { directory, joins, warnings } = site(t)
  const dataDir = await directory()
  await (await createTlsIdentity({ dataDir }, { log: quiet })).close()
  const key = await readFile(join(dataDir, 'tls/ca.key'), 'utf8')
  await rm(join(dataDir, 'tls/ca.crt'))
  await joins(dataDir)
  assert.equal(await readFile(join(dataDir, 'tls/ca.key.former'), 'utf8'), key)
  assert.match(warnings.join('\n'), /ca\.key has no certificate beside it; it is kept as /)
  await joins(dataDir)
  assert.equal(warnings.length, 1)
})
