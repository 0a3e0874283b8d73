import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { createSecrets } from '../../src/adapters/platform/secrets/site-secrets.ts'
import { CertificateRecords } from '../../src/app/upkeep/certificates/records.ts'
import { LETS_ENCRYPT } from '../../src/config/acme.ts'
import { COMMAND, entry } from '../../src/core/operator/audit.ts'
import { DAY } from '../../src/lib/durations.ts'
import { fingerprintOf, newAuthority, newDirectory, ownPair, writePair } from '../adapters/platform/tls/stand-in.ts'
import { openHere } from '../fixtures/store-place.ts'
import { type Environment, runCommand } from '../harness/command-line.ts'

/** `tocsin tls show` with these settings. */
const show = (env: Environment, ...args: readonly string[]) =>
  runCommand({ TOCSIN_CONFIG: '', ...env }, ['tls', 'show', ...args])

suite('tocsin tls show', () => {
  test('creates what is missing once, and says what to trust', async (t) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-cli-'))
    t.after(() => rm(dataDir, { recursive: true, force: true }))
    const env = { TOCSIN_DATA_DIR: dataDir, TOCSIN_PUBLIC_URL: 'https://sos.example.org:8443' }
    const { stdout, stderr } = await show(env, '--json')
    const info = JSON.parse(stdout)
    const pem = await readFile(join(dataDir, 'tls', 'ca.crt'), 'utf8')
    assert.equal(stderr, '')
    assert.equal(info.source, 'local')
    assert.equal(info.state, 'valid')
    assert.equal(info.ca.fingerprint, fingerprintOf(pem))
    assert.equal(info.ca.pem.trim(), pem.trim())
    for (const name of ['sos.example.org', 'localhost', '127.0.0.1', '::1']) assert.ok(info.names.includes(name), name)
    assert.deepEqual(info.concerns, [])

    const words = (await show(env)).stdout
    for (const word of [info.fingerprint, info.ca.fingerprint, info.validTo, info.ca.file, 'curl --cacert ca.crt']) {
      assert.ok(words.includes(word), word)
    }
  })

  test('shows the certificate of the CA, or why there is none', async (t) => {
    const dataDir = await newDirectory(t)
    const env = {
      TOCSIN_DATA_DIR: dataDir,
      TOCSIN_PUBLIC_URL: 'https://sos.example.org',
      TOCSIN_ACME_ENABLED: 'on',
      TOCSIN_HTTP_ACME_PORT: '80',
    }
    const store = await openHere(t, dataDir)
    const secrets = createSecrets({ dataDir, key: null, isShared: false })
    const records = new CertificateRecords({ store, secrets, clock: { now: Date.now } })
    const wanted = { directory: LETS_ENCRYPT, domains: ['sos.example.org'] }
    const { attempts } = await records.read()
    await records.keepAttempts({ ...attempts, ...wanted, problem: 'name not found', failures: 1 })
    const without = JSON.parse((await show(env, '--json')).stdout)
    assert.equal(without.source, 'local')
    assert.match(without.concerns.join(), /there is no certificate from the CA yet.*: name not found/)

    const pair = await ownPair(await newAuthority())
    const [from, to] = [Date.now(), Date.now() + 90 * DAY]
    await records.keep('certificate', { ...pair, ...wanted, from, to })
    const shown = JSON.parse((await show(env, '--json')).stdout)
    assert.deepEqual([shown.source, shown.fingerprint, shown.concerns], ['acme', fingerprintOf(pair.cert), []])
    assert.notEqual(shown.ca, null)
    assert.match(
      (await show(env)).stdout,
      /^The certificate of the CA \(acme\), for clients that ask for one of its names/,
    )

    await writeFile(join(dataDir, 'secrets.key'), Buffer.alloc(32, 1).toString('base64'))
    const otherKey = JSON.parse((await show(env, '--json')).stdout)
    assert.deepEqual([otherKey.source, otherKey.concerns.length], ['local', 1])
    assert.match(otherKey.concerns[0], /the stored certificate cannot be opened/)
  })

  test('shows what is set in the console; so does the doctor', async (t) => {
    const dataDir = await newDirectory(t)
    const store = await openHere(t, dataDir)
    const secrets = createSecrets({ dataDir, key: null, isShared: false })
    const pair = await ownPair(await newAuthority())
    const pem = await secrets.seal('site_settings/tls.pem', JSON.stringify(pair.key + pair.cert))
    const after = [
      { key: 'publicUrl', value: '"https://hut.lan"', sealed: false },
      { key: 'tls.pem', value: pem, sealed: true },
    ]
    const change = { id: 'c', at: 1, author: 'Eva', section: 'certificate', before: [], after }
    await store.changeSettings(change, entry({ at: 1, actor: COMMAND, action: 'setup.change' }))
    const info = JSON.parse((await show({ TOCSIN_DATA_DIR: dataDir }, '--json')).stdout)
    assert.deepEqual([info.source, info.file, info.fingerprint], ['operator', 'tls.pem', fingerprintOf(pair.cert)])
    assert.match(info.concerns.join(), /tls\.pem does not cover hut\.lan, the host of publicUrl/)
    const words = (await show({ TOCSIN_DATA_DIR: dataDir })).stdout
    assert.match(words, /^The certificate in tls\.pem, for clients that ask for one of its names/)
    assert.ok(!words.includes('PRIVATE KEY'))
    const { stdout } = await runCommand({ TOCSIN_CONFIG: '', TOCSIN_DATA_DIR: dataDir }, ['doctor'])
    assert.match(stdout, /Certificate +your own \(tls\.pem\), until/)
    assert.match(stdout, /tls\.pem does not cover hut\.lan/)
  })

  test('shows the operator’s own certificate, or in one line why it cannot be used', async (t) => {
    const pair = await ownPair(await newAuthority())
    const files = await writePair(await newDirectory(t), pair)
    const env = { TOCSIN_TLS_CERT: files.certFile, TOCSIN_TLS_KEY: files.keyFile }
    const info = JSON.parse((await show(env, '--json')).stdout)
    assert.deepEqual([info.source, info.fingerprint, info.ca], ['operator', fingerprintOf(pair.cert), null])
    assert.match((await show(env)).stdout, /trust its issuer/)

    await rm(files.keyFile)
    const { code, stdout, stderr } = await show(env)
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /^error: tls\.key \(.*own\.key\) could not be read: file not found\n$/)
  })
})
