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
import type { Application } from '../../../../core/account/application.ts'
import type { User } from '../../../../core/account/profile.ts'
import { DAY } from '../../../../lib/durations.ts'
import type { EnrolmentStore } from '../../../../ports/store.ts'
import { USER } from '../../shared/accounts.ts'
import { APP_DEVICES, APP_INVITATIONS, LISTED_DEVICES, LOGINS, loginOf } from '../../shared/enrolments.ts'
import type { ReadsOf } from '../../shared/writes.ts'
import type { Reader } from '../engine/reader.ts'
import { insertSql, updateSql } from '../engine/row.ts'
import { leaveNotice, lockOwner, type Transaction, writesOf } from '../engine/write.ts'
import { keepRemovalTexts } from '../removals/removal-texts.ts'

const INSERT_INVITATION = insertSql('app_invitations')
const INSERT_DEVICE = insertSql('app_devices')
const UPDATE_DEVICE = updateSql('app_devices')
const INSERT_USER = `INSERT INTO users (id, app_id, external_user_id, enrolled_by, invitation_id, created_at, updated_at)
  VALUES ($1, $2, $3, $4, $5, $6, $6)`
const READ_USER = `SELECT ${USER} FROM users WHERE id = $1`
const BY_HASH = `${APP_INVITATIONS} WHERE hash = $1`
const LOGIN = { name: 'app-device-login', text: `${LOGINS} WHERE app_devices.hash = $1` }
const READ_APPLICATION = 'SELECT disabled, web_app AS "webApp" FROM applications WHERE id = $1'
const IN_FORCE = `SELECT
    (SELECT count(*) FROM app_invitations
      WHERE app_id = $1 AND ended_at IS NULL AND used < places AND expires_at > $3) AS "inForce",
    (SELECT count(*) FROM app_invitations
      WHERE user_id = $2
        AND (created_at > $4 OR (ended_at IS NULL AND used < places AND expires_at > $3))) AS own`
const LATEST = `SELECT enrolled_at AS at FROM app_devices WHERE invitation_id = $1
  ORDER BY enrolled_at DESC LIMIT ${POSTER_PER_HOUR}`
const DEVICES = 'SELECT count(*) AS devices FROM app_devices WHERE user_id = $1'
const BY_KEY = `${APP_DEVICES} WHERE invitation_id = $1 AND key_hash = $2`
const DUE = `DELETE FROM app_devices WHERE id IN (
    SELECT id FROM app_devices WHERE removed_from <= $1
      AND NOT EXISTS (SELECT 1 FROM incidents WHERE incidents.user_id = app_devices.user_id AND open)
    ORDER BY removed_from LIMIT $2
  ) RETURNING (SELECT app_id FROM users WHERE users.id = user_id) AS "appId"`
const ERASES = `UPDATE users SET erases_at = CASE WHEN $2::bigint IS NULL THEN NULL ELSE coalesce(erases_at, $2) END
  WHERE id = $1 RETURNING ${USER}`
// In order of their ids, so that two of them never wait for each other.
const DISABLE_INVITED = `UPDATE users SET disabled = $3 WHERE id IN (
    SELECT id FROM users WHERE invitation_id = $1 AND app_id = $2 AND disabled <> $3
      AND (NOT $3 OR NOT EXISTS (SELECT 1 FROM incidents WHERE incidents.user_id = users.id AND open))
    ORDER BY id LIMIT ${USERS_AT_ONCE} FOR UPDATE
  ) RETURNING id`
const INVITED = `SELECT count(users.id)::bigint AS users, (count(users.id) FILTER (WHERE NOT users.disabled))::bigint AS enabled,
    (count(users.id) FILTER (WHERE EXISTS (
      SELECT 1 FROM incidents WHERE incidents.user_id = users.id AND open
    )))::bigint AS "inAlarm"
  FROM app_invitations LEFT JOIN users ON users.invitation_id = app_invitations.id
  WHERE app_invitations.app_id = $1 AND app_invitations.id = $2 GROUP BY app_invitations.id`
const END = `UPDATE app_invitations SET ended_at = coalesce(ended_at, $3) WHERE app_id = $1 AND id = $2 RETURNING id`

async function isOn({ connection }: Transaction, appId: string): Promise<boolean> {
  const [found] = await connection.rows<Pick<Application, 'disabled' | 'webApp'>>(READ_APPLICATION, [appId])
  return found !== undefined && appInForce(found) !== null
}

/** Locks the user. True where there is none to ask about. */
async function isEnabled(transaction: Transaction, userId: string | null, appId: string): Promise<boolean> {
  if (userId === null) return true
  await lockOwner(transaction, userId)
  const [user] = await transaction.connection.rows<User>(READ_USER, [userId])
  return user !== undefined && user.appId === appId && !user.disabled
}

/** Locks the user of the invitation, then the invitation: an erasure locks them in this order, too. */
async function loadEnrolment(
  transaction: Transaction,
  { invitationHash, device }: Enrolment,
): Promise<EnrolmentSituation> {
  const { connection } = transaction
  const [found] = await connection.rows<AppInvitation>(BY_HASH, [invitationHash])
  if (found === undefined) return { invitation: null, before: null, isOpen: false, latest: [], devices: 0 }
  const { id, kind, appId, userId } = found
  const isThere = kind !== 'device' || (await isEnabled(transaction, userId, appId))
  const [invitation] = await connection.rows<AppInvitation>(`${BY_HASH} FOR UPDATE`, [invitationHash])
  const [[before], latest, [counted], isOpen] = await Promise.all([
    connection.rows<AppDevice>(BY_KEY, [id, device.keyHash]),
    connection.rows<{ at: number }>(LATEST, [id]),
    connection.rows<{ devices: number }>(DEVICES, [userId]),
    isOn(transaction, appId),
  ])
  return {
    invitation: invitation ?? null,
    before: before ?? null,
    isOpen: isThere && isOpen,
    latest: latest.map(({ at }) => at).toReversed(),
    devices: counted?.devices ?? 0,
  }
}

/** The app in the box: invitations and the devices that they enrol. */
export const enrolmentWrites = writesOf<EnrolmentStore>()({
  inviteToApp: {
    moment: ({ createdAt }) => createdAt,
    sender: ({ userId, appId }) => userId ?? appId,
    async run(transaction, invitation) {
      const { appId, userId, createdAt } = invitation
      const isThere = (await isEnabled(transaction, userId, appId)) && (await isOn(transaction, appId))
      const [counted] = await transaction.connection.rows<{ inForce: number; own: number }>(IN_FORCE, [
        appId,
        userId,
        createdAt,
        createdAt - DAY,
      ])
      const decided = decideInvite({ isThere, ...counted! }, invitation)
      if ('refused' in decided) return decided
      await transaction.connection.run(INSERT_INVITATION, [JSON.stringify([decided.insert])])
      return decided.result
    },
  },

  endAppInvitation: {
    moment: (_appId, _id, now) => now,
    async run({ connection }, appId, id, now) {
      const [ended] = await connection.rows(END, [appId, id, now])
      if (ended === undefined) return { refused: 'app_invitation_not_found' }
      const [invitation] = await connection.rows<AppInvitation>(`${APP_INVITATIONS} WHERE id = $1`, [id])
      return invitation!
    },
  },

  setInvitedDisabled: {
    moment: (_appId, _id, { now }) => now,
    async run(transaction, appId, id, { disabled, now }) {
      const { connection } = transaction
      const [invitation] = await connection.rows<AppInvitation>(`${APP_INVITATIONS} WHERE app_id = $1 AND id = $2`, [
        appId,
        id,
      ])
      if (invitation === undefined) return { refused: 'app_invitation_not_found' }
      if (disabled) await connection.rows(END, [appId, id, now])
      const changed = await connection.rows(DISABLE_INVITED, [id, appId, disabled])
      if (changed.length > 0) leaveNotice(transaction, { kind: 'admission', appId })
      return { changed: changed.length }
    },
  },

  enrol: {
    moment: ({ now }) => now,
    sender: ({ invitationHash }) => invitationHash,
    async run(transaction, enrolment) {
      const { connection } = transaction
      const situation = await loadEnrolment(transaction, enrolment)
      const decided = decideEnrol(situation, enrolment)
      if ('refused' in decided) return decided
      const { insertUser: made, insert, used, result } = decided
      if (made !== undefined) {
        const { id, appId, externalUserId, enrolledBy, invitationId, now } = made
        await connection.run(INSERT_USER, [id, appId, externalUserId, enrolledBy, invitationId, now])
      }
      if (insert !== undefined) await connection.run(INSERT_DEVICE, [JSON.stringify([insert])])
      if (used !== undefined) {
        await connection.run('UPDATE app_invitations SET used = $2 WHERE id = $1', [used.invitationId, used.used])
      }
      const { device } = result
      const [user] = await connection.rows<User>(READ_USER, [device.userId])
      return { device, user: user!, invitation: situation.invitation!, isNew: insert !== undefined }
    },
  },

  noteAppDeviceUsed: {
    moment: (_id, now) => now,
    async run({ connection }, id, now) {
      await connection.run('UPDATE app_devices SET used_at = greatest(used_at, $2) WHERE id = $1', [id, now])
    },
  },

  removeAppDevice: {
    moment: (_userId, _id, _from, now) => now,
    sender: (userId) => userId,
    async run(transaction, userId, id, from, now, texts = []) {
      const { connection } = transaction
      const appId = await lockOwner(transaction, userId)
      const [device] = await connection.rows<AppDevice>(`${APP_DEVICES} WHERE id = $1 AND user_id = $2`, [id, userId])
      const decided = decideRemoveDevice(device ?? null, from, now)
      if ('refused' in decided) return decided
      if ('update' in decided) await connection.run(UPDATE_DEVICE, [JSON.stringify([decided.update])])
      else {
        await connection.run('DELETE FROM app_devices WHERE id = $1', [decided.remove.id])
        // A device has a user, whom `lockOwner` keeps.
        await leaveNotice(transaction, { kind: 'admission', appId: appId! })
      }
      if (device?.removedFrom === null) await keepRemovalTexts(transaction, texts)
      return decided.result
    },
  },

  removeDueAppDevices: {
    moment: (now) => now,
    async run(transaction, now, max) {
      const removed = await transaction.connection.rows<{ appId: string }>(DUE, [now, max])
      const appIds = [...new Set(removed.map(({ appId }) => appId))]
      for (const appId of appIds) await leaveNotice(transaction, { kind: 'admission', appId })
      return appIds
    },
  },

  setErasesAt: {
    sender: (userId) => userId,
    async run(transaction, userId, at, texts = []) {
      await lockOwner(transaction, userId)
      const [user] = await transaction.connection.rows<User>(ERASES, [userId, at])
      if (user === undefined) return { refused: 'user_not_found' }
      if (user.erasesAt === at) await keepRemovalTexts(transaction, texts)
      return user
    },
  },
})

export const enrolmentReads = ({ rows, row }: Reader): ReadsOf<EnrolmentStore> => ({
  appInvitation: (hash) => row<AppInvitation>(BY_HASH, [hash]),
  invitedUsers: (appId, id) => row<InvitedUsers>(INVITED, [appId, id]),
  appInvitations: (appId, max) =>
    rows<AppInvitation>(`${APP_INVITATIONS} WHERE app_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2`, [
      appId,
      max,
    ]),
  async appDeviceLogin(hash) {
    const found = await row<Parameters<typeof loginOf>[0]>(LOGIN, [hash])
    return found && loginOf(found)
  },
  async nextAppRemoval() {
    const next = await row<{ at: number | null }>('SELECT min(removed_from) AS at FROM app_devices')
    return next?.at ?? null
  },
  appDevices: (userId) =>
    rows<ListedAppDevice>(`${LISTED_DEVICES} WHERE user_id = $1 ORDER BY enrolled_at DESC, id DESC`, [userId]),
  dueErasures: (now, max) =>
    rows<User>(`SELECT ${USER} FROM users WHERE erases_at <= $1 ORDER BY erases_at LIMIT $2`, [now, max]),
})
