import type { Profile } from './wire/account.ts'

export type SmsPlace = { readonly latitude: number; readonly longitude: number }

/**
 * The text of an SOS by SMS: `SOS 47.06380,12.69210 4711`. With the user's four digits, from the proved number, it is
 * the user's own. All fields are optional.
 */
export const smsText = (place?: SmsPlace | null, code?: string | null): string =>
  ['SOS', place && [place.latitude, place.longitude].map((degrees) => degrees.toFixed(5)).join(), code]
    .filter(Boolean)
    .join(' ')

/**
 * A link that opens the phone's messages with that text. Null: the application takes no SOS by SMS, or has no number.
 */
export function smsLink({ smsSos }: Pick<Profile, 'smsSos'>, place?: SmsPlace | null): string | null {
  if (!smsSos?.number) return null
  return `sms:${smsSos.number}?body=${encodeURIComponent(smsText(place, smsSos.code))}`
}
