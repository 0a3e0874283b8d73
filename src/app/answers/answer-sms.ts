import type { Application } from '../../core/account/application.ts'
import { displayName } from '../../core/account/profile.ts'
import { linkAt } from '../../core/account/public-url.ts'
import { incidentIdOf } from '../../core/incident/escalation.ts'
import { type Incident, type IncidentContact, isOpen } from '../../core/incident/incident.ts'
import { type AnswerReply, answerReplyText } from '../../core/message/answer-texts.ts'
import { deliveryReport, smsAnswer } from '../../core/message/sms-answer.ts'
import { RateLimiter } from '../../core/pacing/rate-limiter.ts'
import { HOUR, MINUTE } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Meter } from '../../ports/meter.ts'
import type { SentText, SentTexts } from '../../ports/sent-texts.ts'
import type { AccountStore, ApplicationStore, ContactStore, IncidentStore } from '../../ports/store.ts'
import type { IncidentDoor } from '../incident-door.ts'
import type { RecordReceipt } from './record-receipt.ts'

/**
 * An incoming text. `from`: as the network shows it, which does not prove the sender. `ageMs`: the time since it was
 * sent.
 */
export type IncomingSms = { readonly from: string; readonly text: string; readonly ageMs: number }

/** How long answers without the right code are ignored after too many wrong ones. */
const LOCKED_MS = 15 * MINUTE
/** Limits per number on the texts taken from it and the replies to it. sms.md#sms-answers. */
const numberLimits = () => ({
  reports: atMost(200, HOUR),
  texts: atMost(30, HOUR),
  wrongCodes: atMost(20, LOCKED_MS),
  refusals: atMost(1, LOCKED_MS),
  stops: atMost(30, HOUR),
  starts: atMost(30, HOUR),
  confirmations: atMost(4, HOUR),
  codes: atMost(1, HOUR),
  over: atMost(1, HOUR),
})
const atMost = (times: number, perMs: number) => new RateLimiter({ times, perMs }, MAX_NUMBERS)
/** The most numbers whose texts are counted. */
const MAX_NUMBERS = 10_000
/** The newest texts to a number that an answer without a code may refer to. */
const MAX_TEXTS = 40
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

type SmsAnswerNeeds = {
  readonly store: Pick<IncidentStore, 'incident' | 'attempt'> &
    Pick<AccountStore, 'user'> &
    Pick<ContactStore, 'markContact'> &
    Pick<ApplicationStore, 'application'>
  readonly door: IncidentDoor
  readonly sent: SentTexts
  /** Sends a text after every alarm. Never rejects. */
  readonly reply: (to: string, text: string) => Promise<void>
  /** Stores a contact's text as a note on the incident; false if it has no room. */
  readonly keepNote: (incident: Incident, contact: IncidentContact, text: string) => Promise<boolean>
  readonly recordReceipt: RecordReceipt
  /** Base of tracking links. */
  readonly publicUrl: () => string
  readonly clock: Pick<Clock, 'now'>
  readonly meter: Pick<Meter, 'count'>
  readonly log: Log
}

/** A contact of an incident who was texted, with the newest code for them. */
type Asked = {
  readonly incident: Incident
  readonly contact: IncidentContact
  readonly code: string
}

type Answer = {
  readonly asked: Asked
  readonly kind: 'help' | 'unable'
  readonly to: string
  /** Sent without the code. */
  readonly isBare?: true
}

export type AnswerSms = (sms: IncomingSms) => Promise<void>

/**
 * Handles a text that arrived through the modem: a contact's answer acknowledges or declines as on the tracking page, a
 * delivery report is recorded, anything else is kept as a note or dropped. Texts of numbers that were never texted are
 * dropped. Handling the same text twice changes nothing more. Rejects with a StoreError, or the fault of the spool:
 * then the text has to be handled again. sms.md#sms-answers.
 */
export function answerSms(needs: SmsAnswerNeeds): AnswerSms {
  const { store, door, sent, reply, keepNote, recordReceipt, publicUrl, clock, meter, log } = needs
  const limits = numberLimits()

  const counted = (answer: Parameters<typeof meter.count<'sms_answers_total'>>[1]): void =>
    meter.count('sms_answers_total', answer)

  /** The recipient of a text; null if the number is no longer that contact's. */
  async function askedBy({ attemptId, to, code }: SentText): Promise<Asked | null> {
    const incidentId = incidentIdOf(attemptId)
    if (code === null || !UUID.test(incidentId)) return null
    const [record, row] = await Promise.all([store.incident(incidentId), store.attempt(attemptId)])
    const contact = record?.incident.contacts.find(({ contactId }) => contactId === row?.contactId)
    if (record === null || contact === undefined || contact.phone !== to) return null
    return { incident: record.incident, contact, code }
  }

  /** Each contact of each incident once, with the newest text to that contact. */
  async function allAsked(texts: readonly SentText[]): Promise<readonly Asked[]> {
    const found = new Map<string, Asked>()
    for (const text of texts) {
      const asked = await askedBy(text)
      const key = asked === null ? '' : `${asked.incident.id} ${asked.contact.contactId}`
      if (asked !== null && !found.has(key)) found.set(key, asked)
    }
    return [...found.values()]
  }

  async function told({ incident, contact }: Asked, to: string, of: (who: string) => AnswerReply): Promise<void> {
    const [user, application] = await Promise.all([store.user(incident.userId), store.application(incident.appId)])
    const who = user === null ? '' : displayName(user)
    await reply(to, answerReplyText(languagesOf(contact, application), of(who), application?.texts))
  }

  async function answered({ asked, kind, to, isBare }: Answer): Promise<void> {
    const { incident, contact, code } = asked
    const { contactId } = contact
    const said = { now: clock.now(), contactId }
    const { verdict } = await door.change(
      { incidentId: incident.id },
      kind === 'help' ? { type: 'acknowledge', ...said, ...(isBare && { isBare }) } : { type: 'decline', ...said },
    )
    counted({ answer: kind })
    log.info({ incidentId: incident.id, contactId, answer: kind }, 'a contact answered by SMS')
    if (verdict !== 'changed' || !limits.confirmations.take(to, clock.now())) return
    await told(asked, to, (who) => ({ kind, who, code, isDrill: isDrill(incident) }))
  }

  /**
   * Stops messages to this contact of the incident, or lifts the stop. It is stored with this user's contact only, not
   * with others of the same number: a text may be forged. sms.md#wrong-number.
   */
  async function stopped({
    asked,
    kind,
    to,
  }: Omit<Answer, 'kind'> & { readonly kind: 'stop' | 'start' }): Promise<void> {
    const { incident, contact } = asked
    const { contactId, token } = contact
    const now = clock.now()
    const command = kind === 'stop' ? ({ type: 'stop', how: 'stop' } as const) : ({ type: 'start' } as const)
    const { verdict } = await door.change({ incidentId: incident.id }, { ...command, now, contactId })
    await store.markContact(incident.userId, contact.correctionOf ?? contactId, { what: kind, phone: to, now })
    counted({ answer: kind })
    log.info({ incidentId: incident.id, contactId, answer: kind }, 'a contact answered by SMS')
    if (verdict === 'unchanged' || !isOpen(incident) || !limits.confirmations.take(to, now)) return
    const about = { isDrill: isDrill(incident) }
    await told(asked, to, (who) =>
      kind === 'stop' ? { kind, who, link: linkAt(publicUrl(), `/t/${token}`), ...about } : { kind, who, ...about },
    )
  }

  /**
   * With the code of a text, only its incident; else every open one that texted the number. START includes closed ones.
   */
  async function stopsOrStarts(
    { kind, code }: { readonly kind: 'stop' | 'start'; readonly code: string | null },
    to: string,
    texts: readonly SentText[],
  ): Promise<void> {
    if (!limits[kind === 'stop' ? 'stops' : 'starts'].take(to, clock.now())) return counted({ answer: 'dropped' })
    const meant = texts.find((one) => code !== null && one.code === code)
    const all = await allAsked(meant === undefined ? texts.slice(0, MAX_TEXTS) : [meant])
    const concerned = kind === 'start' ? all : all.filter(({ incident }) => isOpen(incident))
    for (const asked of concerned) await stopped({ asked, kind, to })
    const [first] = all
    if (concerned.length === 0 && first !== undefined) return over(first, to)
    if (first === undefined) counted({ answer: 'dropped' })
  }

  async function over(asked: Asked, to: string): Promise<void> {
    counted({ answer: 'over' })
    if (limits.over.take(to, clock.now()))
      await told(asked, to, () => ({ kind: 'over', isDrill: isDrill(asked.incident) }))
  }

  /** Lists the codes again, if it is unclear which alert or what answer is meant. */
  async function askedWhich(open: readonly Asked[], to: string, limit: 'codes' | 'refusals' = 'codes'): Promise<void> {
    counted({ answer: 'unclear' })
    const [first] = open
    if (first === undefined || !limits[limit].take(to, clock.now())) return
    const names = new Map<string, string>()
    for (const { incident } of open) {
      const user = await store.user(incident.userId)
      if (user !== null) names.set(incident.id, displayName(user))
    }
    const alerts = open.map(({ incident, code }) => ({
      who: names.get(incident.id) ?? '',
      code,
      isDrill: isDrill(incident),
    }))
    await told(first, to, () => ({ kind: 'which', alerts }))
  }

  /**
   * Records a delivery report. The network reports in the order of the texts, so it belongs to the oldest without a
   * report.
   */
  async function reported(texts: readonly SentText[], status: 'delivered' | 'failed'): Promise<void> {
    counted({ answer: 'report' })
    for (const { attemptId } of texts.toReversed()) {
      if (!UUID.test(incidentIdOf(attemptId)) || (await store.attempt(attemptId))?.status !== 'sent') continue
      const error = status === 'failed' ? 'modem error' : null
      return recordReceipt(attemptId, { status, provider: 'modem', providerRef: null, error })
    }
  }

  return async ({ from, text, ageMs }) => {
    const sentTexts = await sent.sentTo(from)
    const [newest] = sentTexts
    const now = clock.now()
    // Without its country code a number may belong to several people.
    if (newest === undefined || sentTexts.some(({ to }) => to !== newest.to)) return counted({ answer: 'dropped' })
    const { to } = newest
    const texts = sentTexts.slice(0, MAX_TEXTS)
    const status = deliveryReport(text)
    // The network sends a report for each text: reports must not use up the person's own limit.
    if (status !== null) {
      return limits.reports.take(to, now) ? reported(texts, status) : counted({ answer: 'dropped' })
    }

    const answer = smsAnswer(text)
    // Wrong codes do not block STOP and START.
    if (answer.kind === 'stop' || answer.kind === 'start') return stopsOrStarts(answer, to, sentTexts)
    const isCoded = 'code' in answer && answer.code !== null
    let ended: Asked | null = null
    if (isCoded) {
      const meant = sentTexts.find(({ code }) => code === answer.code)
      const asked = meant === undefined ? null : await askedBy(meant)
      // A right answer always counts, however many there are: a rescue service is the contact of many.
      if (asked !== null && isOpen(asked.incident)) return answered({ asked, kind: answer.kind, to })
      ended = asked
    }
    const isLocked = limits.wrongCodes.waitMs(to, now) > 0
    if (isCoded && ended === null) limits.wrongCodes.take(to, now)
    if (!limits.texts.take(to, now)) return counted({ answer: 'dropped' })
    const all = await allAsked(texts)
    const open = all.filter(({ incident }) => isOpen(incident))
    const [only] = open
    if (answer.kind === 'other') {
      let isKept = false
      for (const { incident, contact } of open) isKept = (await keepNote(incident, contact, text)) || isKept
      return counted({ answer: isKept ? 'note' : 'dropped' })
    }
    // Lists the codes again, so that a person whose number was forged knows what to send.
    if (isLocked && ended === null) return askedWhich(open, to, 'refusals')
    const isClear = open.length === 1 && !all.some(({ incident }) => isEndedDrill(incident, now))
    // A text sent before the alarm began cannot answer it (rules.md#ends).
    const isOfOnly = ({ attemptId, sentAt }: SentText): boolean =>
      incidentIdOf(attemptId) === only?.incident.id && sentAt <= now - ageMs
    const isOwed = 'code' in answer && answer.code === null && sentTexts.some(isOfOnly)
    if (isOwed && only !== undefined && isClear) {
      return answered({ asked: only, kind: answer.kind, to, isBare: true })
    }
    // Only if no other incident is open: a contact who is still needed must not be told "it is over".
    const closed = ended ?? all[0]
    if (only === undefined && closed !== undefined) return over(closed, to)
    return askedWhich(open, to)
  }
}

/** How long a bare OK may still be meant for a drill that has ended: it must not answer a real alarm. */
const DRILL_ANSWERED_MS = HOUR

const isEndedDrill = ({ drill, state: { closedAt } }: Incident, now: number): boolean =>
  drill !== undefined && closedAt !== null && now < closedAt + DRILL_ANSWERED_MS

const isDrill = ({ drill }: Incident): boolean => drill !== undefined

const languagesOf = (contact: IncidentContact, application: Application | null): readonly string[] =>
  application === null ? [contact.language] : [contact.language, application.language]
