import type { User } from '../../core/account/profile.ts'
import { type Incident, isOpen } from '../../core/incident/incident.ts'
import { DENIED_WITHIN_MS, openedBy, type SmsReach, smsReach } from '../../core/incident/sms-reach.ts'
import { hasTalk } from '../../core/incident/talk.ts'
import { alertFrom } from '../../core/ingest/alert.ts'
import { isoAt } from '../../core/ingest/event-time.ts'
import { countsAsSos } from '../../core/message/counts-as-sos.ts'
import type { SmsSos } from '../../core/message/sms-sos.ts'
import { RateLimiter } from '../../core/pacing/rate-limiter.ts'
import { DAY, HOUR, SECOND } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Log } from '../../ports/log.ts'
import type { Meter } from '../../ports/meter.ts'
import type { AccountStore, ApplicationStore, Committed, IncidentStore, SmsAlert, SmsStore } from '../../ports/store.ts'
import type { ReceivedSms, SmsOfUsers } from '../answers/take-sms.ts'
import type { IncidentDoor } from '../incident-door.ts'
import type { TalkBySms } from '../talk/talk-by-sms.ts'
import type { SmsReplies } from './sms-replies.ts'
import { namedIn, numberOf, type SmsSender, smsSenders } from './sms-sender.ts'

/** The end of an SOS may be texted as long as the incident can last. */
const ENDED_WITHIN_MS = 8 * DAY
/** Wrong codes of a number, after which none ends an alarm: it goes on. */
const WRONG_CODES = { times: 5, perMs: HOUR }
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
  /** Whether the board or a fallback contact hears of an alarm that contacts are not told of. */
  readonly isHeard: (application: SmsSender['application']) => Promise<boolean>
  readonly replies: SmsReplies
  readonly talk: Pick<TalkBySms, 'heard' | 'told' | 'stop'>
  /** Keeps what a text said as a note on the incident. */
  readonly keepNote: (incident: Incident, author: string, text: string) => Promise<boolean>
  readonly meter: Pick<Meter, 'count'>
  readonly log: Log
}

/**
 * SOS by SMS: raises it, answers it, and ends it. Rejects with a StoreError if nothing was stored. sms.md#sms-sos.
 */
export function smsOfUsers(needs: SmsOfUsersNeeds): SmsOfUsers {
  const { store, door, clock, ids, isAsked, replies, talk, keepNote, meter, log } = needs
  const wrongCodes = new RateLimiter(WRONG_CODES, MAX_NUMBERS)
  const { proofOf, senderOf, unknownUser } = smsSenders(needs)
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
        isHeard: await needs.isHeard(sender.application),
        denials: earlier.filter(({ endedAt }) => endedAt !== null && endedAt >= now - DENIED_WITHIN_MS).length,
      })
      const alert: SmsAlert = {
        ...{ id: sms.id, phone, userId: user.id, incidentId: ids.uuid(), at: now - sms.ageMs, receivedAt: now },
        ...{ coded: by === 'owner', endCode: null, answer: 'none', endedAt: null, talk: null },
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
      await replies.arrived(sender, { noted, incident, reach }).catch(warned('answer an SOS by SMS'))
      // Messages written before, which the app may not have received.
      void talk.told(incident.id)
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
      const sender = { phone, proof, user: proof && (await store.user(proof.userId)), application }
      const mayTell = (await replies.mayAnswer(sender, found)) === 'sent'
      // Somebody has pressed on the phone itself since, so this text does not speak for the person.
      const goesOn = isOpen(found) && !meant.coded && found.raisedByOthers === undefined
      if (goesOn) {
        if (mayTell) await replies.send(sender, { kind: 'goesOn' })
        return true
      }
      const { lastAlertAt: knownAlertAt } = found
      const { verdict } = await door.change({ incidentId: found.id }, { type: 'cancel', now, knownAlertAt })
      log.info({ incidentId: found.id, verdict }, 'a number says that an SOS by SMS was not theirs')
      if (verdict !== 'changed') return true
      await store.updateSmsAlert(meant.id, { endedAt: now }).catch(warned('note the end of an SOS by SMS'))
      if (mayTell) await replies.send(sender, { kind: 'ended' })
      return true
    },

    async note(sms, isAnswer) {
      const found = await ownAlarmOf(sms)
      if (found === null || (isAnswer && (await isAsked(sms.from)))) return
      const { proof, incident, rows } = found
      if (!notes.take(proof.phone, clock.now())) return
      const codes = [proof.code, ...rows.map(({ endCode }) => endCode)].filter((code) => code !== null)
      const isNamed = rows.some(({ answer }) => answer === 'sent')
      const heard = { incident, phone: proof.phone, id: sms.id, text: sms.text, codes, isNamed }
      await counted(proof.phone, async () => {
        // A line reaches more people than a note; where there is no room for it, operators read the note.
        const isLine = await talk.heard(heard)
        if (isLine || (await keepNote(incident, authorOf(proof.phone), sms.text)))
          meter.count('sms_answers_total', { answer: 'note' })
      })
    },

    async stop(sms, isStop) {
      const found = await ownAlarmOf(sms)
      const application = found === null ? null : await store.application(found.incident.appId)
      if (found === null || application === null) return
      const { proof, incident } = found
      const sender = { phone: proof.phone, proof, user: await store.user(proof.userId), application }
      // Operators have to know that their messages stay here.
      if (notes.take(proof.phone, clock.now()))
        await counted(proof.phone, () => keepNote(incident, authorOf(proof.phone), sms.text))
      if (!hasTalk(incident)) return
      // The real phone has to be told how to take it back: without that, a forged text would cut the person off.
      const mayTell = (await replies.mayAnswer(sender, incident)) === 'sent'
      if ((isStop && !mayTell) || !(await talk.stop(incident.id, isStop))) return
      if (mayTell) await replies.send(sender, { kind: isStop ? 'stopped' : 'started' })
    },
  }

  /** A text that could not be stored is handled again, however long the disk is full, and counts once. */
  async function counted(phone: string, keep: () => Promise<unknown>): Promise<void> {
    try {
      await keep()
    } catch (error) {
      notes.giveBack(phone)
      throw error
    }
  }

  /** The open alarm that texts of this proved number raised or joined, and those texts. */
  async function ownAlarmOf({ from }: Pick<ReceivedSms, 'from'>) {
    const proof = await proofOf(from)
    const open = proof === null ? null : await store.openIncident(proof.userId)
    if (proof === null || open === null) return null
    const { incident } = open
    const all = await store.smsAlerts(proof.phone, clock.now() - ENDED_WITHIN_MS)
    const rows = all.filter(({ incidentId }) => incidentId === incident.id)
    return rows.length === 0 ? null : { proof, incident, rows }
  }

  function warned(what: string): (error: unknown) => void {
    return (error) => log.warn({ err: error }, `could not ${what}`)
  }
}

/** A number in a text may be forged. */
const authorOf = (phone: string): string => `by SMS from ${phone}, may be forged`
