import { type Credentials, isExternalUserId, parseMqttUsername } from '../../core/account/mqtt-username.ts'
import type { Session } from '../../core/account/session.ts'
import { matchingSecret } from '../../core/account/user-hash.ts'
import { isUuid } from '../../core/ingest/topic.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { AccountStore, AdmissionStore } from '../../ports/store.ts'

type LoginNeeds = {
  readonly store: Pick<AdmissionStore, 'admittingApplication'> & Pick<AccountStore, 'userByExternalId' | 'ensureUser'>
  readonly clock: Clock
  readonly ids: Ids
}

/** Matches no application, and no user is ever stored under it. */
const NOBODY = '00000000-0000-0000-0000-000000000000'
const NO_SECRETS = [{ id: 0, secret: 'no application has this secret' }]

/**
 * Verifies the user hash and returns the session, or null: unknown application, wrong hash of any length, disabled user
 * and disabled application look the same and cost the same work (access.md#login). The first valid hash creates the
 * user. Rejects only with a StoreError.
 *
 * Same work means that every request reads one existing application with its secrets, looks for one that does not
 * exist, and looks for one user. If the requested application does not exist, the last requested one that does is read
 * and its secrets are compared instead. With a wrong hash the user look-up finds nothing by design, so that nobody can
 * learn which users exist.
 */
export const identify = ({ store, clock, ids }: LoginNeeds) => {
  let lastKnown = NOBODY
  return async ({ appId, externalUserId, userHash }: Credentials): Promise<Session | null> => {
    const asked = await store.admittingApplication(isUuid(appId) ? appId.toLowerCase() : NOBODY)
    const other = await store.admittingApplication(asked === null ? lastKnown : NOBODY)
    if (asked !== null) lastKnown = asked.application.id
    const secret = matchingSecret((asked ?? other)?.secrets ?? NO_SECRETS, externalUserId, userHash)
    const admitting = secret === null ? null : asked
    const user = await store.userByExternalId(admitting?.application.id ?? NOBODY, externalUserId)
    if (admitting === null || admitting.application.disabled || secret === null) return null
    if (!isExternalUserId(externalUserId) || user?.disabled === true) return null
    const application = admitting.application
    const { id: userId } =
      user ?? (await store.ensureUser({ appId: application.id, externalUserId, id: ids.uuid(), now: clock.now() }))
    return { appId: application.id, userId, externalUserId, legacy: application.legacy, secretId: secret.id }
  }
}

/** `identify` for the CONNECT fields of MQTT. A malformed user name takes the same path and is refused at its end. */
export const identifyMqtt = (needs: LoginNeeds) => {
  const admit = identify(needs)
  return (username: string, password: string): Promise<Session | null> =>
    admit({ ...(parseMqttUsername(username) ?? { appId: '', externalUserId: '' }), userHash: password })
}
