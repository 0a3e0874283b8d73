import type { TimelineEntry } from '../../../../../app/operator/incident-timeline.ts'
import type { IncidentReport } from '../../../../../app/operator/incidents.ts'
import { displayName } from '../../../../../core/account/profile.ts'
import type { DeliveryStatus } from '../../../../../core/incident/delivery.ts'
import type { EndRemark } from '../../../../../core/incident/incident.ts'
import { parseEventTime } from '../../../../../core/ingest/event-time.ts'
import type { Position } from '../../../../../core/ingest/position.ts'
import { decimalDegrees, degreesAndMinutes, mgrs } from '../../../../../core/text/coordinates.ts'
import { elapsedParts } from '../../../../../core/text/elapsed.ts'
import { visibleText } from '../../../../../core/text/person-name.ts'
import { fixedWords, type Language, textLanguage } from '../../../../../core/text/phrases.ts'
import { raisedWords, sourceText } from '../../../../../core/text/source-words.ts'
import { SECOND } from '../../../../../lib/durations.ts'
import { Html, html } from '../../tracking/html.ts'
import { reportStyle } from './page-style.ts'
import { de } from './texts/de.ts'
import { en } from './texts/en.ts'
import { es } from './texts/es.ts'
import { fr } from './texts/fr.ts'
import { it } from './texts/it.ts'
import type { ReportTexts } from './texts/texts.ts'

const languages: Readonly<Record<Language, ReportTexts>> = { de, en, es, fr, it }

/** The wording of this report. `time`: ISO 8601 as people write it, with seconds and zone. */
type Words = {
  readonly texts: ReportTexts
  readonly time: (iso: string) => string
  readonly contactCalled: (contactId: string | null) => string
}

/**
 * One incident to print: who, where, who was notified and answered, and all that happened. `wanted`: languages (BCP
 * 47), preferred to the application's. `by`: the operator who prints it.
 */
export function reportPage(
  report: IncidentReport,
  { wanted, by }: { readonly wanted: readonly string[]; readonly by: string },
): string {
  const { case: found, timeZone, language, now } = visible(report)
  const texts = languages[textLanguage([...wanted, language])]
  const format = formatterOf(texts.language, timeZone)
  const time = (iso: string): string => {
    const ms = parseEventTime(iso)?.ms
    return ms === undefined ? iso : format.format(ms)
  }
  const { incident, contacts, timeline, talk, trail } = found
  const drill = incident.drill ? `${fixedWords[texts.language].drill.prefix} ` : ''
  const contactCalled = (id: string | null): string =>
    id === null ? personOf(found) : (contacts.find(({ contactId }) => contactId === id)?.name ?? id)
  const words: Words = { texts, time, contactCalled }
  return html`<!doctype html>
<html lang="${texts.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="format-detection" content="telephone=no">
<title>${drill}${texts.report}: ${personOf(found)}</title>
<style>${new Html(reportStyle)}</style>
</head>
<body>
<main>
<h1>${drill}${texts.report}: ${personOf(found)}</h1>
<dl>
${facts(found, words)}</dl>
<h2>${texts.contacts}</h2>
${contacts.length === 0 ? html`<p>${texts.noContacts}</p>` : contactTable(found, words)}
<h2>${texts.timeline}</h2>
<table>
<thead><tr><th scope="col">${texts.time}</th><th scope="col">${texts.event}</th></tr></thead>
<tbody>
${timeline.map((entry) => html`<tr><td>${time(entry.at)}</td><td class="text">${eventText(entry, words)}</td></tr>\n`)}</tbody>
</table>
${talk.items.length === 0 ? null : talkTable(talk.items, words)}${trail.length === 0 ? null : trailTable(trail, words)}
</main>
<footer>${texts.madeBy(by, format.format(now))} · ${incident.incidentId}</footer>
</body>
</html>
`.text
}

/** No name may change the direction of the words next to it. The exports as files have every character. */
const visible = (report: IncidentReport): IncidentReport =>
  JSON.parse(JSON.stringify(report), (_, value) => (typeof value === 'string' ? visibleText(value) : value))

type Found = IncidentReport['case']

const personOf = ({ incident: { person } }: Found): string =>
  displayName({ ...person, externalUserId: person.externalId })

function formatterOf(language: Language, timeZone: string): Intl.DateTimeFormat {
  const options = { dateStyle: 'medium', timeStyle: 'long' } as const
  const locale = language === 'en' ? 'en-GB' : language
  try {
    return new Intl.DateTimeFormat(locale, { ...options, timeZone })
  } catch {
    // A zone that this runtime does not know. UTC is correct everywhere, and the text names it.
    return new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
  }
}

function facts({ incident, profile }: Found, { texts, time }: Words): readonly Html[] {
  const { person, closing, position, raisedThrough } = incident
  const places = incident.places ?? (position === null ? [] : [position])
  const how = raisedThrough && raisedWords(texts.language, raisedThrough.deviceId)
  const raised = how?.phrase.replace('{device}', () => how.device)
  const invented = incident.drill ? ` · ${fixedWords[texts.language].drill.invented}` : ''
  const ended =
    closing === null
      ? null
      : [time(closing.at), closing.by && texts.endedBy[closing.by], closing.name].filter(Boolean).join(', ')
  const { openedAt, occurredAt, pressedAt, lateSeconds, overdue } = incident
  const delay = lateSeconds === null ? null : delayText(lateSeconds * SECOND, texts)
  const received = [time(openedAt), delay].filter((part) => part !== null).join(', ')
  const rows: readonly (readonly [string, string | null | undefined])[] = [
    [texts.person, person.name],
    [texts.phone, person.phone],
    [texts.email, profile?.email],
    [texts.address, profile?.address],
    [texts.externalId, person.externalId],
    [texts.application, incident.applicationName],
    [texts.incident, incident.incidentId],
    [texts.status, texts.statuses[incident.status]],
    overdue ? [texts.dueAt, time(occurredAt)] : [texts.pressed, time(pressedAt)],
    [texts.note, overdue?.note],
    [texts.received, [received, raised].filter(Boolean).join(' · ')],
    [texts.closed, ended],
    [texts.outcome, closing && remarkText(closing, texts)],
    [texts.major, majorText(incident.major, { texts, time })],
    ...(position === null ? [[texts.position, texts.noPosition] as const] : []),
    ...places.map((place) => {
      const source = incident.places && sourceText(texts.language, place)
      const text = [source, placeText(place, { texts, time }) + invented].filter(Boolean).join(': ')
      return [texts.position, text] as const
    }),
  ]
  return rows.flatMap(([term, value]) => (value == null ? [] : html`<dt>${term}</dt><dd>${value}</dd>\n`))
}

/** The outcome in words; null if nobody recorded one. */
const remarkText = ({ outcome, note }: EndRemark, { outcomes }: ReportTexts): string | null =>
  [outcome && outcomes[outcome], note].filter(Boolean).join(': ') || null

/** For example `since 14:32, Team 2, safe: 15:02, Eva`; null if it is in none. */
function majorText(
  major: Found['incident']['major'],
  { texts: { since, heads }, time }: Pick<Words, 'texts' | 'time'>,
): string | null {
  if (major === undefined) return null
  const { startedAt, assignedTo, head } = major
  const counted = head && `${heads[head.state]}: ${time(head.at)}, ${head.name}`
  return [since(time(startedAt)), assignedTo, counted].filter(Boolean).join(', ')
}

/** For example `2 h 30 min after the press`. */
const delayText = (ms: number, { afterPress, day }: ReportTexts): string =>
  afterPress(
    elapsedParts(ms)
      .map(({ count, unit }) => `${count} ${unit === 'd' ? day : unit}`)
      .join(' '),
  )

function placeText(position: Position, { texts, time }: Pick<Words, 'texts' | 'time'>): string {
  const { latitude, longitude, altitude, at } = position
  const decimal = `${decimalDegrees(latitude)}, ${decimalDegrees(longitude)}`
  const height = altitude === null ? null : texts.altitude(String(Math.round(altitude)))
  return [decimal, degreesAndMinutes(position), mgrs(position), height, time(at)]
    .filter((part) => part !== null)
    .join(' · ')
}

function contactTable({ contacts }: Found, { texts, time }: Words): Html {
  const rows = contacts.map(({ name, phone, acknowledgedAt, response, channels }) => {
    const said =
      response === null ? (acknowledgedAt === null ? texts.noAnswer : texts.helping) : answerText(response, texts)
    const when = response?.at ?? acknowledgedAt
    const told = channels.map(({ channel, status, at, error, mayHaveArrived }) =>
      [`${channelText(channel, texts)}: ${deliveryText(status, mayHaveArrived, texts)}`, error, at && time(at)]
        .filter(Boolean)
        .join(', '),
    )
    return html`<tr><td>${name}</td><td>${phone}</td><td>${[said, when && time(when)].filter(Boolean).join(', ')}</td><td class="text">${told.join('\n')}</td></tr>\n`
  })
  return html`<table class="contacts">
<thead><tr><th scope="col">${texts.name}</th><th scope="col">${texts.phone}</th><th scope="col">${texts.answer}</th><th scope="col">${texts.messages}</th></tr></thead>
<tbody>
${rows}</tbody>
</table>
`
}

/** As it was written, in its order; of a quick reply, its words in the language of the application. */
const talkTable = (lines: Found['talk']['items'], { texts, time }: Words): Html => html`<h2>${texts.talk}</h2>
<table>
<thead><tr><th scope="col">${texts.time}</th><th scope="col">${texts.from}</th><th scope="col">${texts.message}</th></tr></thead>
<tbody>
${lines.map(({ at, from, text, to, unconfirmed }) => {
  const source = [from.name, from.phone, texts.talkChannels[from.channel]].filter(Boolean).join(', ')
  const marks = [to === 'desk' && texts.deskOnly, unconfirmed && texts.unconfirmed].filter(Boolean).join('; ')
  return html`<tr><td>${time(at)}</td><td>${source}</td><td class="text">${text}${marks === '' ? '' : ` (${marks})`}</td></tr>\n`
})}</tbody>
</table>
`

const trailTable = (trail: readonly Position[], words: Words): Html => html`<h2>${words.texts.trail}</h2>
<table>
<thead><tr><th scope="col">${words.texts.time}</th><th scope="col">${words.texts.place}</th></tr></thead>
<tbody>
${trail.map(({ latitude, longitude, altitude, at }) => {
  const height = altitude === null ? '' : ` · ${words.texts.altitude(String(Math.round(altitude)))}`
  return html`<tr><td>${words.time(at)}</td><td>${decimalDegrees(latitude)}, ${decimalDegrees(longitude)}${height}</td></tr>\n`
})}</tbody>
</table>
`

const deliveryText = (status: DeliveryStatus, mayHaveArrived: true | undefined, texts: ReportTexts): string =>
  status === 'failed' && mayHaveArrived ? texts.mayHaveArrived : texts.deliveries[status]

const channelText = (channel: string, { channels }: ReportTexts): string =>
  Object.hasOwn(channels, channel) ? channels[channel as keyof typeof channels] : channel

function answerText(
  { kind, etaMinutes }: { readonly kind: string; readonly etaMinutes?: number },
  texts: ReportTexts,
): string {
  switch (kind) {
    case 'coming':
      return texts.coming(etaMinutes ?? 0)
    case 'calling':
      return texts.calling
    case 'unable':
      return texts.unable
    default:
      return texts.helping
  }
}

function eventText(entry: TimelineEntry, { texts, time, contactCalled }: Words): string {
  switch (entry.kind) {
    case 'pressed':
      return entry.relayed ? `${texts.pressed}, ${texts.relayed}` : texts.pressed
    case 'overdue':
      return [`${texts.timerRanOut} (${texts.dueAt} ${time(entry.dueAt)})`, entry.note].filter(Boolean).join(': ')
    case 'pressed_again':
      return texts.pressedAgain
    case 'arrived':
      return `${texts.received}, ${delayText(Date.parse(entry.at) - Date.parse(entry.pressedAt), texts)}`
    case 'message': {
      const { channel, contactId, purpose, status, error, attempt, mayHaveArrived } = entry
      const to = contactId === null ? '' : ` → ${contactCalled(contactId)}`
      const why = error === null ? '' : ` (${error})`
      return `${texts.channels[channel]}${to}: ${texts.purposes[purpose]}, #${attempt}: ${deliveryText(status, mayHaveArrived, texts)}${why}`
    }
    case 'answered':
      return `${contactCalled(entry.contactId)} ${answerText({ ...entry, kind: entry.answer }, texts)}`
    case 'taken':
      return `${entry.by ?? ''} ${texts.actions.take}`.trim()
    case 'action': {
      const { actions } = texts
      const { action, by, contactId, from } = entry
      const said = Object.hasOwn(actions, action) ? actions[action as keyof typeof actions] : action
      const all = [by, said, from].filter(Boolean).join(' ')
      return contactId === null ? all : `${all}: ${contactCalled(contactId)}`
    }
    case 'note':
      return `${texts.note}, ${entry.by}: ${entry.text}`
    case 'called_back':
      return `${contactCalled(entry.contactId)} ${texts.calledBack} (${entry.by})`
    case 'closed': {
      const { status, by, name } = entry
      const who = [texts.statuses[status], by && texts.endedBy[by], name].filter(Boolean).join(', ')
      return [who, remarkText(entry, texts)].filter(Boolean).join(' · ')
    }
    default:
      return entry satisfies never
  }
}
