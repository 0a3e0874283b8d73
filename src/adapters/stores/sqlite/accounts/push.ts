import type { PushSubscription } from '../../../../core/account/push-subscription.ts'
import type { PushStore } from '../../../../ports/store.ts'
import { KEY_NAME, PUSHES } from '../../shared/pushes.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { fromRow, type Row } from '../engine/row.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'

const subscriptionOf = fromRow<PushSubscription>('push_subscriptions')

export function pushReads(db: SqliteDatabase) {
  const key = db.prepare<[string], string>('SELECT value FROM push_keys WHERE name = ?').pluck()
  const any = db.prepare<[], number>('SELECT 1 FROM push_subscriptions LIMIT 1').pluck()
  const ofUser = db.prepare<[string], Row>(`${PUSHES} WHERE user_id = ? ORDER BY device_id`)
  return {
    pushKey: () => key.get(KEY_NAME) ?? null,
    arePushesWanted: () => any.get() !== undefined,
    pushSubscriptions: (userId: string): readonly PushSubscription[] => ofUser.all(userId).map(subscriptionOf),
  }
}

const pushRows = ({ db }: WriteContext) => ({
  addKey: db.prepare<[string, string, number]>(
    'INSERT INTO push_keys (name, value, at) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING',
  ),
  key: db.prepare<[string], string>('SELECT value FROM push_keys WHERE name = ?').pluck(),
  isDevice: db.prepare<[string, string], number>('SELECT 1 FROM app_devices WHERE id = ? AND user_id = ?').pluck(),
  release: db.prepare<[string, string]>('DELETE FROM push_subscriptions WHERE endpoint = ? AND device_id <> ?'),
  keep: db.prepare<Row>(
    `INSERT INTO push_subscriptions
       (device_id, user_id, endpoint, p256dh, auth, language, whole_text, kept_at, told, told_since, told_version)
     VALUES (@deviceId, @userId, @endpoint, @p256dh, @auth, @language, @wholeText, @keptAt, '', 0, 0)
     ON CONFLICT (device_id) DO UPDATE SET endpoint = excluded.endpoint, p256dh = excluded.p256dh, auth = excluded.auth,
       language = excluded.language, whole_text = excluded.whole_text, kept_at = excluded.kept_at, failed_at = NULL, failure = NULL`,
  ),
  remove: db.prepare<{ deviceId: string; endpoint: string | null }>(
    'DELETE FROM push_subscriptions WHERE device_id = @deviceId AND (@endpoint IS NULL OR endpoint = @endpoint)',
  ),
  claim: db.prepare<Row>(
    `UPDATE push_subscriptions SET told = @told, told_since = @since, told_version = @version
     WHERE device_id = @deviceId AND endpoint = @endpoint AND told <> @told
       AND (told_since = @since AND told_version <= @version OR told_since < @since AND NOT @onlyIfTold)`,
  ),
  note: db.prepare<Row>(
    `UPDATE push_subscriptions SET sent_at = CASE WHEN @failure IS NULL THEN @at ELSE sent_at END,
       failed_at = CASE WHEN @failure IS NULL THEN NULL ELSE @at END, failure = @failure
     WHERE device_id = @deviceId AND endpoint = @endpoint`,
  ),
})

/** Everything here gives way to alarms, on a full disk too. */
export const pushWrites = writesOf<PushStore>()(pushRows, {
  keepPushKey: {
    reserve: 'spares',
    run({ addKey, key }, sealed, at) {
      addKey.run(KEY_NAME, sealed, at)
      return key.get(KEY_NAME)!
    },
  },

  keepPushSubscription: {
    reserve: 'spares',
    sender: ({ userId }) => userId,
    run({ isDevice, release, keep }, subscription) {
      const { deviceId, userId, endpoint } = subscription
      if (isDevice.get(deviceId, userId) === undefined) return { refused: 'app_device_not_found' as const }
      release.run(endpoint, deviceId)
      keep.run({ ...subscription, wholeText: Number(subscription.wholeText) })
      return { kept: true as const }
    },
  },

  removePushSubscription: {
    lane: 'bulk',
    reserve: 'uses',
    sender: (deviceId) => deviceId,
    run: ({ remove }, deviceId, endpoint) => void remove.run({ deviceId, endpoint }),
  },

  claimPush: {
    lane: 'bulk',
    reserve: 'spares',
    run: ({ claim }, { deviceId, endpoint }, { told, since, version, onlyIfTold }) =>
      claim.run({ deviceId, endpoint, told, since, version, onlyIfTold: Number(onlyIfTold) }).changes === 1,
  },

  notePush: {
    lane: 'bulk',
    reserve: 'spares',
    run: ({ note }, { deviceId, endpoint }, { failure, at }) => void note.run({ deviceId, endpoint, failure, at }),
  },
})
