import { sharedEuis } from '../core/field/lorawan/dev-eui.ts'
import type { HardwareRegistry } from '../ports/device-store.ts'
import type { Log } from '../ports/log.ts'

/**
 * Warns of trackers that were registered in two spellings of one DevEUI before that was refused: the one paired last
 * gets the uplinks. Never fails.
 */
export async function warnOfSharedEuis(
  { store, log }: { readonly store: Pick<HardwareRegistry, 'registeredHardware'>; readonly log: Log },
  appIds: Iterable<string>,
): Promise<void> {
  for (const appId of new Set(appIds)) {
    try {
      const registered = await store.registeredHardware(appId)
      for (const spellings of sharedEuis(registered.map(({ hardwareId }) => hardwareId))) {
        log.warn(
          { appId, spellings },
          'one DevEUI is registered in several spellings; the one paired last gets its uplinks',
        )
      }
    } catch (error) {
      log.warn({ appId, err: error }, 'could not look for a DevEUI that is registered twice')
    }
  }
}
