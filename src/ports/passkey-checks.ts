import type { GivenPasskey, PasskeySignature } from '../core/operator/operator-schema.ts'
import type { Passkey } from '../core/operator/passkey.ts'

/** The signed data that is expected: this challenge, on a page of this origin, for this host. */
type PasskeyExpected = { readonly challenge: string; readonly origin: string; readonly host: string }

/** WebAuthn. Both require that the authenticator has verified its user. They never reject. */
export type PasskeyChecks = {
  /** The new passkey that a browser made; null: it does not match the challenge. */
  added(
    given: GivenPasskey,
    expected: PasskeyExpected,
  ): Promise<Pick<Passkey, 'id' | 'publicKey' | 'counter' | 'synced'> | null>
  /** Null: this passkey has not signed that. The counter is as signed, and may be an old one. */
  signed(
    given: PasskeySignature,
    passkey: Passkey,
    expected: PasskeyExpected,
  ): Promise<Pick<Passkey, 'counter' | 'synced'> | null>
}
