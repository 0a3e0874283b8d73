import { incidentIdOf, isAwaited } from '../../core/incident/escalation.ts'
import { isOpen } from '../../core/incident/incident.ts'
import { phrasesOf } from '../../core/text/own-texts.ts'
import { fixedWords, type Language, textLanguage } from '../../core/text/phrases.ts'
import type { CallWords } from '../../core/text/placeholders.ts'
import type { Clock } from '../../ports/clock.ts'
import type {
  AccountStore,
  ApplicationStore,
  IncidentRecord,
  IncidentStore,
  TelemetryStore,
} from '../../ports/store.ts'
import type { IncidentDoor } from '../incident-door.ts'
import { composeNotification } from '../sending/compose.ts'
import { newestBatteries } from '../sending/newest-batteries.ts'

/** The next words of a call. `question`: the text that asks for a key; null if the call says the rest and hangs up. */
export type CallReply = {
  readonly language: Language
  readonly words: CallWords
  readonly said: readonly string[]
  readonly question: string | null
  /** The caller asked to hear it again, so the count of repetitions restarts. */
  readonly afresh: boolean
}

export type AnswerCall = ReturnType<typeof answerCall>

/**
 * Handles a key pressed in the call of an attempt: 1 acknowledges as the button does, 2 repeats the message, any other
 * key is reported as invalid. rules.md#calls. Null if the attempt is unknown or erased. Rejects with a StoreError.
 */
export const answerCall = (needs: {
  readonly store: Pick<IncidentStore, 'incident' | 'attempt'> &
    Pick<AccountStore, 'user'> &
    Pick<ApplicationStore, 'application'> &
    Pick<TelemetryStore, 'telemetryHistory'>
  readonly door: IncidentDoor
  readonly clock: Pick<Clock, 'now'>
  readonly publicUrl: () => string
  /** IANA; for applications without their own time zone. */
  readonly machineTimeZone: () => string
}) => {
  const { store, door, clock, publicUrl, machineTimeZone } = needs

  async function find(attemptId: string) {
    const [record, row] = await Promise.all([store.incident(incidentIdOf(attemptId)), store.attempt(attemptId)])
    const contact = record?.incident.contacts.find(({ contactId }) => contactId === row?.contactId)
    if (record === null || row === null || contact === undefined) return null
    const { userId, appId } = record.incident
    const [user, application, batteries] = await Promise.all([
      store.user(userId),
      store.application(appId),
      newestBatteries(store, record.incident),
    ])
    return user === null || application === null ? null : { record, row, contact, user, application, batteries }
  }

  return async (attemptId: string, key: string): Promise<CallReply | null> => {
    const found = await find(attemptId)
    if (found === null) return null
    const { row, contact, application } = found
    const language = textLanguage([contact.language, application.language])
    const words = phrasesOf(language, application.texts)
    const reply = { language, words, afresh: key === REPEATS }
    const drill = found.record.incident.drill === undefined ? [] : [fixedWords[language].drill.prefix]

    const acknowledged = key === ACKNOWLEDGES ? await acknowledge(found.record, contact.contactId) : null
    const record = acknowledged ?? found.record
    const text = (purpose: 'alarm' | 'all_clear') => {
      const occasion = { ...found, record, publicUrl: publicUrl(), machineTimeZone, now: clock.now() }
      const notification = composeNotification({ ...row, purpose }, occasion)
      return notification?.channel === 'voice' ? notification.text : words.spokenLink
    }
    if (!isOpen(record.incident)) return { ...reply, said: [text('all_clear'), words.spokenGoodbye], question: null }
    // An answer from before this alarm does not count: that helper fell silent, or the person pressed again.
    const others =
      !isAwaited(found.record.incident) &&
      record.incident.contacts.some(
        ({ contactId, acknowledgedAt }) => contactId !== contact.contactId && acknowledgedAt !== null,
      )
    const news = others ? [words.spokenOthers] : []
    if (acknowledged !== null) {
      const said = [...drill, words.spokenThanks, ...news, words.spokenLink, words.spokenGoodbye]
      return { ...reply, said, question: null }
    }
    const unknownKey = key === REPEATS ? [] : [key === '' ? words.spokenNoKey : words.spokenWrongKey]
    return { ...reply, said: [...drill, ...unknownKey, ...news], question: text('alarm') }
  }

  async function acknowledge(record: IncidentRecord, contactId: string): Promise<IncidentRecord> {
    const { incident, lastPosition, newest } = await door.change(
      { incidentId: record.incident.id },
      { type: 'acknowledge', now: clock.now(), contactId },
    )
    return incident === null ? record : { incident, lastPosition, ...(newest && { newest }) }
  }
}

const ACKNOWLEDGES = '1'
const REPEATS = '2'
