import { type Credentials, isExternalUserId, parseMqttUsername } from '../core/account/mqtt-username.ts'
import type { Session } from '../core/account/session.ts'
import { matchingSecret } from '../core/account/user-hash.ts'
import { isUuid } from '../core/ingest/topic.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { AccountStore, AdmissionStore } from '../ports/store.ts'

type Parts = {
  readonly store: Pick<AdmissionStore, 'admittingApplication'> & Pick<AccountStore, 'userByExternalId' | 'ensureUser'>
  readonly clock: Clock
  readonly ids: Ids
}

/** No application has this id, and no user is looked for under it in vain. */
const NOBODY = '00000000-0000-0000-0000-000000000000'
const NO_SECRETS = [{ id: 0, secret: 'no application has this secret' }]

/**
 * Verifies the user hash and gives the session, or null: unknown application, wrong hash of any length, disabled user
 * and disabled application look the same and cost the same work (rules.md#login). A user is made on the first valid
 * hash. Rejects only with a StoreError.
 *
 * The same work means: whoever asks, one application that exists is read with its secrets, one that does not is
 * looked for, and one user is. In place of an application that does not exist the one that somebody asked for last is
 * read, and so are its secrets tried. With a wrong hash the user is looked for where there is none, so that nobody
 * learns who is known.
 */
export const identify = ({ store, clock, ids }: Parts) => {
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

/**
 * `identify` for the CONNECT fields of MQTT. A user name of another form goes the same way and is refused at its end.
 */
export const identifyMqtt = (parts: Parts) => {
  const admit = identify(parts)
  return (username: string, password: string): Promise<Session | null> =>
    admit({ ...(parseMqttUsername(username) ?? { appId: '', externalUserId: '' }), userHash: password })
}
