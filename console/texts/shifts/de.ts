import type { ShiftTexts } from './en.ts'

export const shifts: ShiftTexts = {
  outcomes: {
    found_safe: 'wohlbehalten gefunden',
    hospital: 'ins Krankenhaus gebracht',
    false_alarm: 'Fehlalarm',
    test: 'Test',
    handed_over: 'übergeben',
  },
  outcome: 'Ausgang',
  outcomeAsk: 'Wie ist es ausgegangen?',
  outcomeUnknown: 'nicht bekannt',
  outcomeNote: 'In einem Satz (freiwillig)',
  outcomeHint: 'etwa, wer übernommen hat und wo',
}
