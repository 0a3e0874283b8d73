import { randomUUID } from 'node:crypto'
import type { Actuators } from '../../src/core/account/actuator.ts'
import type { User } from '../../src/core/account/profile.ts'
import { defaultSettings, type Settings } from '../../src/core/account/settings.ts'
import type { AlarmPlan, PlannedContact } from '../../src/core/incident/alarm-plan.ts'
import type { AttemptOutcome, Command, Receipt } from '../../src/core/incident/command.ts'
import { decide, needsPlan } from '../../src/core/incident/decide.ts'
import type { Decision, Situation } from '../../src/core/incident/decision.ts'
import { type Channel, type Delivery, type DeliveryStatus, earlierTries } from '../../src/core/incident/delivery.ts'
import type { EarlierAlert, Incident } from '../../src/core/incident/incident.ts'
import { nextActionAt } from '../../src/core/incident/next-action.ts'
import { snapshotOf } from '../../src/core/incident/snapshot.ts'
import { type Alert, alertFrom } from '../../src/core/ingest/alert.ts'
import { isoAt } from '../../src/core/ingest/event-time.ts'
import { SECOND } from '../../src/lib/durations.ts'

/** The moment of the press in every story. Stories count seconds from here. */
export const PRESSED = Date.UTC(2026, 0, 1, 12)
export const momentAt = (seconds: number): number => PRESSED + Math.round(seconds * SECOND)
export const isoAfter = (seconds: number): string => isoAt(momentAt(seconds))

export const OWNER = '0199aaaa-0000-7000-8000-00000000000a'
export const RELAY = '0199aaaa-0000-7000-8000-00000000000c'
export const APP = '0199aaaa-0000-7000-8000-00000000000b'

/** The user of the stories, with only the given fields filled in. */
export const userWith = (given: Partial<User> = {}): User => ({
  ...{ id: OWNER, appId: APP, externalUserId: 'hut-1', disabled: false, relay: false },
  ...{ name: null, email: null, phone: null, address: null },
  ...{ enrolledBy: null, erasesAt: null, textLanguage: null, operatorNotes: null, groupNames: null },
  ...{ createdAt: 0, updatedAt: 0, ...given },
})

export type Given = {
  readonly contacts?: readonly string[]
  readonly settings?: Partial<Settings>
  readonly actuators?: Actuators
  readonly legacy?: boolean
  /** The contacts with an address, `name@example.com`. Given: the site sends mails. */
  readonly mailed?: readonly string[]
}

const nth = (place: number): string => String(place + 1).padStart(12, '0')

/**
 * The contact of that name. Ids derive from names, so that the same name is the same contact in every plan of a story.
 */
export const contactCalled = (name: string, place: number): PlannedContact => ({
  contactId: `contact-${name}`,
  name,
  phone: `+43${nth(place)}`,
  email: null,
  language: 'en',
  priority: place + 1,
})

export const contactsOnly: Actuators = { emergency_contacts: {} }
export const everyActuator: Actuators = {
  emergency_contacts: { httpUrl: 'https://gateway.example/' },
  chat: { url: 'https://chat.example/', format: 'text' },
  webhook: { url: 'https://hook.example/' },
}

/** Stories end with their rounds, are not watched and tell no others, unless that is their subject. */
const plain = { persistHours: 0, watchMinutes: 0, tellOthers: false } satisfies Partial<Settings>

export const planOf = ({
  contacts = [],
  settings = {},
  actuators = contactsOnly,
  legacy = false,
  mailed,
}: Given): AlarmPlan => ({
  appId: APP,
  userId: OWNER,
  externalUserId: 'hut-1',
  legacy,
  settings: { ...defaultSettings, ...plain, ...settings },
  actuators,
  ...(mailed && { email: true }),
  contacts: contacts.map((name, place) => ({
    ...contactCalled(name, place),
    ...(mailed?.includes(name) && { email: `${name}@example.com` }),
  })),
})

export const alertAt = (seconds: number, fields: Record<string, unknown> = {}): Alert =>
  alertFrom({ timestamp: isoAfter(seconds), ...fields }, momentAt(seconds))

type Raise = Extract<Command, { type: 'raise' }>

export const raiseAt = (seconds: number, alert = alertAt(seconds), more: Partial<Raise> = {}): Raise => ({
  type: 'raise',
  now: momentAt(seconds),
  alert,
  reporterId: OWNER,
  incidentId: randomUUID(),
  linkSecret: 'link-secret',
  ...more,
})

/** A command without its time, which the story adds. */
export type Timeless = Command extends infer C ? (C extends Command ? Omit<C, 'now'> : never) : never

/** A provider's answer to an attempt. Undefined leaves it without an outcome. */
export type Answer = (row: Delivery, seconds: number) => AttemptOutcome | undefined

export const sent: AttemptOutcome = { kind: 'sent', provider: 'twilio', providerRef: null }
export const delivered: AttemptOutcome = { kind: 'delivered', provider: 'http', providerRef: null }
export const failed = (error: string, retryable: boolean): AttemptOutcome => ({ kind: 'failed', error, retryable })
export const receipt = (status: Receipt['status'], error: string | null = null): Receipt => ({
  status,
  provider: 'twilio',
  providerRef: 'SM1',
  error,
})

const isText = (row: Delivery): boolean => row.channel === 'sms' || row.channel === 'voice'
export const allGoesWell: Answer = (row) => (isText(row) ? sent : delivered)

/**
 * One incident from its press, by the owner or through a relay, driven manually (`does`) or by a dispatcher that is
 * never late (`runTo`). `told` lists what was sent as `seconds channel name`, all-clears marked with `ok`.
 */
export function pressed(given: Given = {}, by: 'owner' | 'relay' = 'owner') {
  let plan = planOf(given)
  let incident: Incident | null = null
  const told: string[] = []
  const news: string[] = []
  const timeline = new Map<string, Delivery>()
  let lastSeenAt: number | null = null
  const events: string[] = []

  function decided(command: Command, earlier: EarlierAlert | null = null): Decision {
    const attempt =
      'attemptId' in command && incident?.deliveries.every(({ id }) => id !== command.attemptId)
        ? (timeline.get(command.attemptId) ?? null)
        : null
    const situation: Situation = {
      incident,
      plan: needsPlan(incident, command) ? plan : null,
      earlier,
      lastSeenAt,
      attempt,
    }
    const decision = decide(situation, command)
    for (const row of decision.folded) timeline.set(row.id, row)
    incident = decision.incident ?? incident
    for (const event of decision.events) events.push(event.message.type)
    return decision
  }

  const now = (): Incident => {
    if (incident === null) throw new Error('the story has no incident')
    return incident
  }
  const markOf = ({ purpose }: Delivery): string =>
    purpose === 'alarm' ? '' : purpose === 'all_clear' ? 'ok' : purpose
  const nameOf = (row: Delivery): string =>
    now().contacts.find((contact) => contact.contactId === row.contactId)?.name ?? ''
  const triesOf = (attemptId: string): number => {
    const row = now().deliveries.find(({ id }) => id === attemptId)
    return row === undefined ? 0 : earlierTries(row)
  }
  const does = (seconds: number, command: Timeless): Decision =>
    decided({ ...command, now: momentAt(seconds) } as Command)
  const records = (seconds: number, attemptId: string, outcome: AttemptOutcome, jitter = 0.5): Decision =>
    does(seconds, { type: 'recordOutcome', attemptId, outcome, jitter, earlierTries: triesOf(attemptId) })

  function runTo(seconds: number, answer: Answer = allGoesWell): void {
    for (let next = nextActionAt(now()); next !== null && next <= momentAt(seconds); next = nextActionAt(now())) {
      const at = (next - PRESSED) / SECOND
      const { claimed, unsure, verdict } = does(at, { type: 'proceed', inFlight: [] })
      if (verdict === 'unchanged') throw new Error(`something was due at ${at} s, and nothing was done`)
      if (unsure.length > 0) throw new Error('runTo answers every attempt; drive unsure ones by hand')
      for (const row of claimed) {
        const list = row.purpose === 'alarm' || row.purpose === 'all_clear' ? told : news
        list.push([at, row.channel, nameOf(row), markOf(row)].filter((part) => part !== '').join(' '))
        const outcome = answer(row, at)
        if (outcome !== undefined) records(at, row.id, outcome)
      }
    }
  }

  const opening = decided(raiseAt(0, alertAt(0), by === 'owner' ? {} : { reporterId: RELAY }))
  return {
    opening,
    told,
    /** Like `told`, for everything that is neither an alarm nor an all-clear, with its purpose. */
    news,
    events,
    get incident() {
      return now()
    },
    does,
    records,
    runTo,
    proceeds: (seconds: number) => does(seconds, { type: 'proceed', inFlight: [] }),
    /**
     * Records an outcome after which the attempt should be due again immediately, and claims it. Undefined if it is not
     * due.
     */
    repeats: (seconds: number, attemptId: string, outcome: AttemptOutcome): Delivery | undefined => {
      records(seconds, attemptId, outcome)
      return does(seconds, { type: 'proceed', inFlight: [] }).claimed.find(({ id }) => id === attemptId)
    },
    /** A further press: a new alert, or a known one with `earlier`. */
    presses: (seconds: number, more: Partial<Raise> = {}, earlier: EarlierAlert | null = null) =>
      decided(raiseAt(seconds, alertAt(seconds), more), earlier),
    /** A relayed press. */
    isRelayed: (seconds: number) => decided(raiseAt(seconds, alertAt(seconds), { reporterId: RELAY })),
    /** Telemetry with a position arrives, through its own path into the store. */
    isSeen: (seconds: number) => {
      lastSeenAt = momentAt(seconds)
    },
    /** Attempts that were folded out of the record. */
    timeline,
    acknowledges: (seconds: number, name: string) =>
      does(seconds, { type: 'acknowledge', contactId: `contact-${name}` }),
    cancels: (seconds: number) => does(seconds, { type: 'cancel' }),
    resolves: (seconds: number) => does(seconds, { type: 'resolve' }),
    adds: (seconds: number, name: string) =>
      does(seconds, { type: 'addContact', contact: contactCalled(name, now().contacts.length) }),
    hears: (seconds: number, attemptId: string, what: Receipt) =>
      does(seconds, { type: 'recordReceipt', attemptId, receipt: what }),
    /** From now on alerts find this plan. */
    becomes: (changed: Given) => {
      plan = planOf(changed)
    },
    /** The same, of a plan that is made already. */
    goesBy: (changed: AlarmPlan) => {
      plan = changed
    },
    /** Continues with an incident as a store returned it. */
    restores: (stored: Incident) => {
      incident = stored
    },
    /** The alarm rows of a channel (and contact), oldest first, including folded ones. */
    rows: (channel: Channel, name?: string) =>
      [...timeline.values(), ...now().deliveries].filter(
        (row) =>
          row.purpose === 'alarm' &&
          row.channel === channel &&
          (name === undefined || row.contactId === `contact-${name}`),
      ),
    allClears: () => now().deliveries.filter((row) => row.purpose === 'all_clear'),
  }
}

export type Story = ReturnType<typeof pressed>

/** The only row, for stories that expect exactly one. */
export function only<T>(rows: readonly T[]): T {
  if (rows.length !== 1) throw new Error(`expected one, got ${rows.length}`)
  return rows[0] as T
}

/** `{ emergency_contacts: 'sent', … }`: the rolled-up statuses of the snapshot. */
export const itemStatuses = (incident: Incident): Record<string, DeliveryStatus> =>
  Object.fromEntries(snapshotOf(incident).items.map((item) => [item.type, item.status]))

/** `{ 'sms Ana': 'sent', … }`: the channels of the snapshot. */
export const channelStatuses = (incident: Incident): Record<string, DeliveryStatus> =>
  Object.fromEntries(
    snapshotOf(incident).items.flatMap((item) =>
      (item.contacts ?? []).flatMap((contact) =>
        contact.channels.map(({ channel, status }) => [`${channel} ${contact.name}`, status] as const),
      ),
    ),
  )

/** Seconds from the press. */
export const secondsOf = (ms: number): number => (ms - PRESSED) / SECOND
