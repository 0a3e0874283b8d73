import type { TestContext } from 'node:test'
import type { FastifyInstance } from 'fastify'
import type { HttpNeeds } from '../../../../../src/adapters/inbound/http/app.ts'
import { createApp } from '../../../../../src/adapters/inbound/http/app.ts'
import type { OperatorNeeds } from '../../../../../src/adapters/inbound/http/operator/routes.ts'
import type { OperatorCaller } from '../../../../../src/app/operator/callers.ts'
import { IncidentChanges } from '../../../../../src/app/operator/incident-changes.ts'
import type { OperatorOnCall } from '../../../../../src/app/operator/on-call.ts'
import type { Role } from '../../../../../src/core/operator/role.ts'
import { DAY } from '../../../../../src/lib/durations.ts'
import { type Call, NOW, standIn } from '../stand-in.ts'

/** The application that some of them work for, and another one. */
export const HUT = '0a000000-0000-7000-8000-00000000000a'
export const LIFT = '0b000000-0000-7000-8000-00000000000b'

/** Who asks, by the name under which a test has them ask. `hut…`: works for the application HUT alone. */
const people = {
  viewer: ['viewer', null],
  operator: ['operator', null],
  admin: ['admin', null],
  hutViewer: ['viewer', [HUT]],
  hutOperator: ['operator', [HUT]],
  hutAdmin: ['admin', [HUT]],
} as const satisfies Record<string, readonly [Role, readonly string[] | null]>

export type Person = keyof typeof people
const names = Object.keys(people) as readonly Person[]

const idOf = (person: Person): string => `0197f6a0-1c2d-7e3f-8a4b-00000000000${names.indexOf(person)}`
export const secretOf = (person: Person): string => person.padEnd(43, 'x')

export const callerCalled = (person: Person, kind: 'cookie' | 'token'): OperatorCaller => {
  const [role, applications] = people[person]
  const id = idOf(person)
  const expiresAt = NOW + DAY
  const session = { id: `session of ${person}`, operatorId: id, createdAt: NOW, seenAt: NOW, expiresAt, provedAt: NOW }
  return {
    actor: { kind: kind === 'cookie' ? 'operator' : 'token', id, name: person },
    grant: { role, applications },
    login: kind === 'cookie' ? person : null,
    session: kind === 'cookie' ? { ...session, address: '127.0.0.1', browser: 'Firefox' } : null,
    expiresAt,
  }
}

const REFUSED = { refused: 'sign_in_refused' } as const
const NO_SETUP = { refused: 'setup_not_found' } as const
const NO_INVITATION = { refused: 'invitation_not_found' } as const

const NO_INCIDENT = { refused: 'incident_not_found' } as const

/** No incidents at all. */
function noIncidents(calls: Call[]): OperatorNeeds['incidents'] {
  const none = async (use: string, ...args: readonly unknown[]) => {
    calls.push({ use, args })
    return NO_INCIDENT
  }
  return {
    maxBoard: 1_000,
    async list(...args) {
      calls.push({ use: 'list', args })
      return { items: [], after: null }
    },
    noteList: () => undefined,
    async *table(...args) {
      calls.push({ use: 'table', args })
      yield []
    },
    one: (...args) => none('one', ...args),
    ahead: (...args) => none('ahead', ...args),
    report: (...args) => none('report', ...args),
    card: (...args) => none('card', ...args),
    seen: (...args) => none('seen', ...args),
    say: (...args) => none('say', ...args),
    major: (...args) => none('major', ...args),
    async majorIncident(...args) {
      calls.push({ use: 'majorIncident', args })
      return { refused: 'major_not_found' }
    },
    async majorPeople(...args) {
      calls.push({ use: 'majorPeople', args })
      return { refused: 'major_not_found' }
    },
    take: (...args) => none('take', ...args),
    untake: (...args) => none('untake', ...args),
    takeOver: (...args) => none('takeOver', ...args),
    resolve: (...args) => none('resolve', ...args),
    resume: (...args) => none('resume', ...args),
    alarmNow: (...args) => none('alarmNow', ...args),
    resend: (...args) => none('resend', ...args),
    showPosition: (...args) => none('showPosition', ...args),
    addNote: (...args) => none('addNote', ...args),
    tickCalledBack: (...args) => none('tickCalledBack', ...args),
  }
}

/** What is behind the operator API: everybody in `people` is signed in, nothing else is there. */
export function operatorStandIn(calls: Call[] = []): OperatorNeeds {
  const ended = async (use: string, ...args: readonly unknown[]) => {
    calls.push({ use, args })
    return { ended: true } as const
  }
  const known: Partial<OperatorNeeds> = {
    callers: {
      now: () => NOW,
      async of({ kind, secret }, options) {
        calls.push({ use: 'of', args: [kind, options] })
        const bare = kind === 'token' ? secret.slice('tocsin_'.length) : secret
        const person = names.find((name) => secretOf(name) === bare)
        return person === undefined ? null : callerCalled(person, kind)
      },
      endEarlier: async (...args) => void (await ended('endEarlier', ...args)),
      sessions: async () => [],
      endSession: (...args) => ended('endSession', ...args),
    },
    signIn: async () => REFUSED,
    incidents: noIncidents(calls),
    drills: {
      start: async () => ({ refused: 'user_not_found' }),
      end: async () => [],
      reports: async () => [],
      userReports: async () => [],
      report: async () => null,
    },
    shift: {
      view: async () => ({ onShift: [], handOvers: [], notes: [] }),
      offer: async () => ({ refused: 'not_on_shift' }),
      answer: async () => ({ refused: 'offer_over' }),
      withdraw: async () => ({ refused: 'offer_over' }),
      keepNote: async () => ({ refused: 'not_on_shift' }),
      confirmNote: async () => ({ refused: 'shift_note_not_found' }),
    },
    onCall: async () => noOnCall,
    noteWatched: () => {},
    firstSignIn: { offer: async () => NO_INVITATION, accept: async () => NO_INVITATION },
    firstAdministrator: { offer: async () => NO_SETUP, accept: async () => NO_SETUP },
    changePassword: async () => ({ refused: 'wrong_password' }),
    account: {
      prove: async () => ({ refused: 'wrong_password' }),
      recoveryCodesLeft: async () => ({ refused: 'not_for_tokens' }),
      renewRecoveryCodes: async () => ({ refused: 'not_for_tokens' }),
    },
    manage: {
      operators: async () => [],
      add: async () => ({ refused: 'login_taken' }),
      invite: async () => ({ refused: 'operator_not_found' }),
      resetPasskeys: async () => ({ refused: 'operator_not_found' }),
      update: async () => ({ refused: 'last_admin' }),
      tokens: async () => [],
      addToken: async () => ({ refused: 'token_end', latest: NOW }),
      revokeToken: async () => ({ refused: 'token_not_found' }),
      audit: async () => ({ items: [], after: null }),
    },
    changes: new IncidentChanges({
      ids: { secret: () => 'era' },
      read: async () => null,
      log: { info() {}, warn() {}, error() {} },
    }),
    noteLook: (look) => void calls.push({ use: 'noteLook', args: [look] }),
    publicUrl: () => 'https://sos.example.org',
    trackerMqtt: () => ({ host: 'sos.example.org', port: 8883 }),
    siteName: () => 'sos.example.org',
    schema: 1,
    node: null,
  }
  // Tests of the other routes bring what these need.
  return known as OperatorNeeds
}

/** As a browser sends it: with the cookie, and from the console's own page. */
export const withCookie = (person: Person) => ({
  cookie: `__Host-tocsin=${secretOf(person)}`,
  origin: 'https://sos.example.org',
  'x-tocsin-console': '1',
})
export const withToken = (person: Person) => ({ authorization: `Bearer tocsin_${secretOf(person)}` })

export type ApiAnswer = { readonly status: number; readonly headers: Record<string, unknown>; readonly json: any }
type Asked = { readonly headers?: Record<string, string>; readonly body?: unknown; readonly text?: string }

/** The operator API without a listener. `as` asks with an API token of that person, under `/v1/operator`. */
export async function operatorApi(
  t: TestContext,
  overrides: { readonly operator?: Partial<OperatorNeeds>; readonly http?: Partial<HttpNeeds> } = {},
) {
  const site = standIn()
  const operator = { ...operatorStandIn(site.calls), ...overrides.operator }
  const app: FastifyInstance = await createApp({ ...site.parts, operator, ...overrides.http })
  t.after(() => app.close())
  const ask = async (method: string, path: string, { headers = {}, body, text }: Asked = {}): Promise<ApiAnswer> => {
    const response = await app.inject({
      method: method as 'GET',
      url: path.startsWith('/v1/') ? path : `/v1/operator${path}`,
      headers: {
        host: 'sos.example.org',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...((body ?? text) !== undefined && { payload: text ?? JSON.stringify(body) }),
    })
    const isJson = String(response.headers['content-type'] ?? '').startsWith('application/json')
    const json = isJson && response.body !== '' ? response.json() : null
    return { status: response.statusCode, headers: response.headers as Record<string, unknown>, json }
  }
  /** A page or a file. */
  const text = async (person: Person, path: string) => {
    const { body, headers } = await app.inject({ url: `/v1/operator${path}`, headers: withToken(person) })
    return { body, headers: headers as Record<string, unknown> }
  }
  return {
    ...site,
    ask,
    text,
    as: (person: Person, method: string, path: string, asked: Asked = {}) =>
      ask(method, path, { ...asked, headers: { ...withToken(person), ...asked.headers } }),
  }
}

const NOBODY_ON_CALL = { refused: 'on_call_person_not_found' } as const
const NO_OVERRIDE = { refused: 'override_not_found' } as const

const noOnCall: OperatorOnCall = {
  view: async () => ({
    list: null,
    now: { personId: null, name: null, until: null },
    duties: [],
    ownPersonId: null,
    findings: [],
  }),
  set: async () => ({ refused: 'on_call_changed' }),
  override: async () => NOBODY_ON_CALL,
  take: async () => NOBODY_ON_CALL,
  remove: async () => NO_OVERRIDE,
  giveBack: async () => NO_OVERRIDE,
  confirm: async () => ({ refused: 'on_call_changed' }),
  told: async () => {},
}
