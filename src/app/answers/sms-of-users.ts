import { isAllowedDestination } from '../../core/account/contact.ts'
import { isFallback } from '../../core/account/fallback-contact.ts'
import type { User } from '../../core/account/profile.ts'
import { type Incident, isOpen } from '../../core/incident/incident.ts'
import { toldContacts } from '../../core/incident/rounds.ts'
import {
  ANSWERS_WITHIN_MS,
  DENIED_WITHIN_MS,
  isFullNumber,
  MAX_ANSWERS,
  MAX_SITE_ANSWERS,
  openedBy,
  type SmsReach,
  smsAnswerOf,
  smsReach,
} from '../../core/incident/sms-reach.ts'
import { alertFrom } from '../../core/ingest/alert.ts'
import { isoAt } from '../../core/ingest/event-time.ts'
import { countsAsSos } from '../../core/message/counts-as-sos.ts'
import type { SmsSos } from '../../core/message/sms-sos.ts'
import { type SmsSosReply, smsSosText } from '../../core/message/sms-sos-text.ts'
import { RateLimiter } from '../../core/pacing/rate-limiter.ts'
import { textLanguage } from '../../core/text/phrases.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Log } from '../../ports/log.ts'
import type { Meter } from '../../ports/meter.ts'
import type { TextNotification } from '../../ports/notifier.ts'
import type { AccountStore, ApplicationStore, Committed, IncidentStore, SmsAlert, SmsStore } from '../../ports/store.ts'
import type { IncidentDoor } from '../incident-door.ts'
import { loneText } from '../sending/lone-text.ts'
import { namedIn, numberOf, type SmsSender, smsSenders } from './sms-sender.ts'
import type { SmsOfUsers } from './take-sms.ts'

/** The end of an SOS may be texted as long as the incident can last. */
const ENDED_WITHIN_MS = 8 * DAY
/** An answer that has waited this long behind alarms says nothing new. */
const ANSWER_MS = 10 * MINUTE
/** Wrong codes of a number, after which none ends an alarm: it goes on. */
const WRONG_CODES = { times: 5, perMs: HOUR }
/** Of this process; what the store has of all nodes is counted as well, and may be less than there was. */
const ANSWERS = { times: MAX_ANSWERS, perMs: ANSWERS_WITHIN_MS }
const SITE_ANSWERS = { times: MAX_SITE_ANSWERS, perMs: ANSWERS_WITHIN_MS }
const NOTES = { times: 30, perMs: HOUR }
const MAX_NUMBERS = 10_000
/** The alarm does not wait longer for its note, which other writes may hold up. */
const NOTED_WITHIN_MS = 2 * SECOND

export type SmsOfUsersNeeds = {
  readonly store: SmsStore &
    Pick<AccountStore, 'user' | 'userByExternalId' | 'ensureUser' | 'updateProfile'> &
    Pick<ApplicationStore, 'applications' | 'application'> &
    Pick<IncidentStore, 'incident' | 'openIncident'>
  readonly door: IncidentDoor
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly ids: Pick<Ids, 'uuid' | 'secret'>
  readonly publicUrl: () => string
  /** Whether the number was texted as a contact of an alarm that is still open. */
  readonly isAsked: (from: string) => Promise<boolean>
  /** A code that no recent text to this number had. */
  readonly codeFor: (to: string) => Promise<string>
  /** Sends a text when no alarm needs the provider; false: too many wait. */
  readonly send: (text: TextNotification, until: number) => boolean
  /** Keeps what a text said as a note on the incident. */
  readonly keepNote: (incident: Incident, author: string, text: string) => Promise<boolean>
  /** Told how many answers have been held back in the last hour. */
  readonly onHeld: (answers: number) => void
  readonly meter: Pick<Meter, 'count'>
  readonly log: Log
}

/**
 * SOS by SMS: raises it, answers it, and ends it. Rejects with a StoreError if nothing was stored. rules.md#sms-sos.
 */
export function smsOfUsers(needs: SmsOfUsersNeeds): SmsOfUsers {
  const { store, door, clock, ids, isAsked, codeFor, keepNote, meter, log } = needs
  const wrongCodes = new RateLimiter(WRONG_CODES, MAX_NUMBERS)
  const { proofOf, senderOf, unknownUser } = smsSenders(needs)
  const answers = new RateLimiter(ANSWERS, MAX_NUMBERS)
  const siteAnswers = new RateLimiter(SITE_ANSWERS, 1)
  const notes = new RateLimiter(NOTES, MAX_NUMBERS)

  async function raise(
    { phone, application }: SmsSender,
    {
      user,
      noted,
      sos,
      by,
      reach,
      now,
    }: SmsReach & {
      readonly user: User
      readonly noted: SmsAlert
      readonly sos: SmsSos
      readonly now: number
    },
  ): Promise<Committed> {
    // An end by its time belongs to a press of the app, never to a text.
    const { sentAt: _, ...alert } = alertFrom({ timestamp: isoAt(noted.at), ...sos.place }, now)
    const committed = await door.change(
      { reporter: { appId: application.id, userId: user.id, deviceId: null } },
      {
        type: 'raise',
        now,
        alert,
        reporterId: user.id,
        incidentId: noted.incidentId,
        linkSecret: ids.secret(),
        bySms: { from: phone, isCoded: by === 'owner', ...(reach === 'later' && { later: true }) },
        ...(reach === 'fallback' && { few: 'fallback' }),
      },
    )
    const about = { incidentId: committed.incidentId, userId: user.id, verdict: committed.verdict, by, reach }
    log.info(about, 'an SOS by SMS')
    meter.count('alerts_total', { verdict: committed.verdict, transport: 'sms' })
    meter.count('sms_answers_total', { answer: 'sos' })
    return committed
  }

  async function reply(
    { phone, application }: Pick<SmsSender, 'phone' | 'application'>,
    said: SmsSosReply,
  ): Promise<void> {
    const now = clock.now()
    const language = textLanguage([application.language])
    const text = loneText({
      attemptId: `sms-${ids.uuid()}`,
      claimedAt: now,
      channel: 'sms',
      purpose: 'verification',
      to: phone,
      text: smsSosText([language], said),
      language,
    })
    if (!needs.send(text, now + ANSWER_MS)) log.warn({}, 'an answer to an SOS by SMS is dropped: too many wait')
  }

  /** Whether the number may get another answer; counted over all nodes and restarts. */
  async function mayAnswer(
    { phone, proof, application }: SmsSender,
    incident: Incident | null,
    of: readonly SmsAlert[],
  ) {
    const since = clock.now() - ANSWERS_WITHIN_MS
    const { sent } = await store.smsAnswers(since)
    const ofNumber =
      of.filter(({ answer, receivedAt }) => answer === 'sent' && receivedAt >= since).length +
      of.filter(({ endedAt }) => endedAt !== null && endedAt >= since).length
    const isAllowed = proof !== null && isFullNumber(phone) && isAllowedDestination(phone, application.allowedPrefixes)
    const answer = smsAnswerOf({ isAllowed, isSilent: incident?.silent === true, ofNumber, ofSite: sent })
    if (answer !== 'sent') return answer
    if (answers.waitMs(phone, clock.now()) > 0) return 'none'
    if (!siteAnswers.take('', clock.now())) return 'held'
    answers.take(phone, clock.now())
    return 'sent'
  }

  async function answerTo(
    sender: SmsSender,
    {
      noted,
      incident,
      reach,
      earlier,
    }: {
      readonly noted: SmsAlert
      readonly incident: Incident
      readonly reach: SmsReach['reach']
      readonly earlier: readonly SmsAlert[]
    },
  ): Promise<void> {
    const answer = await mayAnswer(sender, incident, earlier)
    const endCode = answer === 'sent' ? await codeFor(sender.phone) : null
    // Before the answer leaves: its code has to count.
    await store.updateSmsAlert(noted.id, { incidentId: incident.id, answer, endCode })
    if (answer === 'held') {
      log.warn({ incidentId: incident.id }, 'an answer to an SOS by SMS is held back: the site has sent too many')
      const { held } = await store.smsAnswers(clock.now() - ANSWERS_WITHIN_MS)
      needs.onHeld(held)
    }
    if (endCode === null) return
    const told = toldContacts(incident).filter((contact) => reach === 'all' || isFallback(contact))
    await reply(sender, {
      kind: 'arrived',
      names: told.map(({ name }) => name),
      later: reach === 'later' && toldContacts(incident).length > told.length,
      code: endCode,
    })
  }

  /** Without its note a text that is handed over twice may alarm twice, which is better than late or not at all. */
  async function noteSoon(alert: SmsAlert): Promise<SmsAlert> {
    const { promise: late, resolve: giveUp } = Promise.withResolvers<SmsAlert>()
    const cancel = clock.after(NOTED_WITHIN_MS, () => giveUp(alert))
    const noted = store.noteSmsAlert(alert).catch((error) => {
      log.warn({ err: error }, 'could not note an SOS by SMS')
      return alert
    })
    return Promise.race([noted, late]).finally(cancel)
  }

  return {
    async sos(sms, sos) {
      const sender = await senderOf(sms.from)
      if (sender === null) return false
      const { phone, proof } = sender
      const link = `${needs.publicUrl()}/t/`.toUpperCase()
      const quotesUs = sms.text.toUpperCase().includes(link)
      if (!countsAsSos(sos, { isProved: proof !== null, isAsked: await isAsked(sms.from), quotesUs })) return false

      const now = clock.now()
      const user = sender.user ?? (await unknownUser(sender, now))
      const [open, rows] = await Promise.all([
        store.openIncident(user.id),
        store.smsAlerts(phone, now - DENIED_WITHIN_MS),
      ])
      const earlier = rows.filter(({ id }) => id !== sms.id)
      const code = sos.code === null ? 'none' : proof !== null && proof.code === sos.code ? 'right' : 'wrong'
      const { by, reach } = smsReach({
        number: proof !== null ? 'proved' : sender.named.length > 0 ? 'unproved' : 'unknown',
        code,
        opened: openedBy(earlier, { now, openId: open?.incident.id ?? null }),
        denials: earlier.filter(({ endedAt }) => endedAt !== null && endedAt >= now - DENIED_WITHIN_MS).length,
      })
      const alert: SmsAlert = {
        ...{ id: sms.id, phone, userId: user.id, incidentId: ids.uuid(), at: now - sms.ageMs, receivedAt: now },
        ...{ coded: by === 'owner', endCode: null, answer: 'none', endedAt: null },
      }
      // Without the note a text that is handled twice may alarm twice, which is better than not at all.
      const noted = await noteSoon(alert)
      const { incident, verdict } = await raise(sender, { user, noted, sos, by, reach, now })
      const isFirst = noted.incidentId === alert.incidentId
      if (incident === null || (!isFirst && verdict === 'repeated')) return true
      // The alarm is stored: nothing that follows may have it handled again.
      const wasNoted = sos.note !== '' || verdict === 'repeated'
      const { named } = sender
      if (named.length > 0 && verdict === 'opened') {
        await keepNote(incident, 'SMS', namedIn(named)).catch(warned('name who has the number of an SOS by SMS'))
      }
      if (wasNoted) await keepNote(incident, authorOf(phone), sms.text).catch(warned('keep the rest of an SOS by SMS'))
      await answerTo(sender, { noted, incident, reach, earlier }).catch(warned('answer an SOS by SMS'))
      return true
    },

    async notMe({ from }, code) {
      const now = clock.now()
      const proof = await proofOf(from)
      const phone = proof?.phone ?? numberOf(from)
      const rows = await store.smsAlerts(phone, now - ENDED_WITHIN_MS)
      if (!rows.some(({ endCode }) => endCode !== null)) return false
      const meant = rows.find(({ endCode }) => endCode === code)
      if (wrongCodes.waitMs(phone, now) > 0) return true
      if (meant === undefined) {
        wrongCodes.take(phone, now)
        return false
      }
      const found = (await store.incident(meant.incidentId))?.incident ?? null
      const application = found === null ? null : await store.application(found.appId)
      if (found === null || application === null) return true
      meter.count('sms_answers_total', { answer: 'not_me' })
      const sender: SmsSender = { phone, proof, user: null, named: [], application }
      const mayTell = (await mayAnswer(sender, found, rows)) === 'sent'
      // Somebody has pressed on the phone itself since, so this text does not speak for the person.
      const goesOn = isOpen(found) && !meant.coded && found.raisedByOthers === undefined
      if (goesOn) {
        if (mayTell) await reply(sender, { kind: 'goesOn' })
        return true
      }
      const { lastAlertAt: knownAlertAt } = found
      const { verdict } = await door.change({ incidentId: found.id }, { type: 'cancel', now, knownAlertAt })
      log.info({ incidentId: found.id, verdict }, 'a number says that an SOS by SMS was not theirs')
      if (verdict !== 'changed') return true
      await store.updateSmsAlert(meant.id, { endedAt: now }).catch(warned('note the end of an SOS by SMS'))
      if (mayTell) await reply(sender, { kind: 'ended' })
      return true
    },

    async note({ from, text }) {
      const proof = await proofOf(from)
      if (proof === null || !notes.take(proof.phone, clock.now())) return
      const open = await store.openIncident(proof.userId)
      const rows = open === null ? [] : await store.smsAlerts(proof.phone, clock.now() - ENDED_WITHIN_MS)
      if (open === null || !rows.some(({ incidentId }) => incidentId === open.incident.id)) return
      if (await keepNote(open.incident, authorOf(proof.phone), text))
        meter.count('sms_answers_total', { answer: 'note' })
    },
  }

  function warned(what: string): (error: unknown) => void {
    return (error) => log.warn({ err: error }, `could not ${what}`)
  }
}

/** A number in a text may be forged. */
const authorOf = (phone: string): string => `by SMS from ${phone}, may be forged`
