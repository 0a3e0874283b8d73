import { sharedEuis } from '../../core/ingest/device-key.ts'
import type { HardwareRegistry } from '../../ports/device-store.ts'
import type { Log } from '../../ports/log.ts'

/**
 * Warns at start-up of trackers that an earlier version registered in two spellings of one DevEUI, and that are now one
 * device. Never fails. devices.md#device-ids.
 */
export async function warnOfSharedEuis({
  store,
  log,
}: {
  readonly store: Pick<HardwareRegistry, 'alikeHardware'>
  readonly log: Log
}): Promise<void> {
  try {
    const byApplication = Map.groupBy(await store.alikeHardware(), ({ appId }) => appId)
    for (const [appId, alike] of byApplication) {
      for (const spellings of sharedEuis(alike.map(({ hardwareId }) => hardwareId))) {
        log.warn(
          { appId, spellings },
          'one DevEUI is registered in several spellings; the spelling that is sent decides, else the one paired last',
        )
      }
    }
  } catch (error) {
    log.warn({ err: error }, 'could not look for a DevEUI that is registered twice')
  }
}
