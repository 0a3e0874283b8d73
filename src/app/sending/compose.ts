import type { Application } from '../../core/account/application.ts'
import { boundCountry } from '../../core/account/calls-abroad.ts'
import { isCanary } from '../../core/account/canary.ts'
import { isAllowedDestination } from '../../core/account/contact.ts'
import { displayName, type User } from '../../core/account/profile.ts'
import { msOf } from '../../core/account/settings.ts'
import { acknowledgedBy } from '../../core/incident/acknowledged-by.ts'
import { type Batteries, batteriesOf, lowBatteryOf } from '../../core/incident/battery.ts'
import type { Delivery } from '../../core/incident/delivery.ts'
import { staysHere } from '../../core/incident/drill-shown.ts'
import { httpRulesOf } from '../../core/incident/http-rules.ts'
import type { AlarmCause, Incident, IncidentContact, Overdue } from '../../core/incident/incident.ts'
import { helpUnderWay } from '../../core/incident/tell-others.ts'
import { type WebhookReason, type WebhookType, webhookBody } from '../../core/incident/webhook-body.ts'
import type { ClosingFacts } from '../../core/message/closing-text.ts'
import type { Facts } from '../../core/message/facts.ts'
import { isAnswerable, messageText, type TextForm } from '../../core/message/message-text.ts'
import { phrasesOf } from '../../core/text/own-texts.ts'
import { firstName, neutralName } from '../../core/text/person-name.ts'
import { textLanguage } from '../../core/text/phrases.ts'
import { SECOND } from '../../lib/durations.ts'
import type { Notification } from '../../ports/notifier.ts'
import type { IncidentRecord } from '../../ports/store.ts'
import { linkFor, numberFor, placesFor, seesPlace, viewFor } from './shown-to.ts'

/**
 * How long a provider may take to accept a text or call: longer than any healthy provider needs, shorter than a contact
 * can wait.
 */
export const TEXT_TIMEOUT_MS = 15 * SECOND

/** The input of a notification: the incident as committed, and its owner and application as they are now. */
export type Occasion = {
  readonly record: IncidentRecord
  readonly user: User
  readonly application: Application
  /** The newest levels, if they were looked up; else those of the press. */
  readonly batteries?: Batteries | null
  readonly publicUrl: string
  /** IANA; for applications without their own time zone. */
  readonly machineTimeZone: () => string
  /** Epoch ms. */
  readonly now: number
}

/**
 * The complete notification of one attempt, or null if there is nobody left to send it to, because the operator removed
 * the actuator after the plan was made.
 */
export function composeNotification(row: Delivery, occasion: Occasion): Notification | null {
  const { record, application, now } = occasion
  const { incident } = record
  const contact = incident.contacts.find((known) => known.contactId === row.contactId)
  const claimedAt = row.claim?.at ?? now
  const base = { attemptId: row.id, incidentId: incident.id, claimedAt }
  const http = { ...base, timeoutMs: msOf(httpRulesOf(row.channel, incident).httpTimeoutSeconds) }
  switch (row.channel) {
    case 'sms':
    case 'voice': {
      if (contact === undefined) return null
      const { contactId, phone, token } = contact
      const country = boundCountry(contact, occasion.user, application)
      // The phone would ring where the person is.
      if (incident.silent && row.status === 'scheduled' && (row.to ?? phone) === occasion.user.phone) return null
      const language = textLanguage([contact.language, application.language])
      const write = (answerCode?: string) => textFor(row.channel as 'sms' | 'voice', row, occasion, contact, answerCode)
      return {
        ...base,
        timeoutMs: TEXT_TIMEOUT_MS,
        channel: row.channel,
        ...(isCanary(application.id) && { isCanary: true }),
        purpose: row.purpose,
        first: row.attempt === 1 || row.leads === true,
        contactId,
        // A look-up asks about the number that was called, even if it was corrected since.
        to: row.to ?? phone,
        text: write(),
        ...(row.channel === 'sms' && isAnswerable(row.purpose) && { answerable: write }),
        language,
        ...(row.channel === 'voice' && {
          words: phrasesOf(language, application.texts),
          ...(country !== null && { unconfirmedOnlyIn: { country, userId: occasion.user.id } }),
        }),
        token,
        outsidePrefixes: !isAllowedDestination(phone, application.allowedPrefixes),
        ackTimeoutMs: msOf(incident.settings.ackTimeoutSeconds),
        provider: row.provider,
        providerRef: row.providerRef,
        otherRefs: incident.deliveries.flatMap((other) => (other === row ? [] : (other.providerRef ?? []))),
        ...(incident.drill !== undefined && { drill: incident.drill }),
      }
    }
    case 'email': {
      const to = contact?.email ?? null
      if (contact === undefined || to === null || staysHere(incident)) return null
      const { user } = occasion
      const isOwn = contact.phone === user.phone || to.toLowerCase() === user.email?.toLowerCase()
      // The person's phone would show it.
      if (incident.silent && isOwn) return null
      const write = (form: 'email' | 'subject') => textFor(form, row, occasion, contact)
      const language = textLanguage([contact.language, application.language])
      return {
        ...base,
        timeoutMs: TEXT_TIMEOUT_MS,
        channel: 'email',
        to,
        subject: write('subject'),
        text: write('email'),
        language,
      }
    }
    case 'http': {
      const url = application.actuators.emergency_contacts?.httpUrl
      if (contact === undefined || url === undefined || staysHere(incident)) return null
      return { ...http, channel: 'http', url, contactId: contact.contactId, body: bodyFor(row, occasion, contact) }
    }
    case 'chat': {
      const chat = application.actuators.chat
      if (chat === undefined) return null
      return {
        ...http,
        channel: 'chat',
        url: chat.url,
        format: chat.format,
        text: textFor('chat', row, occasion, null),
      }
    }
    case 'webhook': {
      const webhook = application.actuators.webhook
      if (webhook === undefined) return null
      const { url, secret = null } = webhook
      return {
        ...http,
        channel: 'webhook',
        url,
        secret,
        occurrence: occurrenceOf(row),
        body: bodyFor(row, occasion, null),
      }
    }
    default:
      return row.channel satisfies never
  }
}

/**
 * The number that distinguishes occurrences of an attempt's purpose. Alarms differ by round. A round may have several
 * answers and round ends, each a separate attempt that is retried.
 */
const occurrenceOf = ({ id, purpose, round }: Delivery): number =>
  purpose === 'acknowledged' || purpose === 'unanswered' ? Number(id.slice(id.lastIndexOf('.') + 1)) : round

/** `isAgain`: not the first alarm for this contact gateway. rules.md#webhooks. */
function webhookType({ purpose }: Delivery, isAgain: boolean): WebhookType {
  switch (purpose) {
    case 'alarm':
      return isAgain ? 'sos.reopened' : 'sos.opened'
    case 'reopened':
    case 'acknowledged':
    case 'unanswered':
      return `sos.${purpose}`
    case 'all_clear':
      return 'sos.closed'
    case 'check_in':
    case 'tell_others':
    case 'last_call':
    case 'contacts_changed':
    case 'account_changed':
    case 'nobody_left':
      throw new TypeError(`${purpose} is a text`)
    default:
      return purpose satisfies never
  }
}

/**
 * The names of those who answered, earliest first, as `shown`: first names for contacts, full names for chat. The news
 * of an answer names only its author. A silent emergency names nobody: somebody may look over the reader's shoulder.
 * rules.md#silent-emergency.
 */
function answeredBy(
  { contacts, lastAnswer, silent }: Incident,
  { purpose }: Delivery,
  shown: (name: string) => string,
): string | null {
  const last = lastAnswer?.name ?? null
  if (silent) return last === null && contacts.every(({ acknowledgedAt }) => acknowledgedAt === null) ? null : ''
  if (purpose === 'acknowledged') return last === null || lastAnswer?.contactId === null ? last : shown(last)
  const names = contacts
    .flatMap(({ name, acknowledgedAt }) => (acknowledgedAt === null ? [] : [{ name: shown(name), at: acknowledgedAt }]))
    .toSorted((a, b) => a.at - b.at)
    .map(({ name }) => name)
  return names.length === 0 ? last : names.join(', ')
}

/** The end of a closed incident; null while it is open. */
export function closingOf({ state, closing, silent }: Incident): ClosingFacts | null {
  if (state.closedAt === null) return null
  const { by, name, hours } = closing ?? { by: null, name: null, hours: null }
  return { status: state.status, by, name: silent && by === 'contact' ? null : name, hours }
}

/**
 * The helper who answered and then fell silent or withdrew, if the others are alarmed for that reason. Contacts do not
 * know an operator's name.
 */
function lostHelper(
  { cascade, lastAnswer, silent }: Incident,
  contact: IncidentContact | null,
  shown: (name: string) => string,
): Facts['lostHelper'] {
  const { cause } = cascade
  if (cause.by !== 'watch' && cause.by !== 'withdrawal') return null
  if (contact !== null && contact.contactId === lastAnswer?.contactId) return null
  const name = silent || lastAnswer?.name == null ? null : shown(lastAnswer.name)
  return { name, hasWithdrawn: cause.by === 'withdrawal', isAlone: cause.by === 'watch' && cause.alone === true }
}

const reasonsOfRealarm = {
  owner: 'pressed_again',
  relay: 'pressed_again',
  watch: 'helper_silent',
  withdrawal: 'helper_withdrew',
} as const satisfies Record<AlarmCause['by'], WebhookReason>

/** The timer that raised the current alarm, if one did. */
const overdueIn = ({ cascade, overdue }: Incident): Overdue | null =>
  (cascade.cause.again === null ? overdue : cascade.cause.again.overdue) ?? null

function textFor(
  form: TextForm,
  row: Delivery,
  { record, user, application, batteries, publicUrl, machineTimeZone, now }: Occasion,
  contact: IncidentContact | null,
  answerCode?: string,
): string {
  const { incident } = record
  const [first, ...otherPlaces] = placesFor(record, contact)
  const facts: Facts = {
    // By the name that its readers know.
    who: row.purpose === 'account_changed' && incident.accountChanged ? incident.accountChanged.who : displayName(user),
    app: application.name,
    timeZone: application.timeZone ?? machineTimeZone(),
    trackingUrl: linkFor(incident, contact, publicUrl),
    ...numberFor(incident, contact, { user, publicUrl }),
    position: first ?? null,
    otherPlaces,
    isPlaceWithheld: !seesPlace(incident, contact),
    raisedThrough: incident.raisedByOthers?.deviceId ?? null,
    mapLink: application.mapLink,
    battery: seesPlace(incident, contact) ? lowBatteryOf(batteries ?? batteriesOf(incident)) : null,
    pressedAt: incident.occurredAt.ms,
    receivedAt: incident.openedAt,
    now,
    again: incident.cascade.cause.again,
    overdue: overdueIn(incident),
    lostHelper: lostHelper(incident, contact, form === 'chat' ? neutralName : firstName),
    answeredBy: answeredBy(incident, row, form === 'chat' ? neutralName : firstName),
    endsAt: incident.autoResolveAt,
    closing: closingOf(incident),
    ...(row.purpose === 'tell_others' && { help: helpUnderWay(incident, now) }),
    ...(answerCode !== undefined && { answerCode }),
    isDrill: incident.drill !== undefined,
    isSilent: incident.silent === true,
    unknownDevice: incident.unknownDevices?.at(-1) ?? null,
  }
  const languages = contact === null ? [application.language] : [contact.language, application.language]
  return messageText(form, row.purpose, languages, facts, application.texts)
}

/** The body of an HTTP call. `contact` null: the application itself, which sees everything. */
function bodyFor(row: Delivery, { record, user, publicUrl, now }: Occasion, contact: IncidentContact | null): unknown {
  const { incident } = record
  const { closing, lastAnswer, cascade } = incident
  const { by, again } = cascade.cause
  const type = webhookType(row, contact !== null && (by === 'watch' || by === 'withdrawal' || again !== null))
  const link = linkFor(incident, contact, publicUrl)
  return webhookBody({
    type,
    now,
    incident: viewFor(record, contact),
    user,
    ...(type === 'sos.closed' && closing !== null && { reason: closing.by === 'system' ? 'automatic' : closing.by }),
    ...(type === 'sos.opened' && incident.overdue && { reason: 'overdue' as const, overdue: incident.overdue }),
    ...(type === 'sos.reopened' &&
      (again?.overdue === undefined
        ? { reason: reasonsOfRealarm[by] }
        : { reason: 'overdue' as const, overdue: again.overdue })),
    ...(type === 'sos.acknowledged' &&
      lastAnswer !== null && {
        acknowledgedBy: acknowledgedBy(lastAnswer),
      }),
    raisedThrough: incident.raisedByOthers?.deviceId,
    ...(contact !== null && { contact }),
    ...(link !== null && { trackingUrl: link }),
  })
}
