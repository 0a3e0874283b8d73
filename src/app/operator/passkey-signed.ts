import type { Operator, OperatorCredentials } from '../../core/operator/operator.ts'
import type { PasskeySignature } from '../../core/operator/operator-schema.ts'
import { challengeMoment, type NoPasskeys, type PasskeyProof, passkeyPlace } from '../../core/operator/passkey.ts'
import type { Clock } from '../../ports/clock.ts'
import type { PasskeyChecks } from '../../ports/passkey-checks.ts'
import type { PasskeyStore } from '../../ports/passkey-store.ts'

export type PasskeyNeeds = {
  readonly store: Pick<PasskeyStore, 'passkey'>
  readonly checks: PasskeyChecks
  readonly clock: Pick<Clock, 'now'>
  /** As in `Addresses`: empty if there is none. */
  readonly publicUrl: () => string
  /** With which all nodes of the site sign challenges; null: this node does not have it. */
  readonly challengeKey: () => Promise<Uint8Array | null>
}

/** The host that passkeys belong to and the key that signs challenges, or why there are none. */
export async function passkeysHere({ publicUrl, challengeKey }: Pick<PasskeyNeeds, 'publicUrl' | 'challengeKey'>) {
  const place = passkeyPlace(publicUrl())
  if ('refused' in place) return { why: place.refused }
  const key = await challengeKey()
  return key === null ? { why: 'no_key' as const } : { ...place, key }
}

export type WhyNoPasskeys = NoPasskeys | 'no_key'

type Known = Operator & OperatorCredentials
export type PasskeySigned = { readonly operator: Known; readonly proof: PasskeyProof }

const ID = /^[A-Za-z0-9_-]+$/

/** The operator of the passkey, whoever signed. Impossible ids never reach the store: PostgreSQL rejects a NUL. */
export const ownerOf = async (store: PasskeyNeeds['store'], { id }: Pick<PasskeySignature, 'id'>) =>
  ID.test(id) ? store.passkey(id) : null

/**
 * The proof in the signature of a passkey, which the store must find unused; null if it proves nothing. Rejects only
 * with a StoreError.
 */
export function passkeySigned(needs: PasskeyNeeds) {
  return async (given: PasskeySignature): Promise<PasskeySigned | null> => {
    const found = await ownerOf(needs.store, given)
    const here = await passkeysHere(needs)
    if (found === null || 'why' in here) return null
    const { passkey, operator } = found
    const asked = challengeIn(given.clientDataJSON)
    const challengedAt = challengeMoment(here.key, 'sign-in', asked ?? '', needs.clock.now())
    if (asked === null || challengedAt === null) return null
    const { origin, host } = here
    const signed = await needs.checks.signed(given, passkey, { challenge: asked, origin, host })
    return signed && { operator, proof: { passkeyId: passkey.id, ...signed, challengedAt } }
  }
}

/** The challenge that a browser says it has signed. */
export function challengeIn(clientDataJSON: string): string | null {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8'))
    return typeof challenge === 'string' ? challenge : null
  } catch {
    return null
  }
}
