import { type Device, PAIRING_LOCK_MS } from '../../core/account/device.ts'
import { WRONG_CODES } from '../../core/account/pairing-limit.ts'
import type { PairingRequest } from '../../core/account/pairing-schema.ts'
import type { Session } from '../../core/account/session.ts'
import { RateLimiter } from '../../core/pacing/rate-limiter.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DeviceStore } from '../../ports/device-store.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Log } from '../../ports/log.ts'
import type { PairingCodes } from '../../ports/passwords.ts'
import type { AccountStore, AuditStore, IncidentStore } from '../../ports/store.ts'
import type { IncidentDoor } from '../incident-door.ts'
import { OwnChanges, takingAway } from './own-changes.ts'
import type { RemovalNews } from './removal-news.ts'

/** The most addresses whose wrong codes this node remembers. */
const MAX_ADDRESSES = 2000

/** The devices of a user. access.md#pairing. */
export const ownDevices = ({
  store,
  door,
  codes,
  clock,
  ids,
  news,
  log,
  devicesPerUser,
}: {
  readonly store: DeviceStore & AuditStore & Pick<AccountStore, 'user'> & Pick<IncidentStore, 'openIncident'>
  readonly door: Pick<IncidentDoor, 'change'>
  readonly codes: PairingCodes
  readonly clock: Clock
  readonly ids: Ids
  /** Loaded with its first use. */
  readonly news: () => Promise<Pick<RemovalNews, 'textsOf' | 'tell'>>
  readonly log: Log
  readonly devicesPerUser: number
}) => {
  const changes = new OwnChanges()
  const ofAddress = new RateLimiter(WRONG_CODES.ofAddress, MAX_ADDRESSES)

  /** Counts a try in advance, for the address and the user. Returns the wait if there is one, or null. */
  const triedCode = async (userId: string, address: string, now: number): Promise<number | null> => {
    if (!ofAddress.take(address, now)) return ofAddress.waitMs(address, now)
    return store.tryCode(userId, now)
  }

  return {
    list: ({ userId }: Session): Promise<readonly Device[]> => store.devices(userId),

    /**
     * Pairs a device. A wrong code, an unknown hardware id and a locked one get the same refusal after the same work,
     * so that nobody can find out which hardware ids exist. After too many wrong codes of a user or an address, right
     * ones are refused as well. `address`: of the request.
     */
    async pair(
      { appId, userId }: Session,
      request: PairingRequest,
      address: string,
    ): Promise<
      | { readonly device: Device; readonly created: boolean }
      | { readonly refused: 'too_many_codes'; readonly retryAfterMs: number }
      | { readonly refused: 'pairing_refused' | 'paired_to_another' | 'device_limit' }
    > {
      const { hardwareId, pairingCode, firmwareVersion = null, hardwareModel = null } = request
      const triedAt = clock.now()
      const retryAfterMs = await triedCode(userId, address, triedAt)
      if (retryAfterMs !== null) {
        log.warn({ userId, retryAfterMs }, 'pairing refused: too many wrong codes', userId)
        return { refused: 'too_many_codes', retryAfterMs }
      }
      const begun = await store.beginPairing(appId, hardwareId, clock.now())
      const registered = 'registered' in begun ? begun.registered : null
      const right = await codes.matches(pairingCode, registered?.codeHash ?? null)
      if (registered === null || !right) {
        const reason = 'refused' in begun ? begun.refused : 'wrong_code'
        log.warn({ userId, reason, lockMinutes: PAIRING_LOCK_MS / 60_000 }, 'pairing refused')
        return { refused: 'pairing_refused' }
      }
      ofAddress.giveBack(address)
      return store.pair({
        id: ids.uuid(),
        appId,
        userId,
        // The spelling in which it was registered.
        hardwareId: registered.hardwareId,
        firmwareVersion,
        hardwareModel: hardwareModel ?? registered.model,
        now: clock.now(),
        limit: devicesPerUser,
        triedAt,
      })
    },

    /** An alarm of it reaches nobody who knows the person: somebody else may hold the phone. app.md#removing. */
    async remove(session: Session, deviceId: string) {
      const { userId } = session
      const isOwn = (await store.devices(userId)).some(({ id }) => id === deviceId)
      if (!isOwn) return { refused: 'device_not_found' } as const
      const about = { change: 'tracker_removed', subject: deviceId }
      const noted = await takingAway({ store, door, changes, now: clock.now() }, session, about)
      const { textsOf, tell } = await news()
      const texts = await textsOf(session, { asked: 'trackerLeft', inMs: 0 })
      const removed = await noted.unpair(userId, deviceId, texts)
      if (!('refused' in removed)) tell(texts)
      return removed
    },
  }
}
