import { displayName } from '../core/account/profile.ts'
import { type Channel, type Delivery, isReached, mayBeReached, type Purpose } from '../core/incident/delivery.ts'
import { type DownlinkKind, EXPIRED } from '../core/incident/downlink.ts'
import {
  type ContactResponse,
  type Incident,
  isOpen,
  type Overdue,
  type RaisedByOthers,
} from '../core/incident/incident.ts'
import { realarmAt } from '../core/incident/realarm.ts'
import type { Position } from '../core/ingest/position.ts'
import { SMS_SENDER, sourceText } from '../core/text/source-words.ts'
import { forTerminal, record, table } from './answer.ts'
import { closedBy, leftWords } from './closed-by.ts'
import { duration, localOffset, localTimestamp } from './moment.ts'

/** The person an incident is about, where known. */
export type Person = {
  readonly externalUserId: string
  readonly name: string | null
  readonly phone: string | null
  readonly application: string | null
}

/** One event. Times are epoch ms. */
export type Entry = { readonly at: number; readonly text: string }

const SHOWN_POSITIONS = 20

const channelWords: Readonly<Record<Channel, string>> = {
  sms: 'SMS to',
  voice: 'call to',
  http: 'HTTP call for',
  chat: 'chat post',
  webhook: 'webhook',
  email: 'e-mail to',
}

export function personText({ externalUserId, name, phone }: Person): string {
  const shown = displayName({ externalUserId, name, phone })
  return forTerminal(shown === externalUserId ? shown : `${shown} (${externalUserId})`)
}

const contactName = (incident: Incident, contactId: string | null): string =>
  incident.contacts.find((contact) => contact.contactId === contactId)?.name ?? ''

/** The contacts and the operator who have answered, in the order of their answers. */
function answersOf({ contacts, takenBy }: Incident): readonly { readonly at: number; readonly name: string }[] {
  const byContacts = contacts.flatMap(({ name, acknowledgedAt }) =>
    acknowledgedAt === null ? [] : [{ at: acknowledgedAt, name }],
  )
  const byOperator = !takenBy ? [] : [{ at: takenBy.at, name: takenBy.name ?? 'the operator' }]
  return [...byContacts, ...byOperator].toSorted((a, b) => a.at - b.at)
}

/** The state in a few words. */
export function stateText(incident: Incident, now: number): string {
  const { status, acknowledgedAt, closedAt } = incident.state
  const names = answersOf(incident).map(({ name }) => name)
  const by = names.length === 0 ? '' : ` by ${names.join(', ')}`
  const { putOff } = incident
  const presses = putOff === undefined ? '' : `, still pressing, put off for ${duration(putOff.until - now)} more`
  const why = `${incident.silent ? 'SILENT; ' : ''}${incident.overdue === undefined ? '' : 'timer ran out; '}`
  switch (status) {
    case 'active':
      return `${why}active for ${duration(now - incident.openedAt)}, nobody has answered`
    case 'acknowledged':
      return `${why}answered ${duration(now - acknowledgedAt)} ago${by}${names.length === 0 ? leftWords(incident) : ''}`
    case 'cancelled':
    case 'resolved':
      return `${why}${status} ${duration(now - closedAt)} ago${names.length === 0 ? ', nobody had answered' : `, answered${by}`}${presses}`
    default:
      return status satisfies never
  }
}

/** The contacts notified so far: `Ana; perhaps Ben; not Carl`. */
export function notifiedText({ contacts, deliveries, folded }: Incident): string {
  const isCounted = ({ channel }: Pick<Delivery, 'channel'>): boolean => channel !== 'email'
  const [rows, earlier] = [deliveries.filter(isCounted), folded.filter(isCounted)]
  const reached = [...rows.filter(isReached), ...earlier.filter(({ told }) => told)]
  const open = [...rows.filter(mayBeReached), ...earlier.filter(({ mayHaveArrived }) => mayHaveArrived)]
  const idsOf = (rows: readonly { contactId: string | null }[]) => new Set(rows.map(({ contactId }) => contactId))
  const [told, maybe] = [idsOf(reached), idsOf(open)]
  const namesOf = (isAmong: (id: string) => boolean): string =>
    contacts.flatMap(({ contactId, name }) => (isAmong(contactId) ? name : [])).join(', ')
  if (contacts.length === 0) return 'no contacts'
  const perhaps = namesOf((id) => maybe.has(id) && !told.has(id))
  const not = namesOf((id) => !maybe.has(id) && !told.has(id))
  const named = [perhaps && `perhaps ${perhaps}`, not && `not ${not}`].filter(Boolean)
  return [namesOf((id) => told.has(id)) || 'nobody yet', ...named].join('; ')
}

const purposeWords: Readonly<Record<Purpose, string>> = {
  alarm: '',
  reopened: 'alerted again, ',
  acknowledged: 'told of an answer, ',
  unanswered: 'nobody answered, ',
  check_in: 'asked the helper, ',
  tell_others: 'told that somebody helps, ',
  last_call: 'about to be closed, ',
  contacts_changed: 'told that contacts were changed, ',
  account_changed: 'told that name, number or devices were changed, ',
  nobody_left: 'told that no contact is left, ',
  all_clear: 'closing message, ',
}

function attemptText(incident: Incident, row: Delivery): string {
  const { purpose, actuator, channel, contactId, error, provider } = row
  const whom = actuator === 'emergency_contacts' || actuator === 'email' ? ` ${contactName(incident, contactId)}` : ''
  const what = `${purposeWords[purpose]}${channelWords[channel]}${whom}`
  const round = row.round > 1 && purpose === 'alarm' ? ` (round ${row.round})` : ''
  return `${what}${round}: ${statusWords(row)}${error === null ? '' : `, ${error}`}${provider === null ? '' : ` [${provider}]`}`
}

function statusWords({ status, channel, mayHaveArrived }: Delivery): string {
  if (status === 'failed' && mayHaveArrived) return 'may have arrived, nobody can tell'
  return status === 'delivered' && channel === 'voice' ? 'answered the phone' : status
}

function responseWords(response: ContactResponse): string {
  switch (response.kind) {
    case 'coming':
      return `is coming, in about ${response.etaMinutes} min`
    case 'calling':
      return 'is calling'
    case 'unable':
      return "can't help"
    default:
      return response satisfies never
  }
}

const toldTracker = { received: 'its SOS was received', coming: 'help is coming' } as const satisfies Record<
  DownlinkKind,
  string
>

/** The messages sent to the LoRaWAN tracker. Unsent ones are left out. */
const trackerEntries = ({ downlinks }: Incident): readonly Entry[] =>
  (downlinks?.rows ?? []).flatMap(({ kind, status, error, updatedAt }) => {
    if (status === 'scheduled' || status === 'skipped') return []
    const why = error === EXPIRED ? 'not fetched in time' : (error ?? 'not delivered')
    const how = status === 'failed' ? `failed (${why})` : status
    return [{ at: updatedAt, text: `the tracker is told that ${toldTracker[kind]}: ${how}` }]
  })

const timerWords = ({ dueAt, note }: Overdue): string =>
  `a timer ran out: no report back by ${localTimestamp(dueAt)}${note === null ? '' : `; note: ${note}`}`

/** The timeline, oldest first, without attempts that never ran. `rows`: every known attempt. */
export function timelineOf(incident: Incident, rows: readonly Delivery[] = incident.deliveries): readonly Entry[] {
  const { state, openedAt, occurredAt, relayUserId, isRelayUnlisted, overdue, laterTimers = [] } = incident
  const relayedBy = isRelayUnlisted ? 'another user of the service' : `user ${relayUserId}`
  const relay = relayUserId === null ? '' : `, relayed by ${relayedBy}`
  const closed = state.closedAt === null ? [] : [{ at: state.closedAt, text: `${state.status}${closedBy(incident)}` }]
  const attempts = rows
    .filter(({ status, error }) => status !== 'skipped' && (status !== 'scheduled' || error !== null))
    .map((row) => ({ at: row.updatedAt, text: attemptText(incident, row) }))
  const answers = answersOf(incident).map(({ at, name }) => ({ at, text: `${name} answered` }))
  const responses = incident.contacts.flatMap(({ name, response }) =>
    response === undefined ? [] : [{ at: response.at, text: `${name} ${responseWords(response)}` }],
  )
  const opened = {
    at: openedAt,
    text: overdue === undefined ? `alarm arrived, pressed ${occurredAt.text}${relay}` : timerWords(overdue),
  }
  const timers = laterTimers.map((timer) => ({ at: timer.at, text: timerWords(timer) }))
  const { warnings } = incident.creation
  const remarks = warnings.map(({ field, message }) => ({ at: openedAt, text: `${field} ${message}` }))
  const again =
    incident.lastAlertAt > openedAt && laterTimers.at(-1)?.at !== incident.lastAlertAt
      ? [{ at: incident.lastAlertAt, text: 'last alarm from the device' }]
      : []
  const tracker = trackerEntries(incident)
  return [
    opened,
    ...remarks,
    ...[...attempts, ...tracker, ...timers, ...answers, ...responses, ...again, ...closed].toSorted(
      (a, b) => a.at - b.at,
    ),
  ].map(({ at, text }) => ({ at, text: forTerminal(text) }))
}

export const entryText = ({ at, text }: Entry): string => `${localTimestamp(at)}  ${text}`

/** The next automatic steps. */
function aheadOf(incident: Incident, now: number): readonly string[] {
  const { deliveries, cascade, held } = incident
  if (held) return ['nothing: it was restored from a backup; continue it with: tocsin incident resume ID']
  const rows = deliveries
    .filter(({ status }) => status === 'scheduled')
    .toSorted((a, b) => a.dueAt - b.dueAt)
    .map((row) => `${row.dueAt > now ? `in ${duration(row.dueAt - now)}` : 'now'}: ${attemptText(incident, row)}`)
  if (!isOpen(incident)) return rows
  const { phase } = cascade
  const next =
    phase.name === 'ending'
      ? [
          `in ${duration(Math.max(0, phase.endsAt - now))}: the end of round ${cascade.round}, ${cascade.roundsLeft} left`,
        ]
      : []
  const pause =
    phase.name === 'pausing' ? [`${inTime(phase.nextAt, now)}: another round, because nobody has answered`] : []
  const over = phase.name === 'exhausted' ? ['all rounds have ended and nobody has answered'] : []
  const again = realarmAt(incident)
  const press = again === null ? [] : [`${inTime(again, now)}: another alarm, for a press that came too soon`]
  const { watch, autoResolveAt } = incident
  const asked =
    watch === null
      ? []
      : [
          `${inTime(watch.at, now)}: ${watch.withdrawn ? 'the others are alerted, because nobody helps any more' : watch.asked ? 'the others are alerted, unless the helper answers' : 'the helper is asked for news'}`,
        ]
  const end = [`${inTime(autoResolveAt, now)}: it is closed automatically, unless there is news before then`]
  return [...rows, ...next, ...pause, ...over, ...press, ...asked, ...end].map(forTerminal)
}

const inTime = (at: number, now: number): string => (at > now ? `in ${duration(at - now)}` : 'now')

const mapLink = ({ latitude, longitude }: Position): string =>
  `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=16/${latitude}/${longitude}`

/** With its source, if there are two positions or another user sent this one. */
function placeText(place: Position, isOneOfTwo = true): string {
  const { latitude, longitude, at, source } = place
  const isSaid = source !== undefined && (isOneOfTwo || source === 'other')
  const from = isSaid ? ` (${sourceText('en', place)})` : ''
  return `${latitude}, ${longitude} at ${at}${from}`
}

const howRaised = ({ deviceId: by }: RaisedByOthers): string =>
  by.startsWith(SMS_SENDER) ? `by ${by}, may be forged` : `through ${by}, by another user of the service`

/** The whole incident, for an operator who has to act on it. `trail`: oldest first. */
export function incidentText(
  incident: Incident,
  {
    person,
    places,
    trail,
    attempts,
    now,
  }: {
    readonly person: Person
    /** The one to show comes first. */
    readonly places: readonly Position[]
    readonly trail: readonly Position[]
    readonly attempts: readonly Delivery[]
    readonly now: number
  },
): string {
  const [first, second] = places
  const contacts = incident.contacts.map((contact) => ({
    '#': contact.priority,
    name: contact.name,
    phone: contact.phone,
    answered: contact.acknowledgedAt === null ? 'no' : localTimestamp(contact.acknowledgedAt),
  }))
  const about = record({
    who: personText(person),
    phone: person.phone,
    application: person.application ?? incident.appId,
    ...(incident.silent && { silent: 'do not call or text the person: somebody may see it' }),
    ...(incident.overdue && { timer: timerWords(incident.overdue) }),
    ...(incident.unknownDevices && { 'unknown device': incident.unknownDevices.join(', ') }),
    status: stateText(incident, now),
    position: first === undefined ? null : placeText(first, second !== undefined),
    map: first === undefined ? null : mapLink(first),
    ...(second && { 'also at': placeText(second) }),
    ...(incident.raisedByOthers && { raised: howRaised(incident.raisedByOthers) }),
    id: incident.id,
  })
  const ahead = aheadOf(incident, now)
  const shown = trail.slice(-SHOWN_POSITIONS)
  const sections = [
    about,
    `Contacts\n${table(contacts, 'None: the user has no contacts.')}`,
    `What happened (${localOffset(now)})\n${timelineOf(incident, attempts).map(entryText).join('\n')}`,
    ...(ahead.length > 0 ? [`What comes next\n${ahead.join('\n')}`] : []),
    ...(shown.length > 0
      ? [
          `Positions, ${shown.length < trail.length ? `the latest ${shown.length} of ${trail.length}` : 'oldest first'}\n${shown
            .map(({ at, latitude, longitude }) => forTerminal(`${at}  ${latitude}, ${longitude}`))
            .join('\n')}`,
        ]
      : []),
    ...(isOpen(incident) ? [whatToDo(incident)] : []),
  ]
  return sections.join('\n\n')
}

const whatToDo = ({ id, state }: Incident): string =>
  [
    ...(state.status === 'active' ? [`Someone is on it:   tocsin incident acknowledge ${id} [--contact NAME]`] : []),
    `It is over:         tocsin incident resolve ${id}`,
    `Follow it:          tocsin incident watch ${id}`,
  ].join('\n')
