/** An SOS as an SMS, for the number that takes them. iOS and Android read `?&body=` alike. */
export function smsLink(number: string, position: { readonly latitude: number; readonly longitude: number } | null) {
  const place = position === null ? '' : ` ${position.latitude.toFixed(5)},${position.longitude.toFixed(5)}`
  return `sms:${number}?&body=${encodeURIComponent(`SOS${place}`)}`
}
