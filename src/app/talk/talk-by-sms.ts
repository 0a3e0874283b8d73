import { isAllowedDestination } from '../../core/account/contact.ts'
import { displayName, personLanguages } from '../../core/account/profile.ts'
import type { Incident } from '../../core/incident/incident.ts'
import { isFullNumber } from '../../core/incident/sms-reach.ts'
import { hasTalk, talkEvent } from '../../core/incident/talk.ts'
import { MAX_TALK_CHARACTERS, talkText } from '../../core/incident/talk-schema.ts'
import {
  mayText,
  NO_SMS_TALK,
  nextText,
  readersOfText,
  SMS_TALK_MS,
  type SmsTalk,
  TEXTED_WITHIN_MS,
  textingSides,
  withEnd,
} from '../../core/message/sms-talk.ts'
import { RateLimiter } from '../../core/pacing/rate-limiter.ts'
import { type Language, textLanguage } from '../../core/text/phrases.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'
import { HOUR, MINUTE, SECOND } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Log } from '../../ports/log.ts'
import type { Meter } from '../../ports/meter.ts'
import type { AccountStore, ApplicationStore, IncidentStore, SmsAlert, SmsStore, TalkStore } from '../../ports/store.ts'
import type { PatientTexts } from '../sending/patient-texts.ts'
import type { TalkFeed } from './talk-feed.ts'
import { textTo } from './text-to.ts'

/** Of this process, for all incidents. */
const SITE_TEXTS = { times: 100, perMs: HOUR }
const MAX_LINES = 200
const MAX_WAITING = 500
/** Another change may be first. */
const MAX_NOTING = 3
/** After a text that could not be queued, or a node that was first. */
const AGAIN_MS = MINUTE

/** The person who raised this incident by SMS. `first`: their first text in it; `language`: of the texts to them. */
type Texter = {
  readonly incident: Incident
  readonly phone: string
  readonly first: SmsAlert
  readonly language: Language
}

type TalkBySmsNeeds = {
  readonly store: Pick<SmsStore, 'phoneProof' | 'smsAlerts' | 'changeSmsTalk'> &
    TalkStore &
    Pick<AccountStore, 'user'> &
    Pick<ApplicationStore, 'application'> &
    Pick<IncidentStore, 'incident'>
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly ids: Pick<Ids, 'uuid'>
  readonly texts: Pick<PatientTexts, 'send'>
  readonly feed: Pick<TalkFeed, 'tell'>
  /** Something has changed that the console shows. */
  readonly noted: (incidentId: string) => void
  readonly meter: Meter
  readonly log: Log
}

/** A text of the person. `codes`: digits that count, and that nobody else is to read. */
type HeardText = {
  readonly incident: Incident
  readonly phone: string
  readonly id: string
  readonly text: string
  readonly codes: readonly string[]
  /** Whether the number has been told by name who may read it. */
  readonly isNamed: boolean
}

export type TalkBySms = {
  /** Texts new lines to the person, if they have alarmed by SMS. Never rejects. */
  told(incidentId: string): Promise<void>
  /** Takes a text of the person as a line. False: it is not one, or parts of it are missing. */
  heard(text: HeardText): Promise<boolean>
  /** The number wants no more texts of this incident, or does again. False: it gets none. */
  stop(incidentId: string, isStop: boolean): Promise<boolean>
  close(): void
}

/** The talk with a person who has nothing but SMS. sms.md#talk-by-sms. */
export function talkBySms({ store, clock, ids, texts, feed, noted, meter, log }: TalkBySmsNeeds): TalkBySms {
  const siteTexts = new RateLimiter(SITE_TEXTS, 1)
  const waiting = new BoundedMap<string, () => void>(MAX_WAITING)
  let isClosed = false

  async function texterOf(incidentId: string): Promise<Texter | null> {
    const incident = (await store.incident(incidentId))?.incident
    if (incident === undefined || !mayText(incident)) return null
    const [application, user, proof] = await Promise.all([
      store.application(incident.appId),
      store.user(incident.userId),
      store.phoneProof(incident.userId),
    ])
    if (application === null || !application.smsSos || proof === null || proof.takenAt !== null) return null
    const { phone } = proof
    if (!isFullNumber(phone) || !isAllowedDestination(phone, application.allowedPrefixes)) return null
    const rows = await store.smsAlerts(phone, clock.now() - TEXTED_WITHIN_MS)
    // Newest first. The first one stays the first, whatever follows.
    const first = rows.findLast((row) => row.incidentId === incidentId)
    const language = textLanguage(personLanguages(user, application))
    return first === undefined ? null : { incident, phone, first, language }
  }

  /** Much may have changed while it waited behind alarms, or for the provider. */
  const isMeant = (incidentId: string, phone: string) => async (): Promise<boolean> => {
    const texter = await texterOf(incidentId)
    return texter?.phone === phone && texter.first.talk?.stopped !== true
  }

  function later(incidentId: string, ms: number): void {
    waiting.get(incidentId)?.()
    if (isClosed) return
    const cancel = clock.after(Math.max(ms, SECOND), () => {
      waiting.delete(incidentId)
      void told(incidentId)
    })
    waiting.set(incidentId, cancel)
  }

  async function tellNext({ incident, phone, first, language }: Texter): Promise<void> {
    const known = first.talk ?? NO_SMS_TALK
    const after = Math.min(known.operator.told, known.contact.told)
    const lines = await store.talkLines(incident.id, after, MAX_LINES)
    const now = clock.now()
    for (const side of textingSides) {
      const next = nextText(side, { talk: known, lines, askedAt: first.receivedAt, now, language })
      if (next.kind === 'none') continue
      const ms = next.kind === 'wait' ? next.ms : siteTexts.waitMs('', now)
      if (ms > 0 || next.kind === 'wait') {
        log.info(
          { incidentId: incident.id, ms },
          'messages to a person who alarmed by SMS wait: the hour’s are used up',
        )
        later(incident.id, ms)
        continue
      }
      // Before the text leaves: twice is worse than late, and another node may be at it.
      if (!(await store.changeSmsTalk(first.id, next.talk))) return later(incident.id, AGAIN_MS)
      siteTexts.take('', now)
      const text = textTo(phone, { id: ids.uuid(), text: next.text, language, now })
      const ends = (end: 'left' | 'lost'): void =>
        void noteEnd(incident.id, phone, (known) => withEnd(known, side, next.lines, end))
      if (!texts.send(text, now + SMS_TALK_MS, { isMeant: isMeant(incident.id, phone), ends })) {
        const { version } = next.talk
        await store.changeSmsTalk(first.id, { ...known, version: version + 1 })
        log.warn({ incidentId: incident.id }, 'a message to a person who alarmed by SMS waits: too many texts do')
        return later(incident.id, AGAIN_MS)
      }
      // The other side, and lines that did not fit.
      return later(incident.id, SECOND)
    }
  }

  /** For the console: a text that was not noted shows as queued, then as not sent. */
  async function noteEnd(incidentId: string, phone: string, change: (known: SmsTalk) => SmsTalk): Promise<void> {
    try {
      for (let tries = 0; tries < MAX_NOTING; tries += 1) {
        const rows = await store.smsAlerts(phone, clock.now() - TEXTED_WITHIN_MS)
        const first = rows.findLast((row) => row.incidentId === incidentId)
        if (first === undefined) return
        if (await store.changeSmsTalk(first.id, change(first.talk ?? NO_SMS_TALK))) return noted(incidentId)
      }
    } catch (error) {
      log.warn({ err: error, incidentId }, 'could not note what came of a text to a person who alarmed by SMS')
    }
  }

  async function told(incidentId: string): Promise<void> {
    try {
      const texter = await texterOf(incidentId)
      if (texter !== null) await tellNext(texter)
    } catch (error) {
      log.warn({ err: error, incidentId }, 'could not text messages to a person who alarmed by SMS')
      later(incidentId, AGAIN_MS)
    }
  }

  return {
    told,

    async heard({ incident, phone, id, text, codes, isNamed }) {
      if (!hasTalk(incident)) return false
      const user = await store.user(incident.userId)
      if (user === null) return false
      const typed = talkText(text.toWellFormed())
      const shown = [...typed.replaceAll(/\d+/g, (digits) => (codes.includes(digits) ? '****' : digits))]
      const said = shown.slice(0, MAX_TALK_CHARACTERS).join('')
      if (said === '') return false
      const from = { side: 'person', channel: 'sms', senderId: 'sms', name: displayName(user), phone } as const
      const to = readersOfText(incident, { isNamed })
      const line = { now: clock.now(), from, key: id, text: said, quickReply: null, to, isDeskStaffed: true }
      const added = await store.addTalkLine({ incidentId: incident.id }, line)
      if ('refused' in added) return false
      if (added.isNew) {
        meter.count('talk_lines_total', { side: 'person' })
        feed.tell(talkEvent(added.incident, added.line))
      }
      return shown.length <= MAX_TALK_CHARACTERS
    },

    async stop(incidentId, isStop) {
      const texter = await texterOf(incidentId)
      if (texter === null) return false
      const known: SmsTalk = texter.first.talk ?? NO_SMS_TALK
      if (known.stopped !== isStop) {
        await store.changeSmsTalk(texter.first.id, { ...known, version: known.version + 1, stopped: isStop })
      }
      if (!isStop) later(incidentId, SECOND)
      return true
    },

    close() {
      isClosed = true
      for (const cancel of waiting.values()) cancel()
    },
  }
}
