import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { tracking } from '../../../src/app/answers/tracking.ts'
import { HOUR } from '../../../src/lib/durations.ts'
import { alertAt, isoAfter, momentAt, pressed, type Story } from '../../core/build.ts'

const POSITION = { latitude: 47.07, longitude: 11.4, altitude: null, at: isoAfter(0) }

/** The page that a contact sees at this moment of a story. */
async function pageOf(
  sos: Story,
  name: string,
  { at = 60, lastPosition = POSITION, confirmed = [] as readonly string[] } = {},
) {
  const { contactId } = sos.incident.contacts.find((contact) => contact.name === name)!
  const looked: unknown[] = []
  const parts = {
    store: {
      trackingLink: async () => ({ incident: sos.incident, lastPosition, contactId }),
      positionTrail: async () => [POSITION],
      user: async () => null,
      contacts: async () => confirmed.map((one) => ({ id: `contact-${one}`, verifiedAt: momentAt(0) })),
      application: async () => null,
    },
    door: {},
    clock: { now: () => momentAt(at) },
    machineTimeZone: () => 'UTC',
    isDateBelieved: () => true,
    emergencyNumbers: () => ({}),
    countriesAt: async (_place: unknown, isWide: boolean) => {
      looked.push(isWide)
      return ['AT']
    },
  }
  const reads = tracking(parts as never)
  const [page, trail] = await Promise.all([reads.page('token'), reads.trail('token')])
  assert.ok(!('refused' in page) && !('refused' in trail))
  return { ...page, looked, trail: trail.positions }
}

const answers = (sos: Story, seconds: number, name: string, promise: { kind: 'coming'; etaMinutes: number }) =>
  sos.does(seconds, { type: 'acknowledge', contactId: `contact-${name}`, promise })
const declines = (sos: Story, seconds: number, name: string) =>
  sos.does(seconds, { type: 'decline', contactId: `contact-${name}` })

suite('what the tracking page knows', () => {
  test('who answered what, of each other by first name', async () => {
    const sos = pressed({ contacts: ['Ana Maria Gruber', 'Ben', 'Cleo'], settings: { voice: false } })
    sos.runTo(10)
    answers(sos, 20, 'Ana Maria Gruber', { kind: 'coming', etaMinutes: 30 })
    declines(sos, 30, 'Cleo')
    const ben = await pageOf(sos, 'Ben', { confirmed: ['Ben'] })
    assert.deepEqual(ben.confirmations, [{ name: 'Ana', kind: 'coming', etaMinutes: 30, at: momentAt(20) }])
    assert.deepEqual(ben.unable, [{ name: 'Cleo', at: momentAt(30) }])
    assert.equal(ben.answer, null)
    assert.equal(ben.canAcknowledge, true)
    const ana = await pageOf(sos, 'Ana Maria Gruber')
    assert.deepEqual(ana.answer, { kind: 'coming', etaMinutes: 30, at: momentAt(20) })
    assert.deepEqual([ana.confirmations, ana.canAcknowledge, ana.isHelped], [[], false, true])
    assert.deepEqual((await pageOf(sos, 'Cleo')).answer, { kind: 'unable', at: momentAt(30) })
  })

  test('who neither confirmed nor answered reads how the first helper helps, and no names; in a silent emergency nobody reads more', async () => {
    const names = ['Ana', 'Ben', 'Cleo', 'Dora']
    for (const silent of [false, true]) {
      const sos = pressed({ contacts: names, settings: { voice: false } })
      if (silent) sos.presses(1, { alert: alertAt(1, { silent: true }) })
      sos.runTo(10)
      answers(sos, 20, 'Ana', { kind: 'coming', etaMinutes: 30 })
      answers(sos, 30, 'Ben', { kind: 'coming', etaMinutes: 5 })
      declines(sos, 40, 'Cleo')
      const first = [{ name: '', kind: 'coming', etaMinutes: 30, at: momentAt(20) }]
      const dora = await pageOf(sos, 'Dora')
      assert.deepEqual([dora.confirmations, dora.unable], [first, []])
      for (const [name, confirmed] of [
        ['Dora', ['Dora']],
        ['Cleo', []],
        ['Ben', []],
      ] as const) {
        const page = await pageOf(sos, name, { confirmed })
        assert.equal(
          page.confirmations.some((one) => one.name === 'Ana'),
          !silent,
          name,
        )
      }
    }
  })

  test('after the last helper has withdrawn nobody helps, and nobody is asked whether they still do', async () => {
    const sos = pressed({ contacts: ['Ana', 'Ben'], settings: { voice: false, watchMinutes: 30 } })
    sos.runTo(10)
    sos.acknowledges(20, 'Ana')
    declines(sos, 40, 'Ana')
    const ben = await pageOf(sos, 'Ben')
    assert.deepEqual([ben.isHelped, ben.isAskedAgain, ben.confirmations.length], [false, false, 0])
    assert.equal((await pageOf(sos, 'Ana')).isAskedAgain, false)
    sos.runTo(40)
    assert.equal((await pageOf(sos, 'Ben')).isAwaited, true)
  })

  test('“I can’t” counts for its round: the next one asks again', async () => {
    const sos = pressed({ contacts: ['Ana'], settings: { voice: false, rounds: 2 } })
    sos.runTo(10)
    declines(sos, 20, 'Ana')
    assert.equal((await pageOf(sos, 'Ana')).answer?.kind, 'unable')
    sos.runTo(21)
    assert.equal((await pageOf(sos, 'Ana')).answer, null)
  })

  test('the position: no longer once somebody else has ended it', async () => {
    for (const by of ['operator', 'contact'] as const) {
      const ended = pressed({ contacts: ['Ana'] })
      ended.runTo(10)
      assert.deepEqual((await pageOf(ended, 'Ana')).lastPosition, POSITION)
      ended.does(20, { type: 'resolve', by })
      const after = await pageOf(ended, 'Ana')
      assert.deepEqual([after.lastPosition, after.countries], [null, []])
    }
  })

  test('the position: still after an end that may be coerced or an accident, and after an automatic one', async () => {
    const ended = pressed({ contacts: ['Ana'] })
    ended.runTo(10)
    ended.does(20, { type: 'resolve', by: 'user' })
    const after = await pageOf(ended, 'Ana')
    assert.deepEqual([after.lastPosition, after.countries], [POSITION, ['AT']])
    assert.deepEqual([(await pageOf(pressed({ contacts: ['Ana'] }), 'Ana')).trail, after.trail], [[POSITION], []])

    const forgotten = pressed({ contacts: ['Ana'], settings: { autoResolveHours: 1 } })
    forgotten.runTo(3601)
    assert.notEqual(forgotten.incident.state.closedAt, null)
    assert.deepEqual((await pageOf(forgotten, 'Ana', { at: 3700 })).lastPosition, POSITION)
  })

  test('the countries of a position: the neighbours too, once it is older than an hour or its time is unreadable', async () => {
    const sos = pressed({ contacts: ['Ana'] })
    assert.deepEqual((await pageOf(sos, 'Ana', { at: 3600 })).looked, [false])
    assert.deepEqual((await pageOf(sos, 'Ana', { at: HOUR / 1000 + 1 })).looked, [true])
    const unreadable = { ...POSITION, at: 'yesterday' }
    const page = await pageOf(sos, 'Ana', { lastPosition: unreadable })
    assert.deepEqual([page.looked, page.countries], [[true], ['AT']])
  })
})

suite('answers through one link', () => {
  /** What reached the incident of the answers of Ana's link, each at its second. `sos` may change in between. */
  const linkOf = (sos: Story) => {
    const changed: string[] = []
    const time = { at: 0 }
    const parts = {
      store: { trackingLink: async () => ({ incident: sos.incident, lastPosition: null, contactId: 'contact-Ana' }) },
      door: { change: async (_which: unknown, command: { type: string }) => void changed.push(command.type) },
      clock: { now: () => momentAt(time.at) },
      isDateBelieved: () => true,
    }
    return { changed, time, link: tracking(parts as never) }
  }

  test('at most ten a minute change anything, and none is refused', async () => {
    const sos = pressed({ contacts: ['Ana', 'Ben'], settings: { voice: false } })
    sos.runTo(10)
    sos.acknowledges(20, 'Ana')
    const { changed, time, link } = linkOf(sos)
    for (let n = 0; n < 30; n += 1) {
      time.at = 30 + n
      assert.deepEqual(await link.acknowledge('token', { kind: 'coming', etaMinutes: n + 1 }), { done: true })
    }
    assert.equal(changed.length, 10)
    time.at = 30 + 60
    await link.decline('token')
    assert.equal(changed.length, 11, 'a minute after the first')
    time.at = 0
    for (let n = 0; n < 10; n += 1) await link.acknowledge('another token')
    assert.equal(changed.length, 21, 'another link has its own')
  })

  test('the first to an alarm always counts', async () => {
    const sos = pressed({ contacts: ['Ana', 'Ben'], settings: { voice: false } })
    sos.runTo(10)
    const { changed, link } = linkOf(sos)
    for (let n = 0; n < 15; n += 1) await link.acknowledge('token')
    assert.equal(changed.length, 15, 'nothing of it was stored, so each is the first')
    sos.acknowledges(20, 'Ana')
    await link.acknowledge('token')
    assert.equal(changed.length, 15)
  })
})
