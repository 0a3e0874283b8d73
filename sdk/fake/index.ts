import type { TocsinOptions } from '../src/index.ts'
import type { Card } from '../src/wire/account.ts'
import type { Alert } from '../src/wire/alert.ts'
import type { IncidentNews, IncidentStatus } from '../src/wire/incident.ts'
import type { QuickReply, SosMessage } from '../src/wire/message.ts'
import type { News } from '../src/wire/news.ts'

type Contact = NonNullable<NonNullable<IncidentNews['actuators']>['items'][number]['contacts']>[number]
type Incident = IncidentNews & { readonly creationTelemetry: Alert }

const APP_ID = '0190aaaa-0000-7000-8000-000000000001'
const USER_ID = '0190aaaa-0000-7000-8000-000000000002'
const NO_CARD: Card = {
  languages: [],
  hearing: null,
  ...{ yearOfBirth: null, peopleWithMe: null, vehicle: null, note: null },
  contactIds: [],
  updatedAt: null,
}
const idOf = (number: number): string => `0190bbbb-0000-7000-8000-${String(number).padStart(12, '0')}`

/**
 * A service in memory for the tests of an app: the same states, and a test says what people do.
 *
 *     const service = new FakeService({ contacts: ['Ana', 'Ben'] })
 *     const tocsin = new Tocsin(service.options)
 *     const alarm = await tocsin.sos.press()
 *     service.alertsContacts()
 *     service.answers('Ana', 'coming', 10)
 *
 * It knows the user's own alarms with their messages, profile, card and contacts; it neither checks fields nor sends
 * anything.
 */
export class FakeService {
  /** For `new Tocsin(…)`; a test may replace some: `{ ...service.options, position: … }`. */
  readonly options: TocsinOptions
  /** Every alert and position that came, repeats included. */
  readonly alerts: Alert[] = []
  readonly positions: Alert[] = []
  /** Every incident, the open one included, oldest first. */
  readonly incidents: Incident[] = []
  /** Requests come through and are carried out; their answers are lost. */
  losesAnswers = false
  /** False: an earlier service, which apps poll. */
  hasStream = true
  /** The presses look like a stuck button until then. */
  putOff: string | null = null
  /** Messages of the open alarm, oldest first. */
  readonly messages: SosMessage[] = []
  /** The person's card. */
  card: Card = NO_CARD
  #isOffline = false
  #desk: readonly string[] = []
  readonly #names: readonly string[]
  readonly #opened = new Map<string, string>()
  readonly #endedBefore = new Set<string>()
  readonly #said = new Map<string, SosMessage>()
  readonly #streams = new Set<ReadableStreamDefaultController<Uint8Array>>()
  readonly #next: { readonly status: number; readonly body: unknown; readonly headers: Record<string, string> }[] = []

  constructor({ contacts = ['Ana', 'Ben'] }: { readonly contacts?: readonly string[] } = {}) {
    this.#names = contacts
    this.options = {
      url: 'https://fake.invalid',
      appId: APP_ID,
      userId: 'hiker-1',
      userHash: '00',
      mqtt: false,
      position: async () => null,
      battery: async () => null,
      fetch: (url, init) => this.#fetch(url, init),
    }
  }

  // People and networks.

  /** Nothing gets through, in either direction, and streams end. */
  set isOffline(isOffline: boolean) {
    this.#isOffline = isOffline
    if (isOffline) this.hangsUp()
  }

  get isOffline(): boolean {
    return this.#isOffline
  }

  /** The first SMS has left to each contact. */
  alertsContacts(): void {
    this.#changes({}, (contact) => ({
      ...contact,
      status: 'sent',
      channels: contact.channels.map((one) => (one.channel === 'sms' ? { ...one, status: 'sent' as const } : one)),
    }))
  }

  /** `eta`: in minutes, of `coming`. `unable` takes an earlier answer back. */
  answers(name: string, kind: 'coming' | 'calling' | 'unable', eta?: number): void {
    const at = new Date().toISOString()
    const response = { kind, at, ...(eta !== undefined && { etaMinutes: eta }) }
    const contactId = this.#names.indexOf(name) < 0 ? null : idOf(900 + this.#names.indexOf(name))
    if (contactId === null) throw new Error(`no contact is called ${name}`)
    const by = { kind: 'contact' as const, contactId, name, at }
    const isFirst = kind !== 'unable' && this.open?.status === 'active'
    this.#changes(isFirst ? { status: 'acknowledged', acknowledgedAt: at, acknowledgedBy: by } : {}, (contact) => {
      if (contact.contactId !== contactId) return contact
      const { acknowledgedAt: _, ...rest } = contact
      return kind === 'unable' ? { ...rest, response } : { ...rest, response, acknowledgedAt: at }
    })
  }

  /** An operator takes the alarm. */
  takes(name = 'Rescue desk'): void {
    const at = new Date().toISOString()
    const acknowledgedBy = { kind: 'operator' as const, contactId: null, name, at }
    this.#changes({ status: 'acknowledged', acknowledgedAt: at, acknowledgedBy })
  }

  /** A timer is due in 15 min. */
  reminds(note: string | null = null): void {
    const dueAt = Date.now() + 900_000
    const [due, opens] = [dueAt, dueAt + 300_000].map((at) => new Date(at).toISOString())
    this.#publish({ type: 'timer.reminder', timerId: idOf(800), dueAt: due!, opensAt: opens!, note })
  }

  /** A contact who helps, or with another name an operator, writes to the person. */
  writes(name: string, text: string): void {
    const place = this.#names.indexOf(name)
    const contact = { kind: 'contact' as const, contactId: idOf(900 + place), channel: 'page' as const }
    const operator = { kind: 'operator' as const, contactId: null, channel: 'console' as const }
    if (this.open === null) throw new Error('no alarm is open')
    this.#says({ ...(place < 0 ? operator : contact), name, phone: null }, { text })
  }

  /** The operators signed in at the rescue desk, by name. */
  set desk(names: readonly string[]) {
    this.#desk = names
    if (this.open !== null) this.#publish({ type: 'sos.readers', incidentId: this.open.incidentId })
  }

  /** An operator ends the alarm. */
  closes(): void {
    this.#changes({ status: 'resolved', resolvedAt: new Date().toISOString() })
  }

  /** The next request gets this answer and is not carried out; several are used one by one. */
  refuses(status: number, { code = 'E_SDK_SOS_UNAVAILABLE', fields, headers = {} }: Refusal = {}): void {
    this.#next.push({
      status,
      body: { error: { code, message: 'refused by the test', requestId: '0', fields } },
      headers,
    })
  }

  /** The next request gets an answer that is not the service's: a captive portal. */
  isInHotel(): void {
    this.#next.push({ status: 200, body: null, headers: { 'content-type': 'text/html' } })
  }

  get open(): Incident | null {
    const last = this.incidents.at(-1)
    return last !== undefined && (last.status === 'active' || last.status === 'acknowledged') ? last : null
  }

  // The service.

  #changes(change: Partial<Incident>, contacts: (contact: Contact) => Contact = (contact) => contact): void {
    const { open } = this
    if (open === null) throw new Error('no alarm is open')
    const snapshotVersion = open.snapshotVersion! + 1
    const items = open.actuators!.items.map((item) => {
      const own = item.contacts!.map(contacts)
      const isSent = own.some(({ status }) => status === 'sent')
      return isSent
        ? { ...item, contacts: own, status: 'sent' as const, outcome: 'success' as const }
        : { ...item, contacts: own }
    })
    const next = {
      ...open,
      ...change,
      updatedAt: new Date().toISOString(),
      snapshotVersion,
      actuators: { snapshotVersion, items },
    }
    this.incidents[this.incidents.length - 1] = next
    this.#publish({ type: 'sos.actuator_update', ...newsOf(next) })
  }

  #says(from: SosMessage['from'], said: Partial<Pick<SosMessage, 'text' | 'quickReply' | 'to'>>): SosMessage {
    const { text = '', quickReply = null, to = 'all' } = said
    const n = (this.messages.at(-1)?.n ?? 0) + 1
    const message = { n, at: new Date().toISOString(), from, text: text || (quickReply ?? ''), quickReply, to }
    this.messages.push(message)
    this.#publish({ type: 'sos.message', incidentId: this.open!.incidentId, message })
    return message
  }

  #takes(body: Line): readonly [status: number, body: unknown] {
    const { open } = this
    if (open === null || (body.incidentId ?? open.incidentId) !== open.incidentId) {
      return [409, { error: { code: 'E_SDK_MESSAGES_CONFLICT', message: 'No alarm is open.', requestId: '0' } }]
    }
    const { incidentId } = open
    const known = this.#said.get(body.id)
    if (known !== undefined) return [200, { incidentId, message: known }]
    const from = { kind: 'person', contactId: null, name: this.options.userId, phone: null, channel: 'app' } as const
    const message = this.#says(from, body)
    this.#said.set(body.id, message)
    return [201, { incidentId, message }]
  }

  #talk(after: number): unknown {
    const contacts = this.open?.actuators?.items.flatMap((item) => item.contacts ?? []) ?? []
    const desk = this.open === null ? [] : this.#desk
    const helpers = contacts.map(({ contactId, name, response }) => {
      return { kind: 'contact', contactId, name, now: response !== undefined && response.kind !== 'unable' }
    })
    const to = this.open?.silent && desk.length > 0 ? 'desk' : 'all'
    return {
      ...{ incidentId: this.open?.incidentId ?? null, mayWrite: this.open !== null, to, deskStaffed: desk.length > 0 },
      readers: [...desk.map((name) => ({ kind: 'operator', contactId: null, name, now: true })), ...helpers],
      items: this.open === null ? [] : this.messages.filter(({ n }) => n > after),
      quickReplies: [],
    }
  }

  #publish(event: News): void {
    if (this.isOffline || this.losesAnswers) return
    const bytes = new TextEncoder().encode(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    for (const stream of this.#streams) stream.enqueue(bytes)
  }

  #raises(alert: Alert): Incident | null {
    this.alerts.push(alert)
    const identity = `${alert.deviceId ?? ''} ${alert.timestamp}`
    if (this.putOff !== null || this.#endedBefore.has(identity)) return null
    if (this.#opened.has(identity)) {
      return this.open?.incidentId === this.#opened.get(identity) ? this.open : null
    }
    const at = new Date().toISOString()
    if (this.open === null) {
      const contacts = this.#names.map((name, place) => ({
        contactId: idOf(900 + place),
        name,
        priority: place + 1,
        status: 'scheduled' as const,
        channels: ['sms', 'voice'].map((channel) => ({ channel, status: 'scheduled' as const })),
      }))
      const item = { id: 'emergency_contacts', type: 'emergency_contacts', contacts }
      const items = [{ ...item, status: 'scheduled' as const, outcome: 'pending' as const }]
      this.incidents.push({
        incidentId: idOf(this.incidents.length + 1),
        status: 'active',
        ...{ occurredAt: alert.timestamp, openedAt: at, updatedAt: at },
        ...{ acknowledgedAt: null, acknowledgedBy: null, cancelledAt: null, resolvedAt: null },
        ...(alert.silent === true && { silent: true as const }),
        ...{ snapshotVersion: 1, actuators: { snapshotVersion: 1, items }, creationTelemetry: alert },
      })
      this.messages.length = 0
      this.#publish({ type: 'processed', ...newsOf(this.open!) })
    }
    this.#opened.set(identity, this.open!.incidentId)
    return this.open
  }

  #ends(how: 'cancel' | 'resolve', name: End): unknown {
    const { open } = this
    const identity = `${name.alert?.deviceId ?? ''} ${name.alert?.timestamp}`
    const named = name.incidentId ?? this.#opened.get(identity)
    if (named === undefined) this.#endedBefore.add(identity)
    const isLater = name.incidentId === undefined && [...this.#opened.keys()].at(-1) !== identity
    if (open !== null && named === open.incidentId && !isLater) {
      const status: IncidentStatus = how === 'cancel' ? 'cancelled' : 'resolved'
      this.#changes({ status, [how === 'cancel' ? 'cancelledAt' : 'resolvedAt']: new Date().toISOString() })
      return { incident: null, ended: true }
    }
    const isOpen = open !== null && named === open.incidentId
    return { incident: open && newsOf(open), ended: named !== undefined && !isOpen }
  }

  #answer(method: string, path: string, body: unknown): readonly [status: number, body: unknown] {
    switch (`${method} ${path.split('?')[0]}`) {
      case 'POST /v1/sdk/sos': {
        const before = this.incidents.length
        const incident = this.#raises(body as Alert)
        const putOff = this.putOff === null ? {} : { putOff: { until: this.putOff } }
        return [this.incidents.length > before ? 201 : 200, { incident: incident && newsOf(incident), ...putOff }]
      }
      case 'GET /v1/sdk/sos':
        return [200, { incident: this.open && newsOf(this.open) }]
      case 'POST /v1/sdk/sos/cancel':
        return [200, this.#ends('cancel', body as End)]
      case 'POST /v1/sdk/sos/resolve':
        return [200, this.#ends('resolve', body as End)]
      case 'GET /v1/sdk/sos/messages':
        return [200, this.#talk(Number(new URLSearchParams(path.split('?')[1]).get('after') ?? 0))]
      case 'POST /v1/sdk/sos/messages':
        return this.#takes(body as Line)
      case 'GET /v1/sdk/sos/history':
        return [200, { items: this.incidents.toReversed(), nextCursor: null, hasMore: false }]
      case 'POST /v1/sdk/telemetry':
        this.positions.push(body as Alert)
        return [202, { accepted: true, incidentId: this.open?.incidentId ?? null }]
      case 'POST /v1/sdk/telemetry/history':
        this.positions.push(...(body as Alert[]))
        return [200, { accepted: (body as Alert[]).length, duplicates: 0, rejected: [] }]
      case 'GET /v1/sdk/me': {
        const unset = { name: null, email: null, phone: null, address: null }
        return [200, { id: USER_ID, appId: APP_ID, externalUserId: this.options.userId, ...unset }]
      }
      case 'GET /v1/sdk/me/card':
        return [200, this.card]
      case 'PUT /v1/sdk/me/card': {
        const given = Object.entries(body as Partial<Card>)
        const cleared = given.map(([name, value]) => [name, value ?? NO_CARD[name as keyof Card]])
        this.card = { ...this.card, ...Object.fromEntries(cleared), updatedAt: new Date().toISOString() }
        return [200, this.card]
      }
      case 'DELETE /v1/sdk/me/card':
        this.card = NO_CARD
        return [204, null]
      case 'GET /v1/sdk/contacts':
        return [200, this.#names.map((name, place) => ({ id: idOf(900 + place), name, priority: place + 1 }))]
      default:
        return [404, { error: { code: 'E_NOT_FOUND', message: 'The fake service has no such route.', requestId: '0' } }]
    }
  }

  async #fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const path = url.slice(this.options.url.length)
    if (this.isOffline) throw new TypeError('fetch failed')
    if (init.signal?.aborted) throw init.signal.reason
    const isStream = path === '/v1/sdk/events'
    const refused = isStream ? undefined : this.#next.shift()
    if (refused !== undefined) {
      const { status, body, headers } = refused
      return new Response(JSON.stringify(body), { status, headers })
    }
    if (isStream && this.losesAnswers) throw new TypeError('fetch failed')
    if (isStream && this.hasStream) return this.#stream(init.signal)
    const [status, body] = this.#answer(
      init.method ?? 'GET',
      path,
      init.body == null ? null : JSON.parse(`${init.body}`),
    )
    if (this.losesAnswers) throw new TypeError('fetch failed')
    return status === 204 ? new Response(null, { status }) : Response.json(body, { status })
  }

  #stream(signal: AbortSignal | null | undefined): Response {
    const { open } = this
    let own: ReadableStreamDefaultController<Uint8Array>
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        own = controller
        this.#streams.add(controller)
        if (open !== null) this.#publish({ type: 'sos.actuator_update', ...newsOf(open) })
        signal?.addEventListener('abort', () => {
          if (this.#streams.delete(controller)) controller.error(new TypeError('aborted'))
        })
      },
      cancel: () => void this.#streams.delete(own),
    })
    return new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
  }

  /** Ends the streams of events: apps connect again. */
  hangsUp(): void {
    for (const stream of this.#streams) stream.close()
    this.#streams.clear()
  }
}

type Refusal = {
  readonly code?: string
  readonly fields?: readonly { readonly field: string; readonly message: string }[]
  readonly headers?: Record<string, string>
}

type Line = {
  readonly id: string
  readonly text?: string
  readonly quickReply?: QuickReply
  readonly to?: 'all' | 'desk'
  readonly incidentId?: string
}

type End = {
  readonly incidentId?: string
  readonly alert?: { readonly deviceId?: string; readonly timestamp: string }
}

const newsOf = ({ creationTelemetry: _, ...news }: Incident): IncidentNews => news
