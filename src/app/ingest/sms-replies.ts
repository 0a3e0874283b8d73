import { isAllowedDestination } from '../../core/account/contact.ts'
import { isFallback } from '../../core/account/fallback-contact.ts'
import { personLanguages } from '../../core/account/profile.ts'
import { type Incident, isOpen } from '../../core/incident/incident.ts'
import { toldContacts } from '../../core/incident/rounds.ts'
import {
  ANSWERS_WITHIN_MS,
  isFullNumber,
  MAX_ANSWERS,
  MAX_SITE_ANSWERS,
  type SmsReach,
  smsAnswerOf,
} from '../../core/incident/sms-reach.ts'
import { hasTalk } from '../../core/incident/talk.ts'
import { type SmsSosReply, smsSosText } from '../../core/message/sms-sos-text.ts'
import { RateLimiter } from '../../core/pacing/rate-limiter.ts'
import { textLanguage } from '../../core/text/phrases.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'
import { HOUR, MINUTE } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Log } from '../../ports/log.ts'
import type { IncidentStore, SmsAlert, SmsStore } from '../../ports/store.ts'
import type { PatientTexts } from '../sending/patient-texts.ts'
import { textTo } from '../talk/text-to.ts'
import type { SmsSender } from './sms-sender.ts'

/** Behind alarms, and for a provider that is down; news of an end is soon old. */
const ARRIVED_MS = HOUR
const NEWS_MS = 10 * MINUTE
/** Of this process; what the store has of all nodes is counted as well, and may be less than there was. */
const ANSWERS = { times: MAX_ANSWERS, perMs: ANSWERS_WITHIN_MS }
const SITE_ANSWERS = { times: MAX_SITE_ANSWERS, perMs: ANSWERS_WITHIN_MS }
const MAX_NUMBERS = 10_000
/** Numbers whose answer is held back. A restart forgets them. */
const MAX_HELD = 200
const HELD_LOOK_MS = MINUTE
const HELD_MS = 2 * HOUR

type To = Pick<SmsSender, 'phone' | 'proof' | 'user' | 'application'>
type Arrived = { readonly noted: SmsAlert; readonly incident: Incident; readonly reach: SmsReach['reach'] }
type Held = { readonly to: To; readonly arrived: Arrived; readonly until: number }

export type SmsReplies = {
  /** Whether the number may get another text. `sent`: it counts from now on. */
  mayAnswer(to: To, incident: Incident): Promise<'sent' | 'held' | 'none'>
  send(to: Pick<To, 'phone' | 'user' | 'application'>, said: SmsSosReply): Promise<void>
  /** Says who is being alarmed, now or once the site may send again. Rejects with a StoreError. */
  arrived(to: To, arrived: Arrived): Promise<void>
  close(): void
}

/** The answers to SOS by SMS, and their bounds. sms.md#sms-sos. */
export function smsReplies({
  store,
  clock,
  ids,
  texts,
  codeFor,
  onHeld,
  log,
}: {
  readonly store: Pick<SmsStore, 'smsAlerts' | 'smsAnswers' | 'updateSmsAlert'> & Pick<IncidentStore, 'incident'>
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly ids: Pick<Ids, 'uuid'>
  /** Sends when no alarm needs the provider. */
  readonly texts: Pick<PatientTexts, 'send'>
  /** A code that no recent text to this number had. */
  readonly codeFor: (to: string) => Promise<string>
  /** Told how many answers of the last hour are held back. */
  readonly onHeld: (answers: number) => void
  readonly log: Log
}): SmsReplies {
  const answers = new RateLimiter(ANSWERS, MAX_NUMBERS)
  const siteAnswers = new RateLimiter(SITE_ANSWERS, 1)
  const held = new BoundedMap<string, Held>(MAX_HELD)
  let cancel: (() => void) | null = null
  let isClosed = false

  /** Counted over all nodes and restarts. */
  async function mayAnswer({ phone, proof, application }: To, incident: Incident) {
    const since = clock.now() - ANSWERS_WITHIN_MS
    const [{ sent }, rows] = await Promise.all([store.smsAnswers(since), store.smsAlerts(phone, since)])
    const ofNumber =
      rows.filter(({ answer }) => answer === 'sent').length +
      rows.filter(({ endedAt }) => endedAt !== null && endedAt >= since).length
    const isAllowed = proof !== null && isFullNumber(phone) && isAllowedDestination(phone, application.allowedPrefixes)
    const answer = smsAnswerOf({ isAllowed, isSilent: incident.silent === true, ofNumber, ofSite: sent })
    if (answer !== 'sent') return answer
    if (answers.waitMs(phone, clock.now()) > 0) return 'none'
    if (!siteAnswers.take('', clock.now())) return 'held'
    answers.take(phone, clock.now())
    return 'sent'
  }

  async function send(
    { phone, user, application }: Pick<To, 'phone' | 'user' | 'application'>,
    said: SmsSosReply,
    about: string | null = null,
  ): Promise<void> {
    const now = clock.now()
    const language = textLanguage(personLanguages(user, application))
    const text = textTo(phone, { id: ids.uuid(), text: smsSosText([language], said), language, now })
    const meant = about === null ? {} : { isMeant: () => isStillOpen(about) }
    if (!texts.send(text, now + (about === null ? NEWS_MS : ARRIVED_MS), meant)) {
      log.warn({}, 'an answer to an SOS by SMS is dropped: too many wait')
    }
  }

  const isStillOpen = async (incidentId: string): Promise<boolean> => {
    const incident = (await store.incident(incidentId))?.incident
    return incident !== undefined && isOpen(incident) && incident.silent !== true
  }

  /** False: it is held back. */
  async function answer(to: To, { noted, incident, reach }: Arrived): Promise<boolean> {
    const answer = await mayAnswer(to, incident)
    const endCode = answer === 'sent' ? await codeFor(to.phone) : null
    // Before the answer leaves: its code has to count.
    await store.updateSmsAlert(noted.id, { incidentId: incident.id, answer, endCode })
    if (endCode === null) return answer !== 'held'
    const told = toldContacts(incident).filter((contact) => reach === 'all' || isFallback(contact))
    const said = {
      kind: 'arrived',
      names: told.map(({ name }) => name),
      later: reach === 'later' && toldContacts(incident).length > told.length,
      read: hasTalk(incident),
      code: endCode,
    } as const
    await send(to, said, incident.id)
    return true
  }

  const countHeld = async (): Promise<void> => {
    onHeld((await store.smsAnswers(clock.now() - ANSWERS_WITHIN_MS)).held)
  }

  /** The oldest first, until the site has sent as many as it may again. */
  async function sendHeld(): Promise<void> {
    for (const [phone, { to, arrived, until }] of [...held]) {
      const incident = (await store.incident(arrived.incident.id))?.incident
      const isMeant = incident !== undefined && isOpen(incident) && clock.now() < until
      if (isMeant && !(await answer(to, { ...arrived, incident }))) break
      held.delete(phone)
    }
    await countHeld()
  }

  function lookLater(): void {
    if (isClosed || cancel !== null || held.size === 0) return
    cancel = clock.after(HELD_LOOK_MS, () => {
      void sendHeld()
        .catch((error) => log.warn({ err: error }, 'could not send answers to SOS by SMS that were held back'))
        .finally(() => {
          cancel = null
          lookLater()
        })
    })
  }

  return {
    mayAnswer,
    send: (to, said) => send(to, said),

    async arrived(to, arrived) {
      if (await answer(to, arrived)) return
      log.warn(
        { incidentId: arrived.incident.id },
        'an answer to an SOS by SMS is held back: the site has sent too many',
      )
      held.set(to.phone, { to, arrived, until: clock.now() + HELD_MS })
      lookLater()
      await countHeld()
    },

    close() {
      isClosed = true
      cancel?.()
    },
  }
}
