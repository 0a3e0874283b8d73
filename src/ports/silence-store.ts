import type { Heard } from '../core/account/silence.ts'

/** That a paired device was heard. `heardAt`: epoch ms. */
export type Hearing = { readonly appId: string; readonly hardwareId: string; readonly heardAt: number }

/** A device that was heard since it is watched. */
export type HeardDevice = Heard & { readonly deviceId: string; readonly appId: string; readonly hardwareId: string }

/** Devices that should report and may have fallen silent. devices.md#silence. */
export type SilenceStore = {
  /** Stores when devices were last heard from, each at most once in a call; ignores devices that are not watched. */
  noteHeard(hearings: readonly Hearing[]): Promise<void>
  /** Devices with a stored hearing, by id, behind the id `after`, at most `max`. */
  heardDevices(after: string, max: number): Promise<readonly HeardDevice[]>
  /**
   * Marks devices as silent, or as heard again. Leaves out each that was heard since `heardAt`, or is marked so
   * already. Resolves with the ids of the others: of two nodes that mark the same device, one has it.
   */
  keepSilence(changes: readonly Pick<HeardDevice, 'deviceId' | 'heardAt' | 'silentSince'>[]): Promise<readonly string[]>
  /** Sets after how many minutes this tracker counts as silent: 0 is off, null as its application says. */
  watchHardware(
    appId: string,
    hardwareId: string,
    silentAfterMinutes: number | null,
  ): Promise<{ readonly set: true } | { readonly refused: 'hardware_not_found' }>
}
