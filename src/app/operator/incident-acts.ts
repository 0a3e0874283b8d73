import type { Command, CountedEnd } from '../../core/incident/command.ts'
import { isPressedSince } from '../../core/incident/decide.ts'
import { type EndRemark, type HeadState, type Incident, isOpen, type Major } from '../../core/incident/incident.ts'
import { whyNotFromList } from '../../core/incident/major.ts'
import { alarmNow } from '../../core/incident/put-off.ts'
import type { Actor, AuditEntry, KnownActor } from '../../core/operator/audit.ts'
import type { Action } from '../../core/operator/role.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Committed, IncidentKey } from '../../ports/store.ts'
import type { IncidentDoor } from '../incident-door.ts'
import { type By, rowBy } from './by.ts'

/** The reasons for which an act has no effect: someone else was first, or it is too late. */
export type WhyNot =
  | 'taken_by_another'
  | 'not_taken'
  | 'pressed_again'
  | 'undo_too_late'
  | 'incident_closed'
  | 'incident_open'
  | 'incident_held'
  | 'contact_stopped'
  | 'not_put_off'
  | 'not_counted'
  | 'in_another_major'
  | 'major_mixed'
  | 'major_limit'
  | 'note_limit'
  | 'no_talk'

/** An operator's act on an incident, in the console or on the command line. */
export type IncidentAct = {
  readonly command: Command
  /** For its audit row. */
  readonly action: Action
  readonly details?: AuditEntry['details']
  /** The incident that the command changes, if it is not the one acted on. */
  readonly key?: IncidentKey
}

/** `whyNot`: the reason why the act had no effect, from the incident afterwards; null if it had. */
export type JudgedAct = IncidentAct & {
  readonly whyNot: (after: Incident, isChanged: boolean) => WhyNot | null
}

/** As in the command, with what the operator's screen showed. */
export type Part = {
  readonly major: Pick<Major, 'id' | 'startedAt'> | null
  readonly from?: string | null
  readonly assignedTo?: string | null
  readonly head?: HeadState | null
}

type ByOperator = By & { readonly actor: KnownActor }
/**
 * `knownAlertAt`: the newest alert they have seen (its arrival, epoch ms): if a later one has come, nothing changes.
 */
type Known = { readonly knownAlertAt?: number }

/** Performs the act, with its audit row. */
export const perform = (
  door: Pick<IncidentDoor, 'change'>,
  by: By,
  { id, appId, userId }: Incident,
  { command, action, details = {}, key = { incidentId: id } }: IncidentAct,
): Promise<Committed> => door.change(key, command, rowBy(by, { action, appId, userId, subject: id, details }))

/** Texts and screens name operators; the command line has no name that people would know. */
const named = ({ kind, name }: Actor) => (kind === 'command' ? {} : { name })
const withAccount = ({ id }: Actor) => (id === null ? {} : { operatorId: id })

/** The acts of operators. The command line has `take`, `resolve`, `resume` and `alarmNow`. */
export const incidentActs = {
  /**
   * Marks it as opened on a screen: it is no longer new. Takes nothing, stops nothing. `heardAt`: the newest message
   * of the person or a contact.
   */
  see: ({ actor, now }: By, heardAt?: number, known: Known = {}): JudgedAct => ({
    action: 'incident.seen',
    command: { type: 'see', now, name: actor.name, ...(heardAt !== undefined && { heardAt }), ...known },
    whyNot: (after) => (isOpen(after) && isPressedSince(after, known.knownAlertAt) ? 'pressed_again' : null),
  }),

  /** Notes its part in a major incident. Takes nothing, stops nothing. The row has no text that somebody wrote. */
  mark: ({ actor, now }: By, part: Part, known: Known = {}): JudgedAct => ({
    action: 'incident.major',
    command: { type: 'mark', now, name: actor.name, ...part, ...known },
    details: {
      major: part.major?.id ?? null,
      ...(part.assignedTo !== undefined && { assigned: part.assignedTo !== null }),
      ...(part.head !== undefined && { head: part.head }),
    },
    whyNot(after, isChanged) {
      if (isChanged) return null
      if (!isOpen(after)) return 'incident_closed'
      if (isPressedSince(after, known.knownAlertAt)) return 'pressed_again'
      return after.major?.id === part.major?.id ? null : 'in_another_major'
    },
  }),

  /** Stops the cascade: *We take it*, or a contact has told the operator that they will help (`contactId`). */
  take: (
    { actor, now }: By,
    { contactId = null, ...known }: Known & { readonly contactId?: string | null } = {},
  ): JudgedAct => ({
    action: 'incident.take',
    command: { type: 'acknowledge', now, contactId, ...named(actor), ...withAccount(actor), ...known },
    details: contactId === null ? {} : { contactId },
    whyNot(after) {
      if (!isOpen(after)) return 'incident_closed'
      if (after.takenBy?.operatorId === actor.id) return null
      return isPressedSince(after, known.knownAlertAt) ? 'pressed_again' : 'taken_by_another'
    },
  }),

  /** Takes `take` back within a minute, by the same operator: the cascade goes on. */
  untake: ({ actor, now }: By): JudgedAct => ({
    action: 'incident.untake',
    command: { type: 'decline', now, contactId: null, ...withAccount(actor) },
    whyNot(after, isChanged) {
      if (isChanged || (isOpen(after) && !after.takenBy)) return null
      if (!isOpen(after)) return 'incident_closed'
      return after.takenBy?.operatorId === actor.id ? 'undo_too_late' : 'taken_by_another'
    },
  }),

  /**
   * Takes it over from the operator who has it, whose console shows that. `from`: the operator who has it according to
   * the screen; null: somebody without an account. access.md#shifts.
   */
  takeOver: (
    { actor: { id: operatorId, name }, now }: ByOperator,
    { takenBy: former }: Incident,
    from: string | null,
  ): JudgedAct => ({
    action: 'incident.take_over',
    command: { type: 'takeOver', now, operatorId, name, from },
    details: { from: former?.name ?? null },
    whyNot(after) {
      if (!isOpen(after)) return 'incident_closed'
      if (after.takenBy?.operatorId === operatorId) return null
      return after.takenBy ? 'taken_by_another' : 'not_taken'
    },
  }),

  /** Ends it. `remark`: its outcome and a note. rules.md#ends, rules.md#closing. */
  resolve: (
    { actor, now }: By,
    remark: EndRemark,
    known: Known & { readonly counted?: CountedEnd } = {},
  ): JudgedAct => ({
    action: 'incident.resolve',
    command: { type: 'resolve', now, by: 'operator', ...named(actor), remark, ...known },
    whyNot(after, isChanged) {
      if (isChanged) return null
      if (isOpen(after)) {
        const { counted, knownAlertAt } = known
        const why = counted && !isPressedSince(after, knownAlertAt) ? whyNotFromList(after, counted) : null
        return why ?? 'pressed_again'
      }
      return after.closing?.by === 'operator' && after.closing.name === actor.name ? null : 'incident_closed'
    },
  }),

  /** Resumes an incident that came with a restored backup. */
  resume: ({ now }: By): JudgedAct => ({
    action: 'incident.resume',
    command: { type: 'resume', now },
    whyNot: (after, isChanged) => (isChanged || isOpen(after) ? null : 'incident_closed'),
  }),

  /** Raises the alarm that was put off, at once and in a new incident. Null: nothing is put off. rules.md#put-off. */
  alarmNow({ now }: By, incident: Incident, ids: Pick<Ids, 'uuid' | 'secret'>): IncidentAct | null {
    const command = alarmNow(incident, { now, incidentId: ids.uuid(), linkSecret: ids.secret() })
    return command && { action: 'incident.alarm_now', command, key: { openOf: incident.userId } }
  },

  /** Resends the alarm to one contact. rules.md#resend. */
  resend: ({ now }: By, contactId: string): IncidentAct => ({
    action: 'incident.resend',
    command: { type: 'resend', now, contactId },
    details: { contactId },
  }),

  /** Shows the position to a contact who joined during the alarm. rules.md#position-access. */
  showPosition: ({ actor, now }: By, contactId: string): IncidentAct => ({
    action: 'incident.show_position',
    command: { type: 'showPosition', now, contactId, by: null, ...named(actor) },
    details: { contactId },
  }),
}
