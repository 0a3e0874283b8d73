import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import mqtt, { type MqttClient } from 'mqtt'
import { createIds } from '../adapters/platform/system/ids.ts'
import { type Config, configOf, problemText } from '../config.ts'
import { newApplication } from '../core/account/new-application.ts'
import { userHash } from '../core/account/user-hash.ts'
import type { IncidentEvent } from '../core/incident/event.ts'
import { SECOND } from '../lib/durations.ts'
import type { Store } from '../ports/store.ts'
import { type Service, startService } from '../service.ts'
import { type DemoPlace, type DemoTracker, radioConfig, radioTracker } from './demo-radio.ts'
import { DEMO_URL, StoryTeller } from './story-teller.ts'

/** The demo application's settings: the usual story, told faster. */
const SETTINGS = { graceSeconds: 4, contactIntervalSeconds: 5, ackTimeoutSeconds: 9, voiceRetrySeconds: 5 }
const CONTACTS = [
  { name: 'Ana', phone: '+43660000001' },
  { name: 'Ben', phone: '+43660000002' },
]
/** The tracker's start and its movement per step (degrees and metres). */
const START = { latitude: 47.0742, longitude: 12.6939, altitude: 2454 }
const STEP = { latitude: 0.0004, longitude: -0.0003, altitude: -6 }
const MOVE_EVERY_MS = 4 * SECOND
const POLL_INTERVAL_MS = 200
/** When Ben opens his link, unless the viewer has opened one before. */
const BEN_ANSWERS_AFTER_MS = 26 * SECOND
const RESOLVED_AFTER_MS = 6 * SECOND
const LAST_LOOK_MS = 2 * SECOND

type Credentials = { readonly appId: string; readonly externalUserId: string; readonly hash: string }

/**
 * Plays a whole SOS in the terminal within a minute: a separate service on free loopback ports and a temporary
 * directory, a tracker that presses SOS and moves, the messages as they go out, the links, and the snapshot as it
 * changes. Ends by itself, or on Ctrl-C. `lora`: the tracker is behind a LoRaWAN network server. `drill`: an exercise.
 */
export async function runDemo({
  lora = false,
  drill = false,
}: {
  readonly lora?: boolean
  readonly drill?: boolean
} = {}): Promise<void> {
  const ids = createIds()
  const [appId, token] = [ids.uuid(), ids.secret()]
  const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-demo-'))
  const asked = new AbortController()
  const stop = () => asked.abort()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
  const silent = { info() {}, warn() {}, error() {} }
  let service: Service | null = null
  let app: MqttClient | null = null
  try {
    const config = demoConfig(dataDir, lora ? radioConfig(appId, token) : {})
    service = await startService(config, { log: silent })
    const user = await prepare(service.store, appId)
    if (drill) {
      const { tellDrill } = await import('./demo-drill.ts')
      const teller = new StoryTeller()
      const names = CONTACTS.map(({ name }) => name)
      teller.begins(service.listeners, names, SETTINGS, 'one exercise from the start to the report')
      return await tellDrill({ service, config, user, teller, signal: asked.signal })
    }
    app = await connectApp(service, user)
    const tracker = lora ? await radioTracker(service, user, { ids, token }) : appTracker(app, user)
    await tellStory({ service, user, app, tracker, signal: asked.signal })
  } catch (error) {
    if (!asked.signal.aborted) throw error
  } finally {
    await app?.endAsync(true)
    await service?.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

function demoConfig(dataDir: string, lorawan: object): Config {
  const off = { port: 'off' }
  const free = { host: '127.0.0.1', port: 0 }
  const configured = configOf({
    dataDir,
    publicUrl: DEMO_URL,
    mqtt: free,
    http: free,
    mqtts: off,
    https: off,
    lorawan,
    // Its story is about one incident.
    canary: { everyMinutes: 0 },
  })
  if ('problems' in configured) throw new Error(configured.problems.map(problemText).join('; '))
  return configured.config
}

/** Creates an application, a user and the contacts. */
async function prepare(store: Store, appId: string): Promise<Credentials & { userId: string }> {
  const ids = createIds()
  const [secret, externalUserId] = [ids.secret(), 'hiker-1']
  const now = Date.now()
  const application = newApplication({ id: appId, name: 'Demo', language: 'en', settings: SETTINGS, createdAt: now })
  await store.createApplication(application, secret)
  const { id: userId } = await store.ensureUser({ appId, externalUserId, id: ids.uuid(), now })
  await store.updateProfile(userId, { name: 'Mia Moser' }, now)
  for (const fields of CONTACTS) await store.addContact(userId, { id: ids.uuid(), fields, now, limit: CONTACTS.length })
  return { appId, externalUserId, hash: userHash(secret, externalUserId), userId }
}

function connectApp(service: Service, { appId, externalUserId, hash }: Credentials): Promise<MqttClient> {
  const username = `sdk:${appId}:${externalUserId}`
  return mqtt.connectAsync(service.listeners.mqtt ?? '', { username, password: hash, protocolVersion: 5 })
}

/** The app itself: it presses and moves over its own connection. */
function appTracker(app: MqttClient, { userId }: { readonly userId: string }): DemoTracker {
  const payload = (at: DemoPlace) => JSON.stringify({ timestamp: new Date().toISOString(), ...at, mobileBattery: 34 })
  const publish = async (topic: string, at: DemoPlace): Promise<void> => {
    await app.publishAsync(topic, payload(at), { qos: 1 })
  }
  return {
    presses: (at) => publish(`sos/alerts/${userId}`, at),
    moves: (at) => publish(`tel/${userId}/data`, at),
  }
}

type Scene = {
  readonly service: Service
  readonly user: Credentials & { readonly userId: string }
  /** Hears the events. */
  readonly app: MqttClient
  readonly tracker: DemoTracker
  readonly signal: AbortSignal
}

async function tellStory({ service, user, app, tracker, signal }: Scene): Promise<void> {
  const { store, listeners } = service
  const teller = new StoryTeller()
  let acknowledged = false
  app.on('message', (_topic, payload) => {
    const message: IncidentEvent['message'] = JSON.parse(payload.toString())
    acknowledged ||= message.type === 'acknowledged'
    teller.hears(message)
  })
  await app.subscribeAsync(`sos/events/${user.userId}`, { qos: 1 })
  teller.begins(
    listeners,
    CONTACTS.map((contact) => contact.name),
    SETTINGS,
  )

  let at: DemoPlace = START
  teller.says('tracker', `Mia presses SOS at ${at.latitude}, ${at.longitude}`)
  await tracker.presses(at)

  const nameOf = new Map((await store.contacts(user.userId)).map((contact) => [contact.id, contact.name]))
  const shown = new Set<number>()
  const showOutbox = async () => {
    for (const message of await store.outbox({ incidentId: null })) {
      if (shown.has(message.id)) continue
      shown.add(message.id)
      teller.sends(message, nameOf.get(message.contactId) ?? '')
    }
  }
  const until = async (done: () => boolean, maxMs: number) => {
    const begun = performance.now()
    let moved = begun
    while (!done() && performance.now() - begun < maxMs) {
      await wait(POLL_INTERVAL_MS, undefined, { signal })
      await showOutbox()
      if (performance.now() - moved < MOVE_EVERY_MS) continue
      moved = performance.now()
      at = {
        latitude: rounded(at.latitude + STEP.latitude),
        longitude: rounded(at.longitude + STEP.longitude),
        altitude: at.altitude + STEP.altitude,
      }
      await tracker.moves(at)
      teller.says('tracker', `moves to ${at.latitude}, ${at.longitude}`)
    }
  }

  await until(() => acknowledged, BEN_ANSWERS_AFTER_MS)
  if (!acknowledged) {
    const toBen = (await store.outbox({ incidentId: null })).filter(({ contactId }) => nameOf.get(contactId) === 'Ben')
    const link = toBen.map(({ text }) => teller.linkIn(text)).find((found) => found !== null)
    teller.says('Ben', 'opens his link and presses the button, as nobody here did')
    await fetch(`${link}/ack`, { method: 'POST', redirect: 'manual', signal })
  }
  await until(() => false, RESOLVED_AFTER_MS)
  teller.says('tracker', 'Mia is safe and resolves the incident')
  const open = await store.openIncident(user.userId)
  const name = JSON.stringify({ incidentId: open?.incident.id })
  await fetch(`${listeners.http}/v1/sdk/sos/resolve`, { method: 'POST', headers: headersOf(user), body: name, signal })
  await until(() => false, LAST_LOOK_MS)
  teller.ends()
}

const rounded = (degrees: number): number => Math.round(degrees * 10_000) / 10_000

const headersOf = ({ appId, externalUserId, hash }: Credentials) => ({
  'x-app-id': appId,
  'x-user-id': externalUserId,
  authorization: `Bearer ${hash}`,
})
