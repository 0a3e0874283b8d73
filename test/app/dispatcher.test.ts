import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Dispatcher } from '../../src/app/dispatcher.ts'
import type { Command } from '../../src/core/command.ts'
import { decide } from '../../src/core/decide.ts'
import type { Incident } from '../../src/core/incident.ts'
import { nextActionAt } from '../../src/core/next-action.ts'
import type { Notifier } from '../../src/ports/notifier.ts'
import type { Committed, Store } from '../../src/ports/store.ts'
import { momentAt, pressed, siteOf } from '../core/build.ts'
import { VirtualClock } from '../harness/virtual-clock.ts'
import { until } from '../harness/wait.ts'

/** A dispatcher over incidents that are held in memory. `refuses` makes the store fail for a command. */
function dispatched(
  incidents: Incident[],
  notifier: Notifier,
  refuses: (id: string, command: Command) => boolean = () => false,
) {
  const held = new Map(incidents.map((incident) => [incident.id, incident]))
  const commands: Command[] = []
  const errors: object[] = []
  const clock = new VirtualClock(momentAt(0))
  const site = siteOf({})
  const run = (id: string, command: Command): Committed => {
    if (refuses(id, command)) throw new Error('the store will not')
    commands.push(command)
    const decision = decide({ incident: held.get(id) ?? null, site, earlier: null }, command)
    if (decision.incident !== null) held.set(id, decision.incident)
    const at = decision.incident === null ? null : nextActionAt(decision.incident)
    return { ...decision, lastPosition: null, nextActionAt: at, unknownDevice: false, attempt: null }
  }
  const moments = () => [...held.values()].map((incident) => ({ id: incident.id, at: nextActionAt(incident) }))
  const store = {
    newestMoment: async () => 0,
    due: async (now: number) =>
      moments()
        .filter(({ at }) => at !== null && at <= now)
        .map(({ id }) => id),
    nextActionAt: async () => Math.min(...moments().map(({ at }) => at ?? Number.POSITIVE_INFINITY)),
    changePending: async (command: Command) => {
      for (const id of held.keys()) run(id, command)
      return held.size
    },
    user: async () => ({ name: 'Mia', externalUserId: 'hut-1' }),
    application: async () => ({ language: 'en', actuators: site.actuators, texts: {}, allowedPrefixes: [] }),
  } as unknown as Store
  const dispatcher = new Dispatcher({
    store,
    door: () => ({
      change: async (key, command) => run('incidentId' in key ? key.incidentId : '', command),
      announce() {},
    }),
    notifier,
    clock,
    ids: { uuid: () => '', secret: () => '', jitter: () => 0.5 },
    log: { info() {}, warn() {}, error: (fields) => void errors.push(fields) },
    meter: { count() {}, observe() {} },
    publicUrl: () => 'http://localhost',
  })
  return { dispatcher, clock, commands, errors, incident: (id: string) => held.get(id)! }
}

const takes: Notifier = {
  send: async () => ({ kind: 'sent', provider: 'outbox', providerRef: null }),
  lookUp: async () => ({ kind: 'not_found' }),
}

test('a notifier that never settles leaves its attempt unknown, and it is looked up', async () => {
  const { incident } = pressed({ contacts: ['Ana'] })
  const asked: string[] = []
  const hangs: Notifier = {
    send: () => new Promise(() => {}),
    lookUp: async () => {
      asked.push('looked up')
      return { kind: 'delivered', provider: 'twilio', providerRef: 'SM1' }
    },
  }
  const { dispatcher, clock, ...seen } = dispatched([incident], hangs)
  await dispatcher.start()
  const sms = () => seen.incident(incident.id).deliveries[0]!
  // Real turns of the event loop between the steps: what hangs is never settled.
  for (let second = 0; second < 60 && sms().status !== 'delivered'; second += 1) {
    await clock.advance('1 s', () => new Promise((resolve) => setImmediate(resolve)))
  }
  assert.deepEqual([sms().status, asked], ['delivered', ['looked up']])
})

test('an incident that cannot be read does not hold up the others', async () => {
  const [broken, whole] = [pressed({ contacts: ['Ana'] }).incident, pressed({ contacts: ['Ben'] }).incident]
  const { dispatcher, clock, errors, ...seen } = dispatched([broken, whole], takes, (id) => id === broken.id)
  await dispatcher.start()
  await clock.advance('10 s', () => dispatcher.settled())
  await until('the other one is told', () => seen.incident(whole.id).deliveries[0]?.status === 'sent')
  assert.ok(errors.some((fields) => 'incidentId' in fields && fields.incidentId === broken.id))
  await dispatcher.stop(0)
})

test('a clock that was set while the store could not write moves the deadlines before anything is claimed', async () => {
  const { incident } = pressed({ contacts: ['Ana'] })
  let full = true
  const { dispatcher, clock, commands, ...seen } = dispatched([incident], takes, () => full)
  await dispatcher.start()
  clock.set(3_600_000)
  await clock.advance('2 s', () => dispatcher.settled())
  assert.equal(commands.length, 0)
  full = false
  await clock.advance('3 s', () => dispatcher.settled())
  assert.equal(commands[0]?.type, 'shiftDeadlines')
  assert.equal(seen.incident(incident.id).deliveries[0]?.status, 'scheduled')
  await clock.advance('6 s', () => dispatcher.settled())
  assert.equal(seen.incident(incident.id).deliveries[0]?.status, 'sent')
  await dispatcher.stop(0)
})
