import { randomBytes } from 'node:crypto'
import { ownTokenKey } from '../adapters/platform/token/user-tokens.ts'
import type { PasskeySigned } from '../app/operator/passkey-signed.ts'
import type { operatorPasskeys } from '../app/operator/passkeys.ts'
import type { SignInPaces } from '../app/operator/sign-in-paces.ts'
import type { PasskeySignature } from '../core/operator/operator-schema.ts'
import { onDemand } from '../lib/on-demand.ts'
import type { OperatorMail } from '../ports/operator-mail.ts'
import type { Basis } from './storage.ts'

const KEY_BYTES = 32

type PasskeyWiring = {
  readonly dataDir: string
  readonly publicUrl: () => string
  readonly networkOf: (address: string) => string
  readonly monotonicMs: () => number
  readonly paces: SignInPaces
  readonly mail: OperatorMail
}

/** Passkeys of operators. Their code, and WebAuthn's, is loaded when somebody first uses one. */
export function preparePasskeys(
  { store, clock, ids, log, keys }: Pick<Basis, 'store' | 'clock' | 'ids' | 'log' | 'keys'>,
  { dataDir, ...given }: PasskeyWiring,
) {
  /** Of one process alone where it is the only node: a restart ends the challenges that wait for an answer. */
  let known: Uint8Array | null = keys === null ? randomBytes(KEY_BYTES) : null
  const challengeKey = async (): Promise<Uint8Array | null> => {
    known ??= (await keys?.sharedKey('user-token', () => ownTokenKey(dataDir))) ?? null
    return known
  }

  const loaded = onDemand(async () => {
    const [{ operatorPasskeys: passkeysOf }, { passkeySigned: signedOf }, { webAuthn }] = await Promise.all([
      import('../app/operator/passkeys.ts'),
      import('../app/operator/passkey-signed.ts'),
      import('../adapters/platform/passkeys/web-authn.ts'),
    ])
    const needs = { ...{ store, clock, ids, log, challengeKey, checks: webAuthn }, ...given }
    return { passkeys: passkeysOf(needs), signed: signedOf(needs) }
  })
  return {
    passkeys: async (): Promise<ReturnType<typeof operatorPasskeys>> => (await loaded()).passkeys,
    passkeySigned: async (signature: PasskeySignature): Promise<PasskeySigned | null> =>
      (await loaded()).signed(signature),
  }
}
