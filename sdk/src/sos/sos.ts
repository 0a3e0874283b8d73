// One file: the presses of a device, from the shelf to the state that is shown; each part would need all the others.
import type { Shelf } from '../keep/shelf.ts'
import { type Answer, incidentIn } from '../send/answer.ts'
import { delayMs } from '../send/backoff.ts'
import { readEvents } from '../send/event-stream.ts'
import type { Http } from '../send/http.ts'
import type { MqttLine } from '../send/mqtt-line.ts'
import { anyOf, newId, rest } from '../send/rest.ts'
import type { TimerReminder } from '../wire/account.ts'
import type { AlertFields } from '../wire/alert.ts'
import type { IncidentNews } from '../wire/incident.ts'
import type { MessageNews, ReadersNews } from '../wire/message.ts'
import type { News } from '../wire/news.ts'
import { Alarm } from './alarm.ts'
import { endAnswered, endAsked, pressAnswered } from './answered.ts'
import { type Facts, joined, learned, nothingKnown } from './facts.ts'
import { isClosed } from './held.ts'
import type { Positions } from './positions.ts'
import { alertToSend, type EndAsked, nameOf, type Press, pressNameOf, taskOf } from './press.ts'
import type { Trouble } from './state.ts'

/** After so long without a PUBACK a press goes out over REST as well. */
const PUBACK_MS = 4_000
/** After this time a press is sent from here, although another tab holds the right to send. */
const RESCUE_MS = 8_000
const KEEPING_MS = 2_000
const POLL_MS = 5_000
/** How often a device without an alarm of its own looks, where nothing tells it. */
const IDLE_POLL_MS = 20_000
/** Ended presses are kept as long as the service recognises a repeat. */
const DAY_MS = 86_400_000
/** How soon another process's writes are seen. */
const LOOK_MS = 1_000

type Needs = {
  readonly http: Http
  readonly shelf: Shelf
  readonly line: MqttLine | null
  readonly positions: Positions
  readonly random: () => number
  readonly signal: AbortSignal
}

/** Facts of a press learned by one start of the app, their only writer. All written sets are joined. */
type KeptFacts = { readonly facts: Facts; readonly at: number }

/** The alarms of this device's user. */
export class Sos {
  readonly #needs: Needs
  readonly #of: string
  /** Of this start of the app. */
  readonly #self = newId()
  readonly #alarms = new Map<string, Alarm>()
  /** Alarms of other devices of this user, by incident. */
  readonly #others = new Map<string, Alarm>()
  readonly #watchers = new Set<() => void>()
  readonly #reminded = new Set<(reminder: TimerReminder) => void>()
  /** Told whenever the talk may have changed. */
  readonly #talkers = new Set<() => void>()
  readonly #pressedHere = new Set<string>()
  /** Sends positions for: this device pressed, or the person has said yes. */
  readonly #tracked = new Set<string>()
  readonly #working = new Set<string>()
  readonly #writes = new Map<string, Promise<void>>()
  readonly #channel: InstanceType<typeof BroadcastChannel> | null
  #leads = false
  /** Aborted and renewed when something may go on at once. */
  #nudge = new AbortController()
  /** Aborted and renewed when the service is there again. */
  #reached = new AbortController()
  #listening: AbortController | null = null
  #ready: Promise<void>
  /** The stored state has been read, or is no longer awaited. */
  readonly #known: Promise<void>

  constructor(needs: Needs) {
    const { http, shelf, signal } = needs
    this.#needs = needs
    this.#of = `${http.identity.appId} ${http.identity.userId}`
    this.#channel =
      shelf.isDurable && typeof BroadcastChannel !== 'undefined' ? new BroadcastChannel(`tocsin ${this.#of}`) : null
    this.#channel?.addEventListener('message', () => void this.#look())
    ;(this.#channel as { unref?: () => void } | null)?.unref?.()
    this.#ready = this.#look()
    this.#known = this.#readsInTime()
    shelf.lead(`tocsin ${this.#of}`, signal, (leads) => {
      this.#leads = leads
      void this.#look()
    })
    signal.addEventListener('abort', () => {
      this.#channel?.close()
      this.#listening?.abort()
      this.#nudge.abort()
    })
    wakesWith(() => this.wake(), signal)
    if (shelf.isDurable) void this.#looks()
  }

  /**
   * Presses SOS. Resolves when it is kept on this device, or cannot be (`state.kept`); it is on its way either way.
   * `fields`: known at this moment. A later position follows by itself.
   */
  async press(fields: AlertFields = {}): Promise<Alarm> {
    const { http, shelf, signal } = this.#needs
    const at = http.now()
    const press: Press = {
      id: newId(),
      of: this.#of,
      alert: { ...plain(fields), timestamp: new Date(at).toISOString() },
      keptAt: Date.now(),
    }
    this.#pressedHere.add(press.id)
    const keeping = shelf.isDurable ? isKept(shelf.put(`press.${press.id}`, press)) : Promise.resolve(false)
    // A disk that does not answer must not hold up an alarm.
    const kept = await Promise.race([keeping, rest(KEEPING_MS, signal).then(() => false)])
    const alarm = this.#added(press, kept)
    if (!kept) void keeping.then((is) => (is ? this.#isKeptLate(alarm) : undefined))
    this.#tell()
    this.#goOn()
    return alarm
  }

  /** The open alarm of the user, of this device or another one, or null. Asks the service, if it answers. */
  async current(): Promise<Alarm | null> {
    await this.#ready
    await Promise.race([this.#refresh(), rest(PUBACK_MS, this.#needs.signal)])
    const open = [...this.#alarms.values(), ...this.#others.values()].filter(({ state }) => state.step !== 'over')
    return open.at(-1) ?? null
  }

  /** The alarms that this device pressed: open ones and those of the last 24 h, oldest first. */
  async alarms(): Promise<readonly Alarm[]> {
    await this.#ready
    return [...this.#alarms.values()].sort((a, b) => a.press.keptAt - b.press.keptAt)
  }

  /**
   * Listens for alarms of other devices of the user as well. Calls `listener` when there is a new one. Returns what
   * stops that.
   */
  watch(listener: () => void): () => void {
    this.#watchers.add(listener)
    this.#goOn()
    return () => {
      this.#watchers.delete(listener)
      this.#goOn()
    }
  }

  /** Calls `listener` when a timer runs out soon. Returns what stops that. */
  remind(listener: (reminder: TimerReminder) => void): () => void {
    // Two listeners that are one function are two.
    const own = (reminder: TimerReminder) => listener(reminder)
    this.#reminded.add(own)
    this.#goOn()
    return () => {
      this.#reminded.delete(own)
      this.#goOn()
    }
  }

  /** @internal Calls `listener` whenever the talk may have changed. Returns what stops that. */
  onTalk(listener: () => void): () => void {
    this.#talkers.add(listener)
    this.#goOn()
    return () => {
      this.#talkers.delete(listener)
      this.#goOn()
    }
  }

  /** The network is back, the app is in front again: goes on at once. */
  wake(): void {
    this.#nudge.abort()
    this.#nudge = new AbortController()
    this.#goOn()
  }

  // Keeping.

  #added(press: Press, kept: boolean): Alarm {
    const known = this.#alarms.get(press.id)
    if (known !== undefined) return known
    const alarm = this.#made(press, true, kept)
    this.#alarms.set(press.id, alarm)
    this.#tracked.add(press.id)
    return alarm
  }

  /** The disk was slow. What has happened meanwhile is kept as well: after a restart nothing goes back. */
  async #isKeptLate(alarm: Alarm): Promise<void> {
    alarm.show({ kept: true })
    const { end } = alarm
    if (end !== null) void isKept(this.#needs.shelf.put(`end.${alarm.id}`, end))
    await this.#inTurn(alarm, () => this.#keepsFacts(alarm, alarm.facts))
  }

  #made(press: Press, own: boolean, kept: boolean): Alarm {
    const keeper = {
      ends: (alarm: Alarm, how: 'cancel' | 'resolve') => this.#ends(alarm, how),
      sendsPositions: (alarm: Alarm) => {
        this.#tracked.add(alarm.id)
        this.#goOn()
      },
      now: () => this.#needs.http.now(),
    }
    return new Alarm(press, keeper, { own, kept })
  }

  async #ends(alarm: Alarm, how: 'cancel' | 'resolve'): Promise<void> {
    const last = alarm.end
    if (alarm.facts.over !== null) return
    // A second tap changes nothing, as long as the first is on its way.
    if (last !== null && last.number > alarm.facts.leftOpen) return
    const incidentId = alarm.facts.incident?.incidentId
    const { press, facts } = [...this.#alarms.values()]
      .filter((one) => one === alarm || (incidentId !== undefined && one.facts.incident?.incidentId === incidentId))
      .reduce((latest, one) => (one.press.keptAt > latest.press.keptAt ? one : latest), alarm)
    // Of another device's alarm nothing but its incident is known.
    const number = Math.max(alarm.facts.leftOpen, alarm.own ? 0 : 1) + 1
    const end: EndAsked = { how, number, last: pressNameOf(press, facts), at: Date.now() }
    alarm.show({ end })
    if (alarm.kept) await isKept(this.#needs.shelf.put(`end.${alarm.id}`, end))
    this.#tell()
    this.wake()
  }

  /** News refers to kept alarms, so it waits for the disk, but not for ever. */
  async #readsInTime(): Promise<void> {
    const read = this.#ready.then(() => true)
    const isInTime = await Promise.race([read, rest(KEEPING_MS, this.#needs.signal, true).then(() => false)])
    if (!isInTime) void read.then(() => this.#refresh())
  }

  /** Reads the entries of other tabs and processes. */
  async #look(): Promise<void> {
    const entries = await this.#needs.shelf.all().catch(() => null)
    if (entries === null) return
    const known = new Map<string, KeptFacts>()
    for (const [key, value] of entries) {
      const [kind, id = ''] = key.split('.')
      const { facts, at } = value as KeptFacts
      const other = known.get(id) ?? { facts: nothingKnown, at: 0 }
      if (kind === 'facts')
        known.set(id, { facts: joined(other.facts, { ...nothingKnown, ...facts }), at: Math.max(at, other.at) })
    }
    const gone: string[] = []
    for (const [key, value] of entries) {
      const [kind, id = ''] = key.split('.')
      if (kind !== 'press' || (value as Press).of !== this.#of) continue
      const { facts, at } = known.get(id) ?? { facts: nothingKnown, at: 0 }
      if (facts.over !== null && Math.abs(Date.now() - at) > DAY_MS) {
        gone.push(...[...entries.keys()].filter((one) => one.split('.')[1] === id))
        this.#alarms.delete(id)
        continue
      }
      const alarm = this.#added(value as Press, true)
      const end = entries.get(`end.${id}`) as EndAsked | undefined
      const isNewer = end !== undefined && end.number > (alarm.end?.number ?? 0)
      alarm.show({ facts: joined(alarm.facts, facts), ...(isNewer && { end }) })
    }
    if (this.#leads && gone.length > 0) await this.#needs.shelf.remove(gone).catch(() => {})
    this.#goOn()
  }

  async #looks(): Promise<void> {
    const { shelf, signal } = this.#needs
    while (!signal.aborted) {
      await rest(LOOK_MS, signal, true)
      if (!signal.aborted && (shelf.isSilent || !this.#leads || this.#open().length > 0)) await this.#look()
    }
  }

  /** Keeps the facts, then shows them: a state that was shown is still true after a restart. */
  #learns(alarm: Alarm, change: (facts: Facts) => Facts, trouble: Trouble | null = null): Promise<void> {
    return this.#inTurn(alarm, async () => {
      const known = joined(alarm.facts, change(alarm.facts))
      const isFirst = known.onServer && known.onServerAt === 0
      const facts = isFirst ? { ...known, onServerAt: this.#needs.http.now() } : known
      const isNew = JSON.stringify(facts) !== JSON.stringify(alarm.facts)
      if (isNew && alarm.kept) await this.#keepsFacts(alarm, facts)
      alarm.show({ facts: joined(alarm.facts, facts), trouble })
      if (isNew) this.#tell()
    })
  }

  /** After earlier work for this alarm. */
  #inTurn(alarm: Alarm, work: () => Promise<unknown>): Promise<void> {
    const write = (this.#writes.get(alarm.id) ?? Promise.resolve()).then(async () => void (await work()))
    this.#writes.set(alarm.id, write)
    return write
  }

  #keepsFacts(alarm: Alarm, facts: Facts): Promise<boolean> {
    const kept: KeptFacts = { facts, at: Date.now() }
    return isKept(this.#needs.shelf.put(`facts.${alarm.id}.${this.#self}`, kept))
  }

  #tell(): void {
    if (!this.#needs.signal.aborted) this.#channel?.postMessage(0)
    for (const watcher of this.#watchers) watcher()
  }

  // Sending.

  #open(): readonly Alarm[] {
    return [...this.#alarms.values()].filter(({ facts }) => facts.over === null)
  }

  /** One of all tabs sends. Each also sends presses that only it has, or that the sending tab has not sent in time. */
  #mayWork(alarm: Alarm): boolean {
    const isLate =
      this.#pressedHere.has(alarm.id) && Date.now() - alarm.press.keptAt > RESCUE_MS && !alarm.facts.onServer
    return this.#leads || !alarm.kept || isLate || !alarm.own
  }

  #goOn(): void {
    if (this.#needs.signal.aborted) return
    const all = [...this.#alarms.values(), ...this.#others.values()].filter(({ facts }) => facts.over === null)
    for (const alarm of all) void this.#works(alarm)
    const open = this.#open().filter((alarm) => this.#mayWork(alarm))
    const isWanted = open.length > 0 || this.#watchers.size > 0 || this.#reminded.size > 0 || this.#talkers.size > 0
    if (isWanted && this.#listening === null) {
      this.#listening = new AbortController()
      void this.#listens(anyOf(this.#listening.signal, this.#needs.signal))
    } else if (!isWanted) {
      this.#listening?.abort()
      this.#listening = null
    }
    const tracked = all.filter(
      (alarm) =>
        this.#tracked.has(alarm.id) && this.#mayWork(alarm) && alarm.facts.over === null && alarm.state.ending === null,
    )
    this.#needs.positions.send(tracked.length > 0)
  }

  /** Does what there is to do about one alarm, until there is nothing. */
  async #works(alarm: Alarm): Promise<void> {
    if (this.#working.has(alarm.id)) return
    this.#working.add(alarm.id)
    const { random, signal } = this.#needs
    let worked = false
    for (let attempt = 0; !signal.aborted && this.#mayWork(alarm); ) {
      const { http } = this.#needs
      const task = taskOf(alarm.facts, alarm.end, http.now())
      if (task === null) break
      if (task.kind === 'wait') {
        await rest(Math.min(task.until - http.now(), 60_000), this.#untilNudged())
        continue
      }
      worked = true
      const [before, nudge] = [alarm.facts, this.#nudge]
      const again = await this.#tries(alarm, task, attempt)
      const isSame = alarm.facts === before && taskOf(alarm.facts, alarm.end, http.now())?.kind === task.kind
      attempt = again === null || !isSame ? 0 : attempt + 1
      if (again === null || nudge !== this.#nudge) continue
      // A wait that the service asked for lasts as long, also over a new connection.
      const until = again > 0 ? this.#untilNudged() : anyOf(this.#untilNudged(), this.#reached.signal)
      await rest(delayMs(Math.max(attempt - 1, 0), again, random()), until)
    }
    this.#working.delete(alarm.id)
    if (worked) this.#goOn()
  }

  #goesOnOnceOver(alarm: Alarm): void {
    if (alarm.facts.over !== null) this.#goOn()
  }

  #untilNudged(): AbortSignal {
    return anyOf(this.#nudge.signal, this.#needs.signal)
  }

  /** One attempt. Null: it went through; else the ms to wait at least before the next one. */
  async #tries(alarm: Alarm, task: NonNullable<ReturnType<typeof taskOf>>, attempt: number): Promise<number | null> {
    switch (task.kind) {
      case 'press':
        return this.#presses(alarm, attempt)
      case 'repeat':
        return this.#repeats(alarm)
      case 'end':
        return this.#tellsEnd(alarm, task)
      case 'find':
        return this.#finds(alarm)
      case 'wait':
        return 0
      default:
        return task satisfies never
    }
  }

  async #tellsEnd(alarm: Alarm, end: EndAsked): Promise<number | null> {
    const { http, signal } = this.#needs
    const { how, number } = end
    const { at = Number.POSITIVE_INFINITY } = end
    const hasPressed = [...this.#alarms.values()].some(({ press }) => press.keptAt > at)
    const answer = await http.ask('POST', `/v1/sdk/sos/${how}`, nameOf(alarm.facts, end, hasPressed), signal)
    if (endAnswered(alarm.facts, number, answer).asks) {
      const asked = await http.ask('POST', '/v1/sdk/sos', alertToSend(alarm.press, alarm.facts), signal)
      return this.#takes(alarm, (facts) => endAsked(facts, number, asked))
    }
    const again = await this.#takes(alarm, (facts) => endAnswered(facts, number, answer))
    // The answer says that it is over, the history who ended it.
    if (alarm.facts.over === 'ended' && alarm.facts.onServer) await this.#settles([alarm])
    return again
  }

  /** MQTT first, and REST as well where that does not answer in time: one alert, since it is the same text. */
  async #presses(alarm: Alarm, attempt: number): Promise<number | null> {
    const { http, line } = this.#needs
    const alert = alertToSend(alarm.press, alarm.facts)
    const stop = new AbortController()
    const signal = anyOf(stop.signal, this.#untilNudged())
    if (line !== null && !line.hasFailed) {
      const acknowledged = line.publishes('press', alert, signal).then(async (is) => {
        if (is) await this.#learns(alarm, (facts) => ({ ...facts, onServer: true }))
        if (is) stop.abort()
      })
      if (attempt === 0) await Promise.race([acknowledged, rest(PUBACK_MS, signal)])
    }
    if (alarm.facts.onServer || alarm.end !== null) return null
    const answer = await http.ask('POST', '/v1/sdk/sos', alert, signal)
    stop.abort()
    if (alarm.facts.onServer && answer === null) return null
    return this.#takes(alarm, (facts) => pressAnswered(facts, answer))
  }

  async #takes(alarm: Alarm, of: (facts: Facts) => ReturnType<typeof pressAnswered>): Promise<number | null> {
    let again: ReturnType<typeof pressAnswered>['again'] = null
    const { again: first } = of(alarm.facts)
    await this.#learns(
      alarm,
      (facts) => {
        const outcome = of(facts)
        again = outcome.again
        return outcome.facts
      },
      first?.why ?? null,
    )
    return again === null ? null : (again as { afterMs: number }).afterMs
  }

  /** Sending the same press again changes nothing, and the answer tells its state. */
  async #repeats(alarm: Alarm): Promise<number | null> {
    const { http, signal } = this.#needs
    const answer = await http.ask('POST', '/v1/sdk/sos', alertToSend(alarm.press, alarm.facts), signal)
    return this.#takes(alarm, (facts) => pressAnswered(facts, answer))
  }

  /** A press that was acknowledged over MQTT: asks for its result. */
  async #finds(alarm: Alarm): Promise<number | null> {
    const { http, signal } = this.#needs
    const answer = await http.ask('GET', '/v1/sdk/sos', undefined, signal)
    const open = answer === null ? undefined : incidentIn(answer)
    if (open === undefined) return answer?.retryAfterMs ?? 0
    if (open !== null) {
      await this.#learns(alarm, (facts) => (facts.incident === null ? learned(facts, open) : facts))
      return null
    }
    return this.#settles([alarm])
  }

  /** Nothing is open: how these ended is in the history, unless the service has put the press off. */
  async #settles(alarms: readonly Alarm[]): Promise<number | null> {
    const { http, signal } = this.#needs
    // The bytes that a network of 2 kB/s brings before the time-out.
    const answer = await http.ask('GET', '/v1/sdk/sos/history?limit=5&trail=off', undefined, signal)
    const items = itemsIn(answer)
    if (items === null) return answer?.retryAfterMs ?? 0
    for (const alarm of alarms) {
      const { timestamp } = alarm.press.alert
      const item = items.find(
        ({ incidentId, creationTelemetry }) =>
          incidentId === alarm.facts.incident?.incidentId ||
          (alarm.facts.incident === null && creationTelemetry?.timestamp === timestamp),
      )
      const isYoung = Math.abs(http.now() - Date.parse(timestamp)) < DAY_MS / 2
      const isUnknown = item === undefined && alarm.facts.incident === null
      // Never one with an end: by a clock that was ahead it would be another press.
      if (isUnknown && alarm.end === null && http.knowsClock && isYoung) return this.#repeats(alarm)
      await this.#learns(alarm, (facts) => {
        const known = item === undefined ? facts : learned(facts, item)
        // Open in the history means that it was opened again, or that the two answers were of different moments.
        return item !== undefined && !isClosed(item) ? known : { ...known, over: known.over ?? 'ended' }
      })
    }
    this.#goOn()
    return null
  }

  // Hearing.

  /** News of an incident, of one of these alarms or of another device's; of a timer; or of a message. */
  #hears(news: News): void {
    if (isReminder(news)) {
      for (const listener of this.#reminded) listener(news)
      return
    }
    if (isOfTalk(news)) {
      this.#talked()
      return
    }
    if (typeof news?.incidentId !== 'string' || typeof news.status !== 'string') return
    // A contact who has answered reads the next messages.
    this.#talked()
    const ours = [...this.#alarms.values()].filter(
      ({ facts, press }) =>
        facts.incident?.incidentId === news.incidentId ||
        (facts.incident === null && facts.over === null && press.alert.timestamp === news.occurredAt),
    )
    for (const alarm of ours)
      void this.#learns(alarm, (facts) => learned(facts, news)).then(() => this.#goesOnOnceOver(alarm))
    const other = this.#others.get(news.incidentId)
    if (other !== undefined) other.show({ facts: learned(other.facts, news) })
    else if (ours.length === 0 && !isClosed(news)) this.#meets(news)
    if (other !== undefined && isClosed(news)) this.#goOn()
  }

  #talked(): void {
    for (const talker of this.#talkers) talker()
  }

  #meets(news: IncidentNews): void {
    const press = { id: news.incidentId, of: this.#of, alert: { timestamp: news.occurredAt }, keptAt: Date.now() }
    const alarm = this.#made(press, false, false)
    alarm.show({ facts: learned(nothingKnown, news) })
    for (const id of this.#others.keys()) if (this.#others.get(id)!.facts.over !== null) this.#others.delete(id)
    this.#others.set(news.incidentId, alarm)
    for (const watcher of this.#watchers) watcher()
  }

  /** The service answers again. */
  #isReached(): void {
    this.#reached.abort()
    this.#reached = new AbortController()
    void this.#refresh()
  }

  /** Asks for the open alarm. One that was known to be open before, and is not, has ended. */
  async #refresh(): Promise<void> {
    const { http, signal } = this.#needs
    await this.#known
    const known = [...this.#open(), ...this.#others.values()].filter(
      ({ facts }) => facts.incident !== null && facts.over === null,
    )
    const answer: Answer | null = await http.ask('GET', '/v1/sdk/sos', undefined, signal)
    const open = answer === null ? undefined : incidentIn(answer)
    if (open === undefined) return
    if (open === null) this.#talked()
    else this.#hears(open)
    const over = known.filter(({ facts }) => facts.incident?.incidentId !== open?.incidentId && facts.over === null)
    if (over.length > 0) await this.#settles(over)
  }

  /** MQTT, else the stream of events, else polling, until `signal`. */
  async #listens(signal: AbortSignal): Promise<void> {
    const { http, line, random } = this.#needs
    void line?.run(signal)
    // Two ways would tell the same.
    await line?.tried(signal)
    let isSupported = true
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      const lost = line?.lost ?? null
      if (lost !== null) {
        await rest(60_000, anyOf(signal, lost))
        attempt = 0
        continue
      }
      if (isSupported) {
        const opened = () => {
          attempt = 0
          this.#isReached()
        }
        const read = await readEvents(http, { heard: this.lineHeard, opened, signal })
        isSupported = read !== 'unsupported'
        if (isSupported) await rest(delayMs(attempt, 0, random()), signal)
      } else {
        await this.#refresh()
        await rest(this.#open().length > 0 ? POLL_MS : IDLE_POLL_MS, anyOf(signal, this.#nudge.signal))
      }
    }
  }

  /** @internal For the line: it is up, or has told something. */
  readonly lineIsUp = (): void => this.#isReached()
  /** @internal */
  readonly lineHeard = (news: News): void => void this.#known.then(() => this.#hears(news))
}

const isReminder = (news: News): news is TimerReminder =>
  news?.type === 'timer.reminder' && typeof (news as TimerReminder).timerId === 'string'

const isOfTalk = (news: News): news is MessageNews | ReadersNews =>
  news?.type === 'sos.message' || news?.type === 'sos.readers'

type HistoryItem = IncidentNews & { readonly creationTelemetry?: { readonly timestamp?: string } }

function itemsIn(answer: Answer | null): readonly HistoryItem[] | null {
  const items = (answer?.body as { readonly items?: unknown } | null)?.items
  return answer?.status === 200 && Array.isArray(items) ? items : null
}

type Page = Partial<Pick<EventTarget, 'addEventListener'>> & {
  readonly document?: EventTarget & { readonly hidden: boolean }
}

/** In a browser: the network is back, or the person looks at the app. */
function wakesWith(wake: () => void, signal: AbortSignal): void {
  const page = globalThis as Page
  page.addEventListener?.('online', wake, { signal })
  page.document?.addEventListener('visibilitychange', () => page.document?.hidden || wake(), { signal })
}

/**
 * Its JSON form: a press is never lost because of its contents. Without a device that the service
 * would not take: an end could not name it.
 */
function plain(fields: AlertFields): AlertFields {
  try {
    const { deviceId, ...others }: AlertFields = JSON.parse(JSON.stringify(fields))
    return typeof deviceId === 'string' && /^[^\p{Cc}\p{Cs}]{1,128}$/u.test(deviceId) ? { deviceId, ...others } : others
  } catch {
    return {}
  }
}

/** Whether it could be kept. */
const isKept = (put: Promise<void>): Promise<boolean> =>
  put.then(
    () => true,
    () => false,
  )
