import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { createServer } from 'node:tls'
import { promisify } from 'node:util'
import { Agent, fetch } from 'undici'
import { constraintsOf } from '../../../../src/adapters/platform/tls/constraints.ts'
import { createTlsIdentity } from '../../../../src/adapters/platform/tls/identity.ts'
import { issueServer } from '../../../../src/adapters/platform/tls/issue.ts'
import { DAY, MINUTE, SECOND } from '../../../../src/lib/durations.ts'
import { until } from '../../../harness/wait.ts'
import {
  echoed,
  fingerprintOf,
  HandClock,
  HUT,
  handshake,
  identityOf,
  NOW,
  newAuthority,
  newDirectory,
  noted,
  serve,
} from './stand-in.ts'

const run = promisify(execFile)
const FILES = ['ca.crt', 'ca.key', 'server.pem']
const readTls = (dataDir: string, file: string): Promise<string> => readFile(join(dataDir, 'tls', file), 'utf8')

suite('a client that trusts ca.crt', () => {
  test('verifies the server by name and address, over TLS 1.2 and 1.3', async (t) => {
    const dataDir = await newDirectory(t)
    const { identity } = await identityOf(t, { dataDir }, { hostNames: () => ['sos.example.org'] })
    const { port } = await serve(t, identity)
    const ca = await readTls(dataDir, 'ca.crt')
    for (const servername of ['localhost', 'hut', 'hut.local', 'sos.example.org']) {
      const socket = await handshake(t, port, { ca, servername })
      assert.equal(socket.authorized, true)
      assert.equal(socket.getProtocol(), 'TLSv1.3')
      assert.equal(await echoed(socket, servername), servername)
    }
    const old = await handshake(t, port, { ca, maxVersion: 'TLSv1.2' })
    assert.equal(old.getProtocol(), 'TLSv1.2')
    assert.match(old.getCipher().name, /^ECDHE-ECDSA-.*(GCM|CHACHA20)/)
    const certificate = old.getPeerCertificate(true)
    assert.equal(certificate.asn1Curve, 'prime256v1')
    assert.equal(certificate.fingerprint256, identity.info().fingerprint)
  })

  test('reads a page over HTTPS', async (t) => {
    const dataDir = await newDirectory(t)
    const { identity } = await identityOf(t, { dataDir })
    const server = createHttpsServer(identity.secureContextOptions, (_request, response) => response.end('hut'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const dispatcher = new Agent({ connect: { ca: await readTls(dataDir, 'ca.crt') } })
    t.after(async () => {
      await dispatcher.close()
      server.close()
    })
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
    assert.equal(await (await fetch(url, { dispatcher })).text(), 'hut')
    const pending = new Agent()
    t.after(() => pending.close())
    await assert.rejects(fetch(url, { dispatcher: pending }), ({ cause }) => /verify|issuer/.test(String(cause)))
  })

  test('is refused below TLS 1.2', async (t) => {
    const dataDir = await newDirectory(t)
    const { identity } = await identityOf(t, { dataDir })
    const { port } = await serve(t, identity)
    const ca = await readTls(dataDir, 'ca.crt')
    const old = { ca, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' } as const
    await assert.rejects(handshake(t, port, old), { code: /ALERT_PROTOCOL_VERSION/ })

    const lax = createServer({ ...identity.secureContextOptions, minVersion: 'TLSv1', ciphers: old.ciphers })
    lax.listen(0, '127.0.0.1')
    await once(lax, 'listening')
    t.after(() => lax.close())
    const socket = await handshake(t, (lax.address() as AddressInfo).port, old)
    assert.equal(socket.getProtocol(), 'TLSv1.1', 'the client would have spoken it')
  })

  test('accepts the certificate under strict RFC 5280 checks', async (t) => {
    const dataDir = await newDirectory(t)
    await identityOf(t, { dataDir })
    const [ca, server] = ['ca.crt', 'server.pem'].map((file) => join(dataDir, 'tls', file)) as [string, string]
    const args = ['verify', '-x509_strict', '-purpose', 'sslserver', '-verify_hostname', 'hut.local', '-CAfile', ca]
    const verified = await run('openssl', [...args, server]).catch((error) => error)
    if (verified.code === 'ENOENT') return t.skip('openssl is not installed')
    assert.match(verified.stdout, /server\.pem: OK/, verified.stderr)
  })
})

suite('the files', () => {
  test('are created once: secrets for the owner alone, the CA readable', async (t) => {
    const dataDir = await newDirectory(t)
    const umask = process.umask(0o077)
    const { lines, identity } = await identityOf(t, { dataDir }).finally(() => process.umask(umask))
    const modes = await Promise.all(FILES.map(async (file) => (await stat(join(dataDir, 'tls', file))).mode & 0o777))
    assert.deepEqual(modes, [0o644, 0o600, 0o600])
    assert.equal((await stat(join(dataDir, 'tls'))).mode & 0o777, 0o700)
    assert.deepEqual(await readdir(join(dataDir, 'tls')), FILES, 'no drafts are left')
    assert.deepEqual(
      lines.map(({ level, message, fields }) => [level, message, fields.reason]),
      [['info', 'made a server certificate', 'there is none']],
    )
    const made = await Promise.all(FILES.map((file) => readTls(dataDir, file)))

    const again = await identityOf(t, { dataDir }, { machine: () => ({ ...HUT, addresses: [] }) })
    assert.deepEqual(await Promise.all(FILES.map((file) => readTls(dataDir, file))), made)
    assert.deepEqual(again.identity.info(), identity.info())
    assert.deepEqual(again.lines, [])
  })

  test('are never links to other places', async (t) => {
    const elsewhere = await newDirectory(t)
    for (const name of ['', ...FILES]) {
      const dataDir = await newDirectory(t)
      if (name !== '') await mkdir(join(dataDir, 'tls'))
      await symlink(join(elsewhere, name || '.'), join(dataDir, 'tls', name).replace(/\/$/, ''))
      await assert.rejects(
        identityOf(t, { dataDir }),
        /is a symbolic link; Tocsin needs a file of its own under this name/,
        name,
      )
    }
    assert.deepEqual(await readdir(elsewhere), [])
  })

  test('are the same for processes that start together', async (t) => {
    const dataDir = await newDirectory(t)
    const started = await Promise.all(
      Array.from({ length: 8 }, () =>
        createTlsIdentity({ dataDir }, { log: noted().log, clock: new HandClock(), machine: () => HUT }),
      ),
    )
    const maker = new URL('./make-identity.ts', import.meta.url).pathname
    const elsewhere = await newDirectory(t)
    const processes = await Promise.all(Array.from({ length: 4 }, () => run(process.execPath, [maker, elsewhere])))
    await Promise.all(started.map((identity) => identity.close()))

    const cas = { [dataDir]: started.map((identity) => identity.info().ca?.fingerprint) }
    cas[elsewhere] = processes.map(({ stdout }) => stdout)
    for (const [directory, seen] of Object.entries(cas)) {
      const ca = await readTls(directory, 'ca.crt')
      assert.deepEqual(seen, Array(seen.length).fill(fingerprintOf(ca)))
      const leaf = new X509Certificate(await readTls(directory, 'server.pem'))
      assert.equal(leaf.verify(new X509Certificate(ca).publicKey), true)
      assert.deepEqual(await readdir(join(directory, 'tls')), FILES)
    }
    const { lines } = await identityOf(t, { dataDir })
    assert.deepEqual(lines, [], 'whoever was last left a pair that fits')
  })
})

suite('the server certificate is renewed', () => {
  test('well before it expires, and listeners are called', async (t) => {
    const dataDir = await newDirectory(t)
    const { identity, clock, lines } = await identityOf(t, { dataDir })
    const before = identity.info()
    const told: unknown[] = []
    identity.onChange(() => told.push(identity.info().fingerprint))

    clock.passes(245 * DAY)
    await identity.reload()
    assert.equal(identity.info().fingerprint, before.fingerprint)
    clock.passes(2 * DAY)
    const line = await until('it is renewed', () => lines.find(({ message }) => /^renewed/.test(message)))
    assert.match(String(line.fields.reason), /^it expires on /)
    const after = identity.info()
    assert.deepEqual(told, [after.fingerprint])
    assert.notEqual(after.fingerprint, before.fingerprint)
    assert.equal(Date.parse(after.validTo), clock.now() + 396 * DAY - SECOND)
    assert.equal(after.ca?.fingerprint, before.ca?.fingerprint)
    assert.equal(fingerprintOf(await readTls(dataDir, 'server.pem')), after.fingerprint)
  })

  test('when the machine gets an address, while open connections stay', async (t) => {
    const dataDir = await newDirectory(t)
    let machine = HUT
    const { identity, clock } = await identityOf(t, { dataDir }, { machine: () => machine })
    const { port } = await serve(t, identity)
    const ca = await readTls(dataDir, 'ca.crt')
    const open = await handshake(t, port, { ca })
    const before = open.getPeerCertificate().fingerprint256

    machine = { ...HUT, addresses: [...HUT.addresses, '10.9.8.7'] }
    clock.passes(MINUTE)
    await until('the address is named', () => identity.info().names.includes('10.9.8.7'))
    const later = await handshake(t, port, { ca })
    assert.equal(later.getPeerCertificate().fingerprint256, identity.info().fingerprint)
    assert.notEqual(identity.info().fingerprint, before)
    assert.equal(await echoed(open, 'still here'), 'still here')
  })

  test('by another process, and is then loaded', async (t) => {
    const dataDir = await newDirectory(t)
    const { identity, clock, lines } = await identityOf(t, { dataDir })
    const other = await identityOf(t, { dataDir }, { hostNames: () => ['new.local'] })
    clock.passes(MINUTE)
    await until('it is reloaded', () => lines.some(({ message }) => message === 'certificate reloaded'))
    assert.deepEqual(identity.info(), other.identity.info())
  })

  test('when it is damaged or from another CA', async (t) => {
    const dataDir = await newDirectory(t)
    await identityOf(t, { dataDir })
    const file = join(dataDir, 'tls', 'server.pem')
    const whole = await readFile(file, 'utf8')
    await writeFile(file, whole.slice(0, -60))
    const { lines } = await identityOf(t, { dataDir })
    assert.equal(lines[0]?.fields.reason, 'there is none')

    const elsewhere = await newDirectory(t)
    await identityOf(t, { dataDir: elsewhere })
    await rename(join(elsewhere, 'tls', 'server.pem'), file)
    const next = await identityOf(t, { dataDir })
    assert.equal(next.lines[0]?.fields.reason, 'another CA issued it')
  })
})

suite('a wrong clock', () => {
  test('that is behind does not cost a good certificate, even when a name is missing', async (t) => {
    const dataDir = await newDirectory(t)
    const { identity } = await identityOf(t, { dataDir })
    const behind = await identityOf(t, { dataDir }, { clock: new HandClock(0) })
    assert.deepEqual(behind.identity.info().fingerprint, identity.info().fingerprint)
    assert.match(behind.lines[0]?.message ?? '', /server\.pem is not valid before .* clock of this machine/)
    const moved = await identityOf(t, { dataDir }, { clock: new HandClock(0), hostNames: () => ['new.local'] })
    assert.equal(Date.parse(moved.identity.info().validFrom), NOW - DAY)
  })

  test('that is ahead is corrected when it is set', async (t) => {
    const dataDir = await newDirectory(t)
    const clock = new HandClock(NOW + 9_000 * DAY)
    const { identity, lines } = await identityOf(t, { dataDir }, { clock })
    assert.equal(Date.parse(identity.info().validFrom), NOW + 8_999 * DAY)
    clock.set(NOW)
    const line = await until('it is renewed', () => lines.find(({ message }) => /^renewed/.test(message)))
    assert.equal(line.fields.reason, 'it was issued while the clock was ahead')
    assert.equal(identity.info().state, 'valid')
    assert.equal(identity.info().ca?.state, 'valid')
  })
})

suite('the CA', () => {
  test('is reissued from its key when ca.crt is lost, and old copies still verify', async (t) => {
    const dataDir = await newDirectory(t)
    const { identity } = await identityOf(t, { dataDir })
    const trusted = await readTls(dataDir, 'ca.crt')
    await rm(join(dataDir, 'tls', 'ca.crt'))
    const { port } = await serve(t, (await identityOf(t, { dataDir }, { hostNames: () => ['new.local'] })).identity)
    const socket = await handshake(t, port, { ca: trusted, servername: 'new.local' })
    assert.equal(socket.authorized, true)
    assert.equal(identity.info().ca?.pem.trim(), trusted.trim())
  })

  test('may have its key elsewhere as long as nothing has to be signed', async (t) => {
    const dataDir = await newDirectory(t)
    const { identity } = await identityOf(t, { dataDir })
    await rm(join(dataDir, 'tls', 'ca.key'))
    assert.deepEqual((await identityOf(t, { dataDir })).lines, [])

    const renamed = await identityOf(t, { dataDir }, { hostNames: () => ['new.local'] })
    assert.equal(renamed.identity.info().fingerprint, identity.info().fingerprint)
    assert.match(renamed.lines[0]?.message ?? '', /does not cover new\.local.*ca\.key.*is missing/)

    await rm(join(dataDir, 'tls', 'server.pem'))
    await assert.rejects(identityOf(t, { dataDir }), /certificate is needed \(there is none\), but .*ca\.key/)
  })

  test('with the key of another CA is refused', async (t) => {
    const dataDir = await newDirectory(t)
    await identityOf(t, { dataDir })
    await writeFile(join(dataDir, 'tls', 'ca.key'), (await newAuthority()).key)
    await assert.rejects(identityOf(t, { dataDir }), /ca\.key does not match .*ca\.crt; restore both/)
    await writeFile(join(dataDir, 'tls', 'ca.crt'), 'nothing')
    await assert.rejects(identityOf(t, { dataDir }), /ca\.crt contains no certificate/)
    await rm(join(dataDir, 'tls', 'ca.crt'))
    await writeFile(join(dataDir, 'tls', 'ca.key'), 'nothing')
    await assert.rejects(identityOf(t, { dataDir }), /ca\.key contains no private key/)
  })
})

suite('what the CA may sign for', () => {
  const PUBLIC_ADDRESSES = { hostname: 'hut.example.org', addresses: ['93.184.215.14', '2001:db8::7', '192.168.7.5'] }

  test('is the names of the site when the CA is made, and every private name and address', async (t) => {
    const dataDir = await newDirectory(t)
    await identityOf(t, { dataDir }, { machine: () => PUBLIC_ADDRESSES, hostNames: () => ['sos.example.org'] })
    const cert = await readTls(dataDir, 'ca.crt')
    const constraints = constraintsOf(new X509Certificate(cert))
    assert.deepEqual(constraints, {
      dns: ['localhost', 'local', 'home.arpa', 'internal', 'lan', 'sos.example.org', 'hut.example.org', 'hut'],
      networks: [
        ...['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16'],
        ...['::1/128', 'fc00::/7', '93.184.215.14/32', '2001:db8::7/128'],
      ],
    })

    // A thief of the key can sign for other names, but clients that know the CA refuse that.
    const thief = { cert, key: await readTls(dataDir, 'ca.key') }
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => server.close())
    const { port } = server.address() as AddressInfo
    for (const [name, isTrusted] of [
      ['sos.example.org', true],
      ['cabin.lan', true],
      ['10.200.0.9', true],
      ['fd12::1', true],
      ['bank.example', false],
      ['example.org', false],
      ['93.184.215.15', false],
      ['2001:db8::8', false],
    ] as const) {
      server.setSecureContext(await issueServer(thief, ['localhost', name], NOW))
      const connecting = handshake(t, port, { ca: cert, servername: 'localhost' })
      if (isTrusted) assert.equal((await connecting).authorized, true, name)
      else await assert.rejects(connecting, /permitted subtree violation/, name)
    }
  })

  test('is reported when the site gets another name, while all others stay valid', async (t) => {
    const dataDir = await newDirectory(t)
    const before = await identityOf(t, { dataDir })
    const ca = await readTls(dataDir, 'ca.crt')
    const machine = () => ({ ...HUT, addresses: [...HUT.addresses, '10.9.8.7', '2001:db8::9'] })
    const { identity, lines } = await identityOf(t, { dataDir }, { machine, hostNames: () => ['sos.example.org'] })
    const [concern, ...others] = identity.info().concerns
    assert.deepEqual(others, [])
    assert.match(concern ?? '', /^the local CA may not sign for sos\.example\.org: .* remove .*tls and restart/)
    assert.deepEqual(
      lines.filter(({ level }) => level === 'warn').map(({ message }) => message),
      [concern],
    )
    assert.deepEqual(identity.info().names.toSorted(), [...before.identity.info().names, '10.9.8.7'].toSorted())
    const { port } = await serve(t, identity)
    assert.equal((await handshake(t, port, { ca, servername: 'hut.local' })).authorized, true)
  })

  test('is everything for a CA from before there were constraints', async (t) => {
    const dataDir = await newDirectory(t)
    await mkdir(join(dataDir, 'tls'))
    const { cert, key } = await newAuthority()
    await writeFile(join(dataDir, 'tls', 'ca.crt'), cert)
    await writeFile(join(dataDir, 'tls', 'ca.key'), key)
    const { identity } = await identityOf(t, { dataDir }, { hostNames: () => ['sos.example.org'] })
    assert.ok(identity.info().names.includes('sos.example.org'))
    assert.deepEqual(identity.info().concerns, [])
  })
})

suite('an unusable directory', () => {
  test('is named at the start', async (t) => {
    const dataDir = await newDirectory(t)
    await writeFile(join(dataDir, 'tls'), '')
    await assert.rejects(
      identityOf(t, { dataDir }),
      /the certificate is unavailable: .*tls could not be made \(EEXIST\)/,
    )
  })

  test('costs a running service nothing but a line a day', async (t) => {
    const dataDir = await newDirectory(t)
    let machine = HUT
    const { identity, lines, clock } = await identityOf(t, { dataDir }, { machine: () => machine })
    const before = identity.info()
    await rename(join(dataDir, 'tls'), join(dataDir, 'away'))
    await mkdir(join(dataDir, 'tls'))
    await writeFile(join(dataDir, 'tls', 'ca.crt'), 'nothing')
    machine = { ...HUT, addresses: ['10.9.8.7'] }
    lines.length = 0
    for (let minute = 0; minute < 5; minute++) {
      clock.passes(MINUTE)
      await identity.reload()
    }
    assert.deepEqual(identity.info(), before)
    assert.match(lines.map(({ message }) => message).join('\n'), /^.*ca\.crt contains no certificate.*stays in use$/)
    clock.passes(DAY)
    await until('it is told again', () => lines.length === 2)
  })
})

test('a disk that cannot be written does not cost the existing certificate', async (t) => {
  const short = await newDirectory(t)
  const { identity } = await identityOf(t, { dataDir: short })
  // A path just too long for another file beside it: nothing else stops root.
  const dataDir = join(short, ...Array.from({ length: 40 }, () => 'x'.repeat(100)), 'y').slice(0, 4_060)
  await mkdir(dataDir, { recursive: true })
  await rename(join(short, 'tls'), join(dataDir, 'tls'))
  const { identity: later, lines } = await identityOf(t, { dataDir }, { hostNames: () => ['new.local'] })
  assert.equal(later.info().fingerprint, identity.info().fingerprint)
  assert.equal(
    lines[0]?.message.replaceAll(dataDir, ''),
    '/tls/server.pem could not be renewed (it does not cover new.local): /tls/server.pem could not be written (ENAMETOOLONG)',
  )
  assert.deepEqual(later.info().concerns, [lines[0]?.message])
})

test('after close the files are no longer checked', async (t) => {
  const dataDir = await newDirectory(t)
  const { identity, clock } = await identityOf(t, { dataDir })
  assert.equal(clock.timers, 1)
  await Promise.all([identity.reload(), identity.close()])
  assert.equal(clock.timers, 0)
  await rm(join(dataDir, 'tls'), { recursive: true })
  clock.set(NOW + 300 * DAY)
  await identity.reload()
  assert.deepEqual(await readdir(dataDir), [])
})
