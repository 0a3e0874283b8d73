import type { PushMark, PushSubscription } from '../../core/account/push-subscription.ts'
import { personNews } from '../../core/incident/person-news.ts'
import { personNewsText, pushTitle } from '../../core/message/push-text.ts'
import { timerReminderText } from '../../core/message/timer-reminder.ts'
import type { Language } from '../../core/text/phrases.ts'
import type { Timer } from '../../core/timer/timer.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'
import { HOUR, MINUTE, SECOND } from '../../lib/durations.ts'
import { interruptibleWait, nextTurn } from '../../lib/waits.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Meter } from '../../ports/meter.ts'
import type { PushKeys, PushSender } from '../../ports/push-sender.ts'
import type { AccountStore, ApplicationStore, IncidentStore, PushStore, TimerStore } from '../../ports/store.ts'

/** Alarms whose news wait. Of more, the oldest are not told: the app shows the truth when it is opened. */
const MAX_WAITING = 1000
const AT_ONCE = 4
/** Under way at a time: a push service that hangs holds up nobody else's. */
const MAX_SENDING = 64
/** Pushes that wait for another try. */
const MAX_BEHIND = 200
const AGAIN_MS: readonly number[] = [5 * SECOND, 30 * SECOND, 2 * MINUTE]
/** A contact who answers and withdraws in turns must not make a phone ring without end. */
const MAX_AN_HOUR = 20
const MAX_DEVICES_COUNTED = 10_000
/** A phone that comes into coverage later shows the truth when the app is opened. */
const NEWS_SECONDS = 600
const MIN_TTL_SECONDS = 60

type Needs = {
  readonly store: Pick<PushStore, 'pushSubscriptions' | 'removePushSubscription' | 'claimPush' | 'notePush'> &
    Pick<IncidentStore, 'incident' | 'openIncident'> &
    Pick<ApplicationStore, 'application'> &
    Pick<AccountStore, 'user'> &
    Pick<TimerStore, 'timers'>
  readonly sender: PushSender
  readonly keys: () => Promise<PushKeys | null>
  readonly clock: Pick<Clock, 'now' | 'after'>
  /** IANA; for applications without their own time zone. */
  readonly machineTimeZone: () => string
  readonly log: Log
  readonly meter: Pick<Meter, 'count'>
}

/** News for one device. `isTrue`: whether it still is. `mark` null: this process alone has the news. */
type News = {
  readonly text: (language: Language) => string
  readonly topic: 'sos' | 'timer'
  readonly ttlSeconds: number
  readonly mark: PushMark | null
  readonly isTrue: () => Promise<boolean>
}

export type PersonPushes = {
  /** Something has changed in this alarm. Returns at once, and never throws. */
  changed(incidentId: string): void
  /** The reminder of a timer, which this process alone has taken. */
  remind(timer: Timer): void
  /** Resolves when nothing is being looked at or sent. */
  settled(): Promise<void>
  stop(): Promise<void>
}

/**
 * Tells people's phones by Web Push what changes in their alarms, and that a timer runs out: apart from the dispatcher,
 * with connections of its own, so that no SMS and no call waits for it. A device is marked as told before the push
 * leaves: of several nodes one sends it, and a crash in between loses it, which is no alarm. app.md#news.
 */
export function personPushes(needs: Needs): PersonPushes {
  const { store, sender, keys, clock, machineTimeZone, log, meter } = needs
  const waiting = new BoundedMap<string, () => Promise<void>>(MAX_WAITING)
  const sentAt = new BoundedMap<string, readonly number[]>(MAX_DEVICES_COUNTED)
  /** What each device was last told, so that the many changes that are no news cost no write. */
  const known = new BoundedMap<string, string>(MAX_DEVICES_COUNTED)
  const sending = new Set<Promise<void>>()
  const behind = new Set<{ readonly interrupt: () => void; readonly done: Promise<void> }>()
  let running: Promise<unknown> | null = null
  let isStopped = false

  const failed = (error: unknown): void => {
    if (!isStopped) log.warn({ err: error }, 'could not tell a person by Web Push')
  }

  const lately = ({ deviceId }: PushSubscription): readonly number[] =>
    (sentAt.get(deviceId) ?? []).filter((at) => Math.abs(clock.now() - at) < HOUR)
  async function claims(device: PushSubscription, mark: PushMark): Promise<boolean> {
    if (known.get(device.deviceId) === mark.told) return false
    const isFirst = await store.claimPush(device, mark)
    known.set(device.deviceId, mark.told)
    return isFirst
  }
  const mayRing = (device: PushSubscription, { mark }: News): boolean =>
    mark?.isEnd === true || lately(device).length < MAX_AN_HOUR

  /** One try. True: it is settled. A number: it may be tried again, not before these ms. */
  async function tryOnce(own: PushKeys, device: PushSubscription, news: News, title: string): Promise<true | number> {
    const { deviceId, endpoint, language, wholeText } = device
    const body = wholeText ? { body: news.text(language) } : {}
    const payload = JSON.stringify({ title, tag: news.topic, ...body })
    const about = { channel: 'push', deviceId } as const
    const { ttlSeconds, topic } = news
    const outcome = await sender.send(own, device, { payload, ttlSeconds, topic, about })
    meter.count('pushes_total', { outcome: outcome.kind })
    switch (outcome.kind) {
      case 'sent':
        await store.notePush({ deviceId, endpoint }, { failure: null, at: clock.now() })
        log.info({ ...about, userId: device.userId }, 'told a person by Web Push')
        return true
      case 'gone':
        await store.removePushSubscription(deviceId, endpoint)
        return true
      case 'refused':
        await store.notePush({ deviceId, endpoint }, { failure: 'refused', at: clock.now() })
        return true
      case 'unreachable':
        await store.notePush({ deviceId, endpoint }, { failure: 'unreachable', at: clock.now() })
        return outcome.retryAfterMs ?? 0
      default:
        return outcome satisfies never
    }
  }

  function tryAgain(send: () => Promise<true | number>, news: News, firstMs: number): void {
    if (isStopped || behind.size >= MAX_BEHIND) return
    const { wait, interrupt } = interruptibleWait(clock)
    const again = async (): Promise<void> => {
      let notBeforeMs = firstMs
      for (const againMs of AGAIN_MS) {
        await wait(Math.max(againMs, notBeforeMs))
        if (isStopped || !(await news.isTrue())) return
        const settled = await send()
        if (settled === true) return
        notBeforeMs = settled
      }
    }
    const one = { interrupt, done: again().catch(failed) }
    behind.add(one)
    void one.done.finally(() => behind.delete(one))
  }

  async function tell(userId: string, appId: string, news: News): Promise<void> {
    const devices = await store.pushSubscriptions(userId)
    if (devices.length === 0) return
    const [application, user, own] = await Promise.all([store.application(appId), store.user(userId), keys()])
    // A phone that was signed out with its user may be in somebody else's hand.
    if (application === null || application.disabled || user === null || user.disabled || own === null) return
    for (const device of devices) {
      if (isStopped || !mayRing(device, news)) continue
      if (news.mark !== null && !(await claims(device, news.mark))) continue
      sentAt.set(device.deviceId, [...lately(device), clock.now()].slice(-MAX_AN_HOUR))
      while (sending.size >= MAX_SENDING) await Promise.race(sending)
      const title = pushTitle(device.language, application.name)
      const send = () => tryOnce(own, device, news, title)
      const first = send()
        .then((settled) => (settled === true ? undefined : tryAgain(send, news, settled)))
        .catch(failed)
        .finally(() => sending.delete(first))
      sending.add(first)
    }
  }

  async function lookAt(incidentId: string): Promise<void> {
    const read = async () => {
      const record = await store.incident(incidentId)
      return record && { found: personNews(record.incident), incident: record.incident }
    }
    const now = await read()
    if (now?.found == null) return
    const { news, mark } = now.found
    const { userId, appId } = now.incident
    await tell(userId, appId, {
      text: (language) => personNewsText(language, news),
      topic: 'sos',
      ttlSeconds: NEWS_SECONDS,
      mark,
      isTrue: async () => (await read())?.found?.mark.told === mark.told,
    })
  }

  async function remindOf({ id, userId, appId, dueAt, opensAt }: Timer): Promise<void> {
    const isTrue = async (): Promise<boolean> => {
      if (clock.now() >= opensAt || (await store.openIncident(userId))?.incident.silent === true) return false
      const timers = await store.timers(userId)
      return timers.some((timer) => timer.id === id && timer.status === 'running' && timer.dueAt === dueAt)
    }
    const application = await store.application(appId)
    if (application === null || !(await isTrue())) return
    const { name: app, texts: own, timeZone } = application
    const about = { app, dueAt, timeZone: timeZone ?? machineTimeZone(), now: clock.now(), own }
    const ttlSeconds = Math.max(MIN_TTL_SECONDS, Math.floor((opensAt - clock.now()) / SECOND))
    const text = (language: Language) => timerReminderText([language], about)
    await tell(userId, appId, { text, topic: 'timer', ttlSeconds, mark: null, isTrue })
  }

  const next = async (): Promise<void> => {
    for (let [first] = waiting; first !== undefined && !isStopped; [first] = waiting) {
      const [key, work] = first
      waiting.delete(key)
      // Anything that came in meanwhile, such as an alarm, is handled first.
      await nextTurn()
      await work().catch(failed)
    }
  }
  const enqueue = (key: string, work: () => Promise<void>): void => {
    if (isStopped) return
    waiting.set(key, work)
    run()
  }
  const run = (): void => {
    running ??= Promise.all(Array.from({ length: AT_ONCE }, next)).finally(() => {
      running = null
      if (waiting.size > 0 && !isStopped) run()
    })
  }

  return {
    changed: (incidentId) => enqueue(incidentId, () => lookAt(incidentId)),
    remind: (timer) => enqueue(`timer ${timer.id}`, () => remindOf(timer)),
    async settled() {
      while (running !== null || sending.size > 0) await Promise.all([running, ...sending])
    },
    async stop() {
      isStopped = true
      waiting.clear()
      for (const one of behind) one.interrupt()
      await Promise.all([sender.close(), running, ...sending, ...[...behind].map(({ done }) => done)])
    },
  }
}
