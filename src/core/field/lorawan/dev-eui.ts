const SEPARATORS = /[\s:.-]/g
const DEV_EUI = /^[0-9a-f]{16}$/

/** A DevEUI as 16 lower-case hexadecimal digits, however its 8 bytes are written; null for anything else. */
export function devEuiOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 64) return null
  const plain = value.replace(SEPARATORS, '').toLowerCase()
  return DEV_EUI.test(plain) ? plain : null
}

/**
 * A hardware id that is new, and the DevEUI that it spells is another one's already. Uplinks say the DevEUI and no
 * spelling, so nobody could tell the two trackers apart.
 */
export type SpelledAnew = { readonly hardwareId: string; readonly registeredAs: string }

/** The first of these hardware ids that spells the DevEUI of one before it, or null. */
export function spelledTwice(hardwareIds: Iterable<string>): SpelledAnew | null {
  const known = new Map<string, string>()
  for (const hardwareId of hardwareIds) {
    const eui = devEuiOf(hardwareId)
    if (eui === null) continue
    const registeredAs = known.get(eui) ?? hardwareId
    if (registeredAs !== hardwareId) return { hardwareId, registeredAs }
    known.set(eui, hardwareId)
  }
  return null
}

/** The hardware ids that spell one DevEUI, each group sorted. */
export function sharedEuis(hardwareIds: readonly string[]): readonly (readonly string[])[] {
  const byEui = new Map<string, string[]>()
  for (const hardwareId of hardwareIds) {
    const eui = devEuiOf(hardwareId)
    if (eui !== null) byEui.set(eui, [...(byEui.get(eui) ?? []), hardwareId])
  }
  return [...byEui.values()].filter(({ length }) => length > 1).map((ids) => ids.toSorted())
}
