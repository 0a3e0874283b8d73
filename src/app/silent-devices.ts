import { silentSinceOf } from '../core/account/silence.ts'
import type { AttemptOutcome } from '../core/incident/command.ts'
import { MAX_NAMED, type NamedDevices, silentDevicesText } from '../core/text/silent-devices.ts'
import { HOUR, MINUTE, SECOND } from '../lib/durations.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { Notification } from '../ports/notifier.ts'
import type { ApplicationStore, HeardDevice, SilenceStore } from '../ports/store.ts'
import { interruptibleWait } from './interruptible-wait.ts'

const LOOK_MS = 5 * MINUTE
/** A page takes a millisecond or two; alarms are decided in between. */
const PAGE = 200
const PAUSE_MS = 50
/** Posts to the chat of one application. What comes in between goes into the next one. */
const MAX_POSTS_AN_HOUR = 6
const POST_TIMEOUT_MS = 10 * SECOND
/** A look that comes so much too late or too early: nothing could be heard meanwhile, or the clock was set. */
export const GAP_MS = 2 * MINUTE

type Parts = {
  readonly store: Pick<SilenceStore, 'heardDevices' | 'keepSilence'> & Pick<ApplicationStore, 'application'>
  readonly clock: Clock
  readonly ids: Pick<Ids, 'uuid'>
  readonly log: Log
  readonly isDateBelieved: () => boolean
  /** Whether no other node does it. */
  readonly mayRun: () => boolean
  readonly send: (notification: Notification) => Promise<AttemptOutcome>
  /** Since when devices could be heard, epoch ms: the start, unless it was a short one. */
  readonly listeningSince: number
}

type News = { fell: NamedDevices; back: NamedDevices }
const NOBODY: NamedDevices = { named: [], count: 0 }
const also = ({ named, count }: NamedDevices, name: string): NamedDevices => ({
  named: named.length < MAX_NAMED ? [...named, name] : named,
  count: count + 1,
})

export type SilenceWatch = {
  /** Silent devices, as of the last look. 0 before the first, and where another node looks. */
  count(): number
  stop(): Promise<void>
}

/**
 * Looks every five minutes, slowly, which watched devices have fallen silent or are heard again, and tells the chats of
 * their applications, in one post a look however many they are. Never an SOS. rules.md#silence; ADR 0047.
 */
export function watchSilence(parts: Parts): SilenceWatch {
  const { store, clock, log, isDateBelieved, mayRun } = parts
  const waiting = new Map<string, News>()
  const tell = chatPosts(parts)
  let { listeningSince } = parts
  let silent = 0
  let isStopped = false
  const { wait, interrupt } = interruptibleWait(clock)

  const noted = ({ appId, hardwareId }: HeardDevice, what: keyof News): void => {
    const news = waiting.get(appId) ?? { fell: NOBODY, back: NOBODY }
    waiting.set(appId, { ...news, [what]: also(news[what], hardwareId) })
  }

  const look = async (): Promise<void> => {
    const now = clock.now()
    let found = 0
    let page: readonly HeardDevice[] = []
    do {
      page = await store.heardDevices(page.at(-1)?.deviceId ?? '', PAGE)
      const judged = page.map((device) => ({ device, since: silentSinceOf(device, { now, listeningSince }) }))
      const changed = judged.filter(({ device, since }) => since !== device.silentSince)
      if (changed.length > 0) {
        await store.keepSilence(changed.map(({ device, since }) => ({ ...device, silentSince: since })))
      }
      for (const { device, since } of changed) {
        if (since !== null) noted(device, 'fell')
        else if (device.silentAfterMinutes > 0 && device.heardAt !== device.silentSince) noted(device, 'back')
      }
      found += judged.filter(({ since }) => since !== null).length
      if (page.length === PAGE) await wait(PAUSE_MS)
    } while (page.length === PAGE && !isStopped && mayRun())
    if (page.length < PAGE) silent = found
    for (const [appId, news] of waiting) {
      if (isStopped) return
      if (await tell(appId, news)) waiting.delete(appId)
    }
  }

  const run = (async () => {
    while (!isStopped) {
      const nextAt = clock.now() + LOOK_MS
      await wait(LOOK_MS)
      if (isStopped) return
      if (Math.abs(clock.now() - nextAt) > GAP_MS || !isDateBelieved()) listeningSince = clock.now()
      if (!mayRun()) silent = 0
      else if (isDateBelieved()) {
        await look().catch((error) => log.warn({ err: error }, 'could not look for silent devices; trying again'))
      }
    }
  })()
  return {
    count: () => silent,
    stop() {
      isStopped = true
      interrupt()
      return run
    },
  }
}

/** Posts news to the chat of an application. False: not now, there were enough posts. */
function chatPosts({ store, clock, ids, log, send }: Pick<Parts, 'store' | 'clock' | 'ids' | 'log' | 'send'>) {
  const postedAt = new Map<string, readonly number[]>()
  return async (appId: string, { fell, back }: News): Promise<boolean> => {
    const now = clock.now()
    const lately = (postedAt.get(appId) ?? []).filter((at) => Math.abs(now - at) < HOUR)
    if (lately.length >= MAX_POSTS_AN_HOUR) return false
    log.warn({ appId, fell: fell.count, back: back.count }, 'devices fell silent or were heard again')
    const application = await store.application(appId)
    const chat = application?.actuators.chat
    if (application === null || chat === undefined || application.disabled) return true
    postedAt.set(appId, [...lately, now])
    const outcome = await send({
      attemptId: `silent-${ids.uuid()}`,
      incidentId: '',
      claimedAt: now,
      timeoutMs: POST_TIMEOUT_MS,
      channel: 'chat',
      ...chat,
      text: silentDevicesText([application.language], { app: application.name, fell, back }),
    })
    if (outcome.kind === 'failed') log.warn({ appId }, 'could not post which devices are silent', outcome.error)
    return true
  }
}
