import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import type { Actuators } from '../../src/core/account/actuator.ts'
import type { Application } from '../../src/core/account/application.ts'
import { newApplication } from '../../src/core/account/new-application.ts'
import type { User } from '../../src/core/account/profile.ts'
import type { Settings } from '../../src/core/account/settings.ts'
import type { Command } from '../../src/core/incident/command.ts'
import type { Incident } from '../../src/core/incident/incident.ts'
import { alertFrom } from '../../src/core/ingest/alert.ts'
import { readPayload } from '../../src/core/ingest/payload.ts'
import {
  type Committed,
  type IncidentKey,
  type Store,
  StoreError,
  type TelemetryRow,
  type TelemetryStored,
} from '../../src/ports/store.ts'
import { isoAfter, momentAt } from '../core/build.ts'

/** Appends a row. Settles when it is on disk. */
export const appended = (
  store: Pick<Store, 'appendTelemetry'>,
  reporter: { readonly appId: string; readonly userId: string },
  row: TelemetryRow,
): Promise<TelemetryStored> =>
  new Promise((resolve, reject) => {
    store.appendTelemetry(reporter, row, (result) => {
      if (result instanceof StoreError) reject(result)
      else resolve(result)
    })
  })

/** What the suite needs to test a store adapter. */
export type StoreUnderTest = {
  readonly name: string
  /** An empty place that is removed with the test. Opening it twice simulates two processes. */
  place(t: TestContext): Promise<Place>
  /** After the last test: ends what the places share. */
  end?(): Promise<void>
}

export type Place = {
  /** A store with the default settings built in, closed with the test unless the test has closed it. */
  open(options?: { readonly leaveNotices?: boolean }): Promise<Store>
}

export type Given = {
  readonly contacts?: readonly string[]
  readonly settings?: Partial<Settings>
  readonly actuators?: Actuators
}

export const applicationCalled = (name: string, { settings, actuators }: Given = {}): Application =>
  newApplication({
    id: randomUUID(),
    name,
    language: 'de',
    ...(settings && { settings }),
    ...(actuators && { actuators }),
    createdAt: momentAt(-1000),
  })

/** An application with one user in its own store. Times are seconds from the press, as in the core's stories. */
export async function siteIn(subject: StoreUnderTest, t: TestContext, given: Given = {}): Promise<Site> {
  const place = await subject.place(t)
  const store = await place.open()
  const application = applicationCalled('Hut', given)
  await store.createApplication(application, 'a secret')
  const site = new Site(place, store, application)
  await site.user.settle(given.contacts ?? [])
  return site
}

export class Site {
  readonly place: Place
  readonly store: Store
  readonly application: Application
  readonly user: SiteUser

  constructor(place: Place, store: Store, application: Application) {
    this.place = place
    this.store = store
    this.application = application
    this.user = new SiteUser(store, application.id, 'hiker-1')
  }

  /** Another user, by default of the same application. */
  async newUser(externalUserId: string, appId = this.application.id): Promise<SiteUser> {
    const user = new SiteUser(this.store, appId, externalUserId)
    await user.settle([])
    return user
  }

  async newApplication(name: string): Promise<Application> {
    const application = applicationCalled(name)
    await this.store.createApplication(application, 'another secret')
    return application
  }
}

type Fields = Readonly<Record<string, unknown>>

/** `byDevice`: the tracker sends it itself. */
type Sender = { readonly byDevice?: true }

/** A user, and what their phone or tracker sends. */
export class SiteUser {
  readonly #store: Store
  readonly #appId: string
  readonly #externalUserId: string
  #id = ''

  constructor(store: Store, appId: string, externalUserId: string) {
    this.#store = store
    this.#appId = appId
    this.#externalUserId = externalUserId
  }

  /** The same user, in a store that was opened again. */
  in(store: Store): SiteUser {
    const again = new SiteUser(store, this.#appId, this.#externalUserId)
    again.#id = this.#id
    return again
  }

  get id(): string {
    return this.#id
  }

  async settle(contacts: readonly string[]): Promise<User> {
    const identity = { appId: this.#appId, externalUserId: this.#externalUserId }
    const user = await this.#store.ensureUser({ ...identity, id: randomUUID(), now: momentAt(-900) })
    this.#id = user.id
    for (const name of contacts) await this.adds(name)
    return user
  }

  async adds(name: string, seconds = -800, priority: number | null = null): Promise<string> {
    const fields = { name, phone: '+4366012345678', ...(priority !== null && { priority }) }
    const added = await this.#store.addContact(this.id, { id: randomUUID(), fields, now: momentAt(seconds), limit: 10 })
    if ('refused' in added) throw new Error(added.refused)
    return added.contact.id
  }

  /** Pairs a tracker with this user. */
  async pairs(hardwareId: string): Promise<void> {
    const now = momentAt(-700)
    const identity = { id: randomUUID(), appId: this.#appId, userId: this.id, hardwareId }
    const paired = await this.#store.pair({ ...identity, firmwareVersion: null, hardwareModel: null, now, limit: 10 })
    if ('refused' in paired) throw new Error(paired.refused)
  }

  /** An alert that happens and arrives at `seconds`, unless `fields` and `arrival` say otherwise. */
  presses(seconds: number, fields: Fields = {}, arrival = seconds, by: Sender = {}): Promise<Committed> {
    const now = momentAt(arrival)
    const alert = alertFrom({ timestamp: isoAfter(seconds), ...fields }, now)
    const reporter = { appId: this.#appId, userId: this.id, deviceId: alert.payload.deviceId ?? null }
    const incident = { incidentId: randomUUID(), linkSecret: randomUUID() }
    return this.#store.changeIncident(
      { reporter },
      {
        ...{ type: 'raise', now, alert, reporterId: this.id },
        ...by,
        ...incident,
      },
    )
  }

  /** A telemetry row that happens at `seconds`, and arrives then unless `arrival` says otherwise. */
  sends(seconds: number, fields: Fields = {}, arrival = seconds, by: Sender = {}): Promise<TelemetryStored> {
    const reporter = { appId: this.#appId, userId: this.id, ...by }
    return appended(this.#store, reporter, telemetryAt(seconds, fields, arrival))
  }

  /** Lists the user as a relay. */
  async relays(): Promise<void> {
    await this.#store.setUserRelay(this.#appId, this.#externalUserId, true)
  }

  /** A command to this user's open incident, or to another one. */
  does(seconds: number, command: Timeless, key: IncidentKey = { openOf: this.id }): Promise<Committed> {
    return this.#store.changeIncident(key, { ...command, now: momentAt(seconds) } as Command)
  }
}

type Timeless = Command extends infer C ? (C extends Command ? Omit<C, 'now'> : never) : never

export const at = (latitude: number, longitude = 11): Fields => ({ latitude, longitude })

export function telemetryAt(seconds: number, fields: Fields = {}, arrival = seconds): TelemetryRow {
  const receivedAt = momentAt(arrival)
  const { payload, at } = readPayload({ timestamp: isoAfter(seconds), ...fields }, receivedAt, 'telemetry')
  return { payload, at, receivedAt, source: 'session' }
}

/** The incident, for stories that expect one. */
export function incidentOf({ incident }: Pick<Committed, 'incident'>): Incident {
  if (incident === null) throw new Error('no incident came of it')
  return incident
}

export const eventTypes = ({ events }: Pick<Committed, 'events'>): readonly string[] =>
  events.map(({ message }) => message.type)
