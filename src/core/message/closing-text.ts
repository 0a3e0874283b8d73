import { HOUR, MINUTE } from '../../lib/durations.ts'
import { filled, type Language } from '../text/phrases.ts'
import type { Phrases } from '../text/placeholders.ts'
import type { Sentence } from './sms-text.ts'

/** The facts about how an incident ended. */
export type ClosingFacts = {
  readonly status: 'cancelled' | 'resolved'
  /** Null: unknown (records of earlier versions). */
  readonly by: 'user' | 'operator' | 'contact' | 'system' | null
  /** The operator's or contact's name, if known. */
  readonly name: string | null
  /** For `system`: the hours after which it closed the incident. */
  readonly hours: number | null
}

/**
 * The end and how reliable it is. Only an end that someone other than the person has confirmed is an all-clear: an end
 * from the person's own phone may be an accident or coerced, and an automatic one says nothing about the person.
 * rules.md#closing.
 *
 * `hours`: time since the last press, used if the closing has none. `length`: words a duration in hours. `helper`: a
 * name as the message may show it, or the given substitute.
 */
export function closingSentence(
  words: Phrases,
  told: {
    readonly closing: ClosingFacts | null
    readonly answeredBy: string | null
    readonly hours: number
    readonly length: (hours: number) => string
    readonly helper: (name: string | null, otherwise: string) => string
  },
): Sentence {
  const { closing, answeredBy, helper } = told
  if (closing === null) return (who) => filled(words.over, { who })
  switch (closing.by) {
    case 'user':
      return (who) => filled(words.endedByUser, { who })
    case 'operator':
    case 'contact': {
      const name = helper(closing.name, closing.by === 'operator' ? words.operator : words.contactPerson)
      return (who) => filled(words.endedBy, { who, name })
    }
    case 'system': {
      const after = told.length(closing.hours ?? told.hours)
      if (answeredBy === null) return (who) => filled(words.closedAlone, { who, after })
      const name = helper(answeredBy, words.somebody)
      return (who) => filled(words.closedAnswered, { who, after, name })
    }
    case null:
      return (who) => filled(words[closing.status], { who })
    default:
      return closing.by satisfies never
  }
}

/** `24 h`, `90 min`: symbols that all five languages share. */
export function durationText(hours: number): string {
  const { n, unit } = measured(hours)
  return `${n} ${unit === 'hour' ? 'h' : 'min'}`
}

/** `24 hours`, `90 Minuten`: readable by a voice. */
export function spokenDuration(hours: number, language: Language): string {
  const { n, unit } = measured(hours)
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(n)
}

function measured(hours: number): { readonly n: number; readonly unit: 'hour' | 'minute' } {
  const minutes = Math.max(1, Math.round((hours * HOUR) / MINUTE))
  return minutes < 120 && minutes % 60 !== 0
    ? { n: minutes, unit: 'minute' }
    : { n: Math.round(minutes / 60), unit: 'hour' }
}
