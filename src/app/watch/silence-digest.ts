import { MAX_NAMED, type NamedDevices, silentDevicesText } from '../../core/message/silent-devices.ts'
import { HOUR } from '../../lib/durations.ts'
import type { Log } from '../../ports/log.ts'
import type { HardwareRegistry } from '../../ports/store.ts'
import { type ChatNeeds, ChatRefused, postToChat } from '../sending/post-to-chat.ts'

/** Posts an hour to the chat of one application. News in between goes into the next post. */
const MAX_POSTS_AN_HOUR = 6
/** Chats share their connections with alarms, so only a few posts are under way. */
const AT_ONCE = 2
/** Devices of one application whose news is kept by name. Further ones are only counted. */
const MAX_KEPT = 1_000
/** A device is looked up before it is named. With more outdated entries than this, none is named. */
const MAX_LOOKED_UP = 50

type What = 'fell' | 'back'
type News = { readonly devices: Map<string, What>; readonly more: Record<What, number> }

export type SilenceDigestNeeds = ChatNeeds & {
  readonly store: Pick<HardwareRegistry, 'hardware'>
  readonly log: Log
}

/**
 * Posts silent devices to the chats of applications: one post (`postToChat`) for everything gathered, apart from the
 * check that found it, so that a hanging chat delays neither checks nor a stop. News that a chat did not accept goes
 * into its next post. devices.md#silence.
 */
export function silenceDigest(needs: SilenceDigestNeeds) {
  const { store, clock, log } = needs
  const tell = postToChat(needs)
  const waiting = new Map<string, News>()
  const postedAt = new Map<string, readonly number[]>()
  let isStopped = false
  let isPosting = false

  /** A device that fell silent and was heard again, or the reverse, before the post is left out. */
  const note = (appId: string, hardwareId: string, what: What): void => {
    const { devices, more } = waiting.get(appId) ?? { devices: new Map(), more: { fell: 0, back: 0 } }
    waiting.set(appId, { devices, more })
    const known = devices.get(hardwareId)
    if (known !== undefined && known !== what) devices.delete(hardwareId)
    else if (known !== undefined || devices.size < MAX_KEPT) devices.set(hardwareId, what)
    else more[what] += 1
  }

  /** The devices for which the news still holds: one unpaired, or erased with its user, is not named. */
  const stillTrue = async (appId: string, { devices, more }: News, what: What): Promise<NamedDevices> => {
    const all = [...devices].filter(([, news]) => news === what).map(([hardwareId]) => hardwareId)
    const named: string[] = []
    let gone = 0
    for (const hardwareId of all.slice(0, MAX_LOOKED_UP)) {
      if (named.length === MAX_NAMED) break
      const row = await store.hardware(appId, hardwareId)
      if (row?.userId != null && (row.silentSince !== null) === (what === 'fell')) named.push(hardwareId)
      else gone += 1
    }
    return { named, count: all.length - gone + more[what] }
  }

  const putBack = (appId: string, { devices, more }: News): void => {
    const since = waiting.get(appId)
    waiting.set(appId, { devices, more })
    if (since === undefined) return
    for (const [hardwareId, what] of since.devices) note(appId, hardwareId, what)
    more.fell += since.more.fell
    more.back += since.more.back
  }

  /** Posts the news. False: the chat did not accept it, and may later. */
  const post = async (appId: string, news: News): Promise<boolean> => {
    const application = await store.application(appId)
    const [fell, back] = [await stillTrue(appId, news, 'fell'), await stillTrue(appId, news, 'back')]
    if (fell.count + back.count === 0) return true
    log.warn({ appId, fell: fell.count, back: back.count }, 'devices fell silent or were heard again')
    if (application?.actuators.chat === undefined || application.disabled) return true
    const now = clock.now()
    postedAt.set(appId, [...(postedAt.get(appId) ?? []).slice(1 - MAX_POSTS_AN_HOUR), now])
    try {
      await tell(appId, 'silent', ({ language, name }) => silentDevicesText([language], { app: name, fell, back }))
      return true
    } catch (error) {
      if (!(error instanceof ChatRefused)) throw error
      if (!isStopped) log.warn({ appId, error: error.message }, 'could not post which devices are silent')
      return !error.retryable
    }
  }

  const mayPost = (appId: string): boolean => {
    const now = clock.now()
    const lately = (postedAt.get(appId) ?? []).filter((at) => Math.abs(now - at) < HOUR)
    if (lately.length === 0) postedAt.delete(appId)
    else postedAt.set(appId, lately)
    return lately.length < MAX_POSTS_AN_HOUR
  }

  const postAll = async (): Promise<void> => {
    const due = [...waiting.keys()].filter(mayPost)
    const next = async (): Promise<void> => {
      for (let appId = due.shift(); appId !== undefined && !isStopped; appId = due.shift()) {
        const news = waiting.get(appId)
        if (news === undefined) continue
        waiting.delete(appId)
        const isDone = await post(appId, news).catch((error) => {
          if (!isStopped) log.warn({ err: error, appId }, 'could not read which devices are silent; trying again')
          return false
        })
        if (!isDone) putBack(appId, news)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, next))
  }

  return {
    note,
    /** Starts posting waiting digests, unless that is under way. Never rejects; do not await it. */
    go(): void {
      if (isPosting || waiting.size === 0) return
      isPosting = true
      void postAll().finally(() => {
        isPosting = false
      })
    },
    /** A post under way ends with the connections. */
    stop(): void {
      isStopped = true
    },
  }
}
