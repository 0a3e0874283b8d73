import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Row, SetupNews, SetupSetting, SiteSetup } from '../../console/api/types.ts'
import { onlyInFile } from '../../src/config/only-in-file.ts'
import { APP_ID, idOf } from '../console/items.ts'

const API = '/v1/operator'

/** Section, whether it is guarded, secret, and what it is by default, of each key. */
const KEYS: Readonly<Record<string, readonly [section: string, guarded: boolean, secret: boolean, value: unknown]>> = {
  publicUrl: ['address', true, false, null],
  'acme.enabled': ['certificate', true, false, false],
  'acme.directory': ['certificate', true, false, 'https://acme-v02.api.letsencrypt.org/directory'],
  'acme.email': ['certificate', true, false, null],
  'acme.domains': ['certificate', true, false, null],
  'http.acmePort': ['certificate', true, false, 'off'],
  'tls.pem': ['certificate', true, true, null],
  'tls.names': ['certificate', true, false, null],
  timeZone: ['time', false, false, null],
  'notifications.providers': ['messages', true, false, ['outbox']],
  'notifications.lanHosts': ['lan', true, false, []],
  'map.tileUrl': ['map', true, false, null],
  'map.attribution': ['map', true, false, null],
  'map.basemap': ['map', true, false, null],
  'map.overlays': ['map', true, false, []],
  'lorawan.profiles': ['trackers', true, false, {}],
  'tracking.emergencyNumbers': ['emergency', true, false, {}],
  'lorawan.servers': ['lorawan', true, true, {}],
  'twilio.accountSid': ['provider/twilio', true, false, null],
  'twilio.authToken': ['provider/twilio', true, true, null],
  'twilio.from': ['provider/twilio', true, false, null],
  'twilio.messagingServiceSid': ['provider/twilio', true, false, null],
  'twilio.receipts': ['provider/twilio', true, false, null],
  'twilio.smsPerSecond': ['provider/twilio', true, false, 1],
  'twilio.callsPerSecond': ['provider/twilio', true, false, 1],
  'twilio.pollSeconds': ['provider/twilio', true, false, 5],
  'twilio.validitySeconds': ['provider/twilio', true, false, 600],
  'gateway.url': ['provider/http', true, true, null],
  'gateway.headers': ['provider/http', true, true, null],
  'gateway.template': ['provider/http', true, true, null],
  'gateway.channels': ['provider/http', true, false, null],
  'modem.spool': ['provider/modem', true, false, null],
  'modem.smsPerMinute': ['provider/modem', true, false, 20],
  'modem.timeoutSeconds': ['provider/modem', true, false, 60],
  'modem.answers': ['provider/modem', true, false, true],
}

const refusal = (reason: string, rest: Row = {}) => ({ error: { code: 'E_OPERATOR', reason, message: 'No.', ...rest } })
const badField = (field: string, message: string) =>
  refusal('bad_fields', { message: 'Invalid.', fields: [{ field, message }] })

/** A site that is set up in part: a gateway that was set up in the console, and `written` in the file. */
export function exampleSetup(now: number, written: Readonly<Record<string, unknown>> = {}): SiteSetup {
  const at = new Date(now - 3_600_000).toISOString()
  const stored: Readonly<Record<string, unknown>> = {
    'notifications.providers': ['http'],
    'gateway.url': 'kept',
    'gateway.headers': 'kept',
    'lorawan.servers': {
      valley: { type: 'chirpstack', application: APP_ID, token: '[secret]', profile: 'tocsin-12', mqtt: null },
    },
  }
  const settings = Object.entries(KEYS).map(([key, [section, guarded, secret, value]]): SetupSetting => {
    const isWritten = Object.hasOwn(written, key)
    const isStored = !isWritten && Object.hasOwn(stored, key)
    const given = isWritten ? written[key] : isStored ? stored[key] : value
    return {
      ...{ key, section, guarded, secret, problem: null },
      source: isWritten ? 'file' : isStored ? 'console' : 'default',
      value: secret && typeof given !== 'object' ? null : given,
      set: isWritten || isStored,
      overridden: isWritten && Object.hasOwn(stored, key),
      changedAt: isStored ? at : null,
      changedBy: isStored ? 'Ivo Early' : null,
    }
  })
  return {
    settings,
    providers: ['twilio', 'http', 'modem'].map((provider) => ({
      provider,
      place: provider === 'http' ? 1 : null,
      problem: null,
    })),
    changes: [
      {
        ...{ id: idOf(600), at, author: 'Ivo Early', section: 'provider/http', canUndo: true },
        keys: ['gateway.url', 'gateway.headers', 'notifications.providers'],
      },
      { id: idOf(601), at, author: 'Eva Night', section: 'time', keys: ['timeZone'], canUndo: false },
    ],
    certificate: {
      source: 'local',
      names: ['hut.local', '192.168.4.20'],
      validTo: new Date(now + 300 * 86_400_000).toISOString(),
      concerns: [],
    },
    mapFiles: ['alps.pmtiles', 'dolomites.pmtiles'],
    overlayFiles: ['huts.geojson'],
    onlyInFile,
    keyTrouble: null,
  }
}

type State = {
  readonly changes: unknown[]
  setup: SiteSetup
  readonly setupNews: readonly SetupNews[]
  testError: string | null
}
type Request = FastifyRequest<{ Body: { values: Row; proof?: { password: string; code: string } } & Row }>

/** The setup of the site: the password is `correct horse`, the code of the app 123456, that of the text 1234 5678. */
export function serveSetup(app: FastifyInstance, state: State, now: number): void {
  const set = (section: string, values: Row): SiteSetup => {
    const settings = state.setup.settings.map((setting): SetupSetting => {
      if (!Object.hasOwn(values, setting.key)) return setting
      const value = values[setting.key]
      const isGone = value === null
      return {
        ...setting,
        value: setting.secret && typeof value !== 'object' ? null : isGone ? KEYS[setting.key]![3] : value,
        source: isGone ? 'default' : 'console',
        set: !isGone,
        changedAt: isGone ? null : new Date(now).toISOString(),
        changedBy: isGone ? null : 'Eva Night',
      }
    })
    const id = idOf(700 + state.changes.length)
    const change = {
      id,
      at: new Date(now).toISOString(),
      author: 'Eva Night',
      section,
      keys: Object.keys(values),
      canUndo: true,
    }
    state.setup = { ...state.setup, settings, changes: [change, ...state.setup.changes] }
    return state.setup
  }
  const unproved = ({ body: { proof } }: Request, reply: FastifyReply, keys: readonly string[]) => {
    if (!keys.some((key) => KEYS[key]?.[1])) return null
    if (proof === undefined) return reply.code(403).send(refusal('proofs_needed'))
    if (proof.password !== 'correct horse') return reply.code(403).send(refusal('wrong_password'))
    return proof.code === '123456' ? null : reply.code(400).send(refusal('wrong_code'))
  }
  const hasCa = (): boolean => state.setup.settings.some(({ key, value }) => key === 'acme.enabled' && value === true)
  app.get(`${API}/setup`, async () => {
    const { certificate } = state.setup
    if (hasCa() && certificate !== null) {
      state.setup = { ...state.setup, certificate: { ...certificate, source: 'acme', names: ['sos.example.org'] } }
    }
    return state.setup
  })
  app.get(`${API}/setup/news`, async () => ({ changes: state.setupNews }))
  app.put(`${API}/setup/:section`, async (request: Request, reply) => {
    const { values } = request.body
    if (String(values['map.tileUrl'] ?? 'https:').startsWith('http:'))
      return reply.code(400).send(badField('map.tileUrl', 'must be an https address with {z}, {x} and {y}'))
    if (String(values.publicUrl ?? 'https:').includes('#'))
      return reply.code(400).send(badField('publicUrl', 'must be an address without user, query or fragment'))
    const refused = unproved(request, reply, Object.keys(values))
    if (refused !== null) return refused
    const address = state.setup.settings.find(({ key }) => key === 'publicUrl')?.value
    if (values['acme.enabled'] === true && address === null)
      return reply.code(400).send(badField('publicUrl', 'is required with acme.enabled, or acme.domains'))
    state.changes.push(['setup', values])
    const { section } = request.params as { section: string }
    return set(section, values)
  })
  app.post(`${API}/setup/providers/:provider/test`, async (request: Request, reply) => {
    const { values, to, channel } = request.body
    if (String(values['twilio.accountSid'] ?? 'AC').startsWith('SK'))
      return reply.code(400).send(badField('twilio.accountSid', 'must begin with AC'))
    const refused = unproved(request, reply, ['notifications.providers'])
    if (refused !== null) return refused
    if (state.testError !== null) return reply.code(409).send(refusal('test_failed', { error: state.testError }))
    state.changes.push([channel === 'voice' ? 'setup call' : 'setup test', values, to])
    return { ticket: 'tocsin1:ticket', validUntil: new Date(now + 1_800_000).toISOString() }
  })
  app.post(`${API}/setup/providers/:provider/confirm`, async (request: Request, reply) => {
    const { values, code, call } = request.body
    const codes = [code, ...(call === undefined ? [] : [(call as Row).code])]
    if (codes.some((one) => String(one).replace(/\D/g, '') !== '12345678'))
      return reply.code(400).send(refusal('wrong_test_code'))
    const refused = unproved(request, reply, ['notifications.providers'])
    if (refused !== null) return refused
    const { provider } = request.params as { provider: string }
    const places = [provider, ...state.setup.providers.filter(({ place }) => place !== null).map((one) => one.provider)]
    state.setup = {
      ...state.setup,
      providers: state.setup.providers.map((one) => {
        const place = [...new Set(places)].indexOf(one.provider) + 1
        return { ...one, place: place === 0 ? null : place }
      }),
    }
    return set(`provider/${provider}`, { ...values, 'notifications.providers': [...new Set(places)] })
  })
  app.post(`${API}/setup/providers/:provider/remove`, async (request: Request, reply) => {
    const refused = unproved(request, reply, ['notifications.providers'])
    if (refused !== null) return refused
    const { provider } = request.params as { provider: string }
    const left = state.setup.providers
      .filter((one) => one.place !== null && one.provider !== provider)
      .map((one) => one.provider)
    state.setup = {
      ...state.setup,
      providers: state.setup.providers.map((one) => {
        const place = left.indexOf(one.provider) + 1
        return { ...one, place: place === 0 ? null : place }
      }),
    }
    return set(`provider/${provider}`, { 'notifications.providers': left })
  })
  app.post(`${API}/setup/undo`, async (request: Request, reply) => {
    const change = state.setup.changes.find(({ id }) => id === request.body.change)
    if (change === undefined) return reply.code(404).send(refusal('change_not_found'))
    const refused = unproved(request, reply, change.keys)
    if (refused !== null) return refused
    state.changes.push(['undo', change.id])
    state.setup = { ...state.setup, changes: state.setup.changes.map((one) => ({ ...one, canUndo: false })) }
    return state.setup
  })
}
