import type { ShiftTexts } from './en.ts'

export const shifts: ShiftTexts = {
  outcomes: {
    found_safe: 'persona encontrada a salvo',
    hospital: 'llevada al hospital',
    false_alarm: 'falsa alarma',
    test: 'prueba',
    handed_over: 'traspasada a otros',
  },
  outcome: 'Resultado',
  outcomeAsk: '¿Cómo terminó?',
  outcomeUnknown: 'no se sabe',
  outcomeNote: 'En una frase (opcional)',
  outcomeHint: 'por ejemplo, quién se ha hecho cargo y dónde',
}
