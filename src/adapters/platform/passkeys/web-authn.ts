import type { PasskeyChecks } from '../../../ports/passkey-checks.ts'

/** Ed25519, P-256, RSA: what authenticators in use offer (COSE). The console names the same. */
const ALGORITHMS = [-8, -7, -257]

/**
 * Passkeys by `@simplewebauthn/server`, loaded at the first use. Attestations with certificates are refused unread: the
 * library would fetch revocation lists from addresses that a stranger's certificate names.
 */
export const webAuthn: PasskeyChecks = {
  async added({ id, clientDataJSON, attestationObject }, { challenge, origin, host }) {
    const [{ verifyRegistrationResponse }, { decodeAttestationObject }] = await Promise.all([
      import('@simplewebauthn/server'),
      import('@simplewebauthn/server/helpers'),
    ])
    try {
      const attestation = decodeAttestationObject(bytesOf(attestationObject))
      const format = attestation.get('fmt')
      const isSelf = format === 'packed' && attestation.get('attStmt').get('x5c') === undefined
      if (format !== 'none' && !isSelf) return null
      const { verified, registrationInfo } = await verifyRegistrationResponse({
        response: {
          ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
          response: { clientDataJSON, attestationObject },
        },
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: host,
        requireUserVerification: true,
        supportedAlgorithmIDs: ALGORITHMS,
      })
      if (!verified || registrationInfo === undefined) return null
      const { credential, credentialBackedUp: synced } = registrationInfo
      const publicKey = Buffer.from(credential.publicKey).toString('base64url')
      return { id: credential.id, publicKey, counter: credential.counter, synced }
    } catch {
      return null
    }
  },

  async signed({ id, clientDataJSON, authenticatorData, signature }, passkey, { challenge, origin, host }) {
    const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
    try {
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: {
          ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
          response: { clientDataJSON, authenticatorData, signature },
        },
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: host,
        // The store compares the counter, with the newest one: another node may have seen a use meanwhile.
        credential: { id: passkey.id, publicKey: bytesOf(passkey.publicKey), counter: 0 },
        requireUserVerification: true,
      })
      if (!verified) return null
      return { counter: authenticationInfo.newCounter, synced: authenticationInfo.credentialBackedUp }
    } catch {
      return null
    }
  },
}

/** In memory of their own, as the library's types ask. */
const bytesOf = (base64url: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(base64url, 'base64url'))
