import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { suite, test } from 'node:test'
import { verifyRegistrationResponse } from '@simplewebauthn/server'
import { isoCBOR } from '@simplewebauthn/server/helpers'
import { webAuthn } from '../../../../src/adapters/platform/passkeys/web-authn.ts'
import { x509 } from '../../../../src/adapters/platform/tls/x509.ts'
import type { Passkey } from '../../../../src/core/operator/passkey.ts'

// ADR 0082: no attestation that carries certificates reaches the library's checks of them.

const PLACE = { challenge: 'Y2hhbGxlbmdl', origin: 'https://sos.example.org', host: 'sos.example.org' }
const ID = Buffer.from('an id of a passkey')
const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

const sha256 = (bytes: string | Uint8Array): Buffer => createHash('sha256').update(bytes).digest()
const encoded = (value: Map<unknown, unknown>): Buffer => Buffer.from(isoCBOR.encode(value as never))

/** A security key of a maker who signs what it makes. */
function authenticator() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const cose = new Map<number, unknown>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
    [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
  ])
  const clientData = Buffer.from(
    JSON.stringify({ type: 'webauthn.create', challenge: PLACE.challenge, origin: PLACE.origin }),
  )
  // Present, verified, with a key; a counter of 0; no model; the length of the id.
  const authData = Buffer.concat([
    ...[sha256(PLACE.host), Buffer.from([0x45, 0, 0, 0, 0]), Buffer.alloc(16), Buffer.from([0, ID.length]), ID],
    encoded(cose),
  ])
  const signature = sign('sha256', Buffer.concat([authData, sha256(clientData)]), privateKey)
  const packed = new Map<string, unknown>([
    ['alg', -7],
    ['sig', new Uint8Array(signature)],
  ])
  const publicKeyOf = encoded(cose).toString('base64url')
  return {
    packed,
    passkey: { id: ID.toString('base64url'), publicKey: publicKeyOf } as Passkey,
    /** A signature at a sign-in. `flags`: present 1, verified 4. */
    signs({ type = 'webauthn.get', challenge = PLACE.challenge, origin = PLACE.origin, host = PLACE.host, flags = 5 }) {
      const client = Buffer.from(JSON.stringify({ type, challenge, origin }))
      const data = Buffer.concat([sha256(host), Buffer.from([flags, 0, 0, 0, 7])])
      return {
        ...{ id: ID.toString('base64url'), clientDataJSON: client.toString('base64url') },
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', Buffer.concat([data, sha256(client)]), privateKey).toString('base64url'),
      }
    },
    async certificate(): Promise<Uint8Array> {
      const key = await crypto.subtle.importKey(
        'pkcs8',
        privateKey.export({ type: 'pkcs8', format: 'der' }),
        P256,
        true,
        ['sign'],
      )
      const spki = publicKey.export({ type: 'spki', format: 'der' })
      const made = await x509.X509CertificateGenerator.createSelfSigned({
        serialNumber: '01',
        name: 'C=AT, O=Maker, OU=Authenticator Attestation, CN=Key',
        notBefore: new Date(Date.now() - 1_000_000),
        notAfter: new Date(Date.now() + 1_000_000),
        signingAlgorithm: P256,
        keys: { privateKey: key, publicKey: await crypto.subtle.importKey('spki', spki, P256, true, ['verify']) },
        extensions: [new x509.BasicConstraintsExtension(false, undefined, true)],
      })
      return new Uint8Array(made.rawData)
    },
    made: (fmt: string, attStmt: Map<string, unknown>) => ({
      ...{ name: 'Key', id: ID.toString('base64url'), transports: [] },
      clientDataJSON: clientData.toString('base64url'),
      attestationObject: encoded(
        new Map<string, unknown>([
          ['fmt', fmt],
          ['attStmt', attStmt],
          ['authData', new Uint8Array(authData)],
        ]),
      ).toString('base64url'),
    }),
  }
}

suite('what a browser answers for a new passkey', () => {
  const { packed, made, certificate } = authenticator()

  test('without a certificate it is one, signed by itself or not at all', async () => {
    for (const given of [made('none', new Map()), made('packed', packed)]) {
      const added = await webAuthn.added(given, PLACE)
      assert.deepEqual([added?.id, added?.counter, added?.synced], [given.id, 0, false])
      assert.equal(await webAuthn.added(given, { ...PLACE, origin: 'https://evil.example' }), null)
    }
  })

  test('with certificates it is refused, although the library would take it', async () => {
    const given = made('packed', new Map([...packed, ['x5c', [await certificate()]]]))
    const { id, clientDataJSON, attestationObject } = given
    const { verified } = await verifyRegistrationResponse({
      response: {
        ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
        response: { clientDataJSON, attestationObject },
      },
      ...{ expectedChallenge: PLACE.challenge, expectedOrigin: PLACE.origin, expectedRPID: PLACE.host },
    })
    assert.equal(verified, true, 'the control: nothing else is wrong with it')
    assert.equal(await webAuthn.added(given, PLACE), null)
  })

  test('other formats, which carry certificates, and what is no attestation are refused', async () => {
    const formats = ['fido-u2f', 'apple', 'tpm', 'android-key', 'android-safetynet', 'compound', '']
    const others = formats.map((format) => made(format, new Map()))
    for (const given of [...others, { ...made('none', new Map()), attestationObject: 'bm8' }])
      assert.equal(await webAuthn.added(given, PLACE), null)
  })
})

test('a sign-in counts for its challenge, origin and host, by the passkey itself, with the user present and verified', async () => {
  const [own, other] = [authenticator(), authenticator()]
  assert.deepEqual(await webAuthn.signed(own.signs({}), own.passkey, PLACE), { counter: 7, synced: false })
  const wrong = {
    'another passkey': other.signs({}),
    'another challenge': own.signs({ challenge: 'YW5vdGhlcg' }),
    'another origin': own.signs({ origin: 'https://sos.example.org.evil.example' }),
    'another port': own.signs({ origin: `${PLACE.origin}:8443` }),
    'another host': own.signs({ host: 'example.org' }),
    'nobody verified': own.signs({ flags: 1 }),
    'nobody present': own.signs({ flags: 4 }),
    'a new passkey instead': own.signs({ type: 'webauthn.create' }),
    'no signature': { ...own.signs({}), signature: '' },
    'other data': { ...own.signs({}), authenticatorData: own.signs({ host: 'x' }).authenticatorData },
  }
  for (const [what, given] of Object.entries(wrong)) {
    assert.equal(await webAuthn.signed(given, own.passkey, PLACE), null, what)
  }
})
