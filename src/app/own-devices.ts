import { type Device, PAIRING_LOCK_MS } from '../core/account/device.ts'
import type { PairingRequest } from '../core/account/pairing-schema.ts'
import type { Session } from '../core/account/session.ts'
import type { Clock } from '../ports/clock.ts'
import type { DeviceStore } from '../ports/device-store.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { PairingCodes } from '../ports/pairing-codes.ts'

/** The devices of a user. rules.md#pairing. */
export const ownDevices = ({
  store,
  codes,
  clock,
  ids,
  log,
  devicesPerUser,
}: {
  readonly store: DeviceStore
  readonly codes: PairingCodes
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly devicesPerUser: number
}) => ({
  list: ({ userId }: Session): Promise<readonly Device[]> => store.devices(userId),

  /**
   * Pairs a device. A wrong code, an unknown hardware id and a locked one get the same refusal after the same work, so
   * that nobody can find out which hardware ids exist.
   */
  async pair(
    { appId, userId }: Session,
    request: PairingRequest,
  ): Promise<
    | { readonly device: Device; readonly created: boolean }
    | { readonly refused: 'pairing_refused' | 'paired_to_another' | 'device_limit' }
  > {
    const { hardwareId, pairingCode, firmwareVersion = null, hardwareModel = null } = request
    const begun = await store.beginPairing(appId, hardwareId, clock.now())
    const registered = 'registered' in begun ? begun.registered : null
    const right = await codes.matches(pairingCode, registered?.codeHash ?? null)
    if (registered === null || !right) {
      const reason = 'refused' in begun ? begun.refused : 'wrong_code'
      log.warn({ userId, reason, lockMinutes: PAIRING_LOCK_MS / 60_000 }, 'pairing refused')
      return { refused: 'pairing_refused' }
    }
    return store.pair({
      id: ids.uuid(),
      appId,
      userId,
      // In the spelling in which it was registered.
      hardwareId: registered.hardwareId,
      firmwareVersion,
      hardwareModel: hardwareModel ?? registered.model,
      now: clock.now(),
      limit: devicesPerUser,
    })
  },

  remove: ({ userId }: Session, deviceId: string) => store.unpair(userId, deviceId),
})
