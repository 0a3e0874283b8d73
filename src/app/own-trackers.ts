import { secretHash } from '../core/operator/secret.ts'
import type { FieldDevice, FieldStore } from '../ports/field-store.ts'

/** No token is longer. Hashing is all that is done to one. */
const MAX_TOKEN = 200
/** Has no tracker. */
const NOBODY = ''

/**
 * The tracker that proves itself with this token, or null: an unknown one, one that was taken back, and those of
 * disabled users and applications look the same and cost the same. Rejects with a StoreError.
 */
export const trackerOf =
  ({ store }: { readonly store: Pick<FieldStore, 'deviceByToken'> }) =>
  (token: string | null): Promise<FieldDevice | null> =>
    store.deviceByToken(secretHash(token === null || token.length > MAX_TOKEN ? NOBODY : token))
