import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { UserStreams } from '../../../../src/adapters/inbound/http/sdk/user-streams.ts'
import { createHttpServer, type HttpNeeds } from '../../../../src/adapters/inbound/http/server.ts'
import { countryPlans } from '../../../../src/adapters/platform/system/country-plans.ts'
import type { TrackingPage } from '../../../../src/app/answers/tracking-page.ts'
import type { AccessRequest } from '../../../../src/app/connections/mqtt-callbacks.ts'
import type { HistoryItem } from '../../../../src/app/user/own-incident.ts'
import { emptyCard } from '../../../../src/core/account/card.ts'
import type { Contact } from '../../../../src/core/account/contact.ts'
import { countryPlan } from '../../../../src/core/account/country-plan.ts'
import type { Device } from '../../../../src/core/account/device.ts'
import type { Credentials } from '../../../../src/core/account/mqtt-username.ts'
import type { PairingRequest } from '../../../../src/core/account/pairing-schema.ts'
import type { Session } from '../../../../src/core/account/session.ts'
import { defaultSettings } from '../../../../src/core/account/settings.ts'
import { decide } from '../../../../src/core/incident/decide.ts'
import { historyItem, type IncidentView, incidentView } from '../../../../src/core/incident/event.ts'
import type { HelpPromise, Incident } from '../../../../src/core/incident/incident.ts'
import type { TalkLineView } from '../../../../src/core/incident/talk.ts'
import { alertFrom } from '../../../../src/core/ingest/alert.ts'
import { isoAt } from '../../../../src/core/ingest/event-time.ts'
import { readPayload } from '../../../../src/core/ingest/payload.ts'
import type { Position } from '../../../../src/core/ingest/position.ts'
import type { Timer } from '../../../../src/core/timer/timer.ts'
import type { TelemetryQuery } from '../../../../src/ports/store.ts'
import { userWith } from '../../../core/build.ts'
import type { Ending } from '../../../harness/ending.ts'
import { shared } from '../../../harness/shared.ts'

export const NOW = Date.parse('2026-05-01T14:08:12Z')
export const TOKEN = 'Zm9vYmFyYmF6cXV4MTIzNA'

export const ANA: Session = {
  appId: '0a000000-0000-7000-8000-00000000000a',
  userId: 'a0000000-0000-7000-8000-000000000001',
  externalUserId: 'ana',
  legacy: false,
  secretId: 1,
}
export const HASH = 'a1b2c3'.repeat(10).padEnd(64, '0')

/** The three headers of a session that is admitted. */
export const SIGNED = { 'x-app-id': ANA.appId, 'x-user-id': ANA.externalUserId, authorization: `Bearer ${HASH}` }
export const JSON_TYPE = { 'content-type': 'application/json' }

export const USER = userWith({
  ...{ id: ANA.userId, appId: ANA.appId, externalUserId: 'ana' },
  ...{ name: 'Ana Muster', phone: '+4366012345678', createdAt: NOW, updatedAt: NOW },
})

export const BEN: Contact = {
  id: 'c0000000-0000-7000-8000-00000000000c',
  userId: ANA.userId,
  name: 'Ben',
  phone: '+4366087654321',
  email: null,
  language: 'de',
  priority: 1,
  verifiedAt: null,
  declinedAt: null,
  stoppedAt: null,
  createdAt: NOW,
  updatedAt: NOW,
}
export const TRACKER: Device = {
  appId: ANA.appId,
  id: 'd0000000-0000-7000-8000-00000000000d',
  userId: ANA.userId,
  hardwareId: 'TRK-1',
  firmwareVersion: null,
  hardwareModel: 'Mk 2',
  pairedAt: NOW,
  createdAt: NOW,
  updatedAt: NOW,
}
export const FEEDBACK_RECEIPT = { id: 'f0000000-0000-7000-8000-00000000000f', createdAt: '2026-05-01T14:08:12.000Z' }
export const TELEMETRY_ITEM = { timestamp: '2026-05-01T14:06:40Z', receivedAt: '2026-05-01T14:08:12.000Z' }
const PLANS = countryPlans()
export const NOBODYS_ID = 'c0000000-0000-7000-8000-0000000000ff'

const POSITION: Position = {
  latitude: 47.07134,
  longitude: 11.40412,
  altitude: null,
  at: '2026-05-01T14:06:40.123456789Z',
}

/** An incident as the core makes it, with every actuator and several failures. */
export function openedIncident(): Incident {
  const { incident } = decide(
    {
      incident: null,
      earlier: null,
      plan: {
        appId: ANA.appId,
        userId: ANA.userId,
        externalUserId: 'ana',
        legacy: false,
        settings: defaultSettings,
        actuators: {
          emergency_contacts: {},
          chat: { url: 'http://chat.test/', format: 'text' },
          webhook: { url: 'http://hook.test/' },
        },
        contacts: [{ contactId: BEN.id, name: 'Ben', phone: BEN.phone, email: null, language: 'de', priority: 1 }],
      },
    },
    {
      type: 'raise',
      now: NOW,
      alert: alertFrom({ timestamp: POSITION.at, latitude: 47.07134, longitude: 11.40412, mobileBattery: 101 }, NOW),
      reporterId: ANA.userId,
      incidentId: 'e0000000-0000-7000-8000-00000000000e',
      linkSecret: 'link secret',
    },
  )
  if (incident === null) throw new Error('the alert opened nothing')
  return incident
}

export const incident = (): IncidentView => incidentView(openedIncident(), POSITION)
export const pastIncident = (): HistoryItem => historyItem(openedIncident(), [POSITION], { lastPosition: POSITION })

export const PAGE: TrackingPage = {
  incidentId: 'e0000000-0000-7000-8000-00000000000e',
  isDrill: false,
  isSilent: false,
  unknownDevices: [],
  otherPlaces: [],
  card: null,
  raisedThrough: null,
  who: 'Ana Muster',
  phone: '+4366012345678',
  timeZone: 'Europe/Vienna',
  contact: { name: 'Ben', language: 'en', acknowledgedAt: null },
  status: 'active',
  occurredAt: NOW - 180_000,
  openedAt: NOW - 179_000,
  acknowledgedAt: null,
  closedAt: null,
  again: null,
  overdue: null,
  confirmations: [],
  unable: [],
  answer: null,
  mapLink: null,
  countries: ['AT'],
  emergencyNumbers: {},
  battery: { phone: null, tracker: null },
  network: { phone: null, tracker: null },
  isHelped: false,
  isAskedAgain: false,
  closing: null,
  isAwaited: false,
  lastPosition: POSITION,
  canAcknowledge: true,
  stopped: null,
  isPlaceWithheld: false,
  contactsChanged: false,
  accountChangedOf: null,
  toBeShown: [],
  talk: null,
}

const SAID: TalkLineView = {
  n: 1,
  at: '2026-05-01T14:08:12.000Z',
  from: { kind: 'person', contactId: null, name: 'Ana Muster', phone: null, channel: 'app' },
  text: 'Two of us',
  quickReply: null,
  to: 'all',
}

const TIMER: Timer = {
  id: 'f0000000-0000-7000-8000-00000000000f',
  appId: ANA.appId,
  userId: ANA.userId,
  dueAt: NOW + 3_600_000,
  opensAt: NOW + 3_900_000,
  remindsAt: NOW + 2_700_000,
  note: 'Glungezer',
  position: POSITION,
  status: 'running',
  overAt: null,
  incidentId: null,
  createdAt: NOW,
  updatedAt: NOW,
}

const CARD_AT = new Date(NOW).toISOString()
const PHONE_PROOF = { userId: ANA.userId, phone: '+4366012345678', provedAt: NOW, takenAt: null, code: '4711' }

export type Call = { readonly use: string; readonly args: readonly unknown[] }

/** Use cases that only record their calls, and answer as the real ones would. */
export function standIn(calls: Call[] = []) {
  const noted =
    <A extends readonly unknown[], R>(use: string, answer: (...args: A) => R) =>
    async (...args: A): Promise<R> => {
      calls.push({ use, args })
      return answer(...args)
    }
  const lines: { readonly level: string; readonly fields: object; readonly message: string }[] = []
  const note = (level: string) => (fields: object, message: string) => void lines.push({ level, fields, message })
  const counted: { readonly name: string; readonly labels: Readonly<Record<string, string>> }[] = []
  const parts: HttpNeeds = {
    // Not a safe comparison: only what the edge passes on matters here.
    identify: noted('identify', ({ appId, externalUserId, userHash }: Credentials) =>
      appId === ANA.appId && externalUserId === 'ana' && userHash === HASH ? ANA : null,
    ),
    raiseSos: noted('raiseSos', (_session, json: Readonly<Record<string, unknown>>) => {
      const { problems } = readPayload(json, NOW, 'telemetry')
      return problems.length > 0 ? { refused: problems } : { opened: json.again !== true, incident: incident() }
    }),
    ingestTelemetry: noted('ingestTelemetry', (_session, json: Readonly<Record<string, unknown>>) => {
      const { problems } = readPayload(json, NOW, 'telemetry')
      return problems.length > 0 ? { refused: problems } : { incidentId: incident().incidentId, duplicate: false }
    }),
    ownIncident: {
      read: noted('read', () => incident()),
      // Two incidents, whatever is requested.
      history: noted('history', (_session, { after }: { after: string | null }) =>
        after === 'spoilt'
          ? ({ refused: 'bad_cursor' } as const)
          : { items: [pastIncident()], after: after === null ? 'next' : null },
      ),
      end: async (session, type) => {
        await noted(type, (_session: unknown) => undefined)(session)
        return { incident: null }
      },
      endNamed: noted('endNamed', () => ({ incident: null, ended: true })),
    },
    streams: new UserStreams(),
    readState: noted('readState', () => null),
    isReadmitted: noted('isReadmitted', () => true),
    ownTalk: async () => ({
      read: noted('readTalk', () => ({
        incidentId: incident().incidentId,
        mayWrite: true,
        to: 'all' as const,
        deskStaffed: false,
        readers: [{ kind: 'contact' as const, contactId: BEN.id, name: 'Ben', now: true }],
        items: [SAID],
      })),
      say: noted('say', (_session, { key }: { key: string }) => {
        if (key === 'too-many') return { refused: 'too_many_messages', retryAfterMs: 61_500 } as const
        if (key === 'too-late') return { refused: 'incident_closed' } as const
        return { message: SAID, incidentId: incident().incidentId, isNew: key !== 'once-more' }
      }),
    }),
    enrolment: async () => ({
      application: noted('appApplication', () => null),
      look: noted('lookAtInvitation', () => ({ refused: 'invitation_unknown' }) as const),
      enrol: noted('enrol', ({ invitation }: { invitation: string }) =>
        invitation === 'poster'
          ? ({ refused: 'poster_hour', retryAfterMs: 61_000 } as const)
          : ({ refused: 'invitation_unknown' } as const),
      ),
    }),
    ownAppDevices: async () => ({
      list: noted('listAppDevices', () => ({ devices: [], erasesAt: null })),
      remove: noted('removeAppDevice', () => ({ refused: 'app_device_not_found' }) as const),
      keep: noted('keepAppDevice', () => ({ refused: 'app_device_not_found' }) as const),
      invite: noted('inviteAppDevice', () => ({ refused: 'not_enrolled' }) as const),
      erase: noted('eraseOneself', (_session, isWanted: boolean) => ({ erasesAt: isWanted ? CARD_AT : null })),
    }),
    ownPush: async () => ({
      read: noted('readPush', () => ({ publicKey: null, subscription: null })),
      subscribe: noted('subscribePush', () => ({ publicKey: null, subscription: null })),
      unsubscribe: noted('unsubscribePush', () => null),
    }),
    ownTimers: {
      list: noted('listTimers', () => [TIMER]),
      set: noted('setTimer', (_session, { note }: { note?: string | null | undefined }) =>
        note === 'sixth' ? ({ refused: 'timer_limit' } as const) : { timer: TIMER, isNew: note !== 'again' },
      ),
      extend: noted('extendTimer', (_session, id) =>
        id === TIMER.id ? TIMER : ({ refused: 'timer_not_found' } as const),
      ),
      end: noted('endTimer', (_session, id) => (id === TIMER.id ? TIMER : ({ refused: 'timer_not_found' } as const))),
      obey: noted('obey', () => null),
    },
    ownDrill: {
      start: noted('startDrill', () => ({ refused: 'drill_open' }) as const),
      report: noted('reportDrill', () => ({ refused: 'drill_not_found' }) as const),
      end: noted('endDrill', () => ({ refused: 'drill_not_found' }) as const),
    },
    ownCard: {
      read: noted('readCard', () => ({ ...emptyCard, contactIds: [], updatedAt: null })),
      update: noted('updateCard', (_session, { note }: { note?: string | null | undefined }) =>
        note === 'locked'
          ? ({ refused: 'card_locked', why: 'the file /secret/place is not the key' } as const)
          : { ...emptyCard, note: note ?? null, contactIds: [], updatedAt: CARD_AT },
      ),
      remove: noted('removeCard', () => undefined),
    },
    ownPhone: {
      ask: noted('askPhoneCode', () => ({ expiresAt: isoAt(NOW) })),
      prove: noted('provePhone', (_session, code) =>
        code === '000000'
          ? ({ refused: 'wrong_code' } as const)
          : { proof: PHONE_PROOF, takenFrom: null, replaced: null },
      ),
      changeCode: noted('changeSmsCode', () => PHONE_PROOF),
      view: async () => ({ phoneProvedAt: null, phoneTakenAt: null, smsSos: null }),
    },
    ownAccount: {
      profile: noted('profile', () => USER),
      updateProfile: noted('updateProfile', (_session, update) => ({ ...USER, ...(update as object) })),
      contacts: noted('contacts', () => [BEN]),
      warningsOf: async () => [],
      textedOnly: async () => new Set<string>(),
      addContact: noted('addContact', (_session, fields) =>
        (fields as { name: string }).name === 'eleventh' ? ({ refused: 'contact_limit' } as const) : BEN,
      ),
      updateContact: noted('updateContact', (_session, id) =>
        id === BEN.id ? BEN : ({ refused: 'contact_not_found' } as const),
      ),
      removeContact: noted('removeContact', (_session, id) =>
        id === BEN.id ? ({ removed: true } as const) : ({ refused: 'contact_not_found' } as const),
      ),
      reorderContacts: noted('reorderContacts', (_session, ids: readonly string[]) =>
        ids.length === 1 && ids[0] === BEN.id
          ? ({ reordered: true } as const)
          : ({ refused: 'not_a_reorder' } as const),
      ),
    },
    ownDevices: {
      list: noted('list', () => [TRACKER]),
      pair: noted('pair', (_session, { pairingCode }: PairingRequest) => {
        if (pairingCode === 'wrong') return { refused: 'pairing_refused' } as const
        if (pairingCode === 'guessed') return { refused: 'too_many_codes', retryAfterMs: 61_500 } as const
        if (pairingCode === 'taken') return { refused: 'paired_to_another' } as const
        if (pairingCode === 'eleventh') return { refused: 'device_limit' } as const
        return { device: TRACKER, created: pairingCode !== 'again' }
      }),
      remove: noted('remove', (_session, id) =>
        id === TRACKER.id ? ({ removed: true } as const) : ({ refused: 'device_not_found' } as const),
      ),
    },
    ownFeedback: {
      issueToken: noted('issueToken', () => ({ token: 'a.b.c', expiresAt: '2026-05-01T14:23:12.000Z' })),
      accepts: async (_session, token) => token === 'a.b.c',
      submit: noted('submit', () => FEEDBACK_RECEIPT),
    },
    telemetryHistory: {
      append: noted('append', (_session, rows: readonly unknown[]) => ({
        accepted: rows.length,
        duplicates: 0,
        rejected: [],
      })),
      read: noted('readTelemetry', (_session, { after }: TelemetryQuery) =>
        after === 'spoilt' ? ({ refused: 'bad_cursor' } as const) : { items: [TELEMETRY_ITEM], after: null },
      ),
    },
    mqttCallbacks: {
      mayConnect: noted('mayConnect', (_username, password) => password === HASH),
      mayAccess: noted('mayAccess', ({ topic }: AccessRequest) => topic === 'own'),
    },
    countryPlan: (country) => countryPlan(PLANS, country, { scheme: 'loramacNode', overrides: {} }),
    userReadiness: { ofUser: async () => null },
    verification: {
      ask: noted('ask', (_userId: string, contactId: string) => {
        if (contactId === NOBODYS_ID) return { refused: 'contact_not_found' } as const
        return { status: 'requested' } as const
      }),
      page: noted('verification page', (token: string) =>
        token === TOKEN
          ? { who: 'Ana <Muster>', app: 'Hut', language: 'en', answer: null }
          : ({ refused: 'unknown_link' } as const),
      ),
      answer: noted('verification answer', (token: string, _answer: 'confirmed' | 'declined') =>
        token === TOKEN ? ({ answered: true } as const) : ({ refused: 'link_expired' } as const),
      ),
    },
    tracking: {
      page: noted('page', (token: string) => (token === TOKEN ? PAGE : ({ refused: 'unknown_link' } as const))),
      trail: noted('trail', (token: string) =>
        token === TOKEN ? { positions: [POSITION] } : ({ refused: 'unknown_link' } as const),
      ),
      acknowledge: noted('acknowledge', (token: string, _promise?: HelpPromise) =>
        token === TOKEN ? ({ done: true } as const) : ({ refused: 'unknown_link' } as const),
      ),
      decline: noted('decline', (token: string) =>
        token === TOKEN ? ({ done: true } as const) : ({ refused: 'unknown_link' } as const),
      ),
      stop: noted('stop', (token: string) =>
        token === TOKEN ? ({ done: true } as const) : ({ refused: 'unknown_link' } as const),
      ),
      start: noted('start', (token: string) =>
        token === TOKEN ? ({ done: true } as const) : ({ refused: 'unknown_link' } as const),
      ),
      showPosition: noted('show position', (token: string, _contactId: string) =>
        token === TOKEN ? ({ done: true } as const) : ({ refused: 'unknown_link' } as const),
      ),
    },
    clock: { now: () => NOW },
    log: { info: note('info'), warn: note('warn'), error: note('error') },
    meter: {
      count: (name: string, labels: Readonly<Record<string, string>> = {}) => void counted.push({ name, labels }),
      observe: () => undefined,
    },
    metricsText: async () => '# HELP tocsin_up\n',
    readiness: async (): Promise<readonly string[]> => [],
    schema: 1,
  }
  return { parts, calls, lines, counted }
}

export type Site = ReturnType<typeof standIn> & {
  readonly url: string
  readonly port: number
  readonly close: () => Promise<void>
}

/** A real server on a free loopback port with stand-ins behind it, closed with the test. */
export async function startHttp(t: Ending, overrides: Partial<HttpNeeds> = {}): Promise<Site> {
  const site = standIn()
  const server = await createHttpServer({ ...site.parts, ...overrides })
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => server.close())
  return { ...site, url, port: Number(new URL(url).port), close: () => server.close() }
}

/** One server for all tests of a suite. The function that this returns gives it to each test with nothing recorded. */
export function sharedHttp(overrides: Partial<HttpNeeds> = {}): () => Site {
  const site = shared((t) => startHttp(t, overrides))
  return () => {
    const { calls, lines, counted } = site()
    for (const recorded of [calls, lines, counted]) recorded.length = 0
    return site()
  }
}

export type Answer = { readonly status: number; readonly headers: Headers; readonly text: string; readonly json: any }

/** Sends a request; returns the answer, with its JSON if it has any. Follows no redirects. */
export async function ask(
  { url }: { url: string },
  method: string,
  path: string,
  init: RequestInit = {},
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, { method, redirect: 'manual', ...init })
  const text = await response.text()
  const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json')
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson && text !== '' ? JSON.parse(text) : null,
  }
}

/** A request with exactly these header bytes (latin1), including repeated headers. */
export async function askRaw(
  { port }: { port: number },
  path: string,
  headers: readonly (readonly [string, string])[],
): Promise<number> {
  const request = httpRequest({ port, host: '127.0.0.1', path, agent: false })
  for (const name of new Set(headers.map(([name]) => name))) {
    request.setHeader(
      name,
      headers.filter(([other]) => other === name).map(([, value]) => value),
    )
  }
  request.end()
  const [response] = await once(request, 'response')
  response.resume()
  await once(response, 'end')
  return response.statusCode
}

/** Everything received on a connection after `bytes`, until the server closes it. */
export async function talk(t: TestContext, port: number, ...bytes: readonly (string | Buffer)[]): Promise<string> {
  const socket: Socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  // A server that closes may reset what is still being sent; everything received before counts.
  socket.on('error', () => undefined)
  for (const part of bytes) socket.write(part)
  await once(socket, 'close')
  return Buffer.concat(chunks).toString('latin1')
}
