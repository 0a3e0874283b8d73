import assert from 'node:assert/strict'
import { chmod, mkdir, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { DAY, SECOND } from '../../../../src/lib/durations.ts'
import { until } from '../../../harness/wait.ts'
import {
  echoed,
  fingerprintOf,
  HandClock,
  handshake,
  identityOf,
  type Line,
  NOW,
  newAuthority,
  newDirectory,
  ownPair,
  serve,
  writePair,
} from './stand-in.ts'

const authority = await newAuthority()
const [first, second] = [await ownPair(authority), await ownPair(authority)]
const messages = (lines: readonly Line[]): string[] => lines.map(({ message }) => message)

suite('the operator’s certificate', () => {
  test('is the one that clients see', async (t) => {
    const { identity, lines } = await identityOf(t, await writePair(await newDirectory(t), first))
    const { port } = await serve(t, identity)
    const socket = await handshake(t, port, { ca: authority.cert })
    assert.equal(socket.getPeerCertificate().fingerprint256, fingerprintOf(first.cert))
    assert.deepEqual(lines, [])
    const { source, ca, names, fingerprint } = identity.info()
    assert.deepEqual({ source, ca, names }, { source: 'operator', ca: null, names: ['localhost', '127.0.0.1'] })
    assert.equal(fingerprint, fingerprintOf(first.cert))
  })

  const changes: readonly [
    string,
    (directory: string, files: { certFile: string; keyFile: string }) => Promise<void>,
  ][] = [
    [
      'files written in place',
      async (directory) => {
        await writePair(directory, second)
      },
    ],
    [
      'files renamed over',
      async (directory, { certFile, keyFile }) => {
        const aside = join(directory, 'new')
        await mkdir(aside)
        const fresh = await writePair(aside, second)
        await rename(fresh.certFile, certFile)
        await rename(fresh.keyFile, keyFile)
      },
    ],
    [
      'links repointed',
      async (directory, { certFile, keyFile }) => {
        const aside = join(directory, 'new')
        await mkdir(aside)
        const fresh = await writePair(aside, second)
        for (const [target, path] of [
          [fresh.certFile, certFile],
          [fresh.keyFile, keyFile],
        ] as const) {
          await symlink(target, `${path}.link`)
          await rename(`${path}.link`, path)
        }
      },
    ],
  ]
  for (const [title, change] of changes) {
    test(`is replaced when it changes, and open connections stay: ${title}`, async (t) => {
      const directory = await newDirectory(t)
      const files = await writePair(directory, first)
      const { identity, lines, clock } = await identityOf(t, files)
      const { port } = await serve(t, identity)
      const open = await handshake(t, port, { ca: authority.cert })

      await change(directory, files)
      clock.passes(2 * SECOND)
      await until('it is reloaded', () => messages(lines).includes('certificate reloaded'))
      const later = await handshake(t, port, { ca: authority.cert })
      assert.equal(later.getPeerCertificate().fingerprint256, fingerprintOf(second.cert))
      assert.equal(await echoed(open, 'still here'), 'still here')
    })
  }

  test('is replaced immediately on reload, and automatically later', async (t) => {
    const directory = await newDirectory(t)
    const { identity, clock } = await identityOf(t, await writePair(directory, first))
    await writePair(directory, second)
    await identity.reload()
    assert.equal(identity.info().fingerprint, fingerprintOf(second.cert))
    await writePair(directory, first)
    clock.passes(2 * SECOND)
    await until('it is back', () => identity.info().fingerprint === fingerprintOf(first.cert))
  })

  test('a listener that throws does not keep others from the new one', async (t) => {
    const directory = await newDirectory(t)
    const { identity, lines } = await identityOf(t, await writePair(directory, first))
    const told: unknown[] = []
    identity.onChange(() => {
      throw new Error('broken')
    })
    identity.onChange(({ cert }) => told.push(cert))
    await writePair(directory, second)
    await identity.reload()
    assert.deepEqual(told, [second.cert])
    assert.equal(
      lines.some(({ level }) => level === 'error'),
      true,
    )
  })
})

suite('half-written files', () => {
  test('leave the previous pair in use, are reported once, and are loaded when complete', async (t) => {
    const directory = await newDirectory(t)
    const files = await writePair(directory, first)
    const { identity, lines, clock } = await identityOf(t, files)
    const steps: readonly [string, () => Promise<unknown>, RegExp][] = [
      ['empty', () => writeFile(files.certFile, ''), /contains no certificate/],
      ['half', () => writeFile(files.certFile, second.cert.slice(0, 200)), /contains no certificate/],
      ['the old key', () => writeFile(files.certFile, second.cert), /does not match the certificate/],
      ['no key', () => unlink(files.keyFile), /tls\.key \(.*own\.key\) could not be read: file not found/],
    ]
    for (const [title, step, sentence] of steps) {
      await step()
      for (let look = 0; look < 3; look++) {
        clock.passes(2 * SECOND)
        await identity.reload()
      }
      assert.match(messages(lines).at(-1) ?? '', sentence, title)
      assert.match(messages(lines).at(-1) ?? '', /; the previous certificate stays in use$/)
      assert.equal(identity.info().fingerprint, fingerprintOf(first.cert))
      assert.equal(identity.secureContextOptions.key, first.key)
    }
    // Empty and half-written files read the same.
    assert.equal(lines.length, 3)
    await writeFile(files.keyFile, second.key, { mode: 0o600 })
    await identity.reload()
    assert.equal(identity.info().fingerprint, fingerprintOf(second.cert))
    assert.deepEqual(messages(lines).slice(3), ['certificate reloaded'])
  })
})

suite('unusable files stop the start with a sentence', () => {
  const cases: readonly [string, (files: { certFile: string; keyFile: string }) => Promise<unknown>, RegExp][] = [
    ['no certificate', ({ certFile }) => rm(certFile), /^tls\.cert \(.*own\.crt\) could not be read: file not found$/],
    [
      'a directory',
      ({ keyFile }) => rm(keyFile).then(() => mkdir(keyFile)),
      /^tls\.key \(.*\) could not be read: it is a directory$/,
    ],
    [
      'another key',
      ({ keyFile }) => writeFile(keyFile, second.key),
      /^tls\.key \(.*\) does not match the certificate in tls\.cert \(.*\)$/,
    ],
  ]
  for (const [title, spoil, message] of cases) {
    test(title, async (t) => {
      const files = await writePair(await newDirectory(t), first)
      await spoil(files)
      await assert.rejects(identityOf(t, files), { message })
    })
  }

  test('a file of another user', async (t) => {
    if (process.getuid?.() === 0) return t.skip('root may read everything')
    const files = await writePair(await newDirectory(t), first)
    await chmod(files.keyFile, 0)
    await assert.rejects(identityOf(t, files), {
      message: /^tls\.key \(.*\) could not be read: the user .* has no permission to read it$/,
    })
  })
})

suite('files that are usable with a warning', () => {
  test('an expired certificate: a warning, and the handshake succeeds', async (t) => {
    const files = await writePair(await newDirectory(t), first)
    const { identity, lines, clock } = await identityOf(t, files, { clock: new HandClock(NOW + 400 * DAY) })
    assert.match(messages(lines).join(), /^the certificate .*own\.crt expired on .*, and clients reject it: replace it/)
    assert.equal(lines[0]?.level, 'warn')
    assert.equal(identity.info().state, 'expired')
    assert.deepEqual(identity.info().concerns, messages(lines))
    const { port } = await serve(t, identity)
    await handshake(t, port, { ca: authority.cert })

    clock.passes(DAY)
    await until('it is told again the next day', () => lines.length === 2)
  })

  test('a world-readable key: a warning', async (t) => {
    const files = await writePair(await newDirectory(t), first)
    await chmod(files.keyFile, 0o644)
    const { lines } = await identityOf(t, files)
    assert.match(
      messages(lines).join(),
      /^tls\.key \(.*\) can be read by every user of this machine; fix that with chmod o=/,
    )
  })
})
