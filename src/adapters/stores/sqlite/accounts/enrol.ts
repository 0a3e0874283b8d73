import { type AppDevice, decideRemoveDevice, type ListedAppDevice } from '../../../../core/account/app-device.ts'
import {
  type AppInvitation,
  appInForce,
  decideEnrol,
  decideInvite,
  type Enrolment,
  type EnrolmentSituation,
  type InvitedUsers,
  POSTER_PER_HOUR,
  USERS_AT_ONCE,
} from '../../../../core/account/app-invitation.ts'
import { DAY } from '../../../../lib/durations.ts'
import type { EnrolmentStore } from '../../../../ports/store.ts'
import { APPLICATION, USER } from '../../shared/accounts.ts'
import { APP_DEVICES, APP_INVITATIONS, LISTED_DEVICES, LOGINS, loginOf } from '../../shared/enrolments.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { fromRow, insertSql, type Row, toRow, updateSql } from '../engine/row.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'
import { removalTextKeeper } from '../removals/removal-texts.ts'
import { applicationOf, userOf } from './account-rows.ts'

const invitationOf = fromRow<AppInvitation>('app_invitations')
const invitationRow = toRow<AppInvitation>('app_invitations')
const deviceRow = toRow<AppDevice>('app_devices')

function enrolmentRows({ db, leaveNotice }: WriteContext) {
  const application = db.prepare<[string], Row>(`SELECT ${APPLICATION} FROM applications WHERE id = ?`)
  const user = db.prepare<[string], Row>(`SELECT ${USER} FROM users WHERE id = ?`)
  const byHash = db.prepare<[string], Row>(`${APP_INVITATIONS} WHERE hash = ?`)
  const byKey = db.prepare<[string, string], AppDevice>(`${APP_DEVICES} WHERE invitation_id = ? AND key_hash = ?`)
  const inForce = db
    .prepare<[string, number], number>(
      `SELECT count(*) FROM app_invitations
       WHERE app_id = ? AND ended_at IS NULL AND used < places AND expires_at > ?`,
    )
    .pluck()
  const own = db
    .prepare<[string | null, number, number], number>(
      `SELECT count(*) FROM app_invitations WHERE user_id = ?
         AND (created_at > ? OR (ended_at IS NULL AND used < places AND expires_at > ?))`,
    )
    .pluck()
  const latest = db
    .prepare<[string, number], number>(
      'SELECT enrolled_at FROM app_devices WHERE invitation_id = ? ORDER BY enrolled_at DESC LIMIT ?',
    )
    .pluck()
  const countDevices = db.prepare<[string | null], number>('SELECT count(*) FROM app_devices WHERE user_id = ?').pluck()

  const isOn = (appId: string): boolean => {
    const row = application.get(appId)
    return row !== undefined && appInForce(applicationOf(row)) !== null
  }
  const isEnabled = (userId: string | null, appId: string): boolean => {
    if (userId === null) return true
    const row = user.get(userId)
    const found = row === undefined ? null : userOf(row)
    return found !== null && found.appId === appId && !found.disabled
  }

  return {
    leaveNotice,
    keepTexts: removalTextKeeper(db),
    loadInviting: ({ appId, userId }: AppInvitation, now: number) => ({
      isThere: isOn(appId) && isEnabled(userId, appId),
      inForce: inForce.get(appId, now) ?? 0,
      own: own.get(userId, now - DAY, now) ?? 0,
    }),
    loadEnrolment({ invitationHash, device }: Enrolment): EnrolmentSituation {
      const row = byHash.get(invitationHash)
      if (row === undefined) return { invitation: null, before: null, isOpen: false, latest: [], devices: 0 }
      const invitation = invitationOf(row)
      return {
        invitation,
        before: byKey.get(invitation.id, device.keyHash) ?? null,
        isOpen:
          isOn(invitation.appId) && (invitation.kind !== 'device' || isEnabled(invitation.userId, invitation.appId)),
        latest: latest.all(invitation.id, POSTER_PER_HOUR).toReversed(),
        devices: countDevices.get(invitation.userId) ?? 0,
      }
    },
    userById: (userId: string) => userOf(user.get(userId)!),
    insertInvitation: db.prepare<Row>(insertSql('app_invitations')),
    insertDevice: db.prepare<Row>(insertSql('app_devices')),
    updateDevice: db.prepare<Row>(updateSql('app_devices')),
    setUsed: db.prepare<[number, string]>('UPDATE app_invitations SET used = ? WHERE id = ?'),
    end: db.prepare<[number, string, string], Row>(
      'UPDATE app_invitations SET ended_at = coalesce(ended_at, ?) WHERE app_id = ? AND id = ? RETURNING id',
    ),
    disableInvited: db.prepare<[{ appId: string; id: string; disabled: number }], { readonly id: string }>(
      `UPDATE users SET disabled = @disabled WHERE id IN (
         SELECT id FROM users INDEXED BY users_of_invitation
         WHERE invitation_id = @id AND app_id = @appId AND disabled <> @disabled
           AND (@disabled = 0 OR NOT EXISTS (SELECT 1 FROM incidents WHERE incidents.user_id = users.id AND open = 1))
         LIMIT ${USERS_AT_ONCE}
       ) RETURNING id`,
    ),
    invitationById: db.prepare<[string], Row>(`${APP_INVITATIONS} WHERE id = ?`),
    insertUser: db.prepare<[string, string, string, string, string, number, number]>(
      `INSERT INTO users (id, app_id, external_user_id, enrolled_by, invitation_id, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ),
    deviceOf: db.prepare<[string, string], AppDevice>(`${APP_DEVICES} WHERE id = ? AND user_id = ?`),
    noteUsed: db.prepare<[number, string]>(
      'UPDATE app_devices SET used_at = max(coalesce(used_at, 0), ?) WHERE id = ?',
    ),
    remove: db.prepare<[string]>('DELETE FROM app_devices WHERE id = ?'),
    // During an alarm a phone sends where the person is, and only it may hold the press that ends it.
    due: db.prepare<[number, number], { readonly id: string; readonly appId: string }>(
      `SELECT app_devices.id, app_id AS appId FROM app_devices JOIN users ON users.id = user_id
       WHERE removed_from <= ? AND NOT EXISTS (SELECT 1 FROM incidents WHERE incidents.user_id = users.id AND open = 1)
       ORDER BY removed_from LIMIT ?`,
    ),
    setErasesAt: db.prepare<[number | null, number | null, string], Row>(
      `UPDATE users SET erases_at = CASE WHEN ? IS NULL THEN NULL ELSE coalesce(erases_at, ?) END
       WHERE id = ? RETURNING ${USER}`,
    ),
  }
}

/** The app in the box: invitations and the devices that they enrol. */
export const enrolmentWrites = writesOf<EnrolmentStore>()(enrolmentRows, {
  inviteToApp: {
    reserve: 'spares',
    moment: ({ createdAt }) => createdAt,
    sender: ({ userId, appId }) => userId ?? appId,
    run({ loadInviting, insertInvitation }, invitation) {
      const decided = decideInvite(loadInviting(invitation, invitation.createdAt), invitation)
      if ('refused' in decided) return decided
      insertInvitation.run(invitationRow(decided.insert))
      return decided.result
    },
  },

  endAppInvitation: {
    reserve: 'uses',
    moment: (_appId, _id, now) => now,
    run({ end, invitationById }, appId, id, now) {
      if (end.get(now, appId, id) === undefined) return { refused: 'app_invitation_not_found' }
      return invitationOf(invitationById.get(id)!)
    },
  },

  setInvitedDisabled: {
    reserve: 'uses',
    moment: (_appId, _id, { now }) => now,
    run({ end, invitationById, disableInvited, leaveNotice }, appId, id, { disabled, now }) {
      const row = invitationById.get(id)
      if (row === undefined || invitationOf(row).appId !== appId) return { refused: 'app_invitation_not_found' }
      if (disabled) end.get(now, appId, id)
      const changed = disableInvited.all({ appId, id, disabled: Number(disabled) }).length
      if (changed > 0) leaveNotice({ kind: 'admission', appId })
      return { changed }
    },
  },

  enrol: {
    // Anyone who stands before a poster can: it must not use up what alarms need.
    reserve: 'spares',
    moment: ({ now }) => now,
    sender: ({ invitationHash }) => invitationHash,
    run(rows, enrolment) {
      const situation = rows.loadEnrolment(enrolment)
      const decided = decideEnrol(situation, enrolment)
      if ('refused' in decided) return decided
      const { insertUser: user, insert, used, result } = decided
      if (user !== undefined) {
        const { id, appId, externalUserId, enrolledBy, invitationId, now } = user
        rows.insertUser.run(id, appId, externalUserId, enrolledBy, invitationId, now, now)
      }
      if (insert !== undefined) rows.insertDevice.run(deviceRow(insert))
      if (used !== undefined) rows.setUsed.run(used.used, used.invitationId)
      const { device } = result
      return {
        device,
        user: rows.userById(device.userId),
        invitation: situation.invitation!,
        isNew: insert !== undefined,
      }
    },
  },

  noteAppDeviceUsed: {
    lane: 'bulk',
    reserve: 'spares',
    moment: (_id, now) => now,
    run: ({ noteUsed }, id, now) => void noteUsed.run(now, id),
  },

  removeAppDevice: {
    reserve: 'uses',
    moment: (_userId, _id, _from, now) => now,
    sender: (userId) => userId,
    run({ deviceOf, updateDevice, remove, userById, keepTexts, leaveNotice }, userId, id, from, now, texts = []) {
      const device = deviceOf.get(id, userId) ?? null
      const decided = decideRemoveDevice(device, from, now)
      if ('refused' in decided) return decided
      if ('update' in decided) updateDevice.run(deviceRow(decided.update))
      else {
        remove.run(decided.remove.id)
        leaveNotice({ kind: 'admission', appId: userById(userId).appId })
      }
      if (device?.removedFrom === null) keepTexts(texts)
      return decided.result
    },
  },

  removeDueAppDevices: {
    reserve: 'uses',
    moment: (now) => now,
    run({ due, remove, leaveNotice }, now, max) {
      const found = due.all(now, max)
      for (const { id } of found) remove.run(id)
      const appIds = [...new Set(found.map(({ appId }) => appId))]
      for (const appId of appIds) leaveNotice({ kind: 'admission', appId })
      return appIds
    },
  },

  setErasesAt: {
    reserve: 'uses',
    sender: (userId) => userId,
    run({ setErasesAt, keepTexts }, userId, at, texts = []) {
      const row = setErasesAt.get(at, at, userId)
      if (row === undefined) return { refused: 'user_not_found' }
      const user = userOf(row)
      if (user.erasesAt === at) keepTexts(texts)
      return user
    },
  },
})

export function enrolmentReads(db: SqliteDatabase) {
  const byHash = db.prepare<[string], Row>(`${APP_INVITATIONS} WHERE hash = ?`)
  const ofApplication = db.prepare<[string, number], Row>(
    `${APP_INVITATIONS} WHERE app_id = ? ORDER BY created_at DESC, id DESC LIMIT ?`,
  )
  const invited = db.prepare<[string, string], InvitedUsers>(
    `SELECT count(users.id) AS users, count(users.id) FILTER (WHERE NOT users.disabled) AS enabled,
       count(users.id) FILTER (WHERE EXISTS (SELECT 1 FROM incidents WHERE incidents.user_id = users.id AND open = 1)) AS inAlarm
     FROM app_invitations LEFT JOIN users ON users.invitation_id = app_invitations.id
     WHERE app_invitations.app_id = ? AND app_invitations.id = ? GROUP BY app_invitations.id`,
  )
  const login = db.prepare<[string], Row & Parameters<typeof loginOf>[0]>(`${LOGINS} WHERE app_devices.hash = ?`)
  const devices = db.prepare<[string], AppDevice & { readonly isByOperator: 0 | 1 }>(
    `${LISTED_DEVICES} WHERE user_id = ? ORDER BY enrolled_at DESC, id DESC`,
  )
  const nextRemoval = db
    .prepare<[], number | null>('SELECT min(removed_from) FROM app_devices WHERE removed_from IS NOT NULL')
    .pluck()
  const toErase = db.prepare<[number, number], Row>(
    `SELECT ${USER} FROM users WHERE erases_at <= ? ORDER BY erases_at LIMIT ?`,
  )
  return {
    appInvitation(hash: string): AppInvitation | null {
      const row = byHash.get(hash)
      return row === undefined ? null : invitationOf(row)
    },
    invitedUsers: (appId: string, id: string): InvitedUsers | null => invited.get(appId, id) ?? null,
    appInvitations: (appId: string, max: number): readonly AppInvitation[] =>
      ofApplication.all(appId, max).map(invitationOf),
    appDeviceLogin(hash: string) {
      const row = login.get(hash)
      return row === undefined ? null : loginOf({ ...row, ...userOf(row) })
    },
    nextAppRemoval: (): number | null => nextRemoval.get() ?? null,
    appDevices: (userId: string): readonly ListedAppDevice[] =>
      devices.all(userId).map(({ isByOperator, ...device }) => ({ ...device, isByOperator: isByOperator === 1 })),
    dueErasures: (now: number, max: number) => toErase.all(now, max).map(userOf),
  }
}
