import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { listen } from '../../../../src/adapters/inbound/door/listen.ts'
import { Certificate } from '../../../../src/adapters/inbound/door/secure.ts'
import { issueServer } from '../../../../src/adapters/platform/tls/issue.ts'
import { LoopTurns } from '../../../../src/lib/loop-turns.ts'
import { fingerprintOf, NOW, newAuthority, ownPair } from '../../platform/tls/stand-in.ts'

const authority = await newAuthority()
const local = await ownPair(authority)
const [bought, renewed] = await Promise.all(
  ['first', 'second'].map(() => issueServer(authority, ['sos.example.org', '*.huts.example.org'], NOW)),
)

/** A listener that echoes, with both certificates. */
async function opened(t: TestContext) {
  const named = (options: typeof local) => ({ names: ['sos.example.org', '*.huts.example.org'], options })
  const certificate = new Certificate(local, named(bought!))
  const door = await listen(
    { host: '127.0.0.1', port: 0 },
    {
      loop: new LoopTurns(),
      tls: { certificate, handshakeMs: 5_000 },
      meet: () => (stream) => void stream.on('error', () => {}).pipe(stream),
    },
  )
  const sockets: TLSSocket[] = []
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    await door.close()
  })
  return {
    renew: () => certificate.replace(local, named(renewed!)),
    async connected(options: ConnectionOptions): Promise<TLSSocket> {
      const socket = connect({ host: '127.0.0.1', port: door.port, rejectUnauthorized: false, ...options })
      sockets.push(socket)
      await once(socket, 'secureConnect')
      return socket.on('error', () => {})
    },
  }
}

const fingerprint = (socket: TLSSocket): string => socket.getPeerCertificate().fingerprint256

async function echoed(socket: TLSSocket): Promise<void> {
  socket.write('still here')
  const [bytes] = await once(socket, 'data')
  assert.equal(String(bytes), 'still here')
}

test('a client that asks for a name gets its certificate, every other one the local', async (t) => {
  const { connected } = await opened(t)
  const [ofName, ofLocal] = [bought!, local].map(({ cert }) => fingerprintOf(cert))
  const cases: readonly [string | undefined, string | undefined][] = [
    ['sos.example.org', ofName],
    ['SOS.Example.ORG', ofName],
    ['north.huts.example.org', ofName],
    ['huts.example.org', ofLocal],
    ['a.north.huts.example.org', ofLocal],
    ['sos.example.org.evil.example', ofLocal],
    ['localhost', ofLocal],
    [undefined, ofLocal],
  ]
  for (const [servername, expected] of cases) {
    const socket = await connected(servername === undefined ? {} : { servername })
    assert.equal(fingerprint(socket), expected, servername ?? 'no name')
  }
})

for (const protocols of [['http/1.1'], ['h2'], ['mqtt'], ['acme-tls/1'], []]) {
  const offer = { ...(protocols.length > 0 && { ALPNProtocols: protocols }), servername: 'sos.example.org' }
  test(`a client that offers ${protocols[0] ?? 'no protocol'} connects before and after a renewal, and stays`, async (t) => {
    const { connected, renew } = await opened(t)
    const before = await connected(offer)
    renew()
    const after = await connected(offer)
    assert.equal(fingerprint(before), fingerprintOf(bought!.cert))
    assert.equal(fingerprint(after), fingerprintOf(renewed!.cert))
    assert.equal(after.alpnProtocol, false)
    await echoed(before)
    await echoed(after)
  })
}

test('a certificate of no use leaves both in place', () => {
  const certificate = new Certificate(local, { names: ['sos.example.org'], options: bought! })
  const kept = [certificate.context, certificate.contextFor('sos.example.org')]
  assert.throws(() => certificate.replace(renewed!, { names: ['x'], options: { cert: 'rubbish', key: 'rubbish' } }))
  assert.deepEqual([certificate.context, certificate.contextFor('sos.example.org')], kept)
  assert.notEqual(kept[0], kept[1])
})
