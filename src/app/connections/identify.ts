import { appSecretHash, isCredential, USE_NOTED_MS } from '../../core/account/app-device.ts'
import type { Application } from '../../core/account/application.ts'
import { type Credentials, isExternalUserId, parseMqttUsername } from '../../core/account/mqtt-username.ts'
import type { Session } from '../../core/account/session.ts'
import { isOfSms } from '../../core/account/sms-user.ts'
import { matchingSecret } from '../../core/account/user-hash.ts'
import { isUuid } from '../../core/ingest/topic.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { AccountStore, AdmissionStore, AppDeviceLogin, EnrolmentStore } from '../../ports/store.ts'

type LoginNeeds = {
  readonly store: Pick<AdmissionStore, 'admittingApplication'> &
    Pick<AccountStore, 'userByExternalId' | 'ensureUser'> &
    Pick<EnrolmentStore, 'appDeviceLogin' | 'noteAppDeviceUsed'>
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
 *
 * In the place of the hash a device may send its own credential (access.md#credentials). It costs as many reads, with
 * the look for the user by the hash of the credential.
 */
export const identify = ({ store, clock, ids }: LoginNeeds) => {
  let lastKnown = NOBODY
  const noteUse = useNotes(store)
  return async ({ appId, externalUserId, userHash }: Credentials): Promise<Session | null> => {
    const asked = await store.admittingApplication(isUuid(appId) ? appId.toLowerCase() : NOBODY)
    const other = await store.admittingApplication(asked === null ? lastKnown : NOBODY)
    if (asked !== null) lastKnown = asked.application.id
    if (isCredential(userHash)) {
      const login = await store.appDeviceLogin(appSecretHash(userHash))
      const now = clock.now()
      if (asked === null || !isAdmitted(login, asked.application, externalUserId)) return null
      noteUse(login.device, now)
      const { id: appId, legacy } = asked.application
      return { appId, userId: login.user.id, externalUserId, legacy, secretId: null, appDeviceId: login.device.id }
    }
    const secret = matchingSecret((asked ?? other)?.secrets ?? NO_SECRETS, externalUserId, userHash)
    const admitting = secret === null ? null : asked
    const user = await store.userByExternalId(admitting?.application.id ?? NOBODY, externalUserId)
    if (admitting === null || admitting.application.disabled || secret === null) return null
    const application = admitting.application
    if (!isExternalUserId(externalUserId) || isOfSms(externalUserId) || user?.disabled === true) return null
    const { id: userId } =
      user ?? (await store.ensureUser({ appId: application.id, externalUserId, id: ids.uuid(), now: clock.now() }))
    return { appId: application.id, userId, externalUserId, legacy: application.legacy, secretId: secret.id }
  }
}

/** Whether a credential admits this user of this application. */
function isAdmitted(
  login: AppDeviceLogin | null,
  { id, disabled }: Pick<Application, 'id' | 'disabled'>,
  externalUserId: string,
): login is AppDeviceLogin {
  if (login === null || disabled) return false
  const { user } = login
  return user.appId === id && user.externalUserId === externalUserId && !user.disabled
}

/** Devices whose last use was noted recently. */
const MAX_NOTED = 10_000

/** Notes the use of a device at most once an hour. No login waits for it, and none fails with it. */
function useNotes(store: Pick<EnrolmentStore, 'noteAppDeviceUsed'>) {
  const noted = new BoundedMap<string, number>(MAX_NOTED)
  return ({ id, usedAt }: AppDeviceLogin['device'], now: number): void => {
    const last = Math.max(usedAt ?? Number.MIN_SAFE_INTEGER, noted.get(id) ?? Number.MIN_SAFE_INTEGER)
    if (Math.abs(now - last) < USE_NOTED_MS) return
    noted.set(id, now)
    // Without it the list of devices shows an earlier use, and nothing else.
    void store.noteAppDeviceUsed(id, now).catch(() => {})
  }
}

/** `identify` for the CONNECT fields of MQTT. A malformed user name takes the same path and is refused at its end. */
export const identifyMqtt = (needs: LoginNeeds) => {
  const admit = identify(needs)
  return (username: string, password: string): Promise<Session | null> =>
    admit({ ...(parseMqttUsername(username) ?? { appId: '', externalUserId: '' }), userHash: password })
}
