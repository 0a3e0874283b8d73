import { decideErasure } from '../../../../core/account/decide-user.ts'
import type { ErasureStore } from '../../../../ports/store.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'
import { type IncidentRow, incidentOf } from '../incidents/incident-row.ts'
import { incidentRemoval } from '../incidents/remove-incident.ts'
import { auditing } from '../operators/record-audit.ts'

type ErasedUser = { readonly number: number; readonly id: string; readonly phone: string | null }

/** Everything stored about a user. The connection overwrites what it deletes. */
function ownRows({ db, leaveNotice }: WriteContext) {
  const userOf = db.prepare<[string, string], ErasedUser>(
    'SELECT number, id, phone FROM users WHERE app_id = ? AND external_user_id = ?',
  )
  const hasOpen = db.prepare<[string], number>('SELECT 1 FROM incidents WHERE user_id = ? AND open = 1').pluck()
  const hasToTell = db
    .prepare<[string], number>(
      `SELECT 1 FROM incidents, json_each(record, '$.deliveries') AS delivery
       WHERE user_id = ? AND (next_action_at IS NOT NULL OR record ->> '$.held') AND delivery.value ->> 'status' = 'scheduled' LIMIT 1`,
    )
    .pluck()
  const telemetry = ['relayed_telemetry', 'telemetry'].map((table) =>
    db.prepare<[number, number]>(`DELETE FROM ${table} WHERE user = ? LIMIT ?`),
  )
  const incident = db.prepare<[string], { number: number; id: string }>(
    'SELECT number, id FROM incidents WHERE user_id = ? LIMIT 1',
  )
  const removeIncident = incidentRemoval(db)
  const testTexts = db.prepare<{ userId: string; phone: string | null }>(
    `DELETE FROM outbox WHERE incident_id = ''
       AND (recipient IN (SELECT phone FROM contacts WHERE user_id = @userId UNION SELECT phone FROM verifications WHERE user_id = @userId)
         OR recipient = @phone)`,
  )
  const ofUser = [
    'cards',
    'push_subscriptions',
    'removal_texts',
    'app_devices',
    'app_invitations',
    'timer_texts',
    'timers',
    'feedback',
    'devices',
    'contacts',
    'verifications',
    'phone_proofs',
    'phone_codes',
    'sms_alerts',
  ].map((table) => db.prepare<[string, number]>(`DELETE FROM ${table} WHERE user_id = ? LIMIT ?`))
  const awaitedEnds = db.prepare<[number]>('DELETE FROM awaited_ends WHERE user = ?')
  const own = db.prepare<[number]>('DELETE FROM users WHERE number = ?')
  const letters = db.prepare<[string]>('DELETE FROM dead_letters WHERE user_id = ?')
  // No index: rows of this table live for about a minute.
  const notices = db.prepare<[string]>('DELETE FROM notices WHERE instr(notice, ?) > 0')
  const relayed = db.prepare<[string], IncidentRow>(
    'SELECT number, record FROM incidents WHERE number IN (SELECT incident FROM relays WHERE user_id = ?)',
  )
  const forgetRelay = db.prepare<[string]>('DELETE FROM relays WHERE user_id = ?')
  const audited = db.prepare<[string]>(
    "UPDATE operator_audit SET user_id = NULL, subject = NULL, details = '{}' WHERE user_id = ?",
  )
  const rewrite = db.prepare<[string, number]>('UPDATE incidents SET record = ? WHERE number = ?')
  const orphans = db.prepare<[number]>(
    `DELETE FROM outbox WHERE created_at >= ? AND incident_id <> ''
       AND NOT EXISTS (SELECT 1 FROM incidents WHERE id = outbox.incident_id)`,
  )

  const forgetMentions = (userId: string): void => {
    letters.run(userId)
    notices.run(userId)
    audited.run(userId)
    for (const row of relayed.all(userId)) {
      rewrite.run(JSON.stringify({ ...incidentOf(row), relayUserId: null }), row.number)
    }
    forgetRelay.run(userId)
  }

  return {
    leaveNotice,
    record: auditing(db),
    load(appId: string, externalUserId: string) {
      const user = userOf.get(appId, externalUserId)
      if (user === undefined) return null
      return { ...user, isOpen: hasOpen.get(user.id) !== undefined, isToTell: hasToTell.get(user.id) !== undefined }
    },
    telemetry,
    incident,
    removeIncident,
    testTexts,
    ofUser,
    awaitedEnds,
    own,
    forgetMentions,
    orphans,
  }
}

type Erasing = Pick<ErasureStore, 'eraseUser'> & {
  /** Erases what a session of the user, or a message in flight, has written since (epoch ms). */
  sweepAfterErasure(userId: string, since: number): Promise<void>
}

export const erasureWrites = writesOf<Erasing>()(ownRows, {
  /** Deletes the large tables first, a bounded number of rows per call; then the rest, which is small, and the user. */
  eraseUser: {
    reserve: 'uses',
    run(rows, appId, externalUserId, max, audit = null) {
      const user = decideErasure(rows.load(appId, externalUserId))
      if ('refused' in user) return user
      if (audit !== null) rows.record(audit)
      let left = max
      for (const remove of rows.telemetry) left -= remove.run(user.number, left).changes
      while (left > 0) {
        const next = rows.incident.get(user.id)
        if (next === undefined) break
        left -= rows.removeIncident(next, left).deleted
      }
      if (left > 0) rows.testTexts.run({ userId: user.id, phone: user.phone })
      for (const remove of rows.ofUser) if (left > 0) left -= remove.run(user.id, left).changes
      if (left <= 0) return { userId: user.id, done: false }
      rows.forgetMentions(user.id)
      rows.awaitedEnds.run(user.number)
      rows.own.run(user.number)
      rows.leaveNotice({ kind: 'admission', appId })
      return { userId: user.id, done: true }
    },
  },

  sweepAfterErasure: {
    reserve: 'uses',
    run({ forgetMentions, orphans }, userId, since) {
      forgetMentions(userId)
      orphans.run(since)
    },
  },
})
