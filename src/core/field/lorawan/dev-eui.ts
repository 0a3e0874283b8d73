const SEPARATORS = /[\s:.-]/g
const DEV_EUI = /^[0-9a-f]{16}$/

/** A DevEUI as 16 lower-case hexadecimal digits, however its 8 bytes are written; null for anything else. */
export function devEuiOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 64) return null
  const plain = value.replace(SEPARATORS, '').toLowerCase()
  return DEV_EUI.test(plain) ? plain : null
}
