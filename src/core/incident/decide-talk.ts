import { HOUR } from '../../lib/durations.ts'
import type { Refused } from '../decided.ts'
import { type Moments, waitMsOf } from '../pacing/rate-limiter.ts'
import { type Incident, isOpen } from './incident.ts'
import { hasTalk, type KnownContact, readsNow, type TalkLine, type TalkSource, talkReaders } from './talk.ts'

/** Lines of a side an hour, and of one sender who cannot use it up: a contact, or a number that may be forged. */
export const TALK_LIMIT = { times: 60, perMs: HOUR }
export const SENDER_LIMIT = { times: 30, perMs: HOUR }
/** Kept lines of a side. Beyond them, its oldest goes, so that no side pushes out what another has said. */
export const MAX_TALK_LINES = 300

/** A side's earlier messages, as far as the decision needs them. */
export type TalkSituation = {
  readonly incident: Incident | null
  /** The person's contacts, for who may read. */
  readonly contacts: readonly KnownContact[]
  /** The line that this sender has stored under the same key. */
  readonly known: TalkLine | null
  /** When the side and the sender last wrote, the earliest first: the newest `TALK_LIMIT.times`. */
  readonly sideTimes: Moments
  readonly senderTimes: Moments
  /** Whether the person's newest line was for the rescue desk only; null: they have written none. */
  readonly personToDesk: boolean | null
  /** Whether the person has written something that this contact may read. */
  readonly isSpokenTo: boolean
}

/** A line to store. `to` null: as the rules say. `isDeskStaffed`: an operator who may answer is signed in. */
export type Say = {
  readonly now: number
  readonly from: TalkSource
  readonly key: string
  readonly text: string
  readonly quickReply: string | null
  readonly to: 'all' | 'desk' | null
  readonly isDeskStaffed: boolean
}

export type TalkRefusal =
  | Refused<'incident_not_found' | 'incident_closed' | 'no_talk' | 'not_a_reader' | 'person_first'>
  | (Refused<'too_many_messages'> & { readonly retryAfterMs: number })

/** `line`: to store, or (`known`) the one that is there already. */
export type TalkDecision = TalkRefusal | { readonly line: Omit<TalkLine, 'n'> } | { readonly known: TalkLine }

/**
 * Decides whether a message may be written, and who may read it. Changes no incident: no message acknowledges, ends or
 * alarms. rules.md#talk.
 */
export function decideSay(situation: TalkSituation, say: Say): TalkDecision {
  const { incident, contacts, known, sideTimes, senderTimes, isSpokenTo } = situation
  const { now, from, key, text, quickReply } = say
  if (incident === null) return { refused: 'incident_not_found' }
  // A retry after a lost answer, perhaps of the last line before the end.
  if (known !== null) return { known }
  if (!isOpen(incident)) return { refused: 'incident_closed' }
  if (!hasTalk(incident)) return { refused: 'no_talk' }
  if (from.side === 'contact') {
    if (!readsNow(incident, from.senderId, contacts)) return { refused: 'not_a_reader' }
    if (incident.silent && !isSpokenTo) return { refused: 'person_first' }
  }
  const ofSender = from.side === 'contact' || from.channel === 'sms' ? waitMsOf(senderTimes, SENDER_LIMIT, now) : 0
  const retryAfterMs = Math.max(waitMsOf(sideTimes, TALK_LIMIT, now), ofSender)
  if (retryAfterMs > 0) return { refused: 'too_many_messages', retryAfterMs }
  const toDesk = isToDesk(situation, incident, say)
  const readers = toDesk ? [] : talkReaders(incident, contacts).map(({ contactId }) => contactId)
  return { line: { ...from, at: now, key, text, quickReply, toDesk, readers } }
}

/** The default of a person's line in a silent emergency is the rescue desk, and an operator's line follows it. */
export const isDeskByDefault = ({ silent }: Incident, isDeskStaffed: boolean): boolean =>
  silent === true && isDeskStaffed

function isToDesk({ personToDesk }: TalkSituation, incident: Incident, { from, to, isDeskStaffed }: Say): boolean {
  switch (from.side) {
    case 'person':
      // A forged number must not show contacts what follows: operators answer to where the person wrote last.
      if (from.channel === 'sms' && personToDesk === true) return true
      return to === null ? isDeskByDefault(incident, isDeskStaffed) : to === 'desk'
    case 'operator':
      return to === null ? (personToDesk ?? incident.silent === true) : to === 'desk'
    case 'contact':
      return false
    default:
      return from.side satisfies never
  }
}
