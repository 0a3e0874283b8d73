import type { PushMark, PushSubscription } from '../../core/account/push-subscription.ts'
import { isOpen } from '../../core/incident/incident.ts'
import { personNews } from '../../core/incident/person-news.ts'
import { hasTalk, type TalkEvent } from '../../core/incident/talk.ts'
import { personNewsText, pushTitle, talkPushText } from '../../core/message/push-text.ts'
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
/** Messages have an hourly limit of their own; those of contacts leave room for the desk's. */
const MAX_TALK_AN_HOUR = 10
const MAX_OF_CONTACTS_AN_HOUR = 5
/** Of those under way and those that wait: news of alarms always find a place. */
const MAX_TALK_SENDING = 16
const MAX_TALK_BEHIND = 50
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

/** Apart, so that a contact's message does not replace the desk's on the screen. */
type TalkTopic = 'talk' | 'desk'
const isTalk = (topic: News['topic']): topic is TalkTopic => topic === 'talk' || topic === 'desk'

/** News for one device. `isTrue`: whether it still is. `mark` null: this process alone has the news. */
type News = {
  readonly text: (language: Language) => string
  readonly topic: 'sos' | 'timer' | TalkTopic
  readonly ttlSeconds: number
  readonly mark: PushMark | null
  readonly isTrue: () => Promise<boolean>
}

const topicOf = ({ from }: TalkEvent['message']): TalkTopic => (from.kind === 'operator' ? 'desk' : 'talk')

export type PersonPushes = {
  /** Something has changed in this alarm. Returns at once, and never throws. */
  changed(incidentId: string): void
  /** The reminder of a timer, which this process alone has taken. */
  remind(timer: Timer): void
  /** A line by somebody else in the talk of an alarm, which this process alone has stored. */
  said(line: TalkEvent): void
  /** Resolves when nothing is being looked at or sent. */
  settled(): Promise<void>
  stop(): Promise<void>
}

/**
 * Tells people's phones by Web Push what changes in their alarms, and that a timer runs out: apart from the dispatcher,
 * with connections of its own, so that no SMS and no call waits for it. A device is marked as told before the push
 * leaves: of several nodes one sends it, and a crash in between loses it; no alarm depends on it. app.md#news.
 */
export function personPushes(needs: Needs): PersonPushes {
  const { store, sender, keys, clock, machineTimeZone, log, meter } = needs
  const waiting = new BoundedMap<string, () => Promise<void>>(MAX_WAITING)
  /** Lines of talks: only while no news of an alarm wait. */
  const talks = new BoundedMap<string, () => Promise<void>>(MAX_WAITING)
  const sentAt = new BoundedMap<string, readonly number[]>(MAX_DEVICES_COUNTED)
  const talkedAt = new BoundedMap<string, readonly (readonly [at: number, topic: TalkTopic])[]>(MAX_DEVICES_COUNTED)
  /** The last state told to each device: most changes are no news, and so cost no write. */
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
  const talkedLately = ({ deviceId }: PushSubscription) =>
    (talkedAt.get(deviceId) ?? []).filter(([at]) => Math.abs(clock.now() - at) < HOUR)
  function mayRing(device: PushSubscription, { mark, topic }: News): boolean {
    if (!isTalk(topic)) return mark?.isEnd === true || lately(device).length < MAX_AN_HOUR
    const rung = talkedLately(device)
    const ofContacts = rung.filter(([, of]) => of === 'talk').length
    return rung.length < MAX_TALK_AN_HOUR && (topic === 'desk' || ofContacts < MAX_OF_CONTACTS_AN_HOUR)
  }
  function rings(device: PushSubscription, { topic }: News): void {
    const { deviceId } = device
    const now = clock.now()
    if (isTalk(topic)) talkedAt.set(deviceId, [...talkedLately(device), [now, topic]])
    else sentAt.set(deviceId, [...lately(device), now].slice(-MAX_AN_HOUR))
  }

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
    if (isStopped || behind.size >= (isTalk(news.topic) ? MAX_TALK_BEHIND : MAX_BEHIND)) return
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
      rings(device, news)
      while (sending.size >= MAX_SENDING) await Promise.race(sending)
      const title = pushTitle(device.language, application.name)
      const send = () => tryOnce(own, device, news, title)
      const first = send()
        .then((settled) => (settled === true ? undefined : tryAgain(send, news, settled)))
        .catch(failed)
        .finally(() => {
          sending.delete(first)
          run()
        })
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

  async function tellTalk({ appId, userId, incidentId, message }: TalkEvent): Promise<void> {
    const isTrue = async (): Promise<boolean> => {
      const incident = (await store.incident(incidentId))?.incident
      return incident !== undefined && isOpen(incident) && hasTalk(incident) && incident.silent !== true
    }
    if (!(await isTrue())) return
    await tell(userId, appId, {
      text: (language) => talkPushText(language, message),
      topic: topicOf(message),
      ttlSeconds: NEWS_SECONDS,
      mark: null,
      isTrue,
    })
  }

  const nextOf = (): readonly [string, () => Promise<void>, { delete(key: string): unknown }] | null => {
    const [first] = waiting
    if (first !== undefined) return [...first, waiting]
    const [line] = sending.size < MAX_TALK_SENDING ? talks : []
    return line === undefined ? null : [...line, talks]
  }
  const next = async (): Promise<void> => {
    for (let first = nextOf(); first !== null && !isStopped; first = nextOf()) {
      const [key, work, from] = first
      from.delete(key)
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
  function run(): void {
    if (isStopped || nextOf() === null) return
    running ??= Promise.all(Array.from({ length: AT_ONCE }, next)).finally(() => {
      running = null
      run()
    })
  }

  return {
    changed: (incidentId) => enqueue(incidentId, () => lookAt(incidentId)),
    remind: (timer) => enqueue(`timer ${timer.id}`, () => remindOf(timer)),
    said(line) {
      if (isStopped || line.message.from.kind === 'person') return
      // Of several that wait, the newest.
      talks.set(`${line.incidentId} ${topicOf(line.message)}`, () => tellTalk(line))
      run()
    },
    async settled() {
      while (running !== null || sending.size > 0) await Promise.all([running, ...sending])
    },
    async stop() {
      isStopped = true
      waiting.clear()
      talks.clear()
      for (const one of behind) one.interrupt()
      await Promise.all([sender.close(), running, ...sending, ...[...behind].map(({ done }) => done)])
    },
  }
}
