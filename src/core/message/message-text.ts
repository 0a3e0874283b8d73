import { HOUR } from '../../lib/durations.ts'
import type { Purpose } from '../incident/delivery.ts'
import type { HelpPromise } from '../incident/incident.ts'
import { isoAt, LATE_MS } from '../ingest/event-time.ts'
import { isGsm7 } from '../text/gsm7.ts'
import { localTime } from '../text/local-time.ts'
import { type OwnTexts, phrasesOf } from '../text/own-texts.ts'
import { isolated, MAX_NAME_LENGTH, neutralName, shortened } from '../text/person-name.ts'
import { filled, fixedWords, type Language, textLanguage, withoutDrillWord } from '../text/phrases.ts'
import type { Phrases } from '../text/placeholders.ts'
import { agesOf, type PositionTexts, positionTexts } from '../text/position-text.ts'
import { raisedWords, sourceText } from '../text/source-words.ts'
import { type ClosingFacts, closingSentence, durationText, spokenDuration } from './closing-text.ts'
import type { Facts } from './facts.ts'
import { mailBody, mailSubject } from './mail-text.ts'
import { alarmSms, nameInSms, newsSms, type Sentence } from './sms-text.ts'

export type TextForm = 'sms' | 'voice' | 'chat' | 'email' | 'subject'
/** The purpose of the attempt, which decides what the message says. */
export type TextPurpose = Purpose

/** Room for several first names, or an operator's full name. */
const MAX_HELPER_LENGTH = 40

/**
 * The message to send: an alarm, news of it, or its end. `languages`: BCP 47, in order of preference. Every alarm says
 * who needs help, where to answer, the position with its age, and the times of press and arrival if they differ. `own`:
 * the application's texts, which take precedence over the built-in ones. rules.md#texts.
 */
export function messageText(
  form: TextForm,
  purpose: TextPurpose,
  languages: readonly string[],
  facts: Facts,
  own: OwnTexts = {},
): string {
  const language = textLanguage(languages)
  const silent = facts.isSilent === true ? fixedWords[language].silent : null
  // An own text may say "call".
  const words = silent === null ? phrasesOf(language, own) : { ...phrasesOf(language), ...silent }
  const drill = facts.isDrill === true ? fixedWords[language].drill : null
  const who = shortened(withoutDrillWord(neutralName(facts.who)) || words.somebody, MAX_NAME_LENGTH)
  const time = (at: number) => localTime(at, { ...facts, language, spoken: form === 'voice' })
  const bare = sentenceOf(form, purpose, { language, words, facts, time })
  const isOver = drill !== null && purpose === 'all_clear'
  const warned: Sentence =
    silent !== null && !isOver && mayLeadToCall(purpose, facts.closing)
      ? (name) => `${bare(name)} ${filled(silent.doNotCall, { who: name })}`
      : bare
  const sender = purpose === 'all_clear' ? null : senderIn(form, language, facts)
  const sentence: Sentence = sender === null ? warned : (name) => `${warned(name)} ${sender}`
  // Put into the sentence, because that is never cut.
  const says: Sentence = drill === null ? sentence : (name) => `${drill.prefix} ${sentence(name)}`
  const link = facts.trackingUrl
  const way = link ?? (facts.phone === undefined ? null : `${fixedWords[language].linkless.number} ${facts.phone}`)
  const [position = null, second = null] = positionsIn({ language, words, facts, time })
  const isAlarm = purpose === 'alarm' || purpose === 'reopened'
  const late = isAlarm ? lateIn({ language, words, facts, time }, own) : null
  const battery = isAlarm ? batteryIn({ language, words, facts, time }) : null
  switch (form) {
    case 'sms': {
      const answer = answerIn(purpose, words, facts)
      if (purpose === 'tell_others') return newsSms(says, nameInSms(who), link === null ? way : `${words.page} ${link}`)
      if (!isAlarm) return newsSms(says, nameInSms(who), way, answer)
      const app = nameInSms(neutralName(facts.app))
      return alarmSms(says, nameInSms(who), {
        link: way,
        answer,
        late,
        places: position && { links: position.links, bare: position.bare },
        second: second && { link: second.links[1]!, bare: second.bare },
        battery: battery?.sms ?? null,
        noPlace: facts.isPlaceWithheld ? null : words.noPosition,
        confirm: link && words.confirm,
        via: app && filled(words.via, { app: shortened(app, MAX_HELPER_LENGTH) }),
      })
    }
    case 'voice': {
      const openLink = link !== null && asksForAnswer[purpose] ? words.spokenLink : null
      const unknown = facts.isPlaceWithheld ? null : words.noPosition
      const place = isAlarm ? (position?.spoken() ?? unknown) : null
      const other = isAlarm && second !== null ? second.spoken() : null
      return joined(' ', [says(who), late, place, other, battery?.spoken() ?? null, openLink, drill?.spokenEnd ?? null])
    }
    case 'chat': {
      if (!asksForAnswer[purpose]) return joined(' ', [says(isolated(who)), link])
      const places = [position?.chat() ?? words.noPosition, second?.chat() ?? null]
      return joined('\n', [says(isolated(who)), link, late, ...places])
    }
    case 'subject':
      return mailSubject(drill === null ? bare(who) : `${drill.prefix} ${bare(who)}`)
    case 'email':
      return mailBody(language, {
        says: says(isolated(who)),
        // A closing text names no place and asks for nothing.
        ask: link !== null && asksForAnswer[purpose] ? words.confirm : null,
        way,
        late,
        places: isAlarm ? [position?.chat() ?? (facts.isPlaceWithheld ? null : words.noPosition), second?.chat()] : [],
        battery: battery?.sms ?? null,
        app: neutralName(facts.app),
      })
    default:
      return form satisfies never
  }
}

/** Whether a message may make its reader call: all but the news of an answer, and ends that others have confirmed. */
export const mayLeadToCall = (purpose: TextPurpose, closing: Pick<ClosingFacts, 'by'> | null): boolean =>
  purpose !== 'acknowledged' && (purpose !== 'all_clear' || closing?.by === 'user' || closing?.by === 'system')

/** Whether the reader should act. Only then does the message give the position and ask for an answer. */
const asksForAnswer: Readonly<Record<TextPurpose, boolean>> = {
  alarm: true,
  reopened: true,
  acknowledged: false,
  unanswered: true,
  check_in: true,
  tell_others: false,
  last_call: true,
  contacts_changed: false,
  account_changed: false,
  nobody_left: false,
  all_clear: false,
}

/** A device's id is a stranger's text, just like a name. */
const MAX_DEVICE_LENGTH = 24

/** The sentence about the sender, if that is neither the person in danger nor their own tracker. */
function senderIn(
  form: TextForm,
  language: Language,
  { raisedThrough = null, unknownDevice = null }: Facts,
): string | null {
  const raised = raisedThrough === null ? null : raisedWords(language, raisedThrough)
  const neutral = shortened(neutralName(raised?.device ?? unknownDevice ?? ''), MAX_DEVICE_LENGTH)
  const device = form === 'sms' ? nameInSms(neutral) : isolated(neutral)
  // An id in another script would halve the room for the position.
  if (device === '' || (form === 'sms' && !isGsm7(device))) return null
  return filled(raised?.phrase ?? fixedWords[language].unknownDevice, { device })
}

const answerIn = (purpose: TextPurpose, words: Phrases, { answerCode: code }: Facts): string | null =>
  code === undefined || !asksForAnswer[purpose] ? null : filled(words.answer, { code })

/** Whether an SMS for this purpose can be answered. */
export const isAnswerable = (purpose: TextPurpose): boolean => asksForAnswer[purpose]

type Wording = {
  readonly language: Language
  readonly words: Phrases
  readonly facts: Facts
  readonly time: (at: number) => string
}

/** The positions as texts. A made-up position says so in place of its age, even in the shortest form. */
function positionsIn({ language, words, facts }: Wording): readonly PositionTexts[] {
  const { position, otherPlaces = [], now, isDrill, mapLink = null } = facts
  if (position === null) return []
  if (isDrill !== true) {
    const isOneOfMany = otherPlaces.length > 0
    return [position, ...otherPlaces].map((place) => {
      const isToBeSaid = isOneOfMany || place.source === 'other'
      const source = isToBeSaid ? sourceText(language, place) : null
      return positionTexts(language, words, place, now, { source, mapLink })
    })
  }
  const { invented } = fixedWords[language].drill
  return [positionTexts(language, { ...words, now: invented }, { ...position, at: isoAt(now) }, now, { mapLink })]
}

/** The almost empty battery: it limits how long the person can still be heard from. A drill shows none. */
function batteryIn({ language, words, facts }: Wording) {
  const { battery = null, now, isDrill } = facts
  if (battery === null || isDrill === true) return null
  const { phone, tracker, spokenPhone, spokenTracker } = fixedWords[language].battery
  const ages = agesOf(language, words, now - battery.at)
  const n = battery.of === 'phone' ? String(battery.percent) : ''
  return {
    sms: filled(battery.of === 'phone' ? phone : tracker, { n, age: ages.brief }),
    spoken: () => filled(battery.of === 'phone' ? spokenPhone : spokenTracker, { n, age: ages.full() }),
  }
}

function sentenceOf(form: TextForm, purpose: TextPurpose, { language, words, facts, time }: Wording): Sentence {
  const helper = (name: string | null, otherwise: string): string => {
    const most = form === 'chat' ? MAX_NAME_LENGTH : MAX_HELPER_LENGTH
    const harmless = shortened(neutralName(name ?? '') || otherwise, most)
    return form === 'sms' ? nameInSms(harmless) : form === 'voice' ? harmless : isolated(harmless)
  }
  switch (purpose) {
    case 'alarm':
    case 'reopened': {
      const { again, lostHelper } = facts
      if (lostHelper !== null) {
        const name = helper(lostHelper.name, words.somebody)
        const { hasWithdrawn, isAlone } = lostHelper
        const phrase = hasWithdrawn ? words.helperWithdrew : isAlone ? words.helperAlone : words.helperSilent
        return (who) => filled(phrase, { who, name })
      }
      if (facts.overdue) return overdueSentence(form, facts.overdue, { words, time })
      if (again === null) return (who) => filled(form === 'voice' ? words.spokenAlarm : words.alarm, { who })
      const phrase = form === 'voice' ? words.spokenAgain : words.again
      const pressed = time(again.pressedAt)
      return (who) => filled(phrase, { who, pressed })
    }
    case 'acknowledged': {
      const name = helper(facts.answeredBy, words.somebody)
      return (who) => filled(words.acknowledged, { who, name })
    }
    case 'check_in':
      return (who) =>
        filled(facts.trackingUrl === null ? fixedWords[language].linkless.checkIn : words.checkIn, { who })
    case 'tell_others':
      return othersToldSentence(words, facts.help ?? null)
    case 'last_call': {
      const { endsAt } = facts
      if (endsAt === null) return (who) => filled(words.unanswered, { who })
      const ends = time(endsAt)
      return (who) => filled(words.lastCall, { who, ends })
    }
    case 'contacts_changed':
    case 'account_changed':
      return (who) => filled(purpose === 'account_changed' ? words.accountChanged : words.contactsChanged, { who })
    case 'nobody_left':
      return (who) => filled(words.nobodyLeft, { who })
    case 'unanswered':
      return (who) => filled(facts.isDrill === true ? fixedWords[language].drill.unanswered : words.unanswered, { who })
    case 'all_clear': {
      if (facts.isDrill === true) return (who) => filled(fixedWords[language].drill.over, { who })
      const hours = (facts.now - (facts.again ?? facts).pressedAt) / HOUR
      const length = (n: number) => (form === 'voice' ? spokenDuration(n, language) : durationText(n))
      return closingSentence(words, { closing: facts.closing, answeredBy: facts.answeredBy, hours, length, helper })
    }
    default:
      return purpose satisfies never
  }
}

/** Omits the helper's name, which stands on the page for those who may see it. rules.md#telling-others. */
function othersToldSentence(words: Phrases, help: HelpPromise | null): Sentence {
  switch (help?.kind) {
    case 'coming': {
      const n = String(help.etaMinutes)
      return (who) => filled(words.othersComing, { who, n })
    }
    case 'calling':
      return (who) => filled(words.othersCalling, { who })
    case undefined:
      return (who) => filled(words.othersHelped, { who })
    default:
      return help satisfies never
  }
}

/** Longer notes are cut in an SMS: the position needs the room. */
const MAX_NOTE_IN_SMS = 60

/**
 * The sentence of a timer's alarm. An SMS leaves out a note in another script, which would halve the room for the
 * position.
 */
function overdueSentence(
  form: TextForm,
  { dueAt, note }: NonNullable<Facts['overdue']>,
  { words, time }: Pick<Wording, 'words' | 'time'>,
): Sentence {
  const due = time(dueAt)
  const line = neutralName(note ?? '')
  const harmless = line.endsWith('.') ? line.slice(0, -1) : line
  const short = form === 'sms' ? shortened(nameInSms(harmless), MAX_NOTE_IN_SMS) : isolated(harmless)
  const told = short === '' || (form === 'sms' && !isGsm7(short)) ? null : filled(words.overdueNote, { note: short })
  const phrase = form === 'voice' ? words.spokenOverdue : words.overdue
  return (who) => joined(' ', [filled(phrase, { who, due }), told])
}

/** The times of press and arrival, if they differ. */
function lateIn({ language, words, facts, time }: Wording, own: OwnTexts): string | null {
  const { now } = facts
  // Nobody pressed, and the message says when the person was due.
  if (facts.overdue) return null
  const { pressedAt, receivedAt } = facts.again ?? facts
  if (Math.abs(receivedAt - pressedAt) <= LATE_MS) return null
  const { times: former, late } = own[language] ?? {}
  if (former !== undefined && late === undefined) {
    return filled(former, { pressed: utcTime(pressedAt, now), received: utcTime(receivedAt, now) })
  }
  return filled(words.late, { pressed: time(pressedAt), received: time(receivedAt) })
}

/** For own texts with the former key `times`, which themselves say that the time is in UTC. */
function utcTime(at: number, now: number): string {
  const [day, time] = [isoAt(at).slice(0, 10), isoAt(at).slice(11, 16)]
  return day === isoAt(now).slice(0, 10) ? time : `${day} ${time}`
}

const joined = (separator: string, texts: readonly (string | null)[]): string =>
  texts.filter((text) => text !== null).join(separator)
