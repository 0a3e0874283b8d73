import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SIMULATION_ID } from '../../../src/app/operator/simulation.ts'
import { surveyReadiness } from '../../../src/app/ready/readiness-survey.ts'
import { type UserReadiness, userReadiness } from '../../../src/app/ready/user-readiness.ts'
import { watchHealth } from '../../../src/app/sending/provider-health.ts'
import { defaultSettings } from '../../../src/core/account/settings.ts'
import type { AttemptOutcome } from '../../../src/core/incident/command.ts'
import type { TextNotification } from '../../../src/ports/notifier.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'
import { until } from '../../harness/wait.ts'

const silent = { info() {}, warn() {}, error() {} }
const NONE = { ready: 0, attention: 0, not_ready: 0 }
const one = (status: UserReadiness['status']) => ({ status }) as UserReadiness

test('the survey counts page by page, waits between two, and shows nothing half', async () => {
  const clock = new VirtualClock()
  const asked: (string | null)[] = []
  let mayRun = true
  const survey = surveyReadiness({
    clock,
    log: silent,
    mayRun: () => mayRun,
    readiness: {
      async page({ after }) {
        asked.push(after)
        return after === null
          ? { items: [one('ready'), one('not_ready')], after: 'more' }
          : { items: [one('not_ready')], after: null }
      },
    },
  })
  assert.deepEqual(survey.counts(), NONE)
  await clock.advance('5 min', async () => {})
  await until('the first page', () => asked.length === 1)
  assert.deepEqual(survey.counts(), NONE)
  await clock.advance('1 s', async () => {})
  await until('the count', () => survey.counts().ready === 1)
  assert.deepEqual(survey.counts(), { ready: 1, attention: 0, not_ready: 2 })
  assert.deepEqual(asked, [null, 'more'])
  mayRun = false
  await clock.advance('1 h', async () => {})
  await until('another node counts', () => survey.counts().ready === 0)
  await survey.stop()
})

test('three messages in a row that no provider took are a finding; a wrong number says nothing', async () => {
  const outcomes: AttemptOutcome[] = []
  const { text, health } = watchHealth({ send: async (_text: TextNotification) => outcomes.shift()! })
  const busy: AttemptOutcome = { kind: 'failed', error: 'upstream HTTP 503', retryable: true }
  const wrong: AttemptOutcome = { kind: 'failed', error: 'invalid number', retryable: false }
  const taken: AttemptOutcome = { kind: 'sent', provider: 'outbox', providerRef: null }
  const after = async (...given: AttemptOutcome[]) => {
    outcomes.push(...given)
    while (outcomes.length > 0) await text.send({} as TextNotification)
    return health.isFailing()
  }
  assert.equal(await after(busy, busy, wrong, wrong), false)
  assert.equal(await after(busy), true)
  assert.equal(await after(taken), false)
})

test('a tracker that is heard without telemetry is not silent, and its battery counts', async () => {
  const now = Date.parse('2026-05-01T12:00:00Z')
  const day = 86_400_000
  const user = { id: 'mia', appId: 'hut', name: 'Mia', phone: null, disabled: false }
  const application = {
    id: 'hut',
    actuators: { emergency_contacts: {} },
    settings: {},
    fallbackContact: { phone: '+431' },
  }
  const codesWith = async (...trackers: readonly { heardAt: number; battery: number | null }[]) => {
    const { ofUser } = userReadiness({
      clock: { now: () => now },
      defaults: defaultSettings,
      site: () => ({ isDown: false, isFailing: false, keepsMessages: false, channels: ['sms', 'voice'] }),
      isPossible: () => true,
      store: {
        user: async () => user as never,
        application: async () => application as never,
        userPage: async () => ({ items: [], after: null }),
        contacts: async () => [],
        latestIncident: async () => null,
        telemetryHistory: async () => ({ items: [], after: null }),
        fieldStates: async () => trackers.map((tracker) => ({ ...tracker, flag: null })),
        drills: async () => [{} as never],
        contactsChangedAt: async () => null,
        accountChangedAt: async () => null,
      },
    })
    return (await ofUser('mia'))?.findings.map(({ code, percent = '' }) => `${code}${percent}`)
  }
  assert.deepEqual(await codesWith(), ['never_seen'])
  assert.deepEqual(await codesWith({ heardAt: now - day, battery: null }), [])
  assert.deepEqual(await codesWith({ heardAt: now - day, battery: 12 }), ['battery_low12'])
  assert.deepEqual(await codesWith({ heardAt: now - 8 * day, battery: 90 }), ['silent'])
  const inDrawer = { heardAt: now - 30 * day, battery: 1 }
  assert.deepEqual(await codesWith(inDrawer, { heardAt: now - day, battery: 90 }), [])
})

test('nobody who is only simulated counts', async () => {
  const users = [
    { id: 's', appId: SIMULATION_ID, name: null, phone: null, disabled: true },
    { id: 'mia', appId: 'hut', name: null, phone: null, disabled: true },
  ]
  const { page } = userReadiness({
    clock: { now: () => 0 },
    defaults: defaultSettings,
    site: () => ({ isDown: false, isFailing: false, keepsMessages: false, channels: ['sms', 'voice'] }),
    isPossible: () => true,
    store: {
      user: async () => null,
      userPage: async () => ({ items: users as never, after: null }),
      application: async () => null,
      contacts: async () => [],
      latestIncident: async () => null,
      telemetryHistory: async () => ({ items: [], after: null }),
      fieldStates: async () => [],
      drills: async () => [],
      contactsChangedAt: async () => null,
      accountChangedAt: async () => null,
    },
  })
  const { items } = await page({ appIds: null, text: null, after: null, limit: 10 }, true)
  assert.deepEqual(
    items.map(({ user: { id } }) => id),
    ['mia'],
  )
})
