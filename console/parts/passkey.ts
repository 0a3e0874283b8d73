import type { ApiError, call } from '../api/client.ts'
import type { NewPasskeyChallenge, PasskeyChallenge } from '../api/types.ts'
import { base64urlOf, bytesOf } from '../logic/base64url.ts'
import type { Language } from '../state/language.ts'
import type { enter } from '../state/session.ts'
import { passkeyWords } from '../texts/passkeys.ts'
import type { problemOf } from './task.ts'

// The browser's side of passkeys, by `navigator.credentials` as it is, without a library. Loaded when somebody uses one
// (`passkey-on-demand.ts`): shared parts are handed in, so that the board does not split into more files.

type Needs = {
  readonly call: typeof call
  readonly enter: typeof enter
  readonly problemOf: typeof problemOf
  readonly language: () => Language
}

/** The console is open at another address than that of the site: the browser would say no more than no. */
class ElsewhereError extends Error {}

const cancelled = (): DOMException => new DOMException('', 'NotAllowedError')

function here<C extends PasskeyChallenge>(challenge: C): C {
  if (challenge.origin !== location.origin) throw new ElsewhereError(challenge.origin)
  return challenge
}

export function passkeysOf({ call, enter, problemOf, language }: Needs) {
  /** Asks the device for a signature. */
  async function signature() {
    const asked = await call<PasskeyChallenge>('POST', '/session/passkey/challenge', undefined, { signsIn: true })
    const { challenge, host: rpId, timeoutMs: timeout } = here(asked)
    const made = (await navigator.credentials.get({
      publicKey: { challenge: bytesOf(challenge), rpId, timeout, userVerification: 'required' },
    })) as PublicKeyCredential | null
    if (made === null) throw cancelled()
    const response = made.response as AuthenticatorAssertionResponse
    return {
      id: made.id,
      clientDataJSON: base64urlOf(response.clientDataJSON),
      authenticatorData: base64urlOf(response.authenticatorData),
      signature: base64urlOf(response.signature),
    }
  }

  return {
    /** `as`: the login whose session has ended; empty: anybody. */
    signIn: async (as: string): Promise<void> => enter('/session/passkey', await signature(), as),

    prove: async (): Promise<void> => call('POST', '/session/proof', { passkey: await signature() }),

    /** Makes a passkey on this device. */
    async add(name: string): Promise<void> {
      const asked = here(await call<NewPasskeyChallenge>('POST', '/passkeys/challenge'))
      const { challenge, host, timeoutMs: timeout, user, exclude } = asked
      const made = (await navigator.credentials.create({
        publicKey: {
          challenge: bytesOf(challenge),
          rp: { id: host, name: host },
          user: { ...user, id: bytesOf(user.id) },
          // Ed25519, P-256, RSA: those that the service checks.
          pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
          timeout,
          attestation: 'none',
          excludeCredentials: exclude.map(({ id, transports }) => ({
            type: 'public-key',
            id: bytesOf(id),
            transports: [...transports] as AuthenticatorTransport[],
          })),
          authenticatorSelection: {
            residentKey: 'required',
            requireResidentKey: true,
            userVerification: 'required',
          },
        },
      })) as PublicKeyCredential | null
      if (made === null) throw cancelled()
      const response = made.response as AuthenticatorAttestationResponse
      await call('POST', '/passkeys', {
        name,
        id: made.id,
        clientDataJSON: base64urlOf(response.clientDataJSON),
        attestationObject: base64urlOf(response.attestationObject),
        transports: response.getTransports?.() ?? [],
      })
    },

    /** The message about a failed attempt. */
    problemOf(error: unknown): string {
      const t = passkeyWords[language()]
      if (error instanceof Error && 'reason' in error) {
        const { reason, body } = error as ApiError
        if (reason === 'passkeys_unavailable') return t.why[String(body.why)] ?? problemOf(error)
        return t.reasons[reason] ?? problemOf(error)
      }
      if (error instanceof ElsewhereError) return t.otherAddress(error.message)
      const name = error instanceof DOMException ? error.name : ''
      if (name === 'InvalidStateError') return t.already
      if (name === 'ConstraintError') return t.noUser
      if (name === 'NotSupportedError' || name === 'SecurityError' || error instanceof TypeError) return t.notHere
      return name === 'NotAllowedError' || name === 'AbortError' ? t.cancelled : problemOf(error)
    },
  }
}
