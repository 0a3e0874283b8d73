import { silentSinceOf } from '../../core/account/silence.ts'
import { MINUTE } from '../../lib/durations.ts'
import { interruptibleWait } from '../../lib/waits.ts'
import type { Clock } from '../../ports/clock.ts'
import type { HeardDevice, SilenceStore } from '../../ports/store.ts'
import { type SilenceDigestNeeds, silenceDigest } from './silence-digest.ts'

const LOOK_MS = 5 * MINUTE
/** A page takes a millisecond or two; alarms are decided in between. */
const PAGE = 200
const PAUSE_MS = 50
/** A check this late or early means that nothing could be heard meanwhile, or that the clock was set. */
export const GAP_MS = 2 * MINUTE

type SilenceNeeds = SilenceDigestNeeds & {
  readonly store: Pick<SilenceStore, 'heardDevices' | 'keepSilence'>
  readonly clock: Clock
  readonly isDateBelieved: () => boolean
  /** Whether no other node does it. */
  readonly mayRun: () => boolean
  /** Since when devices could be heard, epoch ms: since the start, unless the downtime before it was short. */
  readonly listeningSince: number
}

export type SilenceWatch = {
  /** The number of silent devices as of the last look. 0 before the first, and if another node looks. */
  count(): number
  stop(): Promise<void>
}

/**
 * Checks every five minutes, slowly, which watched devices have fallen silent or are heard again, and tells the chats
 * of their applications, in one post a check however many they are. Never raises an SOS. devices.md#silence; ADR 0046.
 */
export function watchSilence(needs: SilenceNeeds): SilenceWatch {
  const { store, clock, log, isDateBelieved, mayRun } = needs
  const digest = silenceDigest(needs)
  let { listeningSince } = needs
  let silent = 0
  let isStopped = false
  const { wait, interrupt } = interruptibleWait(clock)

  const look = async (): Promise<void> => {
    const now = clock.now()
    let found = 0
    let page: readonly HeardDevice[] = []
    do {
      page = await store.heardDevices(page.at(-1)?.deviceId ?? '', PAGE)
      const judged = page.map((device) => ({ device, since: silentSinceOf(device, { now, listeningSince }) }))
      const changed = judged.filter(({ device, since }) => since !== device.silentSince)
      if (changed.length > 0) {
        const marks = changed.map(({ device, since }) => ({ ...device, silentSince: since }))
        // Another node may just have marked and reported one, or the device has just been heard.
        const marked = new Set(await store.keepSilence(marks))
        for (const { device, since } of changed) {
          if (!marked.has(device.deviceId)) continue
          if (since !== null) digest.note(device.appId, device.hardwareId, 'fell')
          else if (isBack(device)) digest.note(device.appId, device.hardwareId, 'back')
        }
      }
      found += judged.filter(({ since }) => since !== null).length
      if (page.length === PAGE) await wait(PAUSE_MS)
    } while (page.length === PAGE && !isStopped && mayRun())
    if (page.length < PAGE) silent = found
  }

  /** Reads the store, so that a node that takes over knows of an outage. */
  const reads = async (): Promise<void> => void (await store.heardDevices('', 1))

  const run = (async () => {
    while (!isStopped) {
      const nextAt = clock.now() + LOOK_MS
      await wait(LOOK_MS)
      if (isStopped) return
      if (Math.abs(clock.now() - nextAt) > GAP_MS || !isDateBelieved()) listeningSince = clock.now()
      if (!mayRun()) silent = 0
      if (isDateBelieved()) {
        await (mayRun() ? look() : reads()).catch((error) => {
          // A failing store accepts no reports: silence meanwhile says nothing about the device.
          listeningSince = clock.now()
          log.warn({ err: error }, 'could not look for silent devices; trying again')
        })
      }
      digest.go()
    }
  })()
  return {
    count: () => silent,
    stop() {
      isStopped = true
      digest.stop()
      interrupt()
      return run
    },
  }
}

/** Whether the device was heard again, rather than no longer being watched. */
const isBack = ({ silentAfterMinutes, heardAt, silentSince }: HeardDevice): boolean =>
  silentAfterMinutes > 0 && heardAt !== silentSince
