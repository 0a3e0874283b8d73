import type { Decided, Refused } from '../decided.ts'
import { deviceKeyOf } from '../ingest/device-key.ts'
import type { Moments } from '../pacing/rate-limiter.ts'
import { type Device, nextTry, type PairingTries, type RegisteredHardware } from './device.ts'
import { afterWrongCode, WRONG_CODES, withoutTry } from './pairing-limit.ts'

/** A registration with its count of wrong codes. */
export type TriedHardware = RegisteredHardware & PairingTries & Pick<Device, 'appId'>

/** The times (epoch ms) of a user's wrong codes. */
export type WrongCodes = { readonly userId: string; readonly times: Moments }

/** `paired`: the device that has this hardware, if any. `devices`: the user's number of devices. */
export type PairingSituation = {
  readonly wrongCodes: WrongCodes
  readonly paired: Device | null
  readonly devices: number
}

/** `triedAt`: when the code was counted as wrong in advance; absent if an operator pairs. */
export type Pairing = Pick<Device, 'id' | 'appId' | 'userId' | 'hardwareId' | 'firmwareVersion' | 'hardwareModel'> & {
  readonly now: number
  readonly limit: number
  readonly triedAt?: number
}

export type PairingChanges = {
  readonly tries?: Pick<Device, 'appId' | 'hardwareId'> & PairingTries
  readonly wrongCodes?: WrongCodes
  readonly insert?: Device
  readonly update?: Device
}

/**
 * Counts a user's code as wrong in advance. The result is the wait in ms if the limit is reached, else null.
 * limits.md#users-and-trackers.
 */
export function decideTryCode(
  { userId, times }: WrongCodes,
  now: number,
): PairingChanges & { readonly result: number | null } {
  const counted = afterWrongCode(times, WRONG_CODES.ofUser, now)
  if ('retryAfterMs' in counted) return { result: counted.retryAfterMs }
  return { wrongCodes: { userId, times: counted.times }, result: null }
}

/** Counts a code for the hardware as wrong in advance. limits.md#users-and-trackers. */
export function decideBeginPairing(
  hardware: TriedHardware | null,
  now: number,
): Decided<PairingChanges, { readonly registered: RegisteredHardware }, 'unknown_hardware' | 'locked'> {
  if (hardware === null) return { refused: 'unknown_hardware' }
  const { appId, hardwareId, codeHash, model } = hardware
  const tries = nextTry(hardware, now)
  if (tries === null) return { refused: 'locked' }
  return { tries: { appId, hardwareId, ...tries }, result: { registered: { hardwareId, codeHash, model } } }
}

type Paired = { readonly device: Device; readonly created: boolean }

/** The code was right: the tries are forgiven, even if the pairing is then refused. limits.md#users-and-trackers. */
export function decidePair(
  { wrongCodes, paired, devices }: PairingSituation,
  { id, appId, userId, hardwareId, firmwareVersion, hardwareModel, now, limit, triedAt }: Pairing,
): PairingChanges & { readonly result: Paired | Refused<'paired_to_another' | 'device_limit'> } {
  const forgiven = {
    tries: { appId, hardwareId, tries: 0, lockedUntil: null },
    ...(triedAt !== undefined && { wrongCodes: { userId, times: withoutTry(wrongCodes.times, triedAt) } }),
  }
  if (paired === null) {
    if (devices >= limit) return { ...forgiven, result: { refused: 'device_limit' } }
    const given = { id, appId, userId, hardwareId, firmwareVersion, hardwareModel }
    const insert: Device = { ...given, pairedAt: now, createdAt: now, updatedAt: now }
    return { ...forgiven, insert, result: { device: insert, created: true } }
  }
  if (paired.userId !== userId) return { ...forgiven, result: { refused: 'paired_to_another' } }
  const update: Device = {
    ...{ ...paired, pairedAt: now, updatedAt: now },
    firmwareVersion: firmwareVersion ?? paired.firmwareVersion,
    hardwareModel: hardwareModel ?? paired.hardwareModel,
  }
  return { ...forgiven, update, result: { device: update, created: false } }
}

/**
 * The registrations to write for `list`, one per tracker; of two entries for the same tracker the later wins. A DevEUI
 * keeps the spelling in which it is registered (`known`, keyed by the spelling in the list), else the spelling that
 * comes first in the list. devices.md#device-ids.
 */
export function decideRegisterHardware(
  known: ReadonlyMap<string, string>,
  list: readonly RegisteredHardware[],
): readonly RegisteredHardware[] {
  const first = new Map<string, string>()
  const registered = new Map<string, RegisteredHardware>()
  for (const { hardwareId: given, codeHash, model } of list) {
    const key = deviceKeyOf(given)
    const hardwareId = known.get(given) ?? first.get(key) ?? given
    first.set(key, hardwareId)
    registered.set(hardwareId, { hardwareId, codeHash, model: model ?? registered.get(hardwareId)?.model ?? null })
  }
  return [...registered.values()]
}
