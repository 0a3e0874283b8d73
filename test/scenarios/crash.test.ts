import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { effort } from '../harness/effort.ts'
import { listen } from '../harness/listener.ts'
import { newMoment } from '../harness/moment.ts'
import type { PhoneUser } from '../harness/phone-user.ts'
import { type ProcessSite, startProcessSite } from '../harness/process-site.ts'
import { seeded } from '../harness/random.ts'
import { startTlsTarget } from '../harness/tls-target.ts'
import { until } from '../harness/wait.ts'

/** The quiet time of a claimed attempt without an outcome is 10 s. */
const RECOVERY_MS = 60_000
const LOOK_MS = 200
/** A test that takes so long hangs. On a machine that is busy with other things each took 106 s of its 120. */
const HANGS_MS = 300_000
const KILLS = effort(5, 50)

/** Contact actuators in fractions of a second, one round, and nothing besides the alarm itself. */
const HURRIED = {
  'grace-seconds': 0.25,
  'contact-interval-seconds': 0.1,
  'ack-timeout-seconds': 0.15,
  rounds: 1,
  'all-clear': 'off',
} as const

/** Only these posts are counted, because an unanswered round causes a post of its own. */
const OPENED = 'sos.opened'

const ANA = { name: 'Ana', phone: '+436600000001' }
const BEN = { name: 'Ben', phone: '+436600000002' }

// Concurrent: they spend most of their time waiting for the quiet time to end.
suite('the service is killed', { concurrency: true }, () => {
  test('between the claim and the call: the webhook is called once, after the restart', {
    timeout: HANGS_MS,
  }, async (t) => {
    const target = await startTlsTarget(t)
    const site = await startProcessSite(t, { settings: HURRIED, webhook: target.url, env: target.env })
    const user = await site.user('mia', [ANA])
    await user.listen()
    await user.presses()
    const { incidentId } = await user.receives('processed')
    await until('the call has begun', () => target.calls.length > 0)
    await site.kill()
    const webhook = (await claimOf(site, incidentId, 'webhook'))!
    assert.deepEqual([webhook.status, webhook.claim !== null], ['scheduled', true])
    assert.equal(target.requests.length, 0)

    target.greets()
    await site.start()
    const back = await site.user('mia')
    const item = await settled(back, 'webhook')
    assert.deepEqual([item.status, item.outcome], ['delivered', 'success'])
    assert.deepEqual(item.deliveries.map(attempts), [[1, 'delivered']])
    assert.deepEqual(
      target.requests.filter(({ type }) => type === OPENED).map(({ data }) => data.incident.incidentId),
      [incidentId],
    )
    await gotEachOnce(site, back)
  })

  test('between the call and its record: the webhook is called a second time, under the same id', {
    timeout: HANGS_MS,
  }, async (t) => {
    const target = await listen(t)
    target.answers(null)
    const site = await startProcessSite(t, { settings: HURRIED, webhook: target.url })
    const user = await site.user('mia', [ANA])
    await user.listen()
    await user.presses()
    const { incidentId } = await user.receives('processed')
    await until('the call is there', () => target.requests.length > 0)
    await site.kill()
    const webhook = (await claimOf(site, incidentId, 'webhook'))!
    assert.deepEqual([webhook.status, webhook.claim !== null], ['scheduled', true])

    target.answers(200)
    await site.start()
    const back = await site.user('mia')
    const item = await settled(back, 'webhook')
    assert.deepEqual(item.deliveries.map(attempts), [[1, 'delivered']])
    const [first, second, ...more] = target.requests.filter(({ json }) => json.type === OPENED)
    assert.deepEqual(more, [])
    assert.equal(typeof first!.headers['webhook-id'], 'string')
    assert.equal(second!.headers['webhook-id'], first!.headers['webhook-id'])
    await gotEachOnce(site, back)
  })

  test('during many calls: every webhook is called, none more than twice', { timeout: HANGS_MS }, async (t) => {
    const random = seeded(t)
    const target = await listen(t)
    const site = await startProcessSite(t, { settings: HURRIED, webhook: target.url })
    const users = await Promise.all(Array.from({ length: 12 }, (_, n) => site.user(`mia-${n}`, [ANA])))
    const incidents = await Promise.all(users.map(raise))
    const before = Math.ceil(random() * 11)
    await until('some are called', () => target.requests.length >= before)
    await site.kill()
    await site.start()
    for (const { account } of users) {
      const back = await site.user(account.externalUserId)
      const item = await settled(back, 'webhook')
      assert.deepEqual(item.deliveries.map(attempts), [[1, 'delivered']])
      await gotEachOnce(site, back)
    }
    const opening = target.requests.filter(({ json }) => json.type === OPENED)
    const called = Map.groupBy(opening, ({ json }) => json.data.incident.incidentId)
    assert.deepEqual([...called.keys()].sort(), incidents.sort())
    for (const calls of called.values()) assert.ok(calls.length <= 2)
  })

  test('during many messages, repeatedly: each is in the outbox once, and the snapshots agree', {
    timeout: 900_000,
  }, async (t) => {
    const random = seeded(t)
    const target = await listen(t)
    const site = await startProcessSite(t, { settings: HURRIED, webhook: target.url })
    const cancelled = new Map<string, 'asked' | 'answered'>()
    /** For each incident id, the number of kills before it opened. */
    const opened = new Map<string, number>()
    let kills = 0
    for (; kills < KILLS; kills++) {
      if (kills > 0) await site.start()
      const users = await Promise.all(Array.from({ length: 6 }, (_, n) => site.user(`${kills}-${n}`, [ANA, BEN])))
      const ids = await Promise.all(users.map(raise))
      for (const id of ids) opened.set(id, kills)
      const changesMind = sleep(random() * 500).then(async () => {
        cancelled.set(ids[0]!, 'asked')
        const { status } = await users[0]!.rest('POST', '/v1/sdk/sos/cancel')
        assert.equal(status, 200)
        cancelled.set(ids[0]!, 'answered')
      })
      await sleep(150 + random() * 500)
      await Promise.all([site.kill(), changesMind.catch(() => {})])
    }
    await site.start()
    await recovered('nothing is ahead', async () => (await ahead(site)).length === 0)
    const unsure = site.output.split('an attempt has no outcome').length - 1

    const incidents = await site.tocsin('incident', 'list')
    const outbox = await site.tocsin('outbox', 'list')
    assert.deepEqual(incidents.map(({ incidentId }: any) => incidentId).sort(), [...opened.keys()].sort())
    for (const { incidentId, status: ended, actuators } of incidents) {
      if (cancelled.get(incidentId) === 'answered') assert.equal(ended, 'cancelled')
      if (!cancelled.has(incidentId)) assert.equal(ended, 'active')
      const messages = outbox.filter((message: any) => message.incidentId === incidentId)
      const [{ contacts }, { deliveries }] = actuators.items
      for (const { contactId, channels } of contacts) {
        for (const { channel, status } of channels) {
          const got = messages.filter((message: any) => message.contactId === contactId && message.channel === channel)
          const about = `${channel} of ${incidentId} is ${status} and was written ${got.length} times`
          assert.equal(got.length, status === 'sent' ? 1 : 0, about)
          if (ended === 'active') assert.equal(status, 'sent', about)
          else assert.ok(status === 'sent' || status === 'skipped', about)
        }
      }
      const calls = target.requests.filter(
        ({ json }) => json.type === OPENED && json.data.incident.incidentId === incidentId,
      )
      const last = deliveries.at(-1).status
      if (ended === 'active') assert.equal(last, 'delivered')
      if (last === 'delivered') assert.ok(calls.length > 0)
      // Each kill may repeat one call whose outcome was lost.
      assert.ok(calls.length <= 1 + kills - opened.get(incidentId)!)
    }
    t.diagnostic(
      `${incidents.length} incidents, ${cancelled.size} of them cancelled, over ${kills} kills; ${unsure} attempts had no outcome`,
    )
    // A few kills may all miss; fifty do not.
    assert.ok(unsure > 0 || KILLS < 20, 'no kill met an attempt under way')
  })

  test('before a deadline that passes meanwhile: it is met at the start, and later ones are still ahead', {
    timeout: HANGS_MS,
  }, async (t) => {
    // Time enough to press, to kill the service and to look, whatever stalls.
    const settings = { 'grace-seconds': 10, 'contact-interval-seconds': 3600, 'ack-timeout-seconds': 1800 }
    const site = await startProcessSite(t, { settings })
    const user = await site.user('mia', [ANA, BEN])
    await user.connect()
    await user.presses()
    await site.kill()
    const [record] = await site.look((store) => store.incidents({ openOnly: true }))
    const dueAt = record!.incident.cascade.startedAt
    assert.deepEqual(await site.look((store) => store.outbox({ incidentId: null })), [])
    await until('the deadline is past', () => Date.now() > dueAt, RECOVERY_MS)

    await site.start()
    const back = await site.user('mia')
    await until(
      'Ana has her SMS',
      async () => (await site.look((store) => store.outbox({ incidentId: null }))).length > 0,
    )
    const messages = await site.look((store) => store.outbox({ incidentId: null }))
    assert.deepEqual(
      messages.map(({ channel, to }) => [channel, to]),
      [['sms', ANA.phone]],
    )
    const statuses = async () => (await back.openIncident()).actuators.items[0].contacts.map(channelStatuses)
    // The text is in the outbox before its outcome is recorded.
    await until('the outcome is recorded', async () => (await statuses())[0][0] !== 'sms scheduled')
    assert.deepEqual(await statuses(), [
      ['sms sent', 'voice scheduled'],
      ['sms scheduled', 'voice scheduled'],
    ])
  })

  test('with SIGTERM it exits with 0 and leaves no outcome unknown', { timeout: HANGS_MS }, async (t) => {
    const site = await startProcessSite(t, { settings: HURRIED })
    const users = await Promise.all(Array.from({ length: 10 }, (_, n) => site.user(`mia-${n}`, [ANA])))
    const incidents = await Promise.all(users.map(raise))
    await until(
      'messages are being written',
      async () => (await site.look((store) => store.outbox({ incidentId: null }))).length > 0,
    )
    assert.equal(await site.stop(), 0)
    for (const id of incidents) {
      const { incident } = (await site.look((store) => store.incident(id)))!
      assert.ok(incident.deliveries.every(({ claim }) => claim === null))
    }
  })
})

const attempts = ({ attempt, status }: any) => [attempt, status]
const channelStatuses = ({ channels }: any) => channels.map(({ channel, status }: any) => `${channel} ${status}`)

async function raise(user: PhoneUser): Promise<string> {
  const { status, body } = await user.rest('POST', '/v1/sdk/sos', { timestamp: newMoment() })
  assert.equal(status, 201)
  return body.incident.incidentId
}

const claimOf = (site: ProcessSite, incidentId: string, channel: string) =>
  site.look(async (store) =>
    (await store.incident(incidentId))?.incident.deliveries.find((row) => row.channel === channel),
  )

/** Like `until`, for conditions that take the quiet time and more: waits longer and polls less often. */
const recovered = <T>(what: string, look: () => Promise<T | false>): Promise<T> =>
  until(what, async () => (await look()) || sleep(LOOK_MS, false as const), RECOVERY_MS)

/** The actuator of the user's open incident, once it is no longer pending. */
const settled = (user: PhoneUser, type: string): Promise<any> =>
  recovered(`${type} is settled`, async () => {
    const { actuators } = await user.openIncident()
    const item = actuators.items.find((one: any) => one.type === type)
    return item.outcome !== 'pending' && item
  })

/** Every contact of the open incident gets one SMS and one call, and the snapshot agrees. */
async function gotEachOnce(site: ProcessSite, user: PhoneUser): Promise<void> {
  const { incidentId } = await user.openIncident()
  const contacts = await recovered('both channels are settled', async () => {
    const [item] = (await user.openIncident()).actuators.items
    const statuses: string[] = item.contacts.flatMap(channelStatuses)
    return statuses.every((status) => !status.endsWith(' scheduled')) && item.contacts
  })
  const messages = await site.look((store) => store.outbox({ incidentId }))
  for (const contact of contacts) {
    assert.deepEqual(channelStatuses(contact), ['sms sent', 'voice sent'])
    const got = messages.filter(({ contactId }) => contactId === contact.contactId)
    assert.deepEqual(got.map(({ channel }) => channel).sort(), ['sms', 'voice'])
  }
}

/** Attempts of any incident that still wait or have no outcome. */
const ahead = (site: ProcessSite) =>
  site.look(async (store) =>
    (await store.incidents({ openOnly: false })).flatMap(({ incident }) =>
      incident.deliveries.filter(({ status }) => status === 'scheduled'),
    ),
  )
