import type { SmsSos } from './sms-sos.ts'

/**
 * Whether a text that reads like an SOS is one. `isAsked`: the number has been texted about an open alarm, and may be
 * talking about that. `quotesUs`: it holds a link of ours, so it is a forwarded alarm. When in doubt, it is one.
 * sms.md#sms-sos.
 */
export function countsAsSos(
  { word, isBare }: Pick<SmsSos, 'word' | 'isBare'>,
  {
    isProved,
    isAsked,
    quotesUs,
  }: { readonly isProved: boolean; readonly isAsked: boolean; readonly quotesUs: boolean },
): boolean {
  if (quotesUs) return false
  if (isBare) return isProved || word === 'sos' || !isAsked
  return word === 'sos' ? isProved || !isAsked : isProved && !isAsked
}
