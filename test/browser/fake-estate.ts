import type { AppInvitation, ContactState } from '../../console/api/types.ts'
import { defaultSettings } from '../../src/core/account/settings.ts'
import { COMMAND, OWN_APP } from '../../src/core/operator/audit.ts'
import { APP_ID, idOf, NAMES } from '../console/items.ts'

/** The contacts of a case, at the moment `now`. */
export const contactsOf = (now: number): readonly ContactState[] => {
  const at = (minutes: number): string => new Date(now - minutes * 60_000).toISOString()
  return [
    {
      contactId: idOf(1),
      name: 'Ana Gruber',
      phone: '+436605550001',
      priority: 1,
      language: 'de',
      status: 'delivered',
      channels: [
        { channel: 'sms', status: 'delivered', at: at(2) },
        { channel: 'voice', status: 'failed', error: 'no-answer', at: at(1) },
      ],
      response: null,
      acknowledgedAt: null,
      calledBack: null,
      removed: false,
      position: 'shown',
    },
    {
      contactId: idOf(2),
      name: 'Ben Hofer',
      phone: '+436605550002',
      priority: 2,
      language: 'en',
      status: 'sent',
      channels: [
        { channel: 'sms', status: 'sent', at: at(1) },
        { channel: 'voice', status: 'scheduled' },
      ],
      response: { kind: 'unable', at: at(1) },
      acknowledgedAt: null,
      calledBack: null,
      removed: false,
      position: 'shown',
    },
  ]
}

/** What lists answer, by path. */
export function estateOf(now: number): Readonly<Record<string, unknown>> {
  const at = new Date(now - 3_600_000).toISOString()
  const application = {
    applicationId: APP_ID,
    name: 'Alpine Rescue App',
    language: 'de',
    legacy: false,
    disabled: false,
    createdAt: at,
    actuators: { emergency_contacts: {}, chat: { format: 'slack', url: 'https://chat.example.org/hooks/abc' } },
    allowedPrefixes: ['+43', '+49'],
    timeZone: 'Europe/Vienna',
    corsOrigins: [],
    silentAfterMinutes: 0,
    verifyContacts: true,
    silentByDefault: false,
    relays: 'any',
    mapLink: null,
    smsSos: false,
    smsNumber: null,
    webApp: { on: true, colour: '#b3261e', country: 'AT', emergencyNumber: '140' },
    fallbackContact: { name: 'Night desk', phone: '+43512000000' },
    texts: {},
    settings: { ...defaultSettings, rounds: 3 },
    ownSettings: { rounds: 3 },
  }
  const user = (n: number) => ({
    id: idOf(9000 + n),
    applicationId: APP_ID,
    externalUserId: `user-${n}`,
    name: NAMES[n]!,
    email: null,
    phone: '+436601234567',
    address: null,
    language: n === 0 ? 'fr' : null,
    groups: n === 0 ? ['Hut wardens', 'Night'] : [],
    disabled: n === 4,
    relay: false,
    enrolledBy: n === 0 ? 'poster' : null,
    erasesAt: n === 0 ? new Date(now + 3_600_000).toISOString() : null,
    createdAt: at,
    updatedAt: at,
  })
  const unready = {
    userId: idOf(9000),
    applicationId: APP_ID,
    externalUserId: 'user-0',
    name: NAMES[0],
    phone: null,
    status: 'not_ready',
    findings: [
      {
        code: 'nobody_to_alarm',
        blocking: true,
        text: 'Nobody would be alerted.',
        remedy: 'Add an emergency contact.',
      },
      { code: 'silent', blocking: false, days: 9, text: 'Your phone has been silent.', remedy: 'Switch it on.' },
    ],
  }
  return {
    applications: [application],
    [`applications/${APP_ID}`]: application,
    [`applications/${APP_ID}/texts`]: {
      items: [
        {
          language: 'de',
          key: 'alarm',
          text: '{name} braucht Hilfe. {link}',
          placeholders: ['name', 'link'],
          own: false,
        },
      ],
    },
    users: NAMES.map((_, n) => user(n)),
    [`users/${idOf(9000)}`]: {
      ...user(0),
      notes: 'Deaf in one ear.',
      contacts: [
        { id: idOf(1), name: 'Ana Gruber', phone: '+436605550001' },
        { id: idOf(2), name: 'Ben Hofer', phone: '+436605550002', verifiedAt: at },
        { id: idOf(3), name: 'Carl Egger', phone: '+436605550003', declinedAt: at },
      ].map((contact, place) => ({ ...contact, email: null, language: 'de', priority: place + 1 })),
      devices: [{ id: idOf(2), hardwareId: 'A84041FFFF1234', pairedAt: new Date(now - 86_400_000).toISOString() }],
      openIncident: { incidentId: idOf(0), status: 'active', openedAt: at },
      hasApp: true,
      lacks: ['phone'],
    },
    [`users/${idOf(9000)}/app-devices`]: [
      { id: idOf(9600), name: 'Firefox, Android', enrolledAt: at, lastUsedAt: at, removedFrom: null },
      { id: idOf(9601), name: 'Old phone', enrolledAt: at, lastUsedAt: null, removedFrom: at },
    ],
    [`applications/${APP_ID}/app-invitations`]: [
      invitationOf(now, { id: idOf(9700), label: 'Upper hut', places: 200, used: 37 }),
      invitationOf(now, { id: idOf(9701), kind: 'person', works: false, used: 1 }),
      invitationOf(now, { id: idOf(9702), kind: 'device', userId: idOf(9000) }),
    ],
    [`users/${idOf(9000)}/readiness`]: unready,
    readiness: [unready, { ...unready, userId: idOf(9001), name: NAMES[1], status: 'ready', findings: [] }],
    'drills/:id': reportOf(at),
    [`users/${idOf(9000)}/timers`]: [
      {
        id: idOf(9500),
        status: 'running',
        dueAt: new Date(now + 3_600_000).toISOString(),
        note: 'Glungezer, by the ridge',
        position: null,
        overAt: null,
        incidentId: null,
        createdAt: at,
        updatedAt: at,
      },
    ],
    devices: [
      {
        applicationId: APP_ID,
        hardwareId: 'A84041FFFF1234',
        model: 'TrackerD',
        userId: idOf(9000),
        externalUserId: 'user-0',
        pairedAt: at,
        lockedUntil: null,
        silentAfterMinutes: null,
        silentSince: null,
      },
      {
        applicationId: APP_ID,
        hardwareId: 'A84041FFFF9999',
        model: null,
        userId: null,
        externalUserId: null,
        pairedAt: null,
        lockedUntil: null,
        silentAfterMinutes: null,
        silentSince: null,
      },
    ],
    'devices/models': {
      items: [
        { model: 'TrackerD', profile: 'own', trackers: 2 },
        { model: 'tocsin-12', profile: 'shipped', trackers: 0 },
      ],
    },
    outbox: [
      {
        id: 1,
        applicationId: APP_ID,
        incidentId: idOf(1),
        contactId: idOf(1),
        channel: 'sms',
        to: '+436605550001',
        text: 'Mia Gruber needs help',
        createdAt: at,
      },
    ],
    'dead-letters': [],
    feedback: [],
    nodes: { items: [] },
    operators: {
      items: [{ id: idOf(7000), login: 'eva', name: 'Eva Night', role: 'admin', applications: null, disabled: false }],
    },
    sessions: {
      items: [
        {
          id: idOf(7100),
          createdAt: at,
          seenAt: at,
          endsAt: at,
          address: '10.0.0.4',
          browser: 'Firefox',
          current: true,
        },
      ],
    },
    audit: [
      {
        id: 1,
        at,
        actor: { kind: 'operator', id: idOf(7000), name: 'Eva Night' },
        address: '10.0.0.4',
        action: 'session.opened',
        subject: null,
        applicationId: null,
        userId: null,
        details: {},
      },
      {
        id: 2,
        at,
        actor: { kind: 'command', id: null, name: OWN_APP.name },
        address: null,
        action: 'contacts.changed',
        subject: idOf(1),
        applicationId: APP_ID,
        userId: idOf(9000),
        details: { change: 'changed', fields: ['phone'] },
      },
      {
        id: 3,
        at,
        actor: COMMAND,
        address: null,
        action: 'application.change',
        subject: null,
        applicationId: APP_ID,
        userId: null,
        details: { fields: ['webApp', 'smsSos'], smsSos: true, webApp: false, country: 'AT' },
      },
      {
        id: 4,
        at,
        actor: COMMAND,
        address: null,
        action: 'later.version',
        subject: null,
        applicationId: null,
        userId: null,
        details: {},
      },
    ],
    health: {
      status: 'ready',
      reasons: [],
      concerns: [
        'no synchronous standby protects acknowledged alerts: if the database server is lost now, so are the newest',
      ],
      keepsMessages: false,
      figures: { active: 2, acknowledged: 3, held: 0, deadLetters: 0 },
    },
  }
}

/** An invitation to the app as the service lists it. */
export const invitationOf = (now: number, over: Partial<AppInvitation>): AppInvitation => ({
  id: idOf(9700),
  kind: 'poster',
  userId: null,
  label: null,
  places: 1,
  used: 0,
  works: true,
  createdBy: 'Eva Night',
  createdAt: new Date(now).toISOString(),
  expiresAt: new Date(now + 86_400_000).toISOString(),
  endedAt: null,
  ...over,
})

/** The report of a drill that began at `at`. */
export const reportOf = (at: string) => ({
  incidentId: idOf(5),
  applicationId: APP_ID,
  userId: idOf(9005),
  externalUserId: 'user-5',
  toContacts: true,
  overtaken: false,
  status: 'acknowledged',
  startedAt: at,
  endedAt: null,
  firstAnswerSeconds: 48,
  contacts: [
    {
      contactId: idOf(1),
      name: 'Ana Gruber',
      answer: 'coming',
      afterSeconds: 48,
      channels: [{ channel: 'sms', status: 'delivered', error: null, provider: 'twilio', afterSeconds: 14 }],
    },
    {
      contactId: idOf(2),
      name: 'Ben Hofer',
      answer: null,
      afterSeconds: null,
      channels: [
        { channel: 'sms', status: 'failed', error: 'invalid number', provider: 'twilio', afterSeconds: 3 },
        { channel: 'voice', status: 'skipped', error: null, provider: null, afterSeconds: null },
      ],
    },
  ],
  integrations: [{ channel: 'chat', status: 'sent', error: null, provider: null, afterSeconds: 1 }],
  failed: 1,
})
