const SEPARATORS = /[\s:.-]/g
const DEV_EUI = /^[0-9a-f]{16}$/
/** The maximum length of a hardware id. */
const MAX_LENGTH = 128

/** A DevEUI as 16 lower-case hexadecimal digits, however its 8 bytes are written; null for anything else. */
export function devEuiOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.length < 16 || value.length > MAX_LENGTH) return null
  const plain = value.replace(SEPARATORS, '').toLowerCase()
  return DEV_EUI.test(plain) ? plain : null
}

/**
 * The key of a device: equal for two hardware ids exactly if they name the same device. A DevEUI's key is its 8 bytes,
 * whatever the spelling; any other id is its own key, letter by letter. devices.md#device-ids.
 */
export const deviceKeyOf = (hardwareId: string): string => devEuiOf(hardwareId) ?? hardwareId

/** The device in an alert's identity; empty if it names none. rules.md#identity, devices.md#device-ids. */
export const identifiedDevice = ({
  payload,
}: {
  readonly payload: { readonly deviceId?: string | undefined }
}): string => deviceKeyOf(payload.deviceId ?? '')

/** The groups of hardware ids that spell the same DevEUI, each sorted. */
export function sharedEuis(hardwareIds: readonly string[]): readonly (readonly string[])[] {
  const byEui = new Map<string, string[]>()
  for (const hardwareId of hardwareIds) {
    const eui = devEuiOf(hardwareId)
    if (eui !== null) byEui.set(eui, [...(byEui.get(eui) ?? []), hardwareId])
  }
  return [...byEui.values()].filter(({ length }) => length > 1).map((ids) => ids.toSorted())
}
