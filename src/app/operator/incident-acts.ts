import type { Command } from '../../core/incident/command.ts'
import { isPressedSince } from '../../core/incident/decide.ts'
import { type EndRemark, type Incident, isOpen } from '../../core/incident/incident.ts'
import { alarmNow } from '../../core/incident/put-off.ts'
import type { Actor, AuditEntry, KnownActor } from '../../core/operator/audit.ts'
import type { Action } from '../../core/operator/role.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Committed, IncidentKey } from '../../ports/store.ts'
import type { IncidentDoor } from '../incident-door.ts'
import { type By, rowBy } from './by.ts'

/** Someone else was first, or it is too late. */
export type WhyNot =
  | 'taken_by_another'
  | 'not_taken'
  | 'pressed_again'
  | 'undo_too_late'
  | 'incident_closed'
  | 'incident_open'
  | 'incident_held'
  | 'not_put_off'
  | 'note_limit'

/** What an operator does to an incident, in the console or on the command line. */
export type IncidentAct = {
  readonly command: Command
  /** Of its row in the audit log. */
  readonly action: Action
  readonly details?: AuditEntry['details']
  /** The incident that the command is for, if it is not the one that they act on. */
  readonly key?: IncidentKey
}

/** `whyNot`: why the incident is not as they wanted it, by what it is afterwards; null if it is. */
export type JudgedAct = IncidentAct & {
  readonly whyNot: (after: Incident, isChanged: boolean) => WhyNot | null
}

type ByOperator = By & { readonly actor: KnownActor }
/** `knownAlertAt`: the newest alert that they know of (its arrival, epoch ms): after a later one nothing changes. */
type Known = { readonly knownAlertAt?: number }

/** Does it, with its row in the audit log. */
export const perform = (
  door: Pick<IncidentDoor, 'change'>,
  by: By,
  { id, appId, userId }: Incident,
  { command, action, details = {}, key = { incidentId: id } }: IncidentAct,
): Promise<Committed> => door.change(key, command, rowBy(by, { action, appId, userId, subject: id, details }))

/** Texts and screens name operators; the command line is nobody that they know. */
const named = ({ kind, name }: Actor) => (kind === 'command' ? {} : { name })
const withAccount = ({ id }: Actor) => (id === null ? {} : { operatorId: id })

/** Those of the command line: `take`, `resolve`, `resume` and `alarmNow`. */
export const incidentActs = {
  /** It was opened on a screen: it is no longer marked new. Takes nothing, stops nothing. */
  see: ({ actor, now }: By): JudgedAct => ({
    action: 'incident.seen',
    command: { type: 'see', now, name: actor.name },
    whyNot: () => null,
  }),

  /** *We take it*, or a contact has said so (`contactId`): stops the cascade. */
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

  /** Within a minute, by who took it: the cascade goes on. */
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
   * From the operator who has it, whose console says so. `from`: who has it as the screen shows it; null: nobody with
   * an account. rules.md#shifts.
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

  /** Ends it. `remark`: how it turned out. rules.md#ends, rules.md#closing. */
  resolve: ({ actor, now }: By, remark: EndRemark, known: Known = {}): JudgedAct => ({
    action: 'incident.resolve',
    command: { type: 'resolve', now, by: 'operator', ...named(actor), remark, ...known },
    whyNot(after, isChanged) {
      if (isChanged) return null
      if (isOpen(after)) return 'pressed_again'
      return after.closing?.by === 'operator' && after.closing.name === actor.name ? null : 'incident_closed'
    },
  }),

  /** Goes on with an incident that came with a restored backup. */
  resume: ({ now }: By): JudgedAct => ({
    action: 'incident.resume',
    command: { type: 'resume', now },
    whyNot: (after, isChanged) => (isChanged || isOpen(after) ? null : 'incident_closed'),
  }),

  /** Alarms with what is put off, at once, in a new incident. Null: nothing is put off. rules.md#put-off. */
  alarmNow({ now }: By, incident: Incident, ids: Pick<Ids, 'uuid' | 'secret'>): IncidentAct | null {
    const command = alarmNow(incident, { now, incidentId: ids.uuid(), linkSecret: ids.secret() })
    return command && { action: 'incident.alarm_now', command, key: { openOf: incident.userId } }
  },

  /** Has the alarm sent to one contact once more. rules.md#resend. */
  resend: ({ now }: By, contactId: string): IncidentAct => ({
    action: 'incident.resend',
    command: { type: 'resend', now, contactId },
    details: { contactId },
  }),

  /** Lets a contact who joined during the alarm see the position. rules.md#position-access. */
  showPosition: ({ actor, now }: By, contactId: string): IncidentAct => ({
    action: 'incident.show_position',
    command: { type: 'showPosition', now, contactId, by: null, ...named(actor) },
    details: { contactId },
  }),
}
