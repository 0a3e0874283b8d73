/** The target of an SOS by SMS. `code`: four digits that make it the person's own; null: the number is not proved. */
export type SmsSos = { readonly number: string; readonly code: string | null }

type Place = { readonly latitude: number; readonly longitude: number }

/** `smsSos` of a profile, or null where the service takes no SOS by SMS. protocol.md#profile. */
export function smsSosIn(profile: unknown): SmsSos | null {
  const told = (profile as { readonly smsSos?: { readonly number?: unknown; readonly code?: unknown } | null } | null)
    ?.smsSos
  if (typeof told?.number !== 'string' || !/^\+?\d{3,15}$/.test(told.number)) return null
  return { number: told.number, code: typeof told.code === 'string' && /^\d{4}$/.test(told.code) ? told.code : null }
}

/** An SOS as an SMS: a link that opens the phone's messages. iOS and Android read `?&body=` alike. */
export function smsLink({ number, code }: SmsSos, place: Place | null): string {
  const parts = ['SOS', place && `${place.latitude.toFixed(5)},${place.longitude.toFixed(5)}`, code]
  return `sms:${number}?&body=${encodeURIComponent(parts.filter(Boolean).join(' '))}`
}
