import type { TrackerSession } from '../../core/account/session.ts'
import { secretHash } from '../../core/operator/secret.ts'
import type { FieldDevice, FieldStore } from '../../ports/field-store.ts'

/** The maximum length of a token. Tokens are only hashed. */
const MAX_TOKEN = 200
/** Hashes to no tracker's token. */
const NOBODY = ''

const hashOf = (token: string | null): string => secretHash(token === null || token.length > MAX_TOKEN ? NOBODY : token)

/**
 * The tracker that authenticates with this token, or null: unknown and revoked tokens, and those of disabled users and
 * applications, look the same and cost the same. Rejects with a StoreError.
 */
export const trackerOf =
  ({ store }: { readonly store: Pick<FieldStore, 'deviceByToken'> }) =>
  (token: string | null): Promise<FieldDevice | null> =>
    store.deviceByToken(hashOf(token))

/** `trackerOf` for an MQTT CONNECT. */
export const identifyTracker =
  ({ store }: { readonly store: Pick<FieldStore, 'deviceByToken'> }) =>
  async (token: string): Promise<TrackerSession | null> => {
    const tokenHash = hashOf(token)
    const device = await store.deviceByToken(tokenHash)
    if (device === null) return null
    const { appId, userId, deviceId } = device
    return { appId, userId, tracker: { deviceId, tokenHash } }
  }
