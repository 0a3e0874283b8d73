import type { User } from '../../../../core/account/profile.ts'
import type { AccountStore } from '../../../../ports/store.ts'
import { USER } from '../../shared/accounts.ts'
import type { CallOutcome } from '../engine/commit-lane.ts'
import type { Connection } from '../engine/connection.ts'
import { raiseMoment, type WriteContext } from '../engine/write.ts'

/** A user who may be new. */
export type Arrival = Parameters<AccountStore['ensureUser']>[0]

const ARRIVED = 'json_to_recordset($1) AS row (k integer, "appId" text, "externalUserId" text, id text, now bigint)'

/** In a fixed order, so that no two batches wait for each other. */
const ENSURE = {
  name: 'ensure-users',
  text: `INSERT INTO users (id, app_id, external_user_id, created_at, updated_at)
    SELECT id, "appId", "externalUserId", now, now FROM ${ARRIVED} ORDER BY "appId", "externalUserId", k
    ON CONFLICT (app_id, external_user_id) DO NOTHING`,
}
const READ = {
  name: 'read-arrivals',
  text: `SELECT ${USER} FROM ${ARRIVED}
    JOIN users ON users.app_id = row."appId" AND users.external_user_id = row."externalUserId" ORDER BY k`,
}

/** Finds users by their external ids, and creates those who are new: one round trip for all of them. */
export const arrivalBatch =
  (context: WriteContext, firstSlot: number) =>
  async (connection: Connection, arrivals: readonly Arrival[], slot: number): Promise<readonly CallOutcome<User>[]> => {
    const json = JSON.stringify(arrivals.map((arrival, k) => ({ k, ...arrival })))
    const moment = arrivals.reduce((newest, { now }) => Math.max(newest, now), 0)
    const begun = connection.begin()
    const ensured = connection.run(ENSURE, [json])
    const read = connection.rows<User>(READ, [json])
    const raised = raiseMoment({ ...context, connection }, { slot: firstSlot + slot, moment })
    await connection.commitAfter([begun, ensured, read, raised])
    return (await read).map((user) => ({ result: user }))
  }
