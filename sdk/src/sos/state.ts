import type { FieldProblem } from '../wire/alert.ts'
import type { DeliveryStatus } from '../wire/incident.ts'
import type { Facts, Over } from './facts.ts'
import type { EndAsked, Press } from './press.ts'

/** The progress of an alarm. It never goes back; `helpers` names who helps now. */
export type Step = 'kept' | 'onServer' | 'alerted' | 'coming' | 'over'

const order: readonly Step[] = ['kept', 'onServer', 'alerted', 'coming', 'over']

export type Helper = {
  /** The contact's id, as in `contacts`: two may have one name. Null: an operator. */
  readonly contactId: string | null
  /** Null: an operator whose name is not told. */
  readonly name: string | null
  readonly kind: 'contact' | 'operator'
  /** `unable`: a contact who can't help, or no longer does. `answered`: no more was said. */
  readonly answer: 'coming' | 'calling' | 'answered' | 'unable'
  /** Minutes that the contact named, at `at`. */
  readonly eta: number | null
  readonly at: string
}

export type ContactState = {
  readonly contactId: string
  readonly name: string
  readonly status: DeliveryStatus
  readonly channels: readonly { readonly channel: string; readonly status: DeliveryStatus }[]
}

/** Why a press is not on the server yet. It is tried again until it is. */
export type Trouble = 'no_network' | 'unauthorized' | 'busy' | 'not_the_service'

/** An alarm as an app shows it. */
export type AlarmState = {
  readonly step: Step
  /** It survives the end of the app. False: storage is full or missing, and the app must stay open until `onServer`. */
  readonly kept: boolean
  readonly pressedAt: string
  /** When this device learnt that it is on the server's disk; null before. */
  readonly onServerAt: string | null
  readonly incidentId: string | null
  /** Show, sound and light up nothing: somebody may be watching. */
  readonly silent: boolean
  readonly helpers: readonly Helper[]
  /** Whether somebody helps now. After a helper has withdrawn, `step` is still `coming`, and this is false. */
  readonly helped: boolean
  readonly contacts: readonly ContactState[]
  /** Until then nobody is alarmed: the button looks stuck. A press after a pause of 15 s alarms at once. */
  readonly putOff: string | null
  /** An end was asked for and is not confirmed yet. */
  readonly ending: 'cancel' | 'resolve' | null
  /** The last end did not end it, since somebody pressed again. Ask again: `cancel()` now ends that alarm too. */
  readonly pressedAgain: boolean
  readonly over: Over | null
  /** The fields that the service did not take; the press went out without them. */
  readonly refused: readonly FieldProblem[]
  readonly trouble: Trouble | null
}

/** This device's knowledge besides the facts. `ends`: how often an end was asked for. */
export type Own = {
  readonly press: Press
  readonly end: EndAsked | null
  readonly kept: boolean
  readonly trouble: Trouble | null
  readonly now: number
}

export function stateOf(facts: Facts, { press, end, kept, trouble, now }: Own): AlarmState {
  const { incident, over, onServer } = facts
  const helpers = helpersOf(facts)
  const isEnding = over === null && end !== null && end.number > facts.leftOpen
  const isPutOff = over === null && incident === null && facts.putOff > now
  return {
    step: stepOf(facts),
    kept,
    pressedAt: press.alert.timestamp,
    onServerAt: onServerAtOf(facts),
    incidentId: incident?.incidentId ?? null,
    silent: press.alert.silent === true || incident?.silent === true,
    helpers,
    helped: over === null && helpers.some(({ answer }) => answer !== 'unable'),
    contacts: contactsOf(facts).map(({ contactId, name, status, channels }) => ({ contactId, name, status, channels })),
    putOff: isPutOff ? new Date(facts.putOff).toISOString() : null,
    ending: isEnding ? end.how : null,
    pressedAgain: over === null && end !== null && end.number === facts.leftOpen,
    over,
    refused: facts.refused,
    trouble: over === null && (!onServer || isEnding) ? trouble : null,
  }
}

/** Of an alarm that this device did not see arrive, the service's own time. */
function onServerAtOf({ onServer, onServerAt, incident }: Facts): string | null {
  if (!onServer) return null
  return onServerAt === 0 ? (incident?.openedAt ?? null) : new Date(onServerAt).toISOString()
}

function stepOf({ over, answered, alerted, onServer }: Facts): Step {
  if (over !== null) return 'over'
  if (answered) return 'coming'
  if (alerted) return 'alerted'
  return onServer ? 'onServer' : 'kept'
}

/** Whether `next` is not a step back. */
export const isForward = (step: Step, next: Step): boolean => order.indexOf(next) >= order.indexOf(step)

const contactsOf = ({ incident }: Facts) =>
  incident?.actuators?.items.find(({ type }) => type === 'emergency_contacts')?.contacts ?? []

/** Contacts who have answered, in their order, and the operator who has taken the alarm. */
function helpersOf(facts: Facts): readonly Helper[] {
  const contacts = contactsOf(facts).flatMap(({ contactId, name, response, acknowledgedAt }): readonly Helper[] => {
    const contact = { contactId, name, kind: 'contact' } as const
    if (response !== undefined && (response.kind === 'unable' || acknowledgedAt !== undefined))
      return [{ ...contact, answer: response.kind, eta: response.etaMinutes ?? null, at: response.at }]
    return acknowledgedAt === undefined ? [] : [{ ...contact, answer: 'answered', eta: null, at: acknowledgedAt }]
  })
  const by = facts.incident?.acknowledgedBy
  return by?.kind === 'operator'
    ? [...contacts, { contactId: null, name: by.name, kind: 'operator', answer: 'answered', eta: null, at: by.at }]
    : contacts
}
