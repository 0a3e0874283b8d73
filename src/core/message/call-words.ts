import type { Phrases } from '../text/placeholders.ts'

/** What a call says besides its message. */
export type CallWords = Pick<
  Phrases,
  | 'spokenKeys'
  | 'spokenKeyless'
  | 'spokenNoKey'
  | 'spokenWrongKey'
  | 'spokenThanks'
  | 'spokenOthers'
  | 'spokenFault'
  | 'spokenGoodbye'
  | 'spokenLink'
>
