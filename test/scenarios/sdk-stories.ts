// One file: a story, and what must be true of it; each needs all of the other's words.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { userHash } from '../../sdk/server/index.ts'
import { type Alarm, type AlarmState, Tocsin } from '../../sdk/src/index.ts'
import { isForward } from '../../sdk/src/sos/state.ts'
import type { Ending } from '../harness/ending.ts'
import { endsLastFirst } from '../harness/last-first.ts'
import { type LossyLine, openLossyLine } from '../harness/lossy-line.ts'
import type { ProcessSite } from '../harness/process-site.ts'
import { until } from '../harness/wait.ts'

const HOUR_MS = 3_600_000
/** All is well again: everything that was kept has to come to its end in that time, also on a busy machine. */
const HEALED_MS = 60_000
/** A tracker is heard as soon as the service has started again. */
const TRACKER_MS = 120_000

type Shown = { readonly at: number; readonly state: AlarmState }
/**
 * A press as the person made it. `kept`: the device said so before it died. `endsAsked`: when the person asked for its
 * end, and the phone did not answer that it was on its way already.
 */
type Pressed = {
  readonly timestamp: string
  readonly at: number
  readonly kept: boolean
  readonly endsAsked: number[]
  /** Null: a tracker. */
  readonly storage: string | null
}
/** An end that was asked for at the sight of an incident. */
type ShownEnd = {
  readonly incidentId: string
  readonly at: number
  readonly storage: string
  /** Whether the end names the incident, with all that has joined it, and not a press. */
  readonly isNamed: boolean
}

/** One phone of a person, and what happens to it. */
class Phone {
  readonly name: string
  /** Of all the person's devices. */
  readonly #presses: Pressed[]
  readonly #shownEnds: ShownEnd[]
  readonly #pressedHere = new Set<string>()
  readonly shown = new Map<string, Shown[]>()
  readonly line: LossyLine
  readonly #site: ProcessSite
  readonly #storage: string
  readonly #mqtt: boolean
  /** It only shows, and ends, what another phone has pressed. */
  readonly shows: boolean
  #offMs = 0
  #app: Tocsin | null = null

  constructor(
    site: ProcessSite,
    line: LossyLine,
    storage: string,
    { mqtt, shows, person }: { mqtt: boolean; shows: boolean; person: Pick<Person, 'name' | 'presses' | 'shownEnds'> },
  ) {
    this.#site = site
    this.line = line
    this.#storage = storage
    this.name = person.name
    this.#mqtt = mqtt
    this.shows = shows
    this.#presses = person.presses
    this.#shownEnds = person.shownEnds
  }

  get isRunning(): boolean {
    return this.#app !== null
  }

  start(): void {
    if (this.#app !== null) return
    const { appId, secret } = this.#site
    this.#app = new Tocsin({
      url: this.line.url,
      appId,
      userId: this.name,
      userHash: userHash(secret, this.name),
      storage: this.#storage,
      mqtt: this.#mqtt ? () => import('mqtt') : false,
      position: async () => ({ latitude: 47, longitude: 12 }),
      now: () => Date.now() + this.#offMs,
    })
    const app = this.#app
    void app.sos.alarms().then((alarms) => alarms.forEach((alarm) => void this.#watch(app, alarm)))
    // As an app does that shows the alarms of another phone.
    app.sos.watch(() => {})
  }

  /** Without a word: nothing that runs in it comes to its end. */
  kill(): void {
    void this.#app?.close()
    this.#app = null
  }

  /** Ana has got the newest text of this person's alarms, and answers. */
  async isAnswered(random: () => number): Promise<void> {
    const text = newestText(this.#site, this.name)
    const link = text === null ? null : /\/t\/[\w-]+/.exec(text)
    if (link === null) return
    const answer = random() < 0.8 ? 'ack?coming=10' : 'decline'
    await fetch(`${this.#site.http}${link[0]}/${answer}`, { method: 'POST', redirect: 'manual' }).catch(() => {})
  }

  setClock(ms: number): void {
    this.#offMs = ms
  }

  async press(): Promise<void> {
    const app = this.#app
    if (app === null || this.shows) return
    const alarm = await app.sos.press({ mobileBattery: 50 })
    const { pressedAt, kept } = alarm.state
    this.#presses.push({ timestamp: pressedAt, at: Date.now(), kept, endsAsked: [], storage: this.#storage })
    this.#pressedHere.add(pressedAt)
    void this.#watch(app, alarm)
  }

  /** Of one that is not over. */
  async end(random: () => number): Promise<void> {
    const app = this.#app
    if (app === null) return
    const current = this.shows || random() < 0.2 ? await app.sos.current() : null
    const open = (current === null ? await app.sos.alarms() : [current]).filter(({ state }) => state.step !== 'over')
    const alarm = open[Math.floor(random() * open.length)]
    if (alarm === undefined || alarm.state.ending !== null) return
    const { incidentId, pressedAt, pressedAgain } = alarm.state
    const at = Date.now()
    if (alarm.own) this.#presses.find(({ timestamp }) => timestamp === pressedAt)?.endsAsked.push(at)
    const isNamed = !alarm.own || pressedAgain
    if (incidentId !== null) this.#shownEnds.push({ incidentId, at, storage: this.#storage, isNamed })
    await (random() < 0.5 ? alarm.cancel() : alarm.resolve())
  }

  async #watch(app: Tocsin, alarm: Alarm): Promise<void> {
    const { pressedAt } = alarm.state
    const states = this.shown.get(pressedAt) ?? []
    this.shown.set(pressedAt, states)
    for await (const state of alarm) {
      if (app !== this.#app) return
      states.push({ at: Date.now(), state })
    }
  }

  /** Everything that was kept has come to an end, or is on the server with its incident. */
  async settles(): Promise<void> {
    this.line.set('clear')
    this.start()
    await this.#app?.wake()
    const isSettled = ({ step, incidentId, ending }: AlarmState): boolean =>
      step === 'over' || (step !== 'kept' && incidentId !== null && ending === null)
    const app = this.#app!
    await until(
      `${this.name} comes to rest`,
      async () => (await app.sos.alarms()).every(({ state }) => isSettled(state)),
      HEALED_MS,
    )
    const known = new Set((await app.sos.alarms()).map(({ state }) => state.pressedAt))
    for (const { timestamp, kept } of this.#presses)
      assert.ok(!kept || !this.#pressedHere.has(timestamp) || known.has(timestamp), `${timestamp} was forgotten`)
    this.kill()
  }
}

/** A person with one phone or two, a tracker, and a contact. */
class Person {
  readonly name: string
  readonly presses: Pressed[] = []
  readonly shownEnds: ShownEnd[] = []
  readonly phones: readonly Phone[]
  readonly #site: ProcessSite

  constructor(
    site: ProcessSite,
    name: string,
    phones: readonly {
      readonly line: LossyLine
      readonly storage: string
      readonly mqtt: boolean
      readonly shows: boolean
    }[],
  ) {
    this.#site = site
    this.name = name
    this.phones = phones.map(({ line, storage, ...how }) => new Phone(site, line, storage, { ...how, person: this }))
  }

  get shown(): readonly ReadonlyMap<string, readonly Shown[]>[] {
    return this.phones.map(({ shown }) => shown)
  }

  /** The tracker repeats its press until it is acknowledged. Its app knows nothing of it. */
  async trackerPresses(): Promise<void> {
    const { appId, secret } = this.#site
    const timestamp = new Date().toISOString()
    this.presses.push({ timestamp, at: Date.now(), kept: true, endsAsked: [], storage: null })
    const headers = {
      'x-app-id': appId,
      'x-user-id': this.name,
      authorization: `Bearer ${userHash(secret, this.name)}`,
      'content-type': 'application/json',
    }
    const body = JSON.stringify({ deviceId: `TRK-${this.name}`, timestamp })
    let last: unknown = null
    const isTaken = async (): Promise<boolean> => {
      const signal = AbortSignal.timeout(15_000)
      last = await fetch(`${this.#site.http}/v1/sdk/sos`, { method: 'POST', headers, body, signal }).then(
        ({ status }) => status,
        (error) => error,
      )
      return last === 200 || last === 201
    }
    while (!(await isTaken())) {
      assert.ok(Date.now() < Date.parse(timestamp) + TRACKER_MS, `the tracker is not heard: ${last}`)
      await sleep(500)
    }
  }

  async settles(): Promise<void> {
    for (const phone of this.phones) await phone.settles()
  }

  kill(): void {
    for (const phone of this.phones) phone.kill()
  }
}

type Step = (phone: Phone, random: () => number) => unknown

/** What happens, and how often. */
const STEPS: readonly (readonly [weight: number, step: Step])[] = [
  [4, (phone, random) => (phone.shows ? phone.end(random) : phone.press())],
  [3, (phone, random) => phone.end(random)],
  [2, (phone) => phone.line.set('cut')],
  [2, (phone) => phone.line.set('deaf')],
  [3, (phone) => phone.line.set('clear')],
  [2, (phone) => phone.kill()],
  [3, (phone) => phone.start()],
  [3, (phone, random) => phone.isAnswered(random)],
  [1, (phone, random) => phone.setClock([-HOUR_MS, 0, HOUR_MS][Math.floor(random() * 3)]!)],
]
const WEIGHT = STEPS.reduce((sum, [weight]) => sum + weight, 0)

function stepFrom(random: () => number): Step {
  let left = random() * WEIGHT
  for (const [weight, step] of STEPS) {
    left -= weight
    if (left < 0) return step
  }
  return STEPS[0]![1]
}

const LENGTH = 12
const LONGEST_PAUSE_MS = 700

/**
 * A person with a contact and a phone. One in three has two, of which one may only show what the other one has pressed;
 * one in three has a tracker that presses, too.
 */
export async function newPerson(t: Ending, site: ProcessSite, name: string, random: () => number): Promise<Person> {
  const count = random() < 0.33 ? 2 : 1
  const made = Array.from({ length: count }, async (_, n) => {
    const storage = await mkdtemp(join(tmpdir(), 'tocsin-sdk-'))
    endsLastFirst(t, () => rm(storage, { recursive: true, force: true }))
    const how = { mqtt: random() < 0.5, shows: n > 0 && random() < 0.5 }
    return { storage, line: await openLossyLine(t, () => site.http), ...how }
  })
  const person = new Person(site, name, await Promise.all(made))
  endsLastFirst(t, () => person.kill())
  await site.user(name, [{ name: 'Ana', phone: '+436601234567' }])
  return person
}

/** A press of each device, and what happens to the phones afterwards. */
export async function tellStory(person: Person, random: () => number): Promise<void> {
  const [first, ...others] = person.phones
  await Promise.all([
    random() < 0.33 && trackerStory(person, random),
    phoneStory(first!, random),
    ...others.map(async (phone) => {
      await sleep(random() * 2 * LONGEST_PAUSE_MS)
      await phoneStory(phone, random)
    }),
  ])
}

async function phoneStory(phone: Phone, random: () => number): Promise<void> {
  phone.start()
  await phone.press()
  for (let n = 0; n < LENGTH; n += 1) {
    await sleep(random() * LONGEST_PAUSE_MS)
    await stepFrom(random)(phone, random)
  }
}

async function trackerStory(person: Person, random: () => number): Promise<void> {
  for (let n = 0; n < 2; n += 1) {
    await sleep(random() * (LENGTH / 2) * LONGEST_PAUSE_MS)
    await person.trackerPresses()
  }
}

type Incident = {
  readonly id: string
  readonly openedAt: number
  readonly closedAt: number | null
  readonly acknowledgedAt: number | null
  readonly firstSentAt: number | null
  readonly closedBy: string | null
  readonly presses: readonly { readonly sentMs: number; readonly receivedAt: number }[]
}

function looked<T>(site: ProcessSite, look: (database: Database.Database) => T): T {
  const database = new Database(join(site.dataDir, 'tocsin.db'), { readonly: true })
  try {
    return look(database)
  } finally {
    database.close()
  }
}

const newestText = (site: ProcessSite, name: string): string | null =>
  looked(site, (database) => {
    const found = database.prepare<[string], { readonly text: string }>(
      `SELECT text FROM outbox JOIN incidents ON incidents.id = incident_id JOIN users ON users.id = incidents.user_id
       WHERE users.external_user_id = ? ORDER BY outbox.id DESC LIMIT 1`,
    )
    return found.get(name)?.text ?? null
  })

/** What the store says, read beside the service. */
export const incidentsIn = (site: ProcessSite): ReadonlyMap<string, readonly Incident[]> =>
  looked(site, (database) => {
    const rows = database
      .prepare(
        `SELECT users.external_user_id AS name, incidents.id, opened_at AS openedAt, closed_at AS closedAt, record,
           (SELECT min(created_at) FROM outbox WHERE incident_id = incidents.id) AS firstSentAt,
           (SELECT json_group_array(json_object('sentMs', sent_ms, 'receivedAt', received_at))
              FROM alerts WHERE incident = incidents.number) AS presses
         FROM incidents JOIN users ON users.id = incidents.user_id ORDER BY incidents.number`,
      )
      .all() as { name: string; record: string; presses: string }[]
    const found = new Map<string, Incident[]>()
    for (const { name, record, presses, ...row } of rows) {
      const { state, closing } = JSON.parse(record)
      const incident = {
        ...row,
        acknowledgedAt: state.acknowledgedAt,
        closedBy: closing?.by ?? null,
        presses: JSON.parse(presses),
      }
      found.set(name, [...(found.get(name) ?? []), incident as unknown as Incident])
    }
    return found
  })

/** What a story may not have done. */
export function judge({ presses, shownEnds, shown, name }: Person, incidents: readonly Incident[]): void {
  const instant = ({ timestamp }: Pressed): number => Date.parse(timestamp)
  const about = `${name}: ${JSON.stringify({ presses, shownEnds, incidents })}`
  // A time far ahead counts as the arrival: such a press that is sent again after an end alarms again, and of two that
  // arrive in one millisecond only one is noted.
  const isAhead = (pressed: Pressed): boolean => instant(pressed) - pressed.at > HOUR_MS / 2
  const hasTwin = (pressed: Pressed): boolean =>
    presses.some((one) => one !== pressed && isAhead(one) && incidents.some(isOf(one)))
  const isOf = (pressed: Pressed) => (incident: Incident) =>
    incident.presses.some(({ sentMs }) => sentMs === instant(pressed))
  const madeBy = new Set(presses.map(instant))
  for (const incident of incidents) {
    for (const { sentMs } of incident.presses) assert.ok(madeBy.has(sentMs), `an alarm that nobody raised: ${about}`)
  }
  for (const pressed of presses) {
    const own = incidents.filter(isOf(pressed))
    const isOnce = own.length <= 1 || (isAhead(pressed) && own.slice(0, -1).every(({ closedAt }) => closedAt !== null))
    assert.ok(isOnce, `one press, two incidents: ${about}`)
    // A press that was ended before it arrived opens nothing.
    const mayBeMissing = pressed.endsAsked.length > 0 || !pressed.kept || (isAhead(pressed) && hasTwin(pressed))
    assert.ok(own.length > 0 || mayBeMissing, `a press was lost: ${about}`)
    for (const states of shown) isTrue(states.get(pressed.timestamp) ?? [], { own: own[0], incidents, about })
  }
  for (const incident of incidents) {
    if (incident.closedAt === null) continue
    const joinedBy = presses.filter((pressed) => isOf(pressed)(incident))
    // Without a network, somebody may ask again for what has ended.
    const { closedAt } = incident
    const seen = shownEnds.filter(({ incidentId, at }) => incidentId === incident.id && at <= closedAt)
    const asked = joinedBy.flatMap(({ endsAsked }) => endsAsked.filter((at) => at <= closedAt))
    assert.ok(asked.length + seen.length > 0, `an end that nobody asked for: ${about}`)
    const last = Math.max(...asked, ...seen.map(({ at }) => at))
    // An end that names the incident ends what other devices have pressed since, but nothing of its own.
    const isOfOthers = ({ storage }: Pressed) => seen.some((one) => one.isNamed && one.storage !== storage)
    for (const pressed of joinedBy) {
      const isMeant = pressed.endsAsked.length > 0 || pressed.at <= last || isOfOthers(pressed)
      assert.ok(isMeant, `an end has ended a later press: ${about}`)
    }
  }
}

type Truth = { readonly own: Incident | undefined; readonly incidents: readonly Incident[]; readonly about: string }

/**
 * Each state was true when it was shown, and none went back, also over a restart of the app. The incident that a state
 * names is the one of its press, or one that was open when the service was asked what this press had led to.
 */
function isTrue(shown: readonly Shown[], { own, incidents, about }: Truth): void {
  let step: AlarmState['step'] = 'kept'
  for (const { at, state } of shown) {
    const said = `${JSON.stringify(state)} at ${at}, ${about}`
    assert.ok(isForward(step, state.step), `it went back from ${step}: ${said}`)
    step = state.step
    const named = state.incidentId === null ? own : incidents.find(({ id }) => id === state.incidentId)
    if (state.incidentId !== null) assert.ok(named !== undefined && named.openedAt <= at, said)
    // A press that came after its end is on the server, too, and has opened nothing.
    if (state.step === 'onServer' && named !== undefined) assert.ok(named.openedAt <= at, said)
    if (state.step === 'alerted') assert.ok(named!.firstSentAt !== null && named!.firstSentAt <= at, said)
    if (state.step === 'coming') assert.ok(named!.acknowledgedAt !== null && named!.acknowledgedAt <= at, said)
    if (state.step !== 'over') continue
    const closings = [own, named].flatMap((incident) => (incident === undefined ? [] : [incident.closedAt]))
    assert.ok(closings.length === 0 || closings.some((closedAt) => closedAt !== null && closedAt <= at), said)
  }
}
