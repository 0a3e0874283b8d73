// One file: the state of a batch in memory, which each of its commands reads and changes.

import type { Command } from '../../../../core/incident/command.ts'
import { decide, needsLastSeen, needsPlan } from '../../../../core/incident/decide.ts'
import type { Decision } from '../../../../core/incident/decision.ts'
import type { Delivery } from '../../../../core/incident/delivery.ts'
import { attemptNumberOf } from '../../../../core/incident/escalation.ts'
import { furtherCommands } from '../../../../core/incident/further-commands.ts'
import { type EarlierAlert, type Incident, isOpen, isUsersOpen } from '../../../../core/incident/incident.ts'
import { nextActionAt } from '../../../../core/incident/next-action.ts'
import { whereaboutsOf } from '../../../../core/incident/places.ts'
import type { Before, RunPress } from '../../../../core/incident/put-off.ts'
import { changesStanding } from '../../../../core/incident/standing-change.ts'
import type { Alert } from '../../../../core/ingest/alert.ts'
import { identifiedDevice } from '../../../../core/ingest/device-key.ts'
import { isOwnSource } from '../../../../core/ingest/position.ts'
import type { Committed, Notice } from '../../../../ports/store.ts'
import { attemptAfter, changesOf, isOnlyFolded, type TrailPoint } from '../../shared/changes.ts'
import { newestOfRows } from '../../shared/position-row.ts'
import { markOf } from '../notices/announced.ts'
import type { DoorCall, Found, Newest } from './ask.ts'
import { EndsInBatch } from './ends-in-batch.ts'
import { incidentRow, type Row } from './incident-row.ts'
import { lastSeenAt, NOWHERE, newestWith } from './newest-positions.ts'

/** An incident as it is after the commands so far. */
type Held = {
  readonly number: number
  /** Null: this batch opened it. */
  readonly stored: Incident | null
  incident: Incident
  newest: Newest
  readonly folded: Map<string, Delivery>
}

/** The rows that a batch writes, as `json_to_recordset` takes them. */
export type Rows = readonly Row[]
export type WorkingSetRows = {
  readonly changed: Rows
  readonly opened: Rows
  readonly tokens: Rows
  readonly alerts: Rows
  readonly timeline: Rows
  readonly trail: Rows
  readonly relayedTrail: Rows
  readonly awaitedEnds: Rows
  readonly comeEnds: Rows
  readonly notices: Rows
}

/**
 * The incidents of a batch in memory: each command sees the changes of those before it. The rows to write come out at
 * the end, each once.
 */
export class WorkingSet {
  /** By id. */
  readonly #incidents = new Map<string, Held>()
  /** The open incident of each owner; null: none. */
  readonly #openOf = new Map<string, Held | null>()
  /** The open drill of each owner, which only `drill` and a press ever meet; null: none. */
  readonly #drillOf = new Map<string, Held | null>()
  readonly #earlier = new Map<string, EarlierAlert>()
  readonly #alerts = new Map<string, Rows[number]>()
  /** The presses of this batch that a run may count, by user and device, newest first. */
  readonly #runs = new Map<string, readonly RunPress[]>()
  readonly #ends = new EndsInBatch()
  readonly #trail: Rows[number][] = []
  readonly #relayedTrail: Rows[number][] = []
  readonly #opened: string[] = []
  readonly #grown: number[] = []
  readonly #notices: Rows[number][] = []
  /** Ids of incidents that have a notice in this batch. */
  readonly #announced = new Set<string>()
  /** Ids of incidents that a screen on another node shows otherwise now. */
  readonly #seen = new Set<string>()

  /** Owners who have opened an incident. */
  get opened(): readonly string[] {
    return this.#opened
  }
  /** Numbers of incidents that have more rows now, one entry a row. */
  get grown(): readonly number[] {
    return this.#grown
  }

  /** Decides one command, on the situation found for it and not changed here since. */
  apply(call: DoorCall, found: Found): Committed {
    const { key, command } = call
    const open = this.#heldFor('incidentId' in key ? key.incidentId : null, found)
    const held = command.type === 'drill' ? (open ?? this.#drillFor(found)) : open
    const incident = held?.incident ?? null
    const attempt = foldedAttempt(held, found, command)
    const decision = decide(
      {
        incident,
        drillsBefore: found.drillsBefore,
        strangersDrills: found.strangersDrills,
        unknownDevice: found.unknownDevice,
        attempt,
        before: command.type === 'raise' && incident === null ? this.#beforeOf(command, found) : null,
        plan: needsPlan(incident, command) ? found.plan : null,
        earlier: command.type === 'raise' ? this.#earlierOf(command.alert, found) : null,
        lastSeenAt: incident !== null && needsLastSeen(incident, command) ? lastSeenAt(held?.newest ?? NOWHERE) : null,
        isListed: found.isListed,
        ...('end' in command && { end: this.#ends.factsOf(call, found, (id) => this.#isOf(id, found)) }),
        ...(command.type === 'raise' && { isAwaited: this.#ends.isAwaited(command.alert, found) }),
      },
      command,
    )
    if (decision.awaits) this.#ends.keep(call, found)
    if (command.type === 'raise' && decision.verdict === 'ended_before') this.#ends.noteCome(command, found)
    const { drill, putOff } = furtherCommands(incident, command, decision.verdict)
    const ended = [
      drill && this.#decideOther(drill, this.#drillFor(found), found),
      putOff && this.#decideOther(putOff, this.#heldPutOff(found), found),
    ]
    const overtaken = ended.filter((one) => one !== null)
    const about = { command, held: decision.verdict === 'put_off' ? this.#heldBefore(found) : held, found, attempt }
    return { ...this.#take(decision, about), ...(overtaken.length > 0 && { overtaken }) }
  }

  #heldBefore({ before }: Found): Held | null {
    if (before === null) return null
    const { number, incident } = before
    return (
      this.#incidents.get(incident.id) ??
      this.#hold({ number, stored: incident, incident, newest: NOWHERE, folded: new Map() })
    )
  }

  /**
   * Its state after the commands so far. No run follows an alarm that opened and ended in this batch: the press alarms.
   */
  #beforeOf({ alert }: Extract<Command, { type: 'raise' }>, found: Found): Before | null {
    const incident = this.#endedBefore(found)
    if (found.before === null || incident === null) return null
    const lately = this.#runs.get(placeOf(found.ownerId, alert)) ?? []
    return { incident, presses: [...lately, ...found.before.presses] }
  }

  #endedBefore({ before, ownerId }: Found): Incident | null {
    if (before === null || ownerId === null || this.#opened.includes(ownerId)) return null
    return this.#incidents.get(before.incident.id)?.incident ?? before.incident
  }

  /** The owner's last incident, if it puts presses off. */
  #heldPutOff(found: Found): Held | null {
    return this.#endedBefore(found)?.putOff === undefined ? null : this.#heldBefore(found)
  }

  /** A command for another incident of the owner. */
  #decideOther(command: Command, held: Held | null, found: Found): Committed | null {
    if (held === null) return null
    return this.#take(decide({ incident: held.incident }, command), { command, held, found, attempt: null })
  }

  /** Whether this batch holds an incident of that owner, drills apart. */
  #isOf(incidentId: string, { ownerId }: Found): boolean {
    const incident = this.#incidents.get(incidentId)?.incident
    return incident !== undefined && incident.userId === ownerId && incident.drill === undefined
  }

  rows(): WorkingSetRows {
    this.#addQuietNotices()
    const all = [...this.#incidents.values()].filter(({ stored, incident }) => stored !== incident)
    return {
      changed: all.filter(({ stored }) => stored !== null).map(incidentRow),
      opened: all.filter(({ stored }) => stored === null).map(incidentRow),
      tokens: all
        .filter(({ stored, incident }) => stored?.contacts !== incident.contacts)
        .flatMap(({ number, incident }) =>
          incident.contacts.map(({ token, contactId }) => ({ token, incidentNumber: number, contactId })),
        ),
      alerts: [...this.#alerts.values()],
      timeline: [...this.#incidents.values()].flatMap(({ number, folded }) =>
        [...folded.values()].map((attempt) => ({ incidentNumber: number, n: attemptNumberOf(attempt.id), attempt })),
      ),
      trail: this.#trail,
      relayedTrail: this.#relayedTrail,
      ...this.#ends.rows,
      notices: this.#notices,
    }
  }

  #heldFor(incidentId: string | null, { ownerId, number, incident, newest }: Found): Held | null {
    if (incidentId === null && ownerId !== null) {
      const open = this.#openOf.get(ownerId)
      if (open !== undefined) return open
    }
    const known = this.#incidents.get(incidentId ?? incident?.id ?? '')
    if (known !== undefined) return known
    if (incident === null || number === null) {
      if (incidentId === null && ownerId !== null) this.#openOf.set(ownerId, null)
      return null
    }
    return this.#hold({ number, stored: incident, incident, newest, folded: new Map() })
  }

  #drillFor({ ownerId, drill }: Found): Held | null {
    const known = ownerId === null ? undefined : this.#drillOf.get(ownerId)
    if (known !== undefined) return known
    if (drill === null) return null
    const { number, incident } = drill
    return (
      this.#incidents.get(incident.id) ??
      this.#hold({ number, stored: incident, incident, newest: NOWHERE, folded: new Map() })
    )
  }

  #hold(held: Held): Held {
    const { incident } = held
    this.#incidents.set(incident.id, held)
    if (isOpen(incident)) (isUsersOpen(incident) ? this.#openOf : this.#drillOf).set(incident.userId, held)
    return held
  }

  #earlierOf(alert: Alert, { ownerId, earlier }: Found): EarlierAlert | null {
    return this.#earlier.get(identityOf(ownerId, alert)) ?? earlier
  }

  #take(
    decision: Decision,
    about: { command: Command; held: Held | null; found: Found; attempt: Delivery | null },
  ): Committed {
    const { command, held, found, attempt } = about
    const before = held?.incident ?? null
    const after = this.#changed(decision, held, found)
    const isPress = after !== null && this.#add(after, decision, command, found)
    const next = decision.incident === null ? null : nextActionAt(decision.incident)
    const previous = before?.id === decision.incident?.id ? before : null
    this.#announce(decision, { previous, next, isPress })
    return {
      ...decision,
      previous,
      incidentId: decision.incident?.id ?? null,
      ...(after === null ? { lastPosition: null } : whereaboutsOf(newestOfRows(after.newest))),
      nextActionAt: next,
      unknownDevice: found.unknownDevice,
      attempt: attemptAfter(decision, command, attempt),
    }
  }

  /** Leaves a notice for other nodes, where they have an event to publish or an earlier deadline to know. */
  #announce(
    { incident, events }: Decision,
    about: { readonly previous: Incident | null; readonly next: number | null; readonly isPress: boolean },
  ): void {
    const { previous, next, isPress } = about
    if (incident === null || incident === previous) return
    const before = previous === null ? null : nextActionAt(previous)
    const isEarlier = next !== null && (before === null || next < before)
    if (events.length === 0 && !isEarlier) {
      if (isPress || (previous !== null && changesStanding(previous, incident))) this.#seen.add(incident.id)
      return
    }
    this.#leaveNotice({ kind: 'committed', incidentId: incident.id, events, nextActionAt: next }, incident)
  }

  #leaveNotice(notice: Extract<Notice, { kind: 'committed' }>, incident: Incident): void {
    this.#announced.add(incident.id)
    this.#notices.push({
      k: this.#notices.length,
      incident: incident.id,
      mark: notice.events.length === 0 ? null : markOf(incident),
      notice: JSON.stringify(notice),
    })
  }

  /**
   * For changes without an event that screens on other nodes show: a press that comes too early to alarm again. At most
   * one per incident and batch, and none if another notice makes them read it: a flood of presses is not passed on.
   */
  #addQuietNotices(): void {
    for (const id of this.#seen) {
      const incident = this.#incidents.get(id)?.incident
      if (incident === undefined || this.#announced.has(id)) continue
      const next = nextActionAt(incident)
      this.#leaveNotice({ kind: 'committed', incidentId: id, events: [], nextActionAt: next }, incident)
    }
  }

  /** The incident that the decision leaves, if it leaves one. */
  #changed({ incident }: Decision, held: Held | null, { nextNumber }: Found): Held | null {
    if (incident === null) return null
    if (held === null || held.incident.id !== incident.id) {
      if (nextNumber === null) throw new Error('an incident was opened by a command that may not open one')
      this.#opened.push(incident.userId)
      return this.#hold({ number: nextNumber, stored: null, incident, newest: NOWHERE, folded: new Map() })
    }
    if (held.incident.throughDevice !== incident.throughDevice) held.newest = { ...held.newest, ofDevice: null }
    held.incident = incident
    if (isOpen(incident)) return held
    for (const known of [this.#openOf, this.#drillOf]) {
      if (known.get(incident.userId) === held) known.set(incident.userId, null)
    }
    return held
  }

  /** Returns whether an alert was new. */
  #add(held: Held, decision: Decision, command: Command, { ownerNumber, isListed }: Found): boolean {
    const { number, incident } = held
    const { folded, alert, position } = changesOf(decision, command, isListed)
    for (const attempt of folded) held.folded.set(attempt.id, attempt)
    this.#grown.push(...folded.map(() => number))
    if (alert !== null) {
      const { alert: sent, isRelayed: relayed, sentBy, run } = alert
      const { receivedAt, fingerprint, at, sentAt } = sent
      this.#ends.add(incident.userId, incident.id, alert)
      const identity = identityOf(incident.userId, sent)
      this.#earlier.set(identity, { incidentId: incident.id, receivedAt, fingerprint, isRelayed: relayed })
      const identified = { ms: at.ms, nanos: at.nanos, deviceId: identifiedDevice(sent), incidentNumber: number }
      if (run !== null) this.#notePress(placeOf(incident.userId, sent), { receivedAt, run })
      const asSent = { sentMs: sentAt?.ms ?? null, sentNanos: sentAt?.nanos ?? null, sentBy }
      this.#alerts.set(identity, {
        userNumber: ownerNumber,
        ...identified,
        receivedAt,
        fingerprint,
        relayed,
        ...asSent,
        run,
      })
      this.#grown.push(number)
    }
    if (position !== null) this.#addPosition(held, position)
    return alert !== null
  }

  #notePress(runKey: string, press: RunPress): void {
    this.#runs.set(runKey, [press, ...(this.#runs.get(runKey) ?? [])])
  }

  /** A second position at the same instant changes nothing. */
  #addPosition(held: Held, { at: { ms, nanos }, position, deviceId }: TrailPoint): void {
    const { source = null } = position
    const rows = isOwnSource(source) ? this.#trail : this.#relayedTrail
    rows.push({ incidentNumber: held.number, ms, nanos, ...position, source, deviceId })
    this.#grown.push(held.number)
    const isOfDevice = deviceId !== null && deviceId === held.incident.throughDevice
    held.newest = newestWith(held.newest, { accuracy: null, ...position, source, ms, nanos }, isOfDevice)
  }
}

/** rules.md#identity: an alert's identity is its owner, `deviceId` and event time. */
const identityOf = (ownerId: string | null, alert: Alert): string =>
  JSON.stringify([ownerId, alert.at.ms, alert.at.nanos, identifiedDevice(alert)])

/** The user and the device of a press. */
const placeOf = (ownerId: string | null, alert: Alert): string => JSON.stringify([ownerId, identifiedDevice(alert)])

function foldedAttempt(held: Held | null, { attempt }: Found, command: Command): Delivery | null {
  if (held === null || !('attemptId' in command) || !isOnlyFolded(held.incident, command)) return null
  return held.folded.get(command.attemptId) ?? attempt
}
