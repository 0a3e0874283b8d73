import type { EndOutcome } from '../../api/types.ts'

/** How an alarm turned out, and what one shift leaves to the next. */
export const shifts = {
  outcomes: {
    found_safe: 'found safe',
    hospital: 'brought to hospital',
    false_alarm: 'false alarm',
    test: 'test',
    handed_over: 'handed over',
  } as Readonly<Record<EndOutcome, string>>,
  outcome: 'Outcome',
  outcomeAsk: 'How did it turn out?',
  outcomeUnknown: 'not known',
  outcomeNote: 'In a sentence (optional)',
  outcomeHint: 'such as who has taken over, and where',
}

export type ShiftTexts = typeof shifts
