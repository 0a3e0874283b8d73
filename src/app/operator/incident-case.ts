import type { User } from '../../core/account/profile.ts'
import type { Batteries } from '../../core/incident/battery.ts'
import { isCardShown } from '../../core/incident/card-access.ts'
import { undoUntil } from '../../core/incident/decline.ts'
import type { Delivery } from '../../core/incident/delivery.ts'
import { type Incident, type IncidentContact, isOpen } from '../../core/incident/incident.ts'
import { isRemoved, positionAccess } from '../../core/incident/position-access.ts'
import { type Snapshot, snapshotOf } from '../../core/incident/snapshot.ts'
import { hasTalk, type KnownContact, type TalkLine, talkLineView, talkReaders } from '../../core/incident/talk.ts'
import { upcomingOf } from '../../core/incident/upcoming.ts'
import { isoAt, isoOrNull } from '../../core/ingest/event-time.ts'
import type { Position } from '../../core/ingest/position.ts'
import { smsWays } from '../../core/message/sms-talk.ts'
import type { BoardRecord, CalledBack, IncidentNote } from '../../ports/store.ts'
import { boardItem } from './board-item.ts'
import { inDoubt, type Told, timelineEntries } from './incident-timeline.ts'
import type { TalkTexts } from './talk-texts.ts'

/** Everything known about one incident. `user`: null if erased since. */
export type CaseRecords = Omit<Told, 'incident'> & {
  readonly record: BoardRecord
  readonly user: User | null
  readonly trail: readonly Position[]
  /** Whether the user has a card. Absent: no. */
  readonly hasCard?: boolean
  /** The talk, oldest first, and the person's contacts, to show who reads it. Absent: nothing was said. */
  readonly talk?: {
    readonly lines: readonly TalkLine[]
    readonly known: readonly KnownContact[]
    readonly sms: TalkTexts | null
  }
  /** The newest levels. Absent: those of the press. */
  readonly batteries?: Batteries
}

/** One incident as an operator works on it. protocol.md#operator-incidents. */
export type IncidentCase = ReturnType<typeof incidentCase>

/** Builds a case. `operatorId`: the viewing operator's. `now`: epoch ms. */
export function incidentCase(records: CaseRecords, { operatorId, now }: { operatorId: string | null; now: number }) {
  const { record, user, trail, notes, calledBack, batteries, hasCard, talk } = records
  const { incident } = record
  const snapshot = snapshotOf(incident)
  return {
    incident: boardItem(record, batteries),
    snapshot,
    contacts: contactsOf(incident, snapshot, calledBack),
    timeline: timelineEntries({ ...records, incident }),
    trail,
    remarks: incident.creation.warnings,
    notes: notes.map(noteView),
    talk: talkOf(incident, talk ?? { lines: [], known: [], sms: null }, now),
    calledBack: calledBack.map(tickView),
    next: upcomingOf(incident).map(({ at, ...what }) => ({ at: isoAt(at), ...what })),
    mayUndoTakeUntil: isoOrNull(undoOf(incident, operatorId, now)),
    hasCard: hasCard === true && isCardShown(incident),
    profile: user && profileOf(user),
  }
}

/** With the operators' notes on the person, which are needed now. people.md. */
const profileOf = ({ name, phone, email, address, operatorNotes, groupNames }: User) => ({
  ...{ name, phone, email, address },
  notes: operatorNotes,
  groups: groupNames ?? [],
})

/** The talk with the person. `to`: whom an operator's line is for, unless they say otherwise. */
function talkOf(incident: Incident, { lines, known, sms }: NonNullable<CaseRecords['talk']>, now: number) {
  const newest = lines.findLast(({ side }) => side === 'person')
  const isToDesk = newest?.toDesk ?? incident.silent === true
  return {
    mayWrite: isOpen(incident) && hasTalk(incident),
    to: isToDesk ? ('desk' as const) : ('all' as const),
    readers: talkReaders(incident, known).map(({ contactId, name, isNow }) => ({ contactId, name, now: isNow })),
    items: lines.map(talkLineView),
    sms: sms && {
      phone: sms.phone,
      lines: smsWays(sms.talk, { ...sms, lines, now }).map((line) =>
        line.way === 'waits' ? { ...line, until: isoAt(line.until) } : line,
      ),
    },
  }
}

const noteView = ({ at, ...note }: IncidentNote) => ({ ...note, at: isoAt(at) })
const tickView = ({ at, ...tick }: CalledBack) => ({ ...tick, at: isoAt(at) })

/** Until when the viewing operator may take their own answer back. */
function undoOf(incident: Incident, operatorId: string | null, now: number): number | null {
  const { takenBy } = incident
  if (!isOpen(incident) || !takenBy || operatorId === null || takenBy.operatorId !== operatorId) return null
  const until = undoUntil(takenBy)
  return now <= until ? until : null
}

/** The snapshot's entries, with details that only operators see. */
function contactsOf(incident: Incident, { items }: Snapshot, calledBack: readonly CalledBack[]) {
  const entries = items.find(({ type }) => type === 'emergency_contacts')?.contacts ?? []
  return incident.contacts.map((contact) => {
    const entry = entries.find(({ contactId }) => contactId === contact.contactId)
    const tick = calledBack.find(({ contactId }) => contactId === contact.contactId)
    return {
      contactId: contact.contactId,
      name: contact.name,
      phone: contact.phone,
      priority: contact.priority,
      language: contact.language,
      status: entry?.status ?? 'skipped',
      channels: (entry?.channels ?? []).map((channel) => ({
        ...channel,
        ...newestAt(incident, contact, channel.channel),
      })),
      response: entry?.response ?? null,
      acknowledgedAt: isoOrNull(contact.acknowledgedAt),
      calledBack: tick === undefined ? null : tickView(tick),
      removed: isRemoved(contact),
      ...(contact.joined && { joined: contact.joined.by }),
      ...(contact.onCall && { onCall: true as const }),
      ...(contact.stopped && { stopped: contact.stopped.how }),
      position: positionAccess(incident, contact),
    }
  })
}

/** When the newest attempt at this contact last changed, and why it failed. */
function newestAt(
  { deliveries }: Incident,
  { contactId }: IncidentContact,
  channel: string,
): { readonly at?: string; readonly error?: string; readonly mayHaveArrived?: true } {
  const isOfThese = (row: Delivery): boolean =>
    row.purpose === 'alarm' && row.contactId === contactId && row.channel === channel
  const newest = deliveries.findLast((row) => isOfThese(row) && (row.status !== 'scheduled' || row.error !== null))
  const doubted = deliveries.find((row) => isOfThese(row) && inDoubt(row).mayHaveArrived)
  return newest === undefined
    ? {}
    : {
        at: isoAt(newest.updatedAt),
        ...(newest.error !== null && { error: newest.error }),
        ...(doubted && inDoubt(doubted)),
      }
}
