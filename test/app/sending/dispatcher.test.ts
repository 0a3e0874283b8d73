import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sender } from '../../../src/app/sending/sender.ts'
import type { Command } from '../../../src/core/incident/command.ts'
import type { Notifier } from '../../../src/ports/notifier.ts'
import { contactCalled, pressed } from '../../core/build.ts'
import { dispatched } from '../../harness/dispatched.ts'
import { until } from '../../harness/wait.ts'

const takes: Notifier = {
  send: async () => ({ kind: 'sent', provider: 'outbox', providerRef: null }),
  lookUp: async () => ({ kind: 'not_found' }),
}

test('a notifier that never settles leaves its attempt unknown, and the attempt is looked up', async () => {
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
  // Real turns of the event loop between the steps, because the hanging promise never settles.
  for (let second = 0; second < 60 && sms().status !== 'delivered'; second += 1) {
    await clock.advance('1 s', () => new Promise((resolve) => setImmediate(resolve)))
  }
  assert.deepEqual([sms().status, asked], ['delivered', ['looked up']])
})

/** One real turn of the event loop: lets virtual time pass while something is still in flight. */
const aTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

test('an attempt stays in flight until the store has accepted its outcome: nothing is looked up meanwhile', async () => {
  const { incident } = pressed({ contacts: ['Ana'] })
  const asked: string[] = []
  const lookUp: Notifier['lookUp'] = async ({ attemptId }) => {
    asked.push(attemptId)
    return { kind: 'not_found' }
  }
  let full = true
  const refuses = (_id: string, { type }: Command) => full && type === 'recordOutcome'
  const { dispatcher, clock, ...seen } = dispatched([incident], { ...takes, lookUp }, refuses)
  await dispatcher.start()
  await clock.advance('40 s', aTurn)
  assert.equal(seen.incident(incident.id).deliveries[0]?.status, 'scheduled')
  full = false
  await clock.advance('2 s', aTurn)
  assert.deepEqual([seen.incident(incident.id).deliveries[0]?.status, asked], ['sent', []])
  await dispatcher.stop(0)
})

test('a fault of our own while sending leaves the attempt unknown: it is looked up and sent again', async () => {
  const { incident } = pressed({ contacts: ['Ana'] })
  let sent = 0
  const faultsOnce: Notifier = {
    ...takes,
    async send(notification) {
      sent += 1
      if (sent === 1) throw new TypeError('a fault of our own')
      return takes.send(notification)
    },
  }
  const { dispatcher, clock, ...seen } = dispatched([incident], faultsOnce)
  await dispatcher.start()
  await clock.advance('30 s', aTurn)
  assert.deepEqual([seen.incident(incident.id).deliveries[0]?.status, sent], ['sent', 2])
  await dispatcher.stop(0)
})

test('a look-up asks about the number that was texted, whatever it was corrected to since', async () => {
  const { incident } = pressed({ contacts: ['Ana'] })
  const asked: string[] = []
  const unsure: Notifier = {
    send: async () => ({ kind: 'unknown' }),
    async lookUp(notification) {
      if ('to' in notification) asked.push(notification.to)
      return { kind: 'delivered', provider: 'twilio', providerRef: 'SM1' }
    },
  }
  const { dispatcher, clock, changes } = dispatched([incident], unsure)
  await dispatcher.start()
  await clock.advance('11 s', () => dispatcher.settled())
  const ana = contactCalled('Ana', 0)
  const corrected = { ...ana, phone: '+4369900000000' }
  await changes(incident.id, { type: 'updateContact', now: clock.now(), contact: corrected })
  await clock.advance('10 s', () => dispatcher.settled())
  assert.deepEqual(asked, [ana.phone])
  await dispatcher.stop(0)
})

test('an incident that cannot be read does not delay the others', async () => {
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

test('a clock that has moved the stored deadlines itself leaves nothing to move, only to look again', async () => {
  const { incident } = pressed({ contacts: ['Ana'] })
  const { dispatcher, clock, commands, ...seen } = dispatched([incident], takes)
  Object.assign(clock, { movesDeadlines: true })
  await dispatcher.start()
  // The deadlines of this store stay: they are what such a clock has made of them.
  clock.set(60_000)
  await clock.advance('1 ms', () => dispatcher.settled())
  assert.deepEqual(
    commands.filter(({ type }) => type === 'shiftDeadlines'),
    [],
  )
  assert.equal(seen.incident(incident.id).deliveries[0]?.status, 'sent')
  await dispatcher.stop(0)
})

test('a look during which the process is told to stop claims nothing more', async () => {
  const { incident } = pressed({ contacts: ['Ana'] })
  let isStopped: Promise<void> | null = null
  const paced: Sender = {
    send: () => assert.fail('nothing may leave'),
    lookUp: () => assert.fail('nothing is unsure'),
    // As it reads what is due.
    laneFor: () => {
      isStopped ??= dispatcher.stop(0)
      return null
    },
  }
  const { dispatcher, clock, commands } = dispatched([incident], paced)
  dispatcher.start()
  await clock.advance('12 s', () => dispatcher.settled())
  assert.notEqual(isStopped, null)
  assert.deepEqual(commands, [])
})

const CROWD = 120
const crowd = () => Array.from({ length: CROWD }, () => pressed({ contacts: ['Ana'] }).incident)
const claimsIn = (commands: readonly Command[]) => commands.filter(({ type }) => type === 'proceed').length

test('of many incidents due at once the first are told before the last are claimed', async () => {
  const claimed: number[] = []
  const counting: Notifier = {
    ...takes,
    async send(notification) {
      claimed.push(claimsIn(seen.commands))
      return takes.send(notification)
    },
  }
  const seen = dispatched(crowd(), counting)
  const { dispatcher, clock } = seen
  await dispatcher.start()
  await clock.advance('10 s', () => dispatcher.settled())
  assert.ok(claimed[0]! <= CROWD / 2, `${claimed[0]} were claimed before the first was told`)
  assert.deepEqual([claimed.length, claimsIn(seen.commands) >= CROWD], [CROWD, true])
  await dispatcher.stop(0)
})

test('a clock that is set during a look stops its claims until the deadlines have moved', async () => {
  let full = true
  let told = 0
  const setsClock: Notifier = {
    ...takes,
    async send(notification) {
      told += 1
      if (told === 1) clock.set(3_600_000)
      return takes.send(notification)
    },
  }
  const refuses = (_id: string, { type }: Command) => full && type === 'shiftDeadlines'
  const { dispatcher, clock, commands } = dispatched(crowd(), setsClock, refuses)
  await dispatcher.start()
  await clock.advance('12 s', () => dispatcher.settled())
  const before = claimsIn(commands)
  assert.ok(before > 0 && before <= CROWD / 2, `${before} claims`)
  full = false
  await clock.advance('5 s', () => dispatcher.settled())
  const types = commands.map(({ type }) => type)
  assert.ok(types.indexOf('shiftDeadlines') < types.lastIndexOf('proceed'))
  assert.equal(told, CROWD)
  await dispatcher.stop(0)
})
