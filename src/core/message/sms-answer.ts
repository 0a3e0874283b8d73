import { withOurDigits } from '../text/digits.ts'

/**
 * A contact's answer by SMS. `help`, `unable`, `stop` (no more messages), `start`: with the code of the text, or bare.
 * `unclear`: meant as an answer, but not usable as one. `other`: anything else.
 */
export type SmsAnswer =
  | { readonly kind: 'help' | 'unable'; readonly code: string | null }
  | { readonly kind: 'stop' | 'start'; readonly code: string | null }
  | { readonly kind: 'unclear' | 'other' }

/** Longer than any answer; the rest is ignored. */
const MAX_LOOKED_AT = 200

const YES: ReadonlySet<string> = new Set(['OK', 'OKAY', 'OKEY', 'YES', 'JA', 'OUI', 'SI', 'SÌ', 'SÍ'])
const NO: ReadonlySet<string> = new Set(['NO', 'NEIN', 'NON'])
const STOP: ReadonlySet<string> = new Set([
  'STOP',
  'STOPP',
  'STOPPEN',
  'ARRET',
  'ARRÊT',
  'ALTO',
  'BAJA',
  'BASTA',
  'FERMA',
])
const START: ReadonlySet<string> = new Set(['START', 'STARTEN', 'REPRENDRE', 'INICIAR', 'ALTA', 'INIZIA'])
/** The words that count without a code: the one that the text asks for, the refusals, STOP and START. */
const BARE: ReadonlySet<string> = new Set(['OK', 'OKAY', ...NO, ...STOP, ...START])

/**
 * Reads an answer: the word and the code in either order, upper or lower case, with or without a space or a full stop.
 * Anything after them is ignored. Without a code nothing may follow: "OK, who is this?" is not a promise to help.
 * sms.md#sms-answers.
 */
export function smsAnswer(text: string): SmsAnswer {
  const words = withOurDigits(text.slice(0, MAX_LOOKED_AT))
    .normalize('NFC')
    .toUpperCase()
    .replaceAll('O.K.', 'OK')
    .replaceAll(/(?<=\p{L})(?=\d)|(?<=\d)(?=\p{L})/gu, ' ')
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== '')
  const [first = '', second = ''] = words
  const [word, code] = isCode(first) ? [second, first] : [first, isCode(second) ? second : null]
  const kind = kindOf(word)
  if (kind === null) return { kind: words.length === 1 && isCode(first) ? 'unclear' : 'other' }
  if (code !== null) return { kind, code }
  if (words.length > 1) return { kind: 'other' }
  return BARE.has(word) ? { kind, code } : { kind: 'unclear' }
}

function kindOf(word: string): 'help' | 'unable' | 'stop' | 'start' | null {
  if (YES.has(word)) return 'help'
  if (NO.has(word)) return 'unable'
  return STOP.has(word) ? 'stop' : START.has(word) ? 'start' : null
}

const isCode = (word: string): boolean => /^\d{2,4}$/.test(word)

/** The network's delivery report, as gammu-smsd writes it. Null: not a report. */
export function deliveryReport(text: string): 'delivered' | 'failed' | null {
  switch (text.trim()) {
    case 'Delivered':
      return 'delivered'
    case 'Failed':
      return 'failed'
    default:
      return null
  }
}
