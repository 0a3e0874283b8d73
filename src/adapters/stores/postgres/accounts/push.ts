import type { PushSubscription } from '../../../../core/account/push-subscription.ts'
import type { PushStore } from '../../../../ports/store.ts'
import { KEY_NAME, PUSHES } from '../../shared/pushes.ts'
import type { ReadsOf } from '../../shared/writes.ts'
import type { Reader } from '../engine/reader.ts'
import { lockOwner, writesOf } from '../engine/write.ts'

const READ_KEY = 'SELECT value FROM push_keys WHERE name = $1'
const KEEP_KEY = 'INSERT INTO push_keys (name, value, at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING'
const ANY = 'SELECT EXISTS (SELECT 1 FROM push_subscriptions) AS "any"'
// Locked, so that no other node removes the device meanwhile.
const DEVICE = 'SELECT 1 FROM app_devices WHERE id = $1 AND user_id = $2 FOR KEY SHARE'
const RELEASE = 'DELETE FROM push_subscriptions WHERE endpoint = $1 AND device_id <> $2'
const KEEP = `INSERT INTO push_subscriptions
    (device_id, user_id, endpoint, p256dh, auth, language, whole_text, kept_at, told, told_since, told_version)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, '', 0, 0)
  ON CONFLICT (device_id) DO UPDATE SET endpoint = excluded.endpoint, p256dh = excluded.p256dh, auth = excluded.auth,
    language = excluded.language, whole_text = excluded.whole_text, kept_at = excluded.kept_at, failed_at = NULL, failure = NULL`
const REMOVE = 'DELETE FROM push_subscriptions WHERE device_id = $1 AND ($2::text IS NULL OR endpoint = $2)'
const CLAIM = `UPDATE push_subscriptions SET told = $3, told_since = $4, told_version = $5
  WHERE device_id = $1 AND endpoint = $2 AND told <> $3
    AND (told_since = $4 AND told_version <= $5 OR told_since < $4 AND NOT $6::boolean)`
const NOTE = `UPDATE push_subscriptions SET sent_at = CASE WHEN $3::text IS NULL THEN $4::bigint ELSE sent_at END,
    failed_at = CASE WHEN $3::text IS NULL THEN NULL ELSE $4::bigint END, failure = $3
  WHERE device_id = $1 AND endpoint = $2`

export const pushReads = ({ rows, row }: Reader): ReadsOf<PushStore> => ({
  pushKey: async () => (await row<{ value: string }>(READ_KEY, [KEY_NAME]))?.value ?? null,
  arePushesWanted: async () => (await row<{ any: boolean }>(ANY))?.any === true,
  pushSubscriptions: (userId) => rows<PushSubscription>(`${PUSHES} WHERE user_id = $1 ORDER BY device_id`, [userId]),
})

export const pushWrites = writesOf<PushStore>()({
  keepPushKey: {
    async run({ connection }, sealed, at) {
      await connection.run(KEEP_KEY, [KEY_NAME, sealed, at])
      const [kept] = await connection.rows<{ value: string }>(READ_KEY, [KEY_NAME])
      return kept!.value
    },
  },

  keepPushSubscription: {
    sender: ({ userId }) => userId,
    async run(transaction, subscription) {
      const { deviceId, userId, endpoint, p256dh, auth, language, wholeText, keptAt } = subscription
      const { connection } = transaction
      await lockOwner(transaction, userId)
      const [device] = await connection.rows(DEVICE, [deviceId, userId])
      if (device === undefined) return { refused: 'app_device_not_found' }
      await connection.run(RELEASE, [endpoint, deviceId])
      await connection.run(KEEP, [deviceId, userId, endpoint, p256dh, auth, language, wholeText, keptAt])
      return { kept: true }
    },
  },

  removePushSubscription: {
    sender: (deviceId) => deviceId,
    run: async ({ connection }, deviceId, endpoint) => void (await connection.run(REMOVE, [deviceId, endpoint])),
  },

  claimPush: {
    run: async ({ connection }, { deviceId, endpoint }, { told, since, version, onlyIfTold }) =>
      (await connection.run(CLAIM, [deviceId, endpoint, told, since, version, onlyIfTold])) === 1,
  },

  notePush: {
    run: async ({ connection }, { deviceId, endpoint }, { failure, at }) =>
      void (await connection.run(NOTE, [deviceId, endpoint, failure, at])),
  },
})
