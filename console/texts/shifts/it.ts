import type { ShiftTexts } from './en.ts'

export const shifts: ShiftTexts = {
  outcomes: {
    found_safe: 'persona trovata sana e salva',
    hospital: 'portata in ospedale',
    false_alarm: 'falso allarme',
    test: 'prova',
    handed_over: 'passato ad altri',
  },
  outcome: 'Esito',
  outcomeAsk: 'Com’è finita?',
  outcomeUnknown: 'non si sa',
  outcomeNote: 'In una frase (facoltativa)',
  outcomeHint: 'per esempio chi se ne occupa ora, e dove',
}
