import type { ClockCommand, Command } from '../../../../core/incident/command.ts'
import { decide, needsLastSeen, needsPlan } from '../../../../core/incident/decide.ts'
import { type Decision, isChange, type Situation } from '../../../../core/incident/decision.ts'
import type { Delivery } from '../../../../core/incident/delivery.ts'
import { type FurtherCommands, furtherCommands } from '../../../../core/incident/further-commands.ts'
import type { Incident } from '../../../../core/incident/incident.ts'
import { nextActionAt } from '../../../../core/incident/next-action.ts'
import { RUN_GAP_MS } from '../../../../core/incident/put-off.ts'
import type { AuditEntry } from '../../../../core/operator/audit.ts'
import { type TwoClocks, waitedSince } from '../../../../lib/waited.ts'
import type { Announcement, Committed, DueIncidents, IncidentKey, Withdrawal } from '../../../../ports/store.ts'
import { attemptAfter, changesOf, isOnlyFolded, stepOf } from '../../shared/changes.ts'
import { isWithdrawn } from '../../shared/withdrawal.ts'
import { ownerLookup } from '../devices/device-owner.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'
import { auditing } from '../operators/record-audit.ts'
import { planLookup } from './alarm-plan.ts'
import { alertIdentities } from './alert-identity.ts'
import { drillCounts } from './drill-counts.ts'
import { namedEnds } from './ends.ts'
import { incidentQuota } from './incident-quota.ts'
import { type IncidentRow, incidentOf } from './incident-row.ts'
import { incidentSaver, SAVED_COLUMNS, type StoredRow } from './save-incident.ts'
import { type SentCommit, sentCommit } from './sent-commit.ts'
import { timerShift } from './shift-timers.ts'
import { timelineReads, timelineWrites } from './timeline.ts'
import { trailReads, trailWrites } from './trail.ts'

/** The incident behind a key, and its (potential) owner. */
type Found = {
  readonly row: StoredRow | null
  readonly incident: Incident | null
  readonly ownerId: string | null
  readonly unknownDevice: boolean
  /** The reporter is a listed relay. */
  readonly isListed: boolean
}

/** A commit, with the incident as the text that is stored. */
type Changed = { readonly committed: Committed; readonly record: string | null }

const NO_REPORTER = { unknownDevice: false, isListed: false } as const
const NOTHING = { number: null, record: null } as const

/** The write door, in the writer. Call it inside a transaction. */
export function incidentDoor({ db, sitePlan, leaveNotice, quotas }: WriteContext) {
  const byId = db.prepare<[string], StoredRow>(`SELECT ${SAVED_COLUMNS} FROM incidents WHERE id = ?`)
  const openOf = db.prepare<[string], StoredRow>(
    `SELECT ${SAVED_COLUMNS} FROM incidents WHERE user_id = ? AND open = 1`,
  )
  const openDrillOf = db.prepare<[string], StoredRow>(
    `SELECT ${SAVED_COLUMNS} FROM incidents INDEXED BY one_open_drill_per_user
     WHERE user_id = ? AND drill = 1 AND closed_at IS NULL`,
  )
  const lastOf = db.prepare<[{ userId: string; since: number }], StoredRow>(
    `SELECT * FROM (
       SELECT ${SAVED_COLUMNS} FROM incidents INDEXED BY incidents_of_user
       WHERE user_id = +@userId AND drill = 0 ORDER BY opened_at DESC, number DESC LIMIT 1
     ) WHERE closedAt >= +@since OR putOff = 1`,
  )
  const pending = db.prepare<[], StoredRow>(
    `SELECT ${SAVED_COLUMNS} FROM incidents WHERE number IN (
       SELECT number FROM incidents INDEXED BY incidents_to_do WHERE next_action_at IS NOT NULL
       UNION SELECT number FROM incidents INDEXED BY one_open_incident_per_user WHERE open = 1
     )`,
  )
  const drillsOf = drillCounts(db)
  const ownerOf = ownerLookup(db)
  const planOf = planLookup(db, () => sitePlan.defaults)
  const alerts = alertIdentities(db)
  const ends = namedEnds(db)
  const incidents = incidentSaver(db)
  const keepQuota = incidentQuota(db, quotas.incidents)
  const { whereabouts, lastSeenAt } = trailReads(db)
  const timeline = timelineReads(db)
  const { addToTimeline } = timelineWrites(db)
  const { addPosition } = trailWrites(db)
  const shiftTimers = timerShift(db)

  const find = (key: IncidentKey): Found => {
    if ('incidentId' in key) {
      const row = byId.get(key.incidentId) ?? null
      const incident = row && incidentOf(row)
      return { row, incident, ownerId: incident?.userId ?? null, ...NO_REPORTER }
    }
    const { userId, unknownDevice, isListed } =
      'openOf' in key ? { userId: key.openOf, ...NO_REPORTER } : ownerOf(key.reporter)
    const row = openOf.get(userId) ?? null
    return { row, incident: row && incidentOf(row), ownerId: userId, unknownDevice, isListed }
  }

  const drillOf = (ownerId: string): Found | null => {
    const row = openDrillOf.get(ownerId)
    return row === undefined ? null : { row, incident: incidentOf(row), ownerId, ...NO_REPORTER }
  }

  /** Only the command `drill` sees an open drill. */
  const findFor = (command: Command, key: IncidentKey): Found => {
    const found = find(key)
    const { incident, ownerId } = found
    return command.type === 'drill' && incident === null && ownerId !== null ? (drillOf(ownerId) ?? found) : found
  }

  /** Writes the changes of the decision. Returns the incident's row. */
  const save = ({ row, incident: before }: Found, incident: Incident, nextAt: number | null): IncidentRow => {
    if (row === null || before?.id !== incident.id) return incidents.insert(incident, nextAt)
    return incident === before ? row : incidents.update(row, { before, incident, nextAt })
  }

  const commit = (found: Found, decision: Decision, command: Command, attempt: Delivery | null = null): Changed => {
    const { verdict, incident, events } = decision
    const { folded, alert, position } = changesOf(decision, command, found.isListed)
    const nextAt = incident === null ? null : nextActionAt(incident)
    const { number, record } = incident === null ? NOTHING : save(found, incident, nextAt)
    if (number !== null && incident !== null) {
      addToTimeline(number, folded)
      if (verdict === 'opened') keepQuota(incident)
      if (alert !== null) alerts.record(incident.userId, alert.alert, { ...alert, incident: number })
      if (position !== null) addPosition(number, position.at, position.position, position.deviceId)
    }
    const committed: Committed = {
      ...decision,
      incidentId: incident?.id ?? null,
      ...(number === null || incident === null ? { lastPosition: null } : whereabouts(number, incident)),
      nextActionAt: nextAt,
      unknownDevice: found.unknownDevice,
      attempt: attemptAfter(decision, command, attempt),
    }
    if (incident !== null && incident !== found.incident) {
      leaveNotice({ kind: 'committed', incidentId: incident.id, events, nextActionAt: nextAt })
    }
    return { committed, record }
  }

  /** The attempt that an outcome or a receipt refers to, if it was folded out of the record. */
  const foldedAttempt = ({ row, incident }: Found, command: Command): Delivery | null =>
    row !== null && incident !== null && 'attemptId' in command && isOnlyFolded(incident, command)
      ? timeline.attempt(row.number, command.attemptId)
      : null

  const change = (key: IncidentKey, command: Command, waiting?: Waiting): Changed => {
    const found = findFor(command, key)
    const { row, incident, ownerId } = found
    const attempt = foldedAttempt(found, command)
    const before =
      command.type === 'raise' && incident === null && ownerId !== null ? foundBefore(ownerId, command) : null
    const situation: Situation = {
      incident,
      attempt,
      before,
      plan: ownerId !== null && needsPlan(incident, command) ? planOf(ownerId) : null,
      isListed: found.isListed,
      ...(command.type === 'raise' &&
        ownerId !== null && {
          earlier: alerts.earlier(ownerId, command.alert),
          isAwaited: ends.isAwaited(ownerId, command.alert, command.now),
        }),
      lastSeenAt: row !== null && incident !== null && needsLastSeen(incident, command) ? lastSeenAt(row.number) : null,
      unknownDevice: found.unknownDevice,
      ...(command.type === 'drill' && ownerId !== null && drillsOf(ownerId, command.now)),
      ...('end' in command && {
        end: {
          ...ends.factsOf(
            ownerId,
            command.end,
            command.now + (waiting === undefined ? 0 : waitedSince(waiting.handedIn)),
          ),
          isWithdrawn: isWithdrawn(waiting?.withdrawal),
        },
      }),
    }
    const decision = decide(situation, command)
    if (decision.awaits && 'end' in command && command.end !== undefined && ownerId !== null) {
      ends.keepAwaited(ownerId, command.end, command.now)
    }
    if (command.type === 'raise' && decision.verdict === 'ended_before' && ownerId !== null) {
      ends.noteCome(ownerId, command.alert, command.now)
    }
    const further = furtherCommands(incident, command, decision.verdict)
    const others = ownerId === null ? [] : decideOthers(ownerId, further, before?.found)
    const { unknownDevice, isListed } = found
    const base =
      decision.verdict === 'put_off' && before !== null ? { ...before.found, unknownDevice, isListed } : found
    const { committed, record } = commit(base, decision, command, attempt)
    return { committed: others.length === 0 ? committed : { ...committed, overtaken: others }, record }
  }

  /**
   * The earlier alarm that a press without an open incident follows: one look, and more only right after an end.
   * rules.md#put-off.
   */
  const foundBefore = (ownerId: string, { alert, now }: Extract<Command, { type: 'raise' }>) => {
    const row = lastOf.get({ userId: ownerId, since: now - RUN_GAP_MS })
    if (row === undefined) return null
    const incident = incidentOf(row)
    return { incident, presses: alerts.lastOf(ownerId, alert), found: { row, incident, ownerId, ...NO_REPORTER } }
  }

  const putOffOf = (ownerId: string): Found | null => {
    const row = lastOf.get({ userId: ownerId, since: Number.POSITIVE_INFINITY })
    return row === undefined ? null : { row, incident: incidentOf(row), ownerId, ...NO_REPORTER }
  }

  const announced = (found: Found, command: Command): Announcement => {
    const decision = decide({ incident: found.incident }, command)
    const { incidentId, events, nextActionAt } = commit(found, decision, command).committed
    return { incidentId, events, nextActionAt }
  }

  /** `last`: the owner's last incident, if a press has found it. */
  const decideOthers = (ownerId: string, { drill, putOff }: FurtherCommands, last?: Found): readonly Announcement[] => {
    const exercise = drill && drillOf(ownerId)
    const before = putOff && (last ?? putOffOf(ownerId))
    return [
      ...(drill !== null && exercise !== null ? [announced(exercise, drill)] : []),
      ...(putOff !== null && before?.incident?.putOff ? [announced(before, putOff)] : []),
    ]
  }

  return {
    change,
    recordAudit: auditing(db),

    changeIncident: (key: IncidentKey, command: Command): Committed => change(key, command).committed,

    changePending(command: ClockCommand): number {
      let changed = 0
      shiftTimers(command)
      for (const row of pending.all()) {
        const incident = incidentOf(row)
        const found = { row, incident, ownerId: incident.userId, ...NO_REPORTER }
        const decision = decide({ incident }, command)
        if (decision.incident === incident) continue
        commit(found, decision, command)
        changed += 1
      }
      return changed
    },
  }
}

/** `handedIn`: when the command began to wait for the writer. */
type Waiting = { readonly handedIn: TwoClocks; readonly withdrawal?: Withdrawal | undefined }

type Changing = Pick<DueIncidents, 'changePending'> & {
  /** As in the port. */
  changeIncident(
    key: IncidentKey,
    command: Command,
    audit: AuditEntry | undefined,
    waiting: Waiting,
  ): Promise<SentCommit>
}

export const incidentWrites = writesOf<Changing>()(incidentDoor, {
  changeIncident: {
    lane: 'alarm',
    // Drills spare the last room on a disk.
    reserve: (_key, { type }) => (type === 'drill' ? 'spares' : 'releases'),
    step: (_key, { type }) => stepOf(type),
    moment: (_key, { now }) => now,
    sender: (key) => ('reporter' in key ? key.reporter.userId : 'openOf' in key ? key.openOf : key.incidentId),
    run({ change, recordAudit }, key, command, audit, waiting) {
      const { committed, record } = change(key, command, waiting)
      if (audit !== undefined && isChange(committed.verdict)) recordAudit(audit)
      return sentCommit(committed, record)
    },
  },
  changePending: {
    lane: 'alarm',
    reserve: 'releases',
    setsClock: true,
    moment: ({ now }) => now,
    run: ({ changePending }, command) => changePending(command),
  },
})
