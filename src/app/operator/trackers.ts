import type { BadLine, HardwareLine } from '../../core/account/hardware-lines.ts'
import { profileNameOf } from '../../core/field/lorawan/profile.ts'
import { isoAt, isoOrNull } from '../../core/ingest/event-time.ts'
import type { PairingCodes } from '../../ports/passwords.ts'
import type { AuditStore, HardwareRegistry, HardwareRow } from '../../ports/store.ts'
import { type By, rowBy } from './by.ts'

type Store = AuditStore & Pick<HardwareRegistry, 'hardware'>
type TrackerNeeds = { readonly store: Store; readonly codes: Pick<PairingCodes, 'hash'> }
type Registration = Omit<HardwareLine, 'line'>
/** Without a code, one is generated. */
export type NewTracker = Omit<Registration, 'pairingCode'> & { readonly pairingCode: string | null }

/** A registered tracker as operators see it, without its code, which is stored only as a hash. `now`: epoch ms. */
export const hardwareView = (
  {
    hardwareId,
    model,
    externalUserId,
    pairedAt,
    lockedUntil,
    silentAfterMinutes,
    silentSince,
  }: Omit<HardwareRow, 'userId'>,
  now: number,
) => ({
  hardwareId,
  model,
  externalUserId,
  pairedAt: isoOrNull(pairedAt),
  lockedUntil: lockedUntil === null || lockedUntil <= now ? null : isoAt(lockedUntil),
  silentAfterMinutes,
  silentSince: isoOrNull(silentSince),
})

/** Hashes every code separately, in parallel as far as the machine allows. */
const hashed = (codes: TrackerNeeds['codes'], registrations: readonly Registration[]) =>
  Promise.all(
    registrations.map(async ({ hardwareId, pairingCode, model }) => ({
      hardwareId,
      codeHash: await codes.hash(pairingCode),
      model,
    })),
  )

/**
 * Adds a tracker, or gives it a new pairing code and unlocks it. `madeCode`: the generated code, if none was given; it
 * is never shown again.
 */
export async function registerTracker(
  { store, codes }: { readonly store: Store; readonly codes: Pick<PairingCodes, 'hash' | 'make'> },
  appId: string,
  given: NewTracker,
  by: By,
): Promise<HardwareRow & { readonly madeCode?: string }> {
  const { hardwareId } = given
  const madeCode = given.pairingCode === null ? codes.make() : undefined
  const registration = { ...given, pairingCode: given.pairingCode ?? madeCode! }
  const row = rowBy(by, { action: 'device.change', appId, subject: hardwareId, details: { change: 'registered' } })
  await store.audited(row).registerHardware(appId, await hashed(codes, [registration]), by.now)
  const registered = await store.hardware(appId, hardwareId)
  if (registered === null) throw new Error('a tracker that was just registered is missing')
  return { ...registered, ...(madeCode !== undefined && { madeCode }) }
}

/** Registers the trackers of a file: the good lines if all are good or `partial`, else none. Returns their number. */
export async function importTrackers(
  { store, codes }: { readonly store: AuditStore; readonly codes: TrackerNeeds['codes'] },
  appId: string,
  { good, bad }: { readonly good: readonly HardwareLine[]; readonly bad: readonly BadLine[] },
  partial: boolean,
  by: By,
): Promise<number> {
  const kept = bad.length === 0 || partial ? good : []
  if (kept.length === 0) return 0
  const row = rowBy(by, { action: 'device.change', appId, details: { change: 'imported', trackers: kept.length } })
  await store.audited(row).registerHardware(appId, await hashed(codes, kept), by.now)
  return kept.length
}

/** Every model with a profile, and every one that is registered: by name, with whether there is a profile. */
export function trackerModels(
  registered: readonly { readonly model: string; readonly trackers: number }[],
  profiles: ReadonlyMap<string, 'shipped' | 'own'>,
) {
  const known = registered.map(({ model, trackers }) => {
    return { model, profile: profiles.get(profileNameOf(model)) ?? null, trackers }
  })
  const named = new Set(registered.map(({ model }) => profileNameOf(model)))
  const unused = [...profiles]
    .filter(([name]) => !named.has(name))
    .map(([model, profile]) => ({ model, profile, trackers: 0 }))
  return [...known, ...unused].toSorted((a, b) => (a.model < b.model ? -1 : 1))
}

/** Unpairs a tracker from its user. It stays registered. */
export async function unpairTracker(
  { store }: { readonly store: Store },
  appId: string,
  hardwareId: string,
  by: By,
): Promise<HardwareRow | { readonly refused: 'hardware_not_found' | 'not_paired' }> {
  const registered = await store.hardware(appId, hardwareId)
  if (registered === null) return { refused: 'hardware_not_found' }
  const { userId, hardwareId: subject } = registered
  const details = { change: 'unpaired' }
  const row = rowBy(by, { action: 'device.change', appId, userId, subject, details })
  const unpaired = await store.audited(row).unpairHardware(appId, subject)
  return 'refused' in unpaired
    ? unpaired
    : { ...registered, userId: null, externalUserId: null, pairedAt: null, silentSince: null }
}

/**
 * Sets the minutes without a report after which a tracker counts as silent: 0 is off, null the application's setting.
 */
export async function watchTracker(
  { store }: { readonly store: Store },
  appId: string,
  { hardwareId, silentAfterMinutes }: { readonly hardwareId: string; readonly silentAfterMinutes: number | null },
  by: By,
): Promise<HardwareRow | { readonly refused: 'hardware_not_found' }> {
  const details = { change: 'watched', silentAfterMinutes }
  const row = rowBy(by, { action: 'device.change', appId, subject: hardwareId, details })
  const watched = await store.audited(row).watchHardware(appId, hardwareId, silentAfterMinutes)
  return 'refused' in watched
    ? watched
    : ((await store.hardware(appId, hardwareId)) ?? { refused: 'hardware_not_found' })
}
