import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import type { Case, FirstSteps, Item, Position, Role, Row, SetupNews, Shift } from '../../console/api/types.ts'
import { isDrill } from '../../console/logic/order.ts'
import { serveConsole } from '../../src/adapters/inbound/http/console/routes.ts'
import { mapRoutes } from '../../src/adapters/inbound/http/map/routes.ts'
import { siteMap } from '../../src/adapters/inbound/http/map/site-map.ts'
import { consoleFiles } from '../../src/adapters/platform/console/built-files.ts'
import type { OnCall } from '../../src/core/account/on-call.ts'
import { headCount } from '../../src/core/incident/head-count.ts'
import { APP_ID, idOf, itemOf } from '../console/items.ts'
import { contactsOf, estateOf, reportOf } from './fake-estate.ts'
import { serveInvitations } from './fake-invitations.ts'
import { addOnCall, listAt } from './fake-on-call.ts'
import { servePeople } from './fake-people.ts'
import { exampleSetup, serveSetup } from './fake-setup.ts'
import { serveTrackers } from './fake-trackers.ts'

const START = Date.parse('2026-03-01T02:00:00Z')
const refusal = (reason: string, message: string) => ({ error: { code: 'E_OPERATOR', reason, message } })

const NO_STEPS: FirstSteps = {
  application: null,
  contact: null,
  test: null,
  simulated: false,
  maySimulate: true,
  done: false,
}

/** What the service asks for the password for (`asksAgain` of its routes). */
const ASKS_AGAIN =
  /\/(operators|setup\/.+|tokens(\/[^/]+)?|recovery-codes|devices(\/(token|unpair|import).*)?|users\/[^/]+(\/disable|\/app-devices\/[^/]+)?)$|\/applications\/[^/]+(\/(actuators|texts(?!\/preview)|secrets|contacts|app-invitations$).*)?$/

/**
 * The operator API in memory, with the built console in front of it: what the console's own tests and its pictures are
 * made with. `login`: the password is `correct horse`, the code 123456.
 */
export async function startFakeApi(
  given: {
    readonly now?: number
    readonly role?: Role
    readonly open?: readonly Item[]
    /** Nothing is set up yet. */
    readonly isNew?: boolean
  } = {},
) {
  const now = given.now ?? START
  const app = fastify({ forceCloseConnections: true })
  const streams = new Set<ServerResponse>()
  const cases = new Map<string, Case>()
  const state = {
    signedIn: false,
    /** Whose session the browser has. */
    operatorId: idOf(7000),
    role: given.role ?? ('admin' as Role),
    seq: 0,
    deaf: false,
    /** Whether something else answers in place of the stream, such as the page of a Wi-Fi. */
    captive: false,
    /** The request that the session ends at: its path ends with this. */
    endsAt: null as string | null,
    conflict: null as string | null,
    /** The `reason` of that conflict. */
    conflictReason: 'conflict',
    /** What is asked for is not answered, as without a network; the page itself is there. */
    cutOff: false,
    /** Seconds that a sign-in has to wait. */
    waitS: null as number | null,
    /** Whether the address for the first administrator works. */
    isSetUp: false,
    /** Whether the next change that gives lasting access asks for the password. */
    asksAgain: false,
    /** When the session or the token ends. */
    expiresAt: new Date(now + 30 * 86_400_000).toISOString(),
    /** What was done with incidents, with the query of the request. */
    acts: [] as string[],
    /** What was changed of the application. */
    changes: [] as unknown[],
    /** Who is on shift, and what is left to the next one. */
    shift: {
      onShift: [
        { operatorId: idOf(7000), name: 'Eva Night', seenAt: new Date(now).toISOString() },
        { operatorId: idOf(7001), name: 'Ivo Early', seenAt: new Date(now).toISOString() },
      ],
      handOvers: [],
      notes: [],
      onCall: { name: 'Lea Late' },
    } as Shift,
    onCall: listAt(now) as OnCall | null,
    setup: exampleSetup(now),
    /** The guarded changes of others, which the console tells administrators of. */
    setupNews: [] as readonly SetupNews[],
    /** Keys of the messages that were sent. */
    said: [] as string[],
    /** Why the next test message of a provider is not sent. */
    testError: null as string | null,
    /** How far the site is set up. */
    steps: { ...NO_STEPS, done: given.isNew !== true },
  }

  const caseOf = (incident: Item): Case => ({
    incident,
    contacts: contactsOf(now),
    timeline: [
      { at: incident.openedAt, kind: 'pressed' },
      { at: incident.openedAt, kind: 'message', contactId: idOf(1), channel: 'sms', status: 'delivered' },
      {
        at: incident.updatedAt,
        kind: 'message',
        contactId: idOf(1),
        channel: 'voice',
        status: 'failed',
        error: 'no-answer',
      },
    ],
    trail: incident.position === null ? [] : [incident.position],
    remarks: [],
    snapshot: { snapshotVersion: incident.version, items: [] },
    notes: [],
    talk: { mayWrite: incident.closedAt === null, to: 'all', readers: [], items: [], sms: null },
    calledBack: [],
    next: [
      { at: new Date(now + 45_000).toISOString(), what: 'message', channel: 'voice', contactId: idOf(2) },
      { at: new Date(now + 300_000).toISOString(), what: 'round_ends' },
    ],
    mayUndoTakeUntil: null,
    hasCard: true,
    profile: {
      name: incident.person.name,
      phone: incident.person.phone,
      email: 'person@example.org',
      address: 'Dorfstrasse 1, 6020 Innsbruck',
      notes: 'Deaf in one ear.',
      groups: ['Hut wardens'],
    },
  })
  const put = (found: Case): Case => {
    cases.set(found.incident.incidentId, found)
    return found
  }
  const tellOf = (item: Item): void => tell(isDrill(item) ? 'drill' : 'incident', item)
  const tell = (event: string, data: unknown): void => {
    const text = `id: ${++state.seq}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
    for (const stream of streams) stream.write(text)
  }
  const change = (id: string, over: Partial<Item>, rest: Partial<Case> = {}): Case => {
    const before = cases.get(id)!
    const incident = { ...before.incident, ...over, version: before.incident.version + 1 }
    const next = put({ ...before, ...rest, incident })
    tellOf(incident)
    return next
  }
  for (const item of given.open ?? [
    itemOf(0, now, { urgency: 0, delivered: false, presses: 3 }),
    itemOf(1, now),
    itemOf(2, now, {
      urgency: 3,
      status: 'acknowledged',
      answer: {
        by: { kind: 'contact', name: 'Luc' },
        kind: 'coming',
        etaMinutes: 30,
        at: new Date(now - 240_000).toISOString(),
        overdue: false,
      },
    }),
    itemOf(3, now, {
      urgency: 4,
      status: 'acknowledged',
      position: null,
      answer: {
        by: { kind: 'operator', name: 'Eva Night' },
        kind: 'acknowledged',
        at: new Date(now - 1_200_000).toISOString(),
        overdue: false,
      },
    }),
    itemOf(5, now, {
      urgency: 2,
      status: 'acknowledged',
      drill: true,
      answer: {
        by: { kind: 'contact', name: 'Sam' },
        kind: 'calling',
        at: new Date(now - 3_900_000).toISOString(),
        overdue: true,
      },
    }),
  ]) {
    put(caseOf(item))
  }

  const me = () => ({
    kind: 'operator',
    id: state.operatorId,
    name: 'Eva Night',
    login: 'eva',
    role: state.role,
    applications: null,
    expiresAt: state.expiresAt,
    idleUntil: null,
    site: { name: 'Rescue centre', version: '0.2.0', commit: null, schema: 40, publicUrl: null, node: null },
  })

  app.addHook('onRequest', async (request, reply) => {
    reply.header('date', new Date(now).toUTCString())
    if (!request.url.startsWith('/v1/')) return
    if (state.cutOff) return reply.code(503).send({})
    if (state.deaf && request.url.endsWith('/events')) return reply.code(503).send({})
    if (state.conflict !== null && request.method === 'POST')
      return reply.code(409).send(refusal(state.conflictReason, state.conflict))
    if (state.endsAt !== null && request.url.endsWith(state.endsAt)) {
      state.endsAt = null
      state.signedIn = false
    }
    if (state.asksAgain && request.method !== 'GET' && ASKS_AGAIN.test(request.url)) {
      return reply.code(403).send(refusal('proof_needed', 'Confirm first.'))
    }
    const open = /^\/v1\/operator\/session(\/(first|setup)(\/look)?)?$/.test(request.url) && request.method === 'POST'
    if (request.url.endsWith('/session/current') && !state.signedIn) return reply.send({ signedIn: false })
    const { 'x-tocsin-operator': pageOf = state.operatorId } = request.headers
    if (!open && (!state.signedIn || pageOf !== state.operatorId))
      return reply.code(401).send(refusal('signed_out', 'Sign in.'))
    if (request.method !== 'GET' && state.role === 'viewer' && !request.url.includes('/session')) {
      return reply.code(403).send(refusal('not_allowed', 'A viewer may not.'))
    }
  })
  serveConsole(app, consoleFiles())
  const map = { log: { error: () => {} } }
  app.register(mapRoutes(map))
  app.get('/v1/operator/map', async () => ({ sources: siteMap(map)?.sources ?? null }))
  const listed = (items: readonly unknown[]) => ({ items, nextCursor: null, hasMore: false })
  const api = '/v1/operator'

  app.get(`${api}/session`, async () => me())
  app.get(`${api}/session/current`, async () => ({ ...me(), signedIn: true }))
  app.post(`${api}/session`, async (request: FastifyRequest<{ Body: Row }>, reply) => {
    const { password, code } = request.body
    if (state.waitS !== null) {
      return reply.code(429).header('retry-after', state.waitS).send(refusal('too_many_attempts', 'Wait.'))
    }
    if (password !== 'correct horse') return reply.code(401).send(refusal('sign_in_refused', 'No.'))
    if (code !== '123456') return reply.code(401).send(refusal('sign_in_refused', 'No.'))
    state.signedIn = true
    state.operatorId = idOf(7000)
    return me()
  })
  app.delete(`${api}/session`, async (_, reply) => {
    state.signedIn = false
    return reply.code(204).send()
  })
  app.post(`${api}/session/proof`, async (request: FastifyRequest<{ Body: Row }>, reply) => {
    const { password, code } = request.body
    if (password !== 'correct horse' && code !== '123 456') {
      return reply.code(403).send(refusal('wrong_password', 'No.'))
    }
    state.asksAgain = false
    return reply.code(204).send()
  })
  app.post(`${api}/password`, async (request: FastifyRequest<{ Body: Row }>, reply) => {
    if (request.body.password !== 'correct horse') return reply.code(403).send(refusal('wrong_password', 'No.'))
    return reply.code(204).send()
  })
  app.get(`${api}/backups`, async () => ({
    isOwn: true,
    last: { at: at(), bytes: 4_194_304 },
    isOld: false,
    nightly: null,
  }))
  app.get(`${api}/doctor`, async () => ({
    level: 'attention',
    examinedAt: at(),
    rows: [
      { id: 'service', title: 'Service', level: 'fine', says: 'ready', remedy: null },
      { id: 'backup', title: 'Backup', level: 'attention', says: 'no backup has been made yet', remedy: 'make one' },
    ],
  }))
  app.get(`${api}/clock`, async () => ({ now: new Date(now).toISOString(), believed: false, measuredBy: null }))
  app.get(`${api}/passkeys`, async ({ headers }) => ({
    items: [
      {
        ...{ id: 'a1', name: 'iPhone', addedAt: at(), usedAt: at(), synced: true },
        ...{ host: 'sos.example.org', usable: true },
      },
      {
        ...{ id: 'b2', name: 'Security key in the drawer', addedAt: at(), usedAt: null, synced: false },
        ...{ host: 'old.example.org', usable: false },
      },
    ],
    origin: `http://${headers.host}`,
    why: null,
  }))
  app.get(`${api}/push`, async () => ({ publicKey: 'BDd3', subscription: null }))
  app.get(`${api}/recovery-codes`, async () => ({ left: 2 }))
  app.post(`${api}/recovery-codes`, async () => ({
    recoveryCodes: Array.from({ length: 8 }, (_, n) => `ABCD-${1000 + n}-EFGH-IJKL`),
  }))
  app.post(`${api}/session/first/look`, async () => ({
    login: 'eva',
    name: 'Eva Night',
    totpSecret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    otpauthUri: 'otpauth://totp/Tocsin:eva?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Tocsin',
    expiresAt: new Date(now + 3_600_000).toISOString(),
  }))
  app.post(`${api}/session/first`, async () => {
    state.signedIn = true
    return { ...me(), recoveryCodes: Array.from({ length: 8 }, (_, n) => `abcd-${1000 + n}-efgh`) }
  })
  let looks = 0
  app.post(`${api}/session/setup/look`, async (request: FastifyRequest<{ Body: Row }>, reply) => {
    if (state.isSetUp) return reply.code(404).send(refusal('setup_not_found', 'Used.'))
    looks += 1
    const { login = 'admin' } = request.body
    const totpSecret = `${'ABCDEFGH'[looks]}BSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP`
    const otpauthUri = `otpauth://totp/Tocsin:${login}?secret=${totpSecret}&issuer=Tocsin`
    return { login, totpSecret, otpauthUri, expiresAt: new Date(now + 86_400_000).toISOString() }
  })
  app.post(`${api}/session/setup`, async (request: FastifyRequest<{ Body: Row }>, reply) => {
    if (state.isSetUp) return reply.code(404).send(refusal('setup_not_found', 'Used.'))
    if (request.body.code !== '123456') return reply.code(400).send(refusal('wrong_code', 'Wrong.'))
    state.changes.push(request.body)
    state.isSetUp = true
    state.signedIn = true
    return { ...me(), recoveryCodes: Array.from({ length: 8 }, (_, n) => `ABCD-${1000 + n}-EFGH-IJKL`) }
  })
  const heartbeat = (): string => `event: heartbeat\ndata: ${JSON.stringify({ at: at() })}\n\n`
  const beats = setInterval(() => {
    for (const stream of streams) stream.write(heartbeat())
  }, 10_000)
  app.addHook('onClose', async () => clearInterval(beats))
  app.get(`${api}/events`, (request, reply: FastifyReply) => {
    if (state.captive) return reply.type('text/html').send('<p>Welcome to the Wi-Fi of the hut</p>')
    reply.hijack()
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream', date: new Date(now).toUTCString() })
    reply.raw.write(heartbeat())
    streams.add(reply.raw)
    request.raw.once('close', () => streams.delete(reply.raw))
  })
  app.get(`${api}/incidents`, async (request: FastifyRequest<{ Querystring: Record<string, string> }>) => {
    const { state: asked, limit = '50', cursor = '0', text = '', drills } = request.query
    const items = [...cases.values()]
      .map(({ incident }) => incident)
      .filter((item) => isDrill(item) === (drills === 'true'))
      .filter(({ closedAt }) => asked !== 'open' || closedAt === null)
      .filter(({ person }) => person.name?.includes(text))
    const from = Number(cursor)
    const to = from + Number(limit)
    return {
      items: items.slice(from, to),
      nextCursor: to < items.length ? String(to) : null,
      hasMore: to < items.length,
    }
  })
  app.get(
    `${api}/incidents/:id`,
    async (request: FastifyRequest<{ Params: { id: string } }>, reply) =>
      cases.get(request.params.id) ?? reply.code(404).send(refusal('incident_not_found', 'Gone.')),
  )
  const at = () => new Date(now).toISOString()
  app.post(`${api}/incidents/:id/card`, async (request: FastifyRequest<{ Params: { id: string } }>) => {
    state.changes.push(['card', { id: request.params.id }])
    const said = { peopleWithMe: null, vehicle: null, note: 'Insulin in the red bag' }
    return { languages: ['de'], hearing: 'deaf', yearOfBirth: 1961, ...said, updatedAt: at() }
  })
  const verbs: Readonly<Record<string, (id: string, body: Row) => Case>> = {
    take: (id) =>
      change(
        id,
        {
          urgency: 4,
          status: 'acknowledged',
          answer: { by: { kind: 'operator', name: 'Eva Night' }, kind: 'acknowledged', at: at(), overdue: false },
          takenBy: { operatorId: idOf(7000), name: 'Eva Night', at: at() },
        },
        { mayUndoTakeUntil: new Date(now + 60_000).toISOString() },
      ),
    'take-over': (id, { from }) => {
      const { name = null } = cases.get(id)!.incident.takenBy ?? {}
      const operatorId = from === null ? null : String(from)
      return change(id, {
        answer: { by: { kind: 'operator', name: 'Eva Night' }, kind: 'acknowledged', at: at(), overdue: false },
        takenBy: { operatorId: idOf(7000), name: 'Eva Night', at: at(), from: { operatorId, name } },
      })
    },
    major(id, { id: majorId, from, assignedTo, head }) {
      const { major: before } = cases.get(id)!.incident
      if (majorId === null) {
        const { major: _, ...incident } = cases.get(id)!.incident
        put({ ...cases.get(id)!, incident })
        return change(id, {})
      }
      const named = cases.get(String(majorId))!.incident
      const kept = before?.id === majorId || before?.id === from ? before : undefined
      const team = assignedTo === undefined ? kept?.assignedTo : (assignedTo ?? undefined)
      const states = { safe: 'safe', handed_over: 'handed_over' } as const
      const counted =
        head === undefined ? kept?.head : head && { state: states[head as 'safe'], at: at(), name: 'Eva Night' }
      const major = {
        ...{ id: String(majorId), startedAt: named.pressedAt },
        ...(team !== undefined && { assignedTo: String(team) }),
        ...(counted && { head: counted }),
      }
      return change(id, { major })
    },
    seen: (id) => change(id, { new: false, news: undefined }),
    untake: (id) => change(id, { urgency: 1, status: 'active', answer: null }, { mayUndoTakeUntil: null }),
    resolve: (id, remark) =>
      change(
        id,
        {
          urgency: 5,
          status: 'resolved',
          closedAt: at(),
          closing: { kind: 'resolved', by: 'operator', name: 'Eva Night', at: at(), confirmed: true, ...remark },
        },
        { next: [] },
      ),
    'major/resolve': (id, remark) => verbs.resolve!(id, remark),
    notes(id, { id: key, text, writtenAt }) {
      const { notes } = cases.get(id)!
      // Sent again, it is the same.
      if (notes.some((note) => note.id === key)) return cases.get(id)!
      const note = { id: String(key), at: String(writtenAt ?? at()), by: 'Eva Night', text: String(text) }
      return change(id, {}, { notes: [...notes, note] })
    },
    messages(id, { id: key, text, to }) {
      const { talk } = cases.get(id)!
      state.said.push(String(key))
      // Sent again, it is the same.
      if (state.said.indexOf(String(key)) < state.said.length - 1) return cases.get(id)!
      const from = { kind: 'operator', contactId: null, name: 'Eva Night', phone: null, channel: 'console' } as const
      const shown = to === 'desk' ? 'desk' : 'all'
      const line = {
        n: talk.items.length + 1,
        at: at(),
        from,
        text: String(text),
        quickReply: null,
        to: shown,
      } as const
      return change(id, {}, { talk: { ...talk, items: [...talk.items, line] } })
    },
    resend: (id) => change(id, {}),
    resume: (id) => change(id, { held: false }),
    // What was put off is the next alarm in the list.
    'alarm-now': (id) => {
      const { putOff: _, ...ended } = cases.get(id)!.incident
      put({ ...cases.get(id)!, incident: ended })
      return change(idOf(2), {})
    },
    'called-back': (id) => change(id, { toCallBack: 0 }),
  }
  for (const [verb, act] of Object.entries(verbs)) {
    app.post(`${api}/incidents/:id/${verb}`, async (request: FastifyRequest<{ Params: { id: string }; Body: Row }>) => {
      if (verb !== 'seen') state.acts.push(`${verb} ${request.url.split('?')[1] ?? ''}`.trim())
      return act(request.params.id, request.body ?? {})
    })
  }
  app.get(`${api}/major-incidents/:id`, async (request: FastifyRequest<{ Params: { id: string } }>, reply) => {
    const { id } = request.params
    const items = [...cases.values()].map(({ incident }) => incident).filter(({ major }) => major?.id === id)
    if (items.length === 0) return reply.code(404).send(refusal('major_not_found', 'Gone.'))
    return { id, startedAt: items[0]!.major!.startedAt, count: headCount(items), items }
  })
  addOnCall(app, api, state)
  app.get(`${api}/shift`, async () => state.shift)
  for (const path of ['hand-over', 'hand-over/accept', 'hand-over/decline', 'note', 'note/confirm']) {
    app.post(`${api}/shift/${path}`, async ({ body }, reply) => {
      state.changes.push([`shift/${path}`, body])
      state.shift = { ...state.shift, handOvers: [], notes: [] }
      return /accept|decline/.test(path) ? { taken: 1, left: 0 } : reply.code(204).send()
    })
  }
  app.delete(`${api}/shift/hand-over`, async (_, reply) => {
    state.changes.push(['shift/hand-over', null])
    state.shift = { ...state.shift, handOvers: [] }
    return reply.code(204).send()
  })
  for (const end of ['', '/end']) {
    app.post(`${api}/drills${end}`, async ({ body }, reply) => {
      state.changes.push([`drills${end}`, body])
      const who = { userId: idOf(9000), externalUserId: 'user-0', incidentId: idOf(50) }
      if (end !== '') return { ended: [who] }
      if (state.conflict !== null) return reply.code(409).send(refusal('too_many_users', state.conflict))
      const isAgain = state.changes.length > 1
      return reply
        .code(201)
        .send({ started: isAgain ? [] : [who], passedOver: isAgain ? [{ ...who, reason: 'drilled_lately' }] : [] })
    })
  }
  app.get(`${api}/drills`, async ({ query }: FastifyRequest<{ Querystring: { readonly user?: string } }>) => {
    const before = reportOf(new Date(now - 3_600_000).toISOString())
    const reports = [
      before,
      { ...before, userId: idOf(9000), externalUserId: 'user-0', toContacts: false, firstAnswerSeconds: 95, failed: 0 },
    ]
    return listed(reports.filter(({ externalUserId }) => query.user === undefined || query.user === externalUserId))
  })
  for (const [path, items] of Object.entries(estateOf(now)))
    app.get(`${api}/${path}`, async () => (Array.isArray(items) ? listed(items) : items))

  const tokens = new Map(['Wall screen', 'Night script'].map((name, n) => [idOf(7001 + n), name]))
  app.get(`${api}/tokens`, async () => ({
    items: [...tokens].map(([id, name]) => ({ id, name, role: 'viewer', applications: null, expiresAt: at() })),
  }))
  app.delete(`${api}/tokens/:id`, async (request: FastifyRequest<{ Params: { id: string } }>, reply) => {
    tokens.delete(request.params.id)
    state.changes.push(['token revoked', request.params.id])
    return reply.code(204).send()
  })
  serveTrackers(app, state, now)
  servePeople(app, state, estateOf(now)[`users/${idOf(9000)}`] as Row)
  serveSetup(app, state, now)
  serveInvitations(app, state, now)

  for (const [method, path] of [
    ['PATCH', ''],
    ['PUT', '/actuators/:type'],
    ['DELETE', '/actuators/:type'],
    ['DELETE', '/secrets/older'],
  ] as const) {
    app.route({
      method,
      url: `${api}/applications/:id${path}`,
      async handler({ url, body }, reply) {
        state.changes.push([method, url.slice(`${api}/applications/${APP_ID}`.length), body ?? null])
        if ((body as { mapLink?: string } | null)?.mapLink?.startsWith('http:')) {
          const fields = [{ field: 'mapLink', message: 'must be an https address' }]
          return reply.code(400).send({ error: { ...refusal('bad_fields', 'Invalid.').error, fields } })
        }
        return url.endsWith('/secrets/older') ? reply.code(409).send(refusal('only_one_secret', 'One.')) : {}
      },
    })
  }
  const done = (steps: Partial<FirstSteps>): void => {
    const { application, contact, test, maySimulate } = Object.assign(state.steps, steps)
    state.steps.done = application !== null && contact !== null && test !== null && !maySimulate
  }
  app.get(`${api}/first-steps`, async () => state.steps)
  app.post(`${api}/applications`, async ({ body }, reply) => {
    const { name } = body as { name: string }
    done({ application: { applicationId: APP_ID, name } })
    return reply.code(201).send({ applicationId: APP_ID, name, secret: 'shown-once' })
  })
  app.post(`${api}/applications/:id/contacts`, async ({ body }, reply) => {
    const { name, externalUserId, phone } = body as { name: string; externalUserId: string; phone: string }
    if (phone.startsWith('+1')) return reply.code(400).send(refusal('phone_not_allowed', 'Not there.'))
    done({ contact: { name, externalUserId } })
    return reply.code(201).send({})
  })
  app.post(`${api}/applications/:id/test`, async ({ body }) => {
    const { channel } = body as { channel: string }
    if (channel !== 'sms')
      return { channel, status: 'failed', provider: null, error: 'connection refused', warnings: [] }
    done({ test: { at: at() } })
    return { channel, status: 'sent', provider: 'outbox', error: null, warnings: [] }
  })
  app.post(`${api}/simulate`, async (request, reply) => {
    state.changes.push(['simulate', { ...(request.query as object) }])
    done({ simulated: true })
    const item = itemOf(6, now, { drill: true, simulated: true, applicationName: 'Simulation' })
    put(caseOf(item))
    tell('incident', item)
    return reply.code(201).send({ incidentId: item.incidentId })
  })
  app.post(`${api}/applications/:id/texts/preview`, async (request: FastifyRequest<{ Body: Row }>) => ({
    text: String(request.body.text).replace('{name}', 'Mia Gruber'),
    segments: 1,
    encoding: 'GSM-7',
    warnings: [],
  }))

  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/console`,
    state,
    cases,
    tell,
    change,
    add: (item: Item): void => {
      put(caseOf(item))
      tellOf(item)
    },
    /** Telemetry: a newer position, without an event and without another version. */
    moves: (id: string, to: Partial<Position>): void => {
      const { incident, ...rest } = cases.get(id)!
      const position = { ...incident.position!, ...to }
      put({ ...rest, incident: { ...incident, position }, trail: [...rest.trail, position] })
    },
    /** Ends every stream, as when the network breaks. */
    cut: (): void => {
      for (const stream of streams) stream.destroy()
    },
    close: () => app.close(),
  }
}
