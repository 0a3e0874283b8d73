import { secretHash } from '../../core/operator/secret.ts'
import type { Ids } from '../../ports/ids.ts'
import type {
  AccountStore,
  AuditStore,
  DeviceStore,
  FieldDevice,
  FieldStore,
  HardwareRegistry,
} from '../../ports/store.ts'
import { type By, rowBy } from './by.ts'

type Parts = {
  readonly store: AuditStore &
    Pick<FieldStore, 'deviceByHardware' | 'deviceTokenMadeAt'> &
    Pick<HardwareRegistry, 'hardware'> &
    Pick<DeviceStore, 'pair'> &
    Pick<AccountStore, 'userByExternalId'>
  readonly ids: Pick<Ids, 'uuid' | 'secret'>
  readonly devicesPerUser: number
}
type Named = { readonly appId: string; readonly hardwareId: string }
type Unknown = { readonly refused: 'hardware_not_found' | 'not_paired' }

/** What the operator sees of a tracker that speaks for itself. Never its token, of which only a hash is kept. */
export async function trackerState(
  { store }: Pick<Parts, 'store'>,
  { appId, hardwareId }: Named,
): Promise<{ readonly device: FieldDevice; readonly tokenMadeAt: number | null } | Unknown> {
  const device = await store.deviceByHardware(appId, hardwareId)
  if (device !== null) return { device, tokenMadeAt: await store.deviceTokenMadeAt(device.deviceId) }
  return { refused: (await store.hardware(appId, hardwareId)) === null ? 'hardware_not_found' : 'not_paired' }
}

/**
 * Gives a paired tracker a new token, which is shown this once; the one before ends. `externalUserId`: pairs it with
 * this user first, if nobody has it: a phone that runs a tracker's app has no pairing code to enter.
 */
export async function newTrackerToken(
  parts: Parts,
  named: Named & { readonly externalUserId: string | null },
  by: By,
): Promise<
  | { readonly token: string; readonly device: FieldDevice }
  | Unknown
  | { readonly refused: 'user_not_found' | 'paired_to_another' | 'device_limit' }
> {
  const { store, ids } = parts
  const paired = named.externalUserId === null ? null : await pairFor(parts, named, named.externalUserId, by)
  if (paired !== null) return paired
  const found = await trackerState(parts, named)
  if ('refused' in found) return found
  const token = ids.secret()
  const { deviceId, appId, hardwareId, userId } = found.device
  const details = { change: 'token made' }
  const row = rowBy(by, { action: 'device.change', appId, userId, subject: hardwareId, details })
  const set = await store.audited(row).setDeviceToken(deviceId, secretHash(token), by.now)
  return 'refused' in set ? set : { token, device: found.device }
}

async function pairFor(
  { store, ids, devicesPerUser }: Parts,
  { appId, hardwareId }: Named,
  externalUserId: string,
  { now }: By,
): Promise<{
  readonly refused: 'hardware_not_found' | 'user_not_found' | 'paired_to_another' | 'device_limit'
} | null> {
  const registered = await store.hardware(appId, hardwareId)
  if (registered === null) return { refused: 'hardware_not_found' }
  const user = await store.userByExternalId(appId, externalUserId)
  if (user === null) return { refused: 'user_not_found' }
  const pairing = { id: ids.uuid(), appId, userId: user.id, hardwareId, firmwareVersion: null }
  const paired = await store.pair({ ...pairing, hardwareModel: registered.model, now, limit: devicesPerUser })
  return 'refused' in paired ? paired : null
}

/** Takes a tracker's token back: from now on nobody can report in its name. */
export async function endTrackerToken(
  { store }: Pick<Parts, 'store'>,
  named: Named,
  by: By,
): Promise<{ readonly device: FieldDevice } | Unknown> {
  const found = await trackerState({ store }, named)
  if ('refused' in found) return found
  const { deviceId, appId, hardwareId, userId } = found.device
  const details = { change: 'token ended' }
  const row = rowBy(by, { action: 'device.change', appId, userId, subject: hardwareId, details })
  const set = await store.audited(row).setDeviceToken(deviceId, null, by.now)
  return 'refused' in set ? set : { device: found.device }
}
